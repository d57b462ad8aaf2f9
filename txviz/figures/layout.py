"""Where the grids of a stage go, and how large their cells are.

The text is as large as it can be with every number in its cell, on one line, on two (what was read, what was made) or
with a line for each operand; what is left of the page then goes to the cells. Where not all numbers can be read, small
tensors get cells that a number fits into, and the larger ones share the width by the root of their number of columns,
so that none becomes a sliver.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import floor, sqrt
from typing import NamedTuple

from txviz.figures import fonts
from txviz.figures.area import Area
from txviz.figures.numerals import LEAST_HEIGHT, SMALLEST
from txviz.figures.tensors import Grid
from txviz.ops import Array

WIDEST_CELL, TALLEST_CELL, WIDEST_PIXEL = 6.5, 4.0, 6.0
PLAIN_CELL = 2.0
"""The width of a cell that is to have no number."""

LEAST_ROW = 1.3
LONGEST_LABEL = 7.5
NARROWEST = 5.0
"""A grid is never narrower than this: on a page that is too small it goes on beyond the edge."""

SMALLEST_CELL = 0.016
"""The height of a cell where there are very many."""

VECTOR, CAPTION, BETWEEN = 1.4, 2.1, 1.5
"""The heights of a vector that stands below a matrix, of its caption, and of the gap between two lines."""

LABEL_GAP, LABEL_AIR = 0.5, 0.7
"""Between a label and its grid, and that with the air on its other side. All of these by the size of the text."""

STACKED = 0.2
"""How much it counts whether such a vector can be read."""

ZOOMED_TEXT = 2.0
"""Zooming in enlarges the texts around the cells at most so much."""


def numbered(labels: Sequence[str]) -> bool:
    """Whether the labels just count."""
    return len(labels) > 0 and labels[0] == "0" and labels[-1] == str(len(labels) - 1)


@dataclass(frozen=True, eq=False)
class Block:
    """One grid, the sign that stands before it, and the room that its texts need."""

    grid: Grid
    sign: str
    size: float
    """Of the text."""

    thumbnails: Mapping[str, Array]
    labelled: bool = True
    """Heads side by side share the labels of the first."""

    numbers: bool = True
    """Whether its numbers are to be seen."""

    @property
    def rows(self) -> int:
        return int(self.grid.values.shape[0])

    @property
    def columns(self) -> int:
        return int(self.grid.values.shape[1])

    @cached_property
    def number_width(self) -> float:
        """Of a cell in which every number of the grid fits; 0 where it is to have none."""
        return self.size * self.grid.number_width if self.numbers else 0.0

    @cached_property
    def thumbnail_room(self) -> float:
        return self.size * 1.8 if any(label in self.thumbnails for label in self.grid.row_labels) else 0.0

    @cached_property
    def label_room(self) -> float:
        """To the left of the grid."""
        if not self.labelled:
            return 0.0
        widest = max((fonts.width(label, self.size) for label in self.grid.row_labels), default=0.0)
        return (min(widest, self.longest_label) + LABEL_AIR * self.size if widest else 0.0) + self.thumbnail_room

    @property
    def longest_label(self) -> float:
        return LONGEST_LABEL * self.size

    @cached_property
    def widest_column_label(self) -> float:
        return max((fonts.width(label, self.size) for label in self.grid.column_labels), default=0.0)

    @cached_property
    def caption_width(self) -> float:
        shape = min(fonts.width(self.grid.shape, self.size * 0.92), self.size * 9)
        return max(fonts.width(self.grid.caption, self.size * 1.1, bold=True), shape) + self.size * 0.5

    @cached_property
    def widest_cell(self) -> float:
        return max((WIDEST_PIXEL if self.grid.square else WIDEST_CELL) * self.size, self.number_width)

    @cached_property
    def closest_labels(self) -> float:
        """How far apart the middles of two neighbouring labels must be, at least."""
        widths = [fonts.width(label, self.size) for label in self.grid.column_labels]
        return max(((a + b) / 2 for a, b in pairwise(widths)), default=0.0) + self.size * 0.35

    def turns_labels(self, cell: float) -> bool:
        return not numbered(self.grid.column_labels) and self.closest_labels > cell

    def column_label_height(self, cell: float) -> float:
        """Above the grid; almost nothing where there are no labels or no room for them."""
        labels = self.grid.column_labels
        if not any(labels) or (numbered(labels) and len(labels) == 1):
            return self.size * 0.3
        if not self.turns_labels(cell):
            return self.size * 1.4
        longest = min(self.widest_column_label, self.longest_label)
        return longest * 0.87 + self.size * 0.7 if cell >= self.size else self.size * 0.3


Group = list[Block]
"""Blocks one below the other: a matrix, and the bias that is added to each of its rows."""

Line = list[Group]


class Cells(NamedTuple):
    """How large the cells of a block are."""

    width: float
    height: float


@dataclass(frozen=True, eq=False)
class Layout:
    """Groups on lines, and the sizes of all their cells."""

    lines: list[Line]
    cells: dict[int, Cells]
    """By the identity of the block."""

    size: float
    readable: bool = False
    """Whether there is room for all numbers."""

    @property
    def groups(self) -> list[Group]:
        return [group for line in self.lines for group in line]

    def of(self, block: Block) -> Cells:
        return self.cells[id(block)]

    def gap(self, group: Group, line: Line) -> float:
        """Before a group, for its sign."""
        return sign_width(group) if group[0].sign or group is not line[0] else 0.0

    def head_height(self, line: Line) -> float:
        """Room above the grids of a line: caption, shape and column labels."""
        return self.size * 2.7 + max(group[0].column_label_height(self.of(group[0]).width) for group in line)

    def group_width(self, group: Group) -> float:
        return label_room(group) + max(
            max(block.columns * self.of(block).width, block.caption_width) for block in group
        )

    def line_width(self, line: Line) -> float:
        return sum(self.gap(group, line) + self.group_width(group) for group in line)

    def line_height(self, line: Line) -> float:
        return self.head_height(line) + max(
            group[0].rows * self.of(group[0]).height + sum(map(_stacked_height, group[1:])) for group in line
        )

    @property
    def width(self) -> float:
        return max(map(self.line_width, self.lines))

    @property
    def height(self) -> float:
        return sum(map(self.line_height, self.lines)) + BETWEEN * self.size * (len(self.lines) - 1)

    @property
    def score(self) -> float:
        """How readable it is: 1 for each block with room for its numbers, less by the size of its cells for others.
        A vector that stands below a matrix counts for little."""
        return sum(self._seen(group[0]) + STACKED * sum(map(self._seen, group[1:])) for group in self.groups)

    def _seen(self, block: Block) -> float:
        return 1.0 if self._numbers_fit(block) else self._visible(self.of(block))

    def _numbers_fit(self, block: Block) -> bool:
        cell, least = self.of(block), SMALLEST * block.number_width
        return 0 < least <= cell.width and cell.height >= LEAST_HEIGHT * SMALLEST * self.size

    def _visible(self, cell: Cells) -> float:
        return min(0.8, sqrt(min(cell.width, 3 * cell.height) * cell.height) / (3 * self.size))


def sign_width(group: Group) -> float:
    return group[0].size * (2.6 if group[0].sign else 1.0)


def label_room(group: Group) -> float:
    """Blocks of a group stand with their left edges in line."""
    return max(block.label_room for block in group)


def least_width(group: Group) -> float:
    """Of cells that are easy to read."""
    return max(block.number_width or PLAIN_CELL * block.size for block in group)


def best_layout(groups: list[Group], area: Area, usual: float, most: float) -> Layout:
    """With the largest text, up to ``most``, at which all numbers can be read. That may be a little smaller than the
    text that the blocks have; where it would be smaller still, the text has its ``usual`` size, and some numbers go."""
    found = [(_largest_text(lines, area, most), lines) for lines in _arrangements(groups)]
    best = max(found, key=lambda each: each[0] * _PREFERENCE[len(each[1])])
    text, lines = next((each for each in found if each[0] >= ALMOST * usual), best)
    if text < SMALLEST * groups[0][0].size:
        return _overview(_resized([groups], usual)[0], area)
    whole = max(float(floor(text)), SMALLEST * groups[0][0].size)  # pixels, which Qt is quickest with
    return _fitted(_resized(lines, whole), area, readable=True)


_PREFERENCE = {1: 1.0, 2: 0.9, 3: 0.82, 4: 0.78}
"""By the number of lines: more of them have to gain something."""

ALMOST = 0.9
"""Where the text has almost its usual size, nothing is gained by another line."""


def _arrangements(groups: list[Group]) -> list[list[Line]]:
    """On one line; what was read above and what was made below; or each operand on a line of its own."""
    read = [group for group in groups if not group[0].grid.output]
    made = groups[len(read) :]
    found = [[groups]]
    if read and made:
        found.append([read, made])
    if 1 < len(read) < max(_PREFERENCE) and len({group[0].grid.name for group in read}) == len(read):
        found.append([*([group] for group in read), made])
    return found


def _largest_text(lines: list[Line], area: Area, most: float) -> float:
    """All that is on a page grows with its text, so one measurement tells which size fits."""
    blocks = _blocks(lines)
    if any(block.numbers and not block.number_width and block.grid.values.size for block in blocks):
        return 0.0
    size = blocks[0].size
    cells = {id(block): _least_cells(group) for line in lines for group in line for block in group}
    least = Layout(lines, cells, size)
    return min(most, size * (area.width - 0.01) / least.width, size * (area.height - 0.01) / least.height)


def _least_cells(group: Group) -> Cells:
    wide = least_width(group)
    return Cells(wide, wide if group[0].grid.square else LEAST_ROW * group[0].size)


def _resized(lines: list[Line], size: float) -> list[Line]:
    return [[[replace(block, size=size) for block in group] for group in line] for line in lines]


def _overview(groups: list[Group], area: Area) -> Layout:
    """Where not all numbers can be read: one line, or more of them where that is clearly more readable, or all that
    fits the page."""
    best, *others = [_fitted(lines, area) for lines in _arrangements(groups)]
    for other in others:
        if other.score > best.score * 1.12 or other.width <= area.width < best.width:
            best = other
    return best


def zoomed(layout: Layout, zoom: float) -> Layout:
    """The same with larger or smaller cells, and somewhat larger texts."""
    size = layout.size * min(max(zoom, 1.0), ZOOMED_TEXT)
    lines = _resized(layout.lines, size)
    pairs = zip(_blocks(layout.lines), _blocks(lines), strict=True)
    cells = {id(new): Cells(layout.of(old).width * zoom, layout.of(old).height * zoom) for old, new in pairs}
    return Layout(lines, cells, size)


def _blocks(lines: list[Line]) -> list[Block]:
    return [block for line in lines for group in line for block in group]


def _fitted(lines: list[Line], area: Area, readable: bool = False) -> Layout:
    """Cells that fill the page; with room for each number, where that is known to be there."""
    size = lines[0][0][0].size
    widths = {id(block): cell for line in lines for block, cell in _cell_widths(line, area.width, readable)}
    flat = Layout(lines, {key: Cells(cell, 0.0) for key, cell in widths.items()}, size)
    below = [max(sum(map(_stacked_height, group[1:])) for group in line) for line in lines]
    free = area.height - 0.01 - size * BETWEEN * (len(lines) - 1) - sum(map(flat.head_height, lines)) - sum(below)
    rooms = _shared_out(free, lines, readable)
    cells: dict[int, Cells] = {}
    for line, room in zip(lines, rooms, strict=True):
        widest = max(widths[id(group[0])] for group in line)
        for group in line:
            tallest = min(room / max(group[0].rows, 1), max(widest, size * LEAST_ROW))
            cells[id(group[0])] = _cells(group[0], widths[id(group[0])], tallest)
            cells |= {id(block): Cells(widths[id(block)], VECTOR * size) for block in group[1:]}
        _level([group[0] for group in line], cells, size)
    return Layout(lines, cells, size, readable)


def _shared_out(free: float, lines: list[Line], readable: bool) -> list[float]:
    """Of the height, each line's share: by what it needs where all is to be read, else by the root of its rows."""
    if readable:
        shares = [max(max(group[0].rows, 1) * _least_cells(group).height for group in line) for line in lines]
    else:
        shares = [sqrt(max(max(group[0].rows, 1) for group in line)) for line in lines]
    return [free * share / sum(shares) for share in shares]


