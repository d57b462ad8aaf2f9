"""A grid with the room that its texts need, and lines of such blocks with the sizes of their cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from math import sqrt
from typing import NamedTuple

from txviz.figures import fonts
from txviz.figures.grid import Grid
from txviz.figures.numerals import LEAST_HEIGHT, SMALLEST
from txviz.figures.patches import Drawing
from txviz.ops import Array

WIDEST_CELL, WIDEST_PIXEL = 6.5, 6.0
PLAIN_CELL = 2.0
"""The width of a cell that is to have no number."""

LONGEST_LABEL, UPRIGHT_LABEL, LONGEST_SHAPE = 7.5, 4.5, 9.0
VECTOR, CAPTION, BETWEEN = 1.4, 2.1, 1.5
"""The heights of a vector that stands below a matrix, of its caption, and of the gap between two lines."""

HEAD, FOLDED_BETWEEN = 2.7, 0.5
"""The height of a caption with the shape below it, and the gap between the lines of what is folded."""

LABEL_GAP, LABEL_AIR = 0.5, 0.7
"""Between a label and its grid, and that with the air on its other side. All of these by the size of the text."""

LEFT_OUT = "… {} more …"
"""Above a line before which so many are left out."""

STACKED = 0.2
"""How much it counts whether such a vector can be read."""


def numbered(labels: Sequence[str]) -> bool:
    """Whether the labels just count."""
    return len(labels) > 0 and labels[0] == "0" and labels[-1] == str(len(labels) - 1)


@lru_cache(maxsize=1000)
def _closest(labels: tuple[str, ...]) -> float:
    """How far apart the middles of neighbours are that touch, at most; by the size of the text."""
    widths = [fonts.width(label, 1) for label in labels]
    return max(((a + b) / 2 for a, b in pairwise(widths)), default=0.0)


@dataclass(frozen=True, eq=False)
class Block:
    """One grid, the sign that stands before it, and the room that its texts need."""

    grid: Grid
    sign: str
    size: float
    """Of the text."""

    drawing: Drawing | None
    """The image that the model read, where it read one: its patches stand beside their labels."""

    labelled: bool = True
    """Heads side by side share the labels of the first."""

    numbers: bool = True
    """Whether its numbers are to be seen."""

    folded: bool = False
    """Whether it is one line of a long row (see ``folding``): its labels stay level, and are as short as its cells."""

    continued: bool = False
    """Whether it goes on from the line above, and has no caption of its own."""

    before: str = ""
    """What stands in place of the caption then, if anything."""

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
    def thumbnails(self) -> Mapping[str, Array]:
        return {} if self.drawing is None else self.drawing.thumbnails

    @cached_property
    def thumbnail_room(self) -> float:
        return self.size * 1.8 if any(label in self.thumbnails for label in self.grid.row_labels) else 0.0

    @cached_property
    def label_room(self) -> float:
        """To the left of the grid."""
        if not self.labelled:
            return 0.0
        widest = fonts.widest(self.grid.row_labels, self.size)
        return (min(widest, self.longest_label) + LABEL_AIR * self.size if widest else 0.0) + self.thumbnail_room

    @property
    def longest_label(self) -> float:
        return LONGEST_LABEL * self.size

    @cached_property
    def widest_column_label(self) -> float:
        return fonts.widest(self.grid.column_labels, self.size)

    @cached_property
    def caption_width(self) -> float:
        shape = min(fonts.width(self.grid.shape, self.size * 0.92), self.size * LONGEST_SHAPE)
        return max(fonts.width(self.grid.caption, self.size * 1.1, bold=True), shape) + self.size * 0.5

    @cached_property
    def widest_cell(self) -> float:
        return max((WIDEST_PIXEL if self.grid.square else WIDEST_CELL) * self.size, self.number_width)

    @cached_property
    def closest_labels(self) -> float:
        """How far apart the middles of two neighbouring labels must be, at least."""
        return self.size * (_closest(self.grid.column_labels) + 0.35)

    def turns_labels(self, cell: float) -> bool:
        return not self.folded and not numbered(self.grid.column_labels) and self.closest_labels > cell

    def column_label_height(self, cell: float) -> float:
        """Above the grid; almost nothing where there are no labels or no room for them."""
        labels = self.grid.column_labels
        if not any(labels) or (numbered(labels) and len(labels) == 1):
            return self.size * 0.3
        if not self.turns_labels(cell):
            return self.size * 1.4
        longest = min(self.widest_column_label, self.highest_label(cell))
        return longest * (0.87 if cell >= self.size else 1.0) + self.size * 0.7

    def highest_label(self, cell: float) -> float:
        """The most room for a label that is turned; less of it where it stands upright above a narrow cell."""
        return self.longest_label if cell >= self.size else UPRIGHT_LABEL * self.size


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

    folded: bool = False
    """Whether its lines go on from each other."""

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
        first = line[0][0]
        caption = HEAD if not first.continued else CAPTION if first.before else 0.0
        return self.size * caption + max(group[0].column_label_height(self.of(group[0]).width) for group in line)

    def group_width(self, group: Group) -> float:
        return label_room(group) + max(
            max(block.columns * self.of(block).width, block.caption_width) for block in group
        )

    def line_width(self, line: Line) -> float:
        return sum(self.gap(group, line) + self.group_width(group) for group in line)

    def line_height(self, line: Line) -> float:
        return self.head_height(line) + max(
            group[0].rows * self.of(group[0]).height + sum(map(stacked_height, group[1:])) for group in line
        )

    @property
    def width(self) -> float:
        return max(map(self.line_width, self.lines))

    @property
    def height(self) -> float:
        return sum(map(self.line_height, self.lines)) + self.between * (len(self.lines) - 1)

    @property
    def between(self) -> float:
        """Of the height between two lines."""
        return self.size * (FOLDED_BETWEEN if self.folded else BETWEEN)

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


def stacked_height(block: Block) -> float:
    """A vector that stands below another block, with its caption."""
    return (VECTOR + CAPTION) * block.size


def blocks_of(lines: list[Line]) -> list[Block]:
    return [block for line in lines for group in line for block in group]
