"""A step as a figure: what it read → the operation → what it made, as labelled grids in the order of the formula.

The heading stands at the same place at every step; the grids fill the rest of the page, in its middle, and have their
numbers in their cells where they fit. A larger ``zoom`` makes larger cells on a larger page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from txviz.figures import theme
from txviz.figures.area import Area
from txviz.figures.blocks import BETWEEN, CAPTION, Block, Group, Layout, Line, label_room
from txviz.figures.colour_bar import CELLS, colour_bar, scale_bar
from txviz.figures.followed import Token
from txviz.figures.heading import heading, text_size
from txviz.figures.layout import best_layout, zoomed
from txviz.figures.looks import look
from txviz.figures.marks import Box, Figure, Mark, Text
from txviz.figures.marks import Group as Named
from txviz.figures.panels import Panel, heat, make_panel, panel_marks
from txviz.figures.patches import Drawing
from txviz.figures.style import MARGIN, Style
from txviz.figures.tensors import Grid, grids, unlabelled
from txviz.ops import Index
from txviz.ops.arithmetic import number
from txviz.trace import Cell, Step

__all__ = ["Panel", "Stage", "block_colours", "heat", "place_blocks", "stage"]

LARGER = 1.4
"""The grids' texts may be so much larger than the page's text size."""


@dataclass(frozen=True, eq=False)
class Stage:
    """The figure of a step, and where on it the tensors are."""

    step: Step
    figure: Figure
    panels: tuple[Panel, ...]
    style: Style

    def cell_at(self, x: float, y: float) -> tuple[Panel, Index] | None:
        found = ((panel, panel.cell_at(x, y)) for panel in self.panels)
        return next(((panel, index) for panel, index in found if index is not None), None)

    def rows_of(self, token: Token) -> tuple[Mark, ...]:
        """A quiet frame around the row of a token, with its label, in each tensor that has it."""
        sources = {each.name: each for each in (*self.step.sources, self.step) if isinstance(each, Step)}
        colour = self.style.theme.accent
        found = ((panel, sources.get(panel.grid.name)) for panel in self.panels)
        boxes = (panel.row_box(source, token) for panel, source in found if source is not None)
        return tuple(Box(*box, stroke=colour, stroke_width=1.4, radius=3) for box in boxes if box is not None)

    def outlines(self, index: Index, cell: Cell) -> tuple[Mark, ...]:
        """Boxes around an output cell and around the cells that it was made from."""
        colour = self.style.theme.highlight
        return tuple(
            Box(*panel.box(block), stroke=colour, stroke_width=2 if panel.grid.output else 1.6)
            for panel in self.panels
            for block in panel.blocks([index] if panel.grid.output else cell.reads.get(panel.grid.name, []))
        )


def stage(
    step: Step,
    place: Index = (),
    width: float = 900,
    height: float = 520,
    style: Style | None = None,
    drawing: Drawing | None = None,
    decimals: int | None = None,
    title: str = "",
) -> Stage:
    """The step as a figure of at least this size; it is larger only where ``style.zoom`` makes it so.

    ``drawing`` comes from ``find_drawing``, ``decimals`` from ``block_decimals``; without, the step is on its own.
    ``title`` stands in place of the step's own.
    """
    style = style or Style()
    head = heading(title or step.title, step.formula, width, height, style)
    groups = _grouped(step, grids(step, place, decimals), style, drawing)
    size = text_size(width, height, style)
    area = Area(MARGIN, head.bottom, width - 2 * MARGIN, height - head.bottom - MARGIN)
    layout = best_layout(groups, area, size, min(LARGER * size, style.growth * style.size))
    if style.zoom != 1:
        layout = zoomed(layout, style.zoom)
    limits = _limits(layout.groups, style)
    marks, panels, right, bottom = place_blocks(layout, area, style, limits)
    made = layout.groups[-1][0]
    sharing = [] if style.scale == "tensor" else [block for group in layout.groups for block in group]
    bar = block_colours(made, limits[id(made)], head.bar, replace(style, size=size), sharing)
    marks = [Named("heading", tuple(head.marks)), Named("colours", tuple(bar)), *marks]
    figure = Figure(max(width, right + MARGIN), max(height, bottom + MARGIN), style.theme.panel, tuple(marks))
    return Stage(step, figure, tuple(panels), style)


def _grouped(step: Step, shown: tuple[list[Grid], list[Grid]], style: Style, drawing: Drawing | None) -> list[Group]:
    inputs, outputs = shown if style.labels else (list(map(unlabelled, shown[0])), list(map(unlabelled, shown[1])))
    signs, size = look(step).signs, style.size
    groups: list[Group] = []
    operands = 0
    for before, grid in zip([None, *inputs], inputs, strict=False):
        same = before is not None and before.name == grid.name and before.place != grid.place
        sign = "" if not operands or same else signs[min(operands, len(signs)) - 1]
        operands += not same
        block = Block(grid, sign, size, drawing, not same, style.numbers)
        if groups and block.rows == 1 and block.columns == groups[-1][0].columns > 1 and not same:
            groups[-1].append(block)
        else:
            groups.append([block])
    for k, grid in enumerate(outputs):
        sign = "" if k or not inputs else "=" if look(step).equal else "→"
        groups.append([Block(grid, sign, size, drawing, not k, style.numbers)])
    return groups


def _limits(groups: Sequence[Group], style: Style) -> dict[int, float]:
    """Where the colours of each block end, by its identity."""
    blocks = [block for group in groups for block in group]
    if isinstance(style.scale, float | int):
        return {id(block): float(style.scale) for block in blocks}
    ends = {id(block): style.end_of(block.grid.name, block.grid.largest) for block in blocks}
    return dict.fromkeys(ends, max(ends.values())) if style.scale == "shared" else ends


def block_colours(
    block: Block, limit: float, at: tuple[float, float, float], style: Style, also: Sequence[Block] = ()
) -> list[Mark]:
    """What the colours of a block mean, and of others that share its scale; ``at`` is the bar's left, top and width."""
    if block.grid.counts:
        return []
    if block.grid.picture:
        return colour_bar(at, theme.greys(np.linspace(0, limit, CELLS)), ("0", "", number(limit, 3)), style)
    coloured = [each.grid.values for each in (block, *also) if not (each.grid.counts or each.grid.picture)]
    return scale_bar(at, np.concatenate([values.ravel() for values in coloured]), limit, style)


