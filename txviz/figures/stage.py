"""A step as a figure: what it read → the operation → what it made, as labelled grids in the order of the formula.

The heading stands at the same place at every step; the grids fill the rest of the page, in its middle, and have their
numbers in their cells where they fit. A larger ``zoom`` makes larger cells on a larger page.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from txviz.figures.area import Area
from txviz.figures.blocks import CAPTION, Block, Group, Layout, Line, label_room
from txviz.figures.colour_scale import NOTHING, Span
from txviz.figures.cropping import SMALLEST, Cropping, cropped_layout
from txviz.figures.folding import folded, is_long_row
from txviz.figures.followed import Token
from txviz.figures.grid import Grid, unlabelled
from txviz.figures.heading import heading, text_size
from txviz.figures.layout import best_layout, zoomed
from txviz.figures.legend import legend
from txviz.figures.looks import look
from txviz.figures.marks import Box, Figure, Mark, Text
from txviz.figures.marks import Group as Named
from txviz.figures.panels import Panel, heat, make_panel, panel_marks
from txviz.figures.patches import Drawing
from txviz.figures.sharing import ends_by_grid, scales
from txviz.figures.style import MARGIN, Style
from txviz.figures.tensors import NONE_LEFT_OUT, Entries, Shown, grids
from txviz.ops import Index
from txviz.trace import Cell, Step

__all__ = ["Panel", "Stage", "group_name", "heat", "place_blocks", "stage", "stroke_scale"]

SMALLEST_FOLDED = 0.67
"""The size of text, by the style's, from which on some of a long row is left out."""

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

    def shows(self, index: Index) -> bool:
        """Whether this cell of the result is among those that are drawn."""
        return any(panel.grid.find(index) is not None for panel in self.panels if panel.grid.output)

    def rows_of(self, token: Token) -> tuple[Mark, ...]:
        """A quiet frame around the row of a token, with its label, in each tensor that has it."""
        sources = {each.name: each for each in (*self.step.sources, self.step) if isinstance(each, Step)}
        colour = self.style.theme.accent
        found = ((panel, sources.get(panel.grid.name)) for panel in self.panels)
        boxes = (panel.row_box(source, token) for panel, source in found if source is not None)
        return tuple(Box(*box, stroke=colour, stroke_width=1.4, radius=3) for box in boxes if box is not None)

    def outlines(self, index: Index, cell: Cell) -> tuple[Mark, ...]:
        """Boxes around an output cell and around the cells that it was made from."""
        outputs = (panel for panel in self.panels if panel.grid.output)
        boxes = (panel.box(block) for panel in outputs for block in panel.blocks([index]))
        return (*self.around_reads(cell), *self._boxed(boxes, 2))

    def around_reads(self, cell: Cell) -> tuple[Mark, ...]:
        """Boxes around the cells that a cell was made from."""
        inputs = (panel for panel in self.panels if not panel.grid.output)
        boxes = (panel.box(b) for panel in inputs for b in panel.blocks(cell.reads.get(panel.grid.name, [])))
        return self._boxed(boxes, 1.6)

    def _boxed(self, boxes: Iterable[tuple[float, float, float, float]], width: float) -> tuple[Mark, ...]:
        width *= stroke_scale(self.style)
        return tuple(Box(*box, stroke=self.style.theme.highlight, stroke_width=width) for box in boxes)


