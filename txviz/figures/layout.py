"""Where the grids of a stage go, and how large their cells are.

Small tensors get cells that a number fits into; what is left of the width goes to the larger ones, by the root of
their number of columns, so that none becomes a sliver. The result moves to a second line where all gain by it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import sqrt
from typing import NamedTuple

from txviz.figures import fonts
from txviz.figures.tensors import Grid
from txviz.ops import Array

WIDEST_CELL, TALLEST_CELL, WIDEST_PIXEL = 60.0, 27.0, 40.0
LONGEST_LABEL = 92.0
NARROWEST = 60.0
"""A grid is never narrower than this: on a page that is too small it goes on beyond the edge."""

SMALLEST = 0.2
"""The height of a cell. All these in pixels at a text size of 12."""

VECTOR, CAPTION = 1.4, 3.2
"""The heights of a vector that stands below a matrix, and of its caption, by the size of the text."""


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

    @property
    def rows(self) -> int:
        return int(self.grid.values.shape[0])

    @property
    def columns(self) -> int:
        return int(self.grid.values.shape[1])

    @cached_property
    def thumbnail_room(self) -> float:
        return self.size * 1.8 if any(label in self.thumbnails for label in self.grid.row_labels) else 0.0

    @cached_property
    def label_room(self) -> float:
        """To the left of the grid."""
        if not self.labelled:
            return 0.0
        widest = max((fonts.width(label, self.size) for label in self.grid.row_labels), default=0.0)
        return (min(widest, LONGEST_LABEL * self.size / 12) + 8 if widest else 0.0) + self.thumbnail_room

    @cached_property
    def widest_column_label(self) -> float:
        return max((fonts.width(label, self.size) for label in self.grid.column_labels), default=0.0)

    @cached_property
    def caption_width(self) -> float:
        shape = min(fonts.width(self.grid.shape, self.size * 0.92), self.size * 9)
        return max(fonts.width(self.grid.caption, self.size * 1.1, bold=True), shape) + self.size * 0.5

    @cached_property
    def widest_cell(self) -> float:
        return (WIDEST_PIXEL if self.grid.square else WIDEST_CELL) * self.size / 12

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
        longest = min(self.widest_column_label, LONGEST_LABEL * self.size / 12)
        return longest * 0.87 + self.size * 0.7 if cell >= self.size else self.size * 0.3


Group = list[Block]
"""Blocks one below the other: a matrix, and the bias that is added to each of its rows."""


class Cells(NamedTuple):
    """How large the cells of a block are."""

    width: float
    height: float


@dataclass(frozen=True, eq=False)
class Layout:
    """Groups on one or two lines, and the sizes of all their cells."""

    lines: list[list[Group]]
    cells: dict[int, Cells]
    """By the identity of the block."""

    size: float

    def sign_width(self, group: Group) -> float:
        return sign_width(group, self.size)

    def head_height(self, line: list[Group]) -> float:
        """Room above the grids of a line: caption, shape and column labels."""
        labels = (group[0].column_label_height(self.cells[id(group[0])].width) for group in line)
        return self.size * 2.7 + max(labels)

    def group_width(self, group: Group) -> float:
        return label_room(group) + max(
            max(block.columns * self.cells[id(block)].width, block.caption_width) for block in group
        )

    @property
    def score(self) -> float:
        """How readable it is: 1 for each block with room for its numbers, less by the size of its cells for others."""
        return sum(1.0 if self._numbers_fit(cell) else self._visible(cell) for cell in self.cells.values())

    def complete(self, width: float) -> bool:
        """Whether all numbers can be read on a page of this width."""
        return all(map(self._numbers_fit, self.cells.values())) and self.fits(width)

    def fits(self, width: float) -> bool:
        """Whether nothing goes on beyond the edge of a page of this width."""
        return all(
            sum(self.sign_width(group) + self.group_width(group) for group in line) <= width for line in self.lines
        )

    def _numbers_fit(self, cell: Cells) -> bool:
        return cell.width >= 3.2 * self.size and cell.height >= 1.15 * self.size

    def _visible(self, cell: Cells) -> float:
        return min(0.8, sqrt(min(cell.width, 3 * cell.height) * cell.height) / (3 * self.size))


def sign_width(group: Group, size: float) -> float:
    return size * 2.6 if group[0].sign else size


def label_room(group: Group) -> float:
    """Blocks of a group stand with their left edges in line."""
    return max(block.label_room for block in group)


def best_layout(groups: list[Group], width: float, height: float, size: float) -> Layout:
    """One line, or the result on a second one where that is clearly more readable, or all that fits the page."""
    one, two = on_one_line(groups, width, height, size), on_two_lines(groups, width, height, size)
    better = two.score > one.score * 1.12 or (two.fits(width) and not one.fits(width))
    return two if better else one


def on_one_line(groups: list[Group], width: float, height: float, size: float) -> Layout:
    return _fitted([groups], width, height, size)


def on_two_lines(groups: list[Group], width: float, height: float, size: float) -> Layout:
    """What was read above, what was made below."""
    inputs = [group for group in groups if not group[0].grid.output]
    lines = [inputs, groups[len(inputs) :]] if inputs else [groups]
    return _fitted(lines, width, height, size)


def zoomed(layout: Layout, zoom: float) -> Layout:
    """The same with larger or smaller cells."""
    cells = {key: Cells(cell.width * zoom, cell.height * zoom) for key, cell in layout.cells.items()}
    return Layout(layout.lines, cells, layout.size)


def _fitted(lines: list[list[Group]], width: float, height: float, size: float) -> Layout:
    widths = {id(block): cell for line in lines for block, cell in _cell_widths(line, width, size)}
    flat = Layout(lines, {key: Cells(cell, 0.0) for key, cell in widths.items()}, size)
    below = [max(sum(map(_stacked_height, group[1:])) for group in line) for line in lines]
    free = height - 0.01 - size * 1.5 * (len(lines) - 1) - sum(flat.head_height(line) for line in lines) - sum(below)
    shares = [sqrt(max(group[0].rows for group in line)) for line in lines]
    cells: dict[int, Cells] = {}
    for line, share in zip(lines, shares, strict=True):
        room = free * share / sum(shares) if len(lines) > 1 else free
        for group in line:
            tallest = room / max(group[0].rows, 1)
            cells[id(group[0])] = _cells(group[0], widths[id(group[0])], tallest)
            cells |= {id(block): Cells(widths[id(block)], VECTOR * size) for block in group[1:]}
        _level([group[0] for group in line], cells, size)
    return Layout(lines, cells, size)


def _level(blocks: list[Block], cells: dict[int, Cells], size: float) -> None:
    """Rows of neighbours are of one height, where all have room for a number; a picture keeps its own."""
    tall = [block for block in blocks if cells[id(block)].height >= 1.15 * size and not block.grid.square]
    least = min((cells[id(block)].height for block in tall), default=0.0)
    cells.update({id(block): Cells(cells[id(block)].width, least) for block in tall})


def _stacked_height(block: Block) -> float:
    """A vector that stands below another block, with its caption."""
    return (VECTOR + CAPTION) * block.size


def _cells(block: Block, width: float, tallest: float) -> Cells:
    """Cells are no taller than wide, but tall enough for a label; pixels of a picture are square."""
    if block.grid.square:
        side = max(min(width, tallest), SMALLEST)
        return Cells(side, side)
    wanted = min(max(width, block.size * 1.2), TALLEST_CELL * block.size / 12)
    return Cells(width, max(min(wanted, tallest), SMALLEST))


def _cell_widths(line: list[Group], width: float, size: float) -> list[tuple[Block, float]]:
    """The largest common factor k such that all fit when a block may be k·√columns wide, and no cell too wide."""
    free = width - sum(sign_width(group, size) + label_room(group) for group in line)
    narrowest = NARROWEST * size / 12
    limits = [
        [(block.widest_cell * block.columns, sqrt(block.columns), block.caption_width) for block in group]
        for group in line
    ]

    def wide(k: float, most: float, root: float) -> float:
        return min(most, max(k * root, narrowest))

    low, high = 0.0, 2000.0
    for _ in range(16):
        k = (low + high) / 2
        used = sum(max([max(wide(k, most, root), caption) for most, root, caption in group]) for group in limits)
        low, high = (k, high) if used <= free else (low, k)
    blocks = [block for group in line for block in group]
    return [(b, wide(low, b.widest_cell * b.columns, sqrt(b.columns)) / max(b.columns, 1)) for b in blocks]
