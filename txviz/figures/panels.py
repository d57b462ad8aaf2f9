"""A grid at its place on the page: which cell is where, and its marks: caption, cells, numbers and labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from txviz.figures import fonts, theme
from txviz.figures.area import Area
from txviz.figures.blocks import LABEL_GAP, Block, Cells, numbered
from txviz.figures.coarse import coarse
from txviz.figures.colour_scale import Span
from txviz.figures.followed import Token, place_in, row_axis
from txviz.figures.grid import Grid, in_order
from txviz.figures.label_places import label_places, label_size
from txviz.figures.layout import ZOOMED_TEXT
from txviz.figures.marks import TEXT_DROP, Box, Heat, Line, Mark, Text
from txviz.figures.numerals import SMALLEST, cell_numbers
from txviz.figures.patches import BORDER, LETTER_AIR, LETTER_HEIGHT, Drawing, patch_letters, patch_lines
from txviz.figures.photographs import CutPhotograph, Raster
from txviz.figures.style import Style
from txviz.figures.tensors import SEPARATOR
from txviz.figures.theme import Theme
from txviz.ops import Array, Index
from txviz.trace import Step

LETTER = 0.92
"""The size of the letter in the corner of a patch, by the size of the text."""

GAP, DOTS, DOT = 0.16, 0.2, 0.06
"""The width of a gap where something is left out, how far apart its three dots are, and their radius. All of these by
the size of the text."""

PATCH_BORDER, APART = 0.5, 0.08
"""On a photograph: the width of the lines between patches, and the room between patches that stand apart, by their
size."""

DIGIT = 2 * TEXT_DROP
"""How high a digit is, by the size of the text."""


@dataclass(frozen=True, eq=False)
class Panel:
    """A grid at its place on the page: where its cells are."""

    grid: Grid
    x: float
    y: float
    cell_width: float
    cell_height: float
    row_labels: tuple[Mark, ...] = ()
    """To the left of the cells."""

    column_labels: tuple[Mark, ...] = ()
    """Above them."""

    @property
    def right(self) -> float:
        return self.x + int(self.grid.values.shape[1]) * self.cell_width

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

    def row_box(self, source: Step, token: Token) -> tuple[float, float, float, float] | None:
        """Around the token's row of the step that is shown here, with its label; its column where rows are columns."""
        axis, place = row_axis(source), place_in(source, token)
        if axis is None or place is None or not self.grid.values.size or self.grid.rank != source.value.ndim:
            return None  # of A beside B, it may be another step that is shown here
        corner = list(self.grid.index(0, 0))
        corner[axis] = place
        found = self.grid.find(tuple(corner))
        if found is None:
            return None
        rows, columns = self.grid.values.shape
        if (axis == source.value.ndim - 1) != self.grid.turned:
            return self.box([(0, found[1]), (rows - 1, found[1])])
        x, y, width, height = self.box([(found[0], 0), (found[0], columns - 1)])
        label = self._label_width(y + height / 2)
        return x - label, y, width + label, height

    def _label_width(self, middle: float) -> float:
        """How far the label of a row reaches to the left of the cells."""
        texts = (mark for mark in self.row_labels if isinstance(mark, Text))
        mine = (mark for mark in texts if abs(mark.y - TEXT_DROP * mark.size - middle) < 1)
        return next((self.x - mark.x + fonts.width(mark.text, mark.size) + mark.size * 0.3 for mark in mine), 0.0)

    def blocks(self, indices: Iterable[Index]) -> list[list[tuple[int, int]]]:
        """Some cells of the tensor by row and column, as far as they are shown, in blocks that are outlined as one."""
        return _blocks(self.grid.find_all(indices))


