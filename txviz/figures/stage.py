"""A step as a figure: what it read → the operation → what it made, as labelled grids in the order of the formula.

The layout chooses one size of cell for all grids, the largest that fits the page, and writes the numbers into the cells
where they fit. A larger ``zoom`` makes larger cells on a larger page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from txviz.figures import fonts, theme
from txviz.figures.colour_bar import CELLS, colour_bar, scale_bar
from txviz.figures.formula import SIZE as FORMULA_SIZE
from txviz.figures.formula import typeset
from txviz.figures.layout import (
    CAPTION,
    LONGEST_LABEL,
    Block,
    Group,
    Layout,
    best_layout,
    label_room,
    numbered,
    on_one_line,
    on_two_lines,
    zoomed,
)
from txviz.figures.looks import look
from txviz.figures.marks import Box, Figure, Heat, Mark, Shape, Text
from txviz.figures.marks import Group as Named
from txviz.figures.numerals import cell_numbers
from txviz.figures.style import MARGIN, Style
from txviz.figures.tensors import Grid, grids, unlabelled
from txviz.figures.theme import Theme
from txviz.ops import Array, Index
from txviz.ops.arithmetic import number
from txviz.trace import Cell, Step, Trace


@dataclass(frozen=True, eq=False)
class Panel:
    """A grid at its place on the page: where its cells are."""

    grid: Grid
    x: float
    y: float
    cell_width: float
    cell_height: float

    @property
    def bottom(self) -> float:
        return self.y + len(self.grid.values) * self.cell_height

    def cell_at(self, x: float, y: float) -> Index | None:
        """Which cell of the tensor is at a point of the page."""
        column, row = (x - self.x) / self.cell_width, (y - self.y) / self.cell_height
        rows, columns = self.grid.values.shape
        return self.grid.index(int(row), int(column)) if 0 <= row < rows and 0 <= column < columns else None

    def box(self, cells: Sequence[tuple[int, int]]) -> tuple[float, float, float, float]:
        """x, y, width and height of the smallest box around some cells, given by row and column."""
        rows, columns = zip(*cells, strict=True)
        x, y = self.x + min(columns) * self.cell_width, self.y + min(rows) * self.cell_height
        across, down = max(columns) - min(columns) + 1, max(rows) - min(rows) + 1
        return x, y, across * self.cell_width, down * self.cell_height

    def blocks(self, indices: Iterable[Index]) -> list[list[tuple[int, int]]]:
        """Some cells of the tensor by row and column, as far as they are shown, in blocks that are outlined as one."""
        return _blocks([place for place in map(self.grid.find, indices) if place is not None])


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

    def outlines(self, index: Index, cell: Cell) -> tuple[Mark, ...]:
        """Boxes around an output cell and around the cells that it was made from."""
        colour = self.style.theme.highlight
        return tuple(
            Box(*panel.box(block), stroke=colour, stroke_width=2 if panel.grid.output else 1.6)
            for panel in self.panels
            for block in panel.blocks([index] if panel.grid.output else cell.reads.get(panel.grid.name, []))
        )


def _blocks(cells: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Cells that fill a rectangle together are one block; scattered ones are each their own."""
    if not cells:
        return []
    rows, columns = zip(*cells, strict=True)
    area = (max(rows) - min(rows) + 1) * (max(columns) - min(columns) + 1)
    return [cells] if area == len(set(cells)) else [[cell] for cell in cells]


def pictures(trace: Trace) -> dict[str, Array]:
    """The pixels of each patch, by its label: shown beside the label, since "patch 4" says little."""
    step = next((step for step in trace if step.op == "patchify"), None)
    if step is None or step.value.ndim != 2:
        return {}
    patch = tuple(step.params["patch"])
    if step.value.shape[-1] != patch[0] * patch[1]:
        return {}
    return {label: pixels.reshape(patch) for label, pixels in zip(step.labels[0], step.value, strict=True)}