def place_blocks(
    layout: Layout, area: Area, style: Style, limits: Mapping[int, float]
) -> tuple[list[Mark], list[Panel], float, float]:
    """Marks and panels of all lines, in the middle of the area, and how far they reach to the right and down."""
    marks: list[Mark] = []
    panels: list[Panel] = []
    right, y = 0.0, area.y + max(0.0, area.height - layout.height) / 2
    for line in layout.lines:
        x = area.x + max(0.0, area.width - layout.line_width(line)) / 2
        drawn, placed = _placed(line, layout, x, y, style, limits)
        marks += drawn
        panels += placed
        right, bottom = max(right, x + layout.line_width(line)), y + layout.line_height(line)
        y = bottom + BETWEEN * layout.size
    return marks, panels, right, bottom


def _placed(
    line: Line, layout: Layout, x: float, y: float, style: Style, limits: Mapping[int, float]
) -> tuple[list[Mark], list[Panel]]:
    """One line of groups, from its left and top."""
    marks: list[Mark] = []
    panels: list[Panel] = []
    top = y + layout.head_height(line)
    for group in line:
        gap, first = layout.gap(group, line), group[0]
        if first.sign:
            half = first.rows * layout.of(first).height / 2
            marks.append(_sign(first.sign, x + gap / 2, top + min(half, 8 * first.size), first.size, style))
        stack = _stacked(group, layout, x + gap, top, style)
        for block, panel in zip(group, stack, strict=True):
            inside = panel_marks(block, panel, y if block is first else None, style, limits[id(block)])
            marks.append(Named(_id(block.grid), tuple(inside)))
        panels += stack
        x += gap + layout.group_width(group)
    return marks, panels


def _id(grid: Grid) -> str:
    return ".".join([grid.name, *(f"head-{i}" for i in grid.place[-1:])])


def _stacked(group: Group, layout: Layout, x: float, y: float, style: Style) -> list[Panel]:
    """The blocks of a group one below the other, with room for a caption between them."""
    panels: list[Panel] = []
    for block in group:
        left, stacked = x + label_room(group), block is not group[0]
        panels.append(make_panel(block, left, y, layout.of(block), style, stacked=stacked))
        y = panels[-1].bottom + layout.size * CAPTION
    return panels


def _sign(sign: str, x: float, y: float, size: float, style: Style) -> Text:
    return Text(x, y + size * 0.5, sign, size * 1.5, style.theme.muted, anchor="middle")
