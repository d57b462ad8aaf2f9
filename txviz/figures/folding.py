"""A long row of token numbers, broken into lines as a text is: each word above its number.

Where not all can be read, the first lines are there, that of the chosen cell and the last one, and what is left out
between them is counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import ceil

import numpy as np

from txviz.figures import fonts
from txviz.figures.area import Area
from txviz.figures.blocks import FOLDED_BETWEEN, HEAD, LEFT_OUT, Block, Cells, Group, Layout
from txviz.figures.grid import Grid
from txviz.figures.numerals import number_width
from txviz.figures.tensors import LONGEST_ROW, SEPARATOR
from txviz.ops import Array

WORD, WORD_AIR, LINE = 5.0, 0.6, 1.3
"""The longest word that is not shortened, the air beside it, and the height of a number's cell, by the size of the
text."""

PITCH = 1.4 + LINE + FOLDED_BETWEEN
"""From line to line, likewise: a word, its number and the gap below."""

STEP = 0.5
"""Pixels between the sizes of text that are tried."""


def is_long_row(groups: Sequence[Group]) -> bool:
    """Whether all that is drawn is one row of more whole numbers than stand side by side."""
    if len(groups) != 1 or len(groups[0]) != 1:
        return False
    grid = groups[0][0].grid
    return grid.counts and grid.rank == 1 and grid.values.size > LONGEST_ROW


def folded(block: Block, area: Area, most: float, least: float) -> Layout:
    """With the largest text, from the most to the least, at which all of it fits; else as much of it as does."""
    count, wide = block.grid.values.size, _cell_width(block)
    sizes = [most - STEP * i for i in range(int((most - least) / STEP) + 1)]
    size = next((size for size in sizes if ceil(count / _columns(area, size * wide)) <= _lines(area, size)), least)
    columns = _columns(area, size * wide)
    lines = list(_chunks(block.grid, columns, max(_lines(area, size), 2), count))
    blocks = [_line(block, ids, after, size) for ids, after in lines]
    blocks[0] = replace(blocks[0], continued=False, grid=replace(blocks[0].grid, shape=_shape(block.grid, lines)))
    cells = {id(each): Cells(size * wide, size * LINE) for each in blocks}
    return Layout([[[each]] for each in blocks], cells, size, readable=True, folded=True)


def _cell_width(block: Block) -> float:
    """Of the longest word or number; it is one of the ends, since digits are all as wide."""
    word, values = min(fonts.widest(block.grid.row_labels, 1), WORD), block.grid.values
    ends = np.array([[values.min(), values.max()]])
    return max(number_width(ends, block.grid.form) if block.numbers else 0.0, word + WORD_AIR)


def _columns(area: Area, cell: float) -> int:
    return max(int(area.width / cell), 1)


def _lines(area: Area, size: float) -> int:
    """How many there is room for."""
    return int((area.height - HEAD * size + FOLDED_BETWEEN * size) / (PITCH * size))


def _chunks(grid: Grid, columns: int, lines: int, count: int) -> Iterator[tuple[Array, int]]:
    """Which numbers stand on each line, and how many are left out before it; to say so takes almost a line."""
    starts = list(range(0, count, columns))
    if len(starts) > lines:
        last, chosen = len(starts) - 1, 0 if grid.marked is None else grid.marked[0] // columns
        first = range(max(lines - (2 if chosen < lines - 2 or chosen == last else 4), 1))
        starts = [starts[i] for i in sorted({*first, chosen, last})]
    before = 0
    for start in starts:
        stop = min(start + columns, count)
        yield np.arange(start, stop), start - before
        before = stop


def _line(block: Block, ids: Array, left_out: int, size: float) -> Block:
    """Part of a grid that stands upright, as a row."""
    grid, labels = block.grid, tuple(block.grid.row_labels[i] for i in ids.tolist())
    row = replace(
        grid,
        shape="",
        values=grid.values[ids].T,
        row_labels=("",),
        column_labels=labels,
        row_ids=np.zeros(1, int),
        column_ids=grid.row_ids[ids],
        turned=False,
        row_axis=("row", ("",)),
        column_axis=("column", labels),
        marked=None,
    )
    said = LEFT_OUT.format(f"{left_out:,}") if left_out else ""
    return replace(block, grid=row, size=size, continued=True, folded=True, before=said)


def _shape(grid: Grid, lines: Sequence[tuple[Array, int]]) -> str:
    """``128 · token``, or ``96 of 1,024 · token``."""
    shown = sum(len(ids) for ids, _ in lines)
    if shown == grid.values.size:
        return grid.shape
    return SEPARATOR.join([f"{shown} of {grid.values.size:,}", *grid.shape.split(SEPARATOR)[1:]])