def _level(blocks: list[Block], cells: dict[int, Cells], size: float) -> None:
    """Rows of neighbours are of one height, where all have room for a number; a picture keeps its own."""
    tall = [block for block in blocks if cells[id(block)].height >= LEAST_HEIGHT * size and not block.grid.square]
    least = min((cells[id(block)].height for block in tall), default=0.0)
    cells.update({id(block): Cells(cells[id(block)].width, least) for block in tall})


def _stacked_height(block: Block) -> float:
    """A vector that stands below another block, with its caption."""
    return (VECTOR + CAPTION) * block.size


def _cells(block: Block, width: float, tallest: float) -> Cells:
    """Cells are no taller than the widest of their line is wide; pixels of a picture are square."""
    if block.grid.square:
        side = max(min(width, tallest), SMALLEST_CELL * block.size)
        return Cells(side, side)
    return Cells(width, max(min(tallest, TALLEST_CELL * block.size), SMALLEST_CELL * block.size))


def _cell_widths(line: Line, width: float, readable: bool) -> list[tuple[Block, float]]:
    """The largest common factor k such that all fit when a grid may be k·√columns wide, and no cell too wide."""
    flat = Layout([line], {}, line[0][0].size)
    free = width - sum(flat.gap(group, line) + label_room(group) for group in line)
    limits = [_limits(group, readable) for group in line]
    low, high = 0.0, 2000.0
    for _ in range(16):
        k = (low + high) / 2
        used = sum(max(limit.wide(k), limit.caption) for limit in limits)
        low, high = (k, high) if used <= free else (low, k)
    return [
        (block, limit.wide(low) / max(block.columns, 1))
        for group, limit in zip(line, limits, strict=True)
        for block in group
    ]


class _Limits(NamedTuple):
    """How wide the grids of a group may be, whose columns stand one below the other."""

    least: float
    most: float
    root: float
    caption: float

    def wide(self, k: float) -> float:
        return min(self.most, max(k * self.root, self.least))


def _limits(group: Group, readable: bool) -> _Limits:
    columns, size = group[0].columns, group[0].size
    least = columns * least_width(group) if readable else NARROWEST * size
    most = columns * max(block.widest_cell for block in group)
    return _Limits(least, most, sqrt(columns), max(block.caption_width for block in group))