def stage(
    step: Step,
    place: Index = (),
    width: float = 900,
    height: float = 520,
    style: Style | None = None,
    drawing: Drawing | None = None,
    decimals: int | None = None,
    title: str = "",
    cell: Index | None = None,
    whole: Shown | None = None,
) -> Stage:
    """The step as a figure of at least this size; it is larger only where ``style.zoom`` makes it so.

    ``drawing`` comes from ``find_drawing``, ``decimals`` from ``block_decimals``; without, the step is on its own.
    ``title`` stands in place of the step's own. Where not all is shown, the row and the column of the ``cell`` are.
    ``whole`` has all of its grids, where another stage of the same step has needed them, too.
    """
    style = style or Style()
    where = "" if step.heading == step.title else step.title
    head = heading(title or step.heading, step.formula, width, height, style, where=where)
    size = text_size(width, height, style)
    area = Area(MARGIN, head.bottom, width - 2 * MARGIN, height - head.bottom - MARGIN)
    layout = _laid_out(step, place, decimals, cell, area, size, style, drawing, whole)
    if style.zoom != 1:
        layout = zoomed(layout, style.zoom)
    found = scales(step, (block.grid for group in layout.groups for block in group), style)
    marks, panels, right, bottom = place_blocks(layout, area, style, ends_by_grid(found))
    bar = legend([scale for scale, _ in found], head, replace(style, size=size))
    marks = [Named("heading", tuple(head.marks)), Named("colours", tuple(bar)), *marks]
    figure = Figure(max(width, right + MARGIN), max(height, bottom + MARGIN), style.theme.panel, tuple(marks))
    return Stage(step, figure, tuple(panels), style)


def _laid_out(
    step: Step,
    place: Index,
    decimals: int | None,
    cell: Index | None,
    area: Area,
    size: float,
    style: Style,
    drawing: Drawing | None,
    whole: Shown | None,
) -> Layout:
    """All of the tensors, or as much of them as the style says."""
    every = whole or grids(step, place, decimals, cell=cell)
    groups, most = _grouped(step, every, style, drawing), min(LARGER * size, style.growth * style.size)

    def grouped(entries: Entries) -> list[Group]:
        return _grouped(step, grids(step, place, decimals, entries, cell), style, drawing) if entries else groups

    def made(entries: Entries, least: float) -> Layout:
        return best_layout(grouped(entries), area, size, most, least)

    def cropping() -> Cropping:
        return Cropping(step, every, cell)

    if is_long_row(groups) and not style.crop.chosen:
        least = (SMALLEST if style.crop.fits else SMALLEST_FOLDED) * style.size
        upright = made(NONE_LEFT_OUT, least)
        return upright if upright.readable else folded(groups[0][0], area, max(most, least), least)
    return cropped_layout(style, area, cropping, grouped, made)


def _grouped(step: Step, shown: Shown, style: Style, drawing: Drawing | None) -> list[Group]:
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


def place_blocks(
    layout: Layout, area: Area, style: Style, ends: Mapping[int, Span]
) -> tuple[list[Mark], list[Panel], float, float]:
    """Marks and panels of all lines, in the middle of the area, and how far they reach to the right and down. ``ends``
    has where colours end, by the identity of a grid; what is not there has none."""
    marks: list[Mark] = []
    panels: list[Panel] = []
    right, y = 0.0, area.y + max(0.0, area.height - layout.height) / 2
    for line in layout.lines:
        wide = layout.width if layout.folded else layout.line_width(line)
        x = area.x + max(0.0, area.width - wide) / 2
        drawn, placed = _placed(line, layout, x, y, style, ends)
        marks += drawn
        panels += placed
        right, bottom = max(right, x + layout.line_width(line)), y + layout.line_height(line)
        y = bottom + layout.between
    return marks, panels, right, bottom


def _placed(
    line: Line, layout: Layout, x: float, y: float, style: Style, ends: Mapping[int, Span]
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
            reach = ends.get(id(block.grid), NOTHING)
            inside = panel_marks(block, panel, y if block is first else None, style, reach)
            marks.append(Named(group_name(block.grid), tuple(inside)))
        panels += stack
        x += gap + layout.group_width(group)
    return marks, panels


def stroke_scale(style: Style) -> float:
    """Outlines are as much wider as texts are larger than on a screen."""
    return max(1.0, style.size / Style.size)


def group_name(grid: Grid) -> str:
    """Of the marks of a tensor."""
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