def stage(
    step: Step,
    place: Index = (),
    width: float = 900,
    height: float = 520,
    style: Style | None = None,
    thumbnails: Mapping[str, Array] | None = None,
) -> Stage:
    """The step as a figure of at least this size; it is larger only where ``style.zoom`` makes it so."""
    style, thumbnails = style or Style(), thumbnails or {}
    shown = grids(step, place)
    page, room = (width, height), width - 2 * MARGIN
    arranged = _arranged(step, shown, page, style, thumbnails, best_layout)
    if style.growth > 1 and arranged.layout.complete(room):
        way = on_one_line if len(arranged.layout.lines) == 1 else on_two_lines
        sizes = (style.size * (1 + share * (style.growth - 1)) for share in (1, 0.75, 0.5, 0.25))
        larger = (_arranged(step, shown, page, replace(style, size=size), thumbnails, way) for size in sizes)
        arranged = next((each for each in larger if each.layout.complete(room)), arranged)
    head, top, groups, layout, style = arranged
    if style.zoom != 1:
        layout = zoomed(layout, style.zoom)
    limits = _limits(groups, style)
    marks, panels, right, bottom = place_blocks(layout, top, style, limits)
    at = width - MARGIN - _bar_width(style), MARGIN + style.size * 0.3, _bar_width(style)
    sharing = [] if style.scale == "tensor" else [block for group in groups for block in group]
    bar = block_colours(groups[-1][0], limits[id(groups[-1][0])], at, style, sharing)
    marks = [Named("heading", tuple(head)), Named("colours", tuple(bar)), *marks]
    figure = Figure(max(width, right + MARGIN), max(height, bottom + MARGIN), style.theme.panel, tuple(marks))
    return Stage(step, figure, tuple(panels), style)


class _Arranged(NamedTuple):
    head: list[Mark]
    top: float
    groups: list[Group]
    layout: Layout
    style: Style


def _arranged(
    step: Step,
    shown: tuple[list[Grid], list[Grid]],
    page: tuple[float, float],
    style: Style,
    thumbnails: Mapping[str, Array],
    lay_out: Callable[[list[Group], float, float, float], Layout],
) -> _Arranged:
    """Heading and grids on a page of this width and height, at the style's size of text."""
    width, height = page
    head, top = _heading(step, width, style)
    groups = _grouped(step, shown, style, thumbnails)
    layout = lay_out(groups, width - 2 * MARGIN, height - top - MARGIN, style.size)
    return _Arranged(head, top, groups, layout, style)


def _grouped(
    step: Step, shown: tuple[list[Grid], list[Grid]], style: Style, thumbnails: Mapping[str, Array]
) -> list[Group]:
    inputs, outputs = shown if style.labels else (list(map(unlabelled, shown[0])), list(map(unlabelled, shown[1])))
    signs = look(step).signs
    groups: list[Group] = []
    operands = 0
    for before, grid in zip([None, *inputs], inputs, strict=False):
        same = before is not None and before.name == grid.name and before.place != grid.place
        sign = "" if not operands or same else signs[min(operands, len(signs)) - 1]
        operands += not same
        block = Block(grid, sign, style.size, thumbnails, labelled=not same)
        if groups and block.rows == 1 and block.columns == groups[-1][0].columns > 1 and not same:
            groups[-1].append(block)
        else:
            groups.append([block])
    for k, grid in enumerate(outputs):
        sign = "" if k or not inputs else "=" if look(step).equal else "→"
        groups.append([Block(grid, sign, style.size, thumbnails, labelled=not k)])
    return groups


def _limits(groups: Sequence[Group], style: Style) -> dict[int, float]:
    """Where the colours of each block end, by its identity."""
    blocks = [block for group in groups for block in group]
    if isinstance(style.scale, float | int):
        return {id(block): float(style.scale) for block in blocks}
    ends = {id(block): block.grid.largest for block in blocks}
    return dict.fromkeys(ends, max(ends.values())) if style.scale == "shared" else ends