def _blocks(cells: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Cells that fill a rectangle together are one block; scattered ones are each their own."""
    if not cells:
        return []
    rows, columns = zip(*cells, strict=True)
    area = (max(rows) - min(rows) + 1) * (max(columns) - min(columns) + 1)
    return [cells] if area == len(set(cells)) else [[cell] for cell in cells]


def make_panel(block: Block, x: float, y: float, cell: Cells, style: Style, *, stacked: bool) -> Panel:
    """The block's grid, with labels; one that is stacked below another has its column labels from that."""
    bare = Panel(block.grid, x, y, cell.width, cell.height)
    above = () if stacked else _column_labels(block, bare, style)
    return replace(bare, row_labels=tuple(_row_labels(block, bare, style)), column_labels=tuple(above))


def panel_marks(block: Block, panel: Panel, top: float | None, style: Style, ends: Span) -> list[Mark]:
    """Caption, cells and labels. ``top`` is the top of the line; a block that is stacked under another has none."""
    size = block.size
    numbers = replace(style, size=size * max(1.0, style.zoom / ZOOMED_TEXT))
    cells = heat(panel, numbers, ends, min(style.size, size) * SMALLEST)
    return [
        *(_caption_beside(block, panel, style) if top is None else _caption_above(block, panel, top, style)),
        cells,
        Box(panel.x, panel.y, panel.right - panel.x, panel.bottom - panel.y, stroke=style.theme.line),
        *_gaps(panel, size, style),
        *_patches(block, panel, cells, style),
        *panel.column_labels,
        *panel.row_labels,
    ]


def _patches(block: Block, panel: Panel, cells: Heat, style: Style) -> list[Mark]:
    """On the image: the borders of its patches, and their letters where they leave the numbers alone."""
    drawing, grid = block.drawing, block.grid
    if drawing is None or not grid.square or grid.values.shape != drawing.pixels.shape[:2]:
        return []
    area, largest = Area(panel.x, panel.y, panel.right - panel.x, panel.bottom - panel.y), block.size * LETTER
    if grid.raster:
        return _photograph_patches(drawing, grid.raster, area, largest, style)
    lines = patch_lines(drawing, area, BORDER, min(2.0, panel.cell_height / 8))
    size = min(largest, _free_above(cells) / LETTER_HEIGHT)
    letter = max((fonts.width(label, size, bold=True) for label in drawing.places), default=0.0) + size * 0.4
    fits = style.labels and letter < panel.cell_width and size >= SMALLEST * largest
    return [*lines, *(patch_letters(drawing, area, size) if fits else [])]


def _photograph_patches(drawing: Drawing, image: Raster, area: Area, size: float, style: Style) -> list[Mark]:
    """Thin borders on a photograph; its patches stand apart, with their names where these can be read."""
    if not isinstance(image, CutPhotograph):
        return list(patch_lines(drawing, area, BORDER, PATCH_BORDER))
    patch = area.width / drawing.grid[1]
    lines = patch_lines(drawing, area, style.theme.panel, patch * APART)
    widest = max((fonts.width(label, 1, bold=True) for label in drawing.places), default=0.0)
    letters = min(size, patch * (1 - 2 * APART) / (widest + 2 * LETTER_AIR))
    readable = style.labels and letters >= SMALLEST * size
    return [*lines, *(patch_letters(drawing, area, letters) if readable else [])]


def _free_above(cells: Heat) -> float:
    """How much of a cell's height is above its number."""
    return (cells.cell_height - cells.text_size * DIGIT) / 2 if cells.texts else cells.cell_height


def _caption_above(block: Block, panel: Panel, top: float, style: Style) -> list[Mark]:
    """What it is called, and its shape below that; what goes on from the line above says what is left out before it."""
    size, grid = block.size, block.grid
    if block.continued:
        return [Text(panel.x, top + size * 1.2, block.before, size, style.theme.muted)] if block.before else []
    room = max(panel.right - panel.x, block.caption_width)
    shape = _shortened(grid.shape, size * 0.92, room)
    return [
        Text(panel.x, top + size, grid.caption, size * 1.1, style.theme.text, bold=True),
        Text(panel.x, top + size * 2.2, shape, size * 0.92, style.theme.muted),
    ]


def _shortened(shape: str, size: float, room: float) -> str:
    """A shape with what it means, or without: how many rows and columns there are is said in any case."""
    parts = shape.split(SEPARATOR)
    shorter = (SEPARATOR.join(parts[:n]) for n in range(len(parts), 0, -1))
    return next((text for text in shorter if fonts.width(text, size) <= room), fonts.elided(shape, size, room))


def _gaps(panel: Panel, size: float, style: Style) -> list[Mark]:
    """Where rows or columns are left out: a line of the page's colour across the cells, and three dots beside it."""
    grid, wide, paper = panel.grid, size * GAP, style.theme.panel
    marks: list[Mark] = []
    for i in left_out(grid.row_ids, len(grid.row_axis[1])):
        y = panel.y + i * panel.cell_height
        marks.append(Line(panel.x - 1, y, panel.right + 1, y, paper, wide))
        marks += [_dot(panel.x - size * DOTS, y + k * size * DOTS, size, style) for k in (-1, 0, 1)]
    for j in left_out(grid.column_ids, len(grid.column_axis[1])):
        x = panel.x + j * panel.cell_width
        marks.append(Line(x, panel.y - 1, x, panel.bottom + 1, paper, wide))
        if _free_above_gap(panel, x, size):
            marks += [_dot(x + k * size * DOTS, panel.y - size * LABEL_GAP, size, style) for k in (-1, 0, 1)]
    return marks


def _free_above_gap(panel: Panel, x: float, size: float) -> bool:
    """Whether no label is in the way of the dots."""
    labels = (mark for mark in panel.column_labels if isinstance(mark, Text) and not mark.turn)
    return all(abs(mark.x - x) >= fonts.width(mark.text, mark.size) / 2 + size * 1.6 * DOTS for mark in labels)


def _dot(x: float, y: float, size: float, style: Style) -> Box:
    radius = size * DOT
    return Box(x - radius, y - radius, 2 * radius, 2 * radius, style.theme.muted, radius=radius)


def left_out(ids: Array, whole: int) -> list[int]:
    """Before which of the entries shown others are left out; of words that stand in another order, after the last.

    >>> left_out(np.array([0, 1, 2, 61, 63]), 64), left_out(np.array([7, 3]), 64), left_out(np.arange(4), 4)
    ([3, 4], [2], [])
    """
    if len(ids) >= whole:
        return []
    if not in_order(ids):
        return [len(ids)]
    starts = np.flatnonzero(np.diff(ids, prepend=-1, append=whole) > 1)
    return starts.tolist() if len(starts) <= max(2, len(ids) / 2) else []


def _caption_beside(block: Block, panel: Panel, style: Style) -> list[Mark]:
    """The same on one line, with its sign: a vector below a matrix."""
    size, baseline = block.size, panel.y - block.size * 0.5
    caption = block.grid.caption if block.sign == "," else f"{block.sign} {block.grid.caption}"
    after = panel.x + fonts.width(caption, size * 1.1, bold=True) + size * 0.7
    return [
        Text(panel.x, baseline, caption, size * 1.1, style.theme.text, bold=True),
        Text(after, baseline, block.grid.shape, size * 0.92, style.theme.muted),
    ]


def heat(panel: Panel, style: Style, ends: Span, smallest: float | None = None) -> Heat:
    """The coloured cells, with their numbers where they fit, in the style's size or smaller (see ``cell_numbers``)."""
    grid, colours = panel.grid, style.theme
    cell = panel.cell_width, panel.cell_height
    values = np.ascontiguousarray(grid.values) if grid.picture else coarse(grid.values, cell, style.dots)
    painted = _painted(grid, values, colours, ends)
    texts, size = cell_numbers(grid.values, grid.form, cell, grid.number_width, style, smallest)
    rows, columns = values.shape
    return Heat(
        panel.x,
        panel.y,
        (panel.right - panel.x) / columns if columns else panel.cell_width,
        (panel.bottom - panel.y) / rows if rows else panel.cell_height,
        rows,
        columns,
        painted.tobytes(),
        infinite=_infinite(values),
        hatch=colours.muted,
        texts=texts,
        inks=theme.is_dark(painted).astype(np.uint8).tobytes() if texts else b"",
        light_ink=theme.LIGHT_INK,
        dark_ink=theme.DARK_INK,
        text_size=size,
    )


def _infinite(values: Array) -> bytes:  # (n,m)
    """Of a whole number none is."""
    infinite = ~np.isfinite(values) if values.dtype.kind == "f" else np.zeros(0, bool)
    return infinite.tobytes() if infinite.any() else b""


def _painted(grid: Grid, values: Array, colours: Theme, ends: Span) -> Array:  # (n,m) -> (n,m,3)
    if grid.raster and grid.picture:
        return np.ascontiguousarray(grid.raster.colours[np.ix_(grid.row_ids, grid.column_ids)])
    if grid.picture:
        return theme.greys(values)
    return theme.colours(colours, np.zeros(values.shape) if grid.counts else values, ends)


def _column_labels(block: Block, panel: Panel, style: Style) -> list[Mark]:
    """Turned where cells are narrow, and upright where they are narrower than the text is high; then not all of them
    may have room."""
    size, colour, labels, cell = block.size, style.theme.muted, panel.grid.column_labels, panel.cell_width
    if block.column_label_height(cell) < size:
        return []
    turns, y = block.turns_labels(cell), panel.y - size * 0.4
    small = label_size(size, cell) if turns else size
    needed = small if turns else block.widest_column_label + size * 0.4 if numbered(labels) else 0.0
    places = label_places(len(labels), cell, needed, _worth_naming(panel.grid, 1) if cell < needed else ())
    named = [(panel.x + (j + 0.5) * cell, fonts.elided(labels[j], small, block.highest_label(cell))) for j in places]
    if turns and cell < size:
        return [Text(x + small * TEXT_DROP, y, label, small, colour, turn=90) for x, label in named]
    if turns:
        return [Text(x, y, label, size, colour, turn=60) for x, label in named]
    room = cell - size * 0.35 if block.folded else max(cell, block.longest_label)
    named = [(panel.x + (j + 0.5) * cell, fonts.elided(labels[j], size, room)) for j in places]
    return [Text(x, y, label, size, colour, anchor="middle") for x, label in named]


def _worth_naming(grid: Grid, axis: int) -> list[int]:
    """The row or the column of the chosen cell, both ends, and then that of the largest number."""
    chosen, most = ([place[axis]] if place else [] for place in (grid.marked, grid.largest))
    return [*chosen, 0, grid.values.shape[axis] - 1, *most]


def _row_labels(block: Block, panel: Panel, style: Style) -> list[Mark]:
    labels, cell = panel.grid.row_labels, panel.cell_height
    if not block.labelled or not any(labels):
        return []
    size = label_size(block.size, cell)
    places = label_places(len(labels), cell, size, _worth_naming(panel.grid, 0) if cell < size else ())
    side = min(size * 1.5, max(size * 0.8, cell * 0.8))
    marks: list[Mark] = []
    for i in places:
        middle = panel.y + (i + 0.5) * cell
        shown, x = fonts.elided(labels[i], size, block.longest_label), panel.x - LABEL_GAP * block.size
        marks.append(Text(x, middle + size * TEXT_DROP, shown, size, style.theme.muted, "end"))
        if labels[i] in block.thumbnails:
            marks += _thumbnail(block.thumbnails[labels[i]], panel.x - block.label_room, middle, side, style)
    return marks


def _thumbnail(pixels: Array, x: float, middle: float, size: float, style: Style) -> list[Mark]:
    """The pixels, in a frame: white ones would be lost on a white page."""
    rows, columns = pixels.shape[:2]
    cell = size / max(rows, columns)
    y = middle - rows * cell / 2
    return [
        Heat(x, y, cell, cell, rows, columns, pixels.tobytes()),
        Box(x, y, columns * cell, rows * cell, stroke=style.theme.line),
    ]