def _heading(step: Step, width: float, style: Style) -> tuple[list[Mark], float]:
    """Title and formula, and how far down they reach."""
    marks: list[Mark] = []
    y, size, colours = MARGIN, style.size, style.theme
    room = width - 2 * MARGIN - _bar_width(style) - size * 2
    if style.title:
        y += size * 1.5
        large = size * max(1.1, min(1.6, room / fonts.width(step.title, 1, bold=True) / size))
        marks.append(Text(MARGIN, y, fonts.elided(step.title, large, room), large, colours.text, bold=True))
        y += size * 0.5
    if style.formula and (shown := step.formula):
        formula = typeset(shown)
        scale = min(size * 1.5 / FORMULA_SIZE, (width - 2 * MARGIN) / max(formula.width, 1))
        beside_bar = style.title or formula.width * scale <= room
        y += size * (0.7 if beside_bar else 2.8) + formula.ascent * scale
        marks.append(Shape(MARGIN, y, scale, formula.outline, colours.text))
        y += formula.descent * scale
    return marks, y + size * 1.2


def _bar_width(style: Style) -> float:
    return style.size * 14


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
    layout: Layout, top: float, style: Style, limits: Mapping[int, float]
) -> tuple[list[Mark], list[Panel], float, float]:
    """Marks and panels of all lines, and how far they reach to the right and down."""
    marks: list[Mark] = []
    panels: list[Panel] = []
    right, y = 0.0, top
    for line in layout.lines:
        x, bottom = MARGIN, y
        grid_top = y + layout.head_height(line)
        for group in line:
            gap = layout.sign_width(group) if group[0].sign or group is not line[0] else 0.0
            if group[0].sign:
                half = group[0].rows * layout.cells[id(group[0])].height / 2
                marks.append(_sign(group[0].sign, x + gap / 2, grid_top + min(half, 8 * style.size), style))
            placed = _stacked(group, layout, x + gap, grid_top)
            for block, panel in zip(group, placed, strict=True):
                inside = _panel_marks(block, panel, y if block is group[0] else None, style, limits[id(block)])
                marks.append(Named(_id(block.grid), tuple(inside)))
            panels += placed
            x += gap + layout.group_width(group)
            bottom = max(bottom, placed[-1].bottom)
        right, y = max(right, x), bottom + style.size * 1.5
    return marks, panels, right, bottom


def _id(grid: Grid) -> str:
    return ".".join([grid.name, *(f"head-{i}" for i in grid.place[-1:])])


def _stacked(group: Group, layout: Layout, x: float, y: float) -> list[Panel]:
    """The blocks of a group one below the other, with room for a caption between them."""
    panels: list[Panel] = []
    for block in group:
        cell = layout.cells[id(block)]
        panels.append(Panel(block.grid, x + label_room(group), y, cell.width, cell.height))
        y = panels[-1].bottom + layout.size * CAPTION
    return panels


def _sign(sign: str, x: float, y: float, style: Style) -> Text:
    return Text(x, y + style.size * 0.6, sign, style.size * 1.7, style.theme.muted, anchor="middle")


def _panel_marks(block: Block, panel: Panel, top: float | None, style: Style, limit: float) -> list[Mark]:
    """Caption, cells and labels. ``top`` is the top of the line; a block that is stacked under another has none."""
    size, colours, grid = style.size, style.theme, panel.grid
    stacked = top is None
    baseline = panel.y - size * 0.55 if top is None else top + size * 2.2
    sign = f"{block.sign} " if stacked and block.sign != "," else ""
    across, down = block.columns * panel.cell_width, block.rows * panel.cell_height
    shape = fonts.elided(grid.shape, size * 0.92, max(across, block.caption_width) + size)
    return [
        Text(panel.x, baseline - size * 1.2, sign + grid.caption, size * 1.1, colours.text, bold=True),
        Text(panel.x, baseline, shape, size * 0.92, colours.muted),
        heat(panel, style, limit),
        Box(panel.x, panel.y, across, down, stroke=colours.line),
        *([] if stacked else _column_labels(block, panel, style)),
        *_row_labels(block, panel, style),
    ]


def heat(panel: Panel, style: Style, limit: float) -> Heat:
    """The coloured cells, with their numbers where they fit."""
    grid, colours = panel.grid, style.theme
    values = np.ascontiguousarray(grid.values)
    painted = _painted(grid, values, colours, limit)
    texts, size = cell_numbers(grid.values, panel.cell_width, panel.cell_height, style)
    rows, columns = values.shape
    return Heat(
        panel.x,
        panel.y,
        panel.cell_width,
        panel.cell_height,
        rows,
        columns,
        painted.tobytes(),
        hatched=tuple(np.flatnonzero(~np.isfinite(values)).tolist()) if values.dtype.kind == "f" else (),
        hatch=colours.muted,
        texts=texts,
        inks=theme.is_dark(painted).astype(np.uint8).tobytes() if texts else b"",
        light_ink=theme.LIGHT_INK,
        dark_ink=theme.DARK_INK,
        text_size=size,
    )


def _painted(grid: Grid, values: Array, colours: Theme, limit: float) -> Array:  # (n,m) -> (n,m,3)
    if grid.picture:
        return theme.greys(values)
    return theme.colours(colours, np.zeros(values.shape) if grid.counts else values.astype(float), limit)


def _column_labels(block: Block, panel: Panel, style: Style) -> list[Mark]:
    size, colour, labels, cell = style.size, style.theme.muted, panel.grid.column_labels, panel.cell_width
    if block.column_label_height(cell) < size:
        return []
    middles = [panel.x + (j + 0.5) * cell for j in range(len(labels))]
    y = panel.y - size * 0.4
    if block.turns_labels(cell):
        room = LONGEST_LABEL * size / 12
        shown = [fonts.elided(label, size, room) for label in labels]
        return [Text(x, y, label, size, colour, turn=60) for x, label in zip(middles, shown, strict=True)]
    every = _stride(len(labels), block.widest_column_label + size * 0.4, cell) if numbered(labels) else 1
    pairs = zip(middles[::every], labels[::every], strict=True)
    return [Text(x, y, label, size, colour, anchor="middle") for x, label in pairs]


def _row_labels(block: Block, panel: Panel, style: Style) -> list[Mark]:
    labels, size = panel.grid.row_labels, style.size
    if not block.labelled or not any(labels):
        return []
    every = _stride(len(labels), size * 1.05, panel.cell_height)
    room = LONGEST_LABEL * size / 12
    marks: list[Mark] = []
    for i in range(0, len(labels), every):
        middle = panel.y + (i + 0.5) * panel.cell_height
        shown = fonts.elided(labels[i], size, room)
        marks.append(Text(panel.x - 6, middle + size * 0.36, shown, size, style.theme.muted, "end"))
        if labels[i] in block.thumbnails:
            side = min(size * 1.5, panel.cell_height * every * 0.8)
            marks += _thumbnail(block.thumbnails[labels[i]], panel.x - block.label_room, middle, side, style)
    return marks


def _thumbnail(pixels: Array, x: float, middle: float, size: float, style: Style) -> list[Mark]:
    """The pixels, in a frame: white ones would be lost on a white page."""
    rows, columns = pixels.shape
    cell = size / max(rows, columns)
    y = middle - rows * cell / 2
    return [
        Heat(x, y, cell, cell, rows, columns, theme.greys(pixels).tobytes()),
        Box(x, y, columns * cell, rows * cell, stroke=style.theme.line),
    ]


def _stride(count: int, needed: float, cell: float) -> int:
    """Every how-manieth label is shown, so that none touches the next: 1, 2, 5, 10, 20, …"""
    for every in (1, 2, 5, 10, 20, 50, 100, 200, 500):
        if every * cell >= needed:
            return every
    return max(count, 1)
