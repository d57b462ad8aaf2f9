"""Where the grids of a stage go, and how large their cells are.

The text is as large as it can be with every number in its cell, on one line, on two (what was read, what was made) or
with a line for each operand; what is left of the page then goes to the cells. Where not all numbers can be read, small
tensors get cells that a number fits into, and the larger ones share the width by the root of their number of columns,
so that none becomes a sliver.
"""

from __future__ import annotations

from dataclasses import replace
from math import floor, sqrt
from typing import NamedTuple

from txviz.figures.area import Area
from txviz.figures.blocks import (
    BETWEEN,
    VECTOR,
    Block,
    Cells,
    Group,
    Layout,
    Line,
    blocks_of,
    label_room,
    least_width,
    stacked_height,
)
from txviz.figures.numerals import LEAST_HEIGHT, SMALLEST

LEAST_ROW, TALLEST_CELL = 1.2, 4.0
NARROWEST = 5.0
"""A grid is never narrower than this: on a page that is too small it goes on beyond the edge."""

SMALLEST_CELL = 0.005
"""The height of a cell where there are very many. All of these by the size of the text."""

ZOOMED_TEXT = 2.0
"""Zooming in enlarges the texts around the cells at most so much."""


def best_layout(groups: list[Group], area: Area, usual: float, most: float, least: float = 0.0) -> Layout:
    """With the largest text, up to ``most``, at which all numbers can be read. That may be a little smaller than the
    text that the blocks have; where it would be smaller still, or than the ``least``, the text has its ``usual`` size,
    and some numbers go."""
    found = [(_largest_text(lines, area, most), lines) for lines in arrangements(groups)]
    best = max(found, key=lambda each: each[0] * _PREFERENCE[len(each[1])])
    text, lines = next((each for each in found if each[0] >= max(ALMOST * usual, least)), best)
    least = max(SMALLEST * groups[0][0].size, least)
    if text < least:
        return _overview(_resized([groups], usual)[0], area)
    whole = max(float(floor(text)), least)  # pixels, which Qt is quickest with
    return _fitted(_resized(lines, whole), area, readable=True)


_PREFERENCE = {1: 1.0, 2: 0.9, 3: 0.82, 4: 0.78}
"""By the number of lines: more of them have to gain something."""

ALMOST = 0.9
"""Where the text has almost its usual size, nothing is gained by another line."""


def arrangements(groups: list[Group]) -> list[list[Line]]:
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
    blocks = blocks_of(lines)
    if any(block.numbers and not block.number_width and block.grid.values.size for block in blocks):
        return 0.0
    size = blocks[0].size
    cells = {id(block): least_cells(group) for line in lines for group in line for block in group}
    least = Layout(lines, cells, size)
    return min(most, size * (area.width - 0.01) / least.width, size * (area.height - 0.01) / least.height)


def least_cells(group: Group) -> Cells:
    wide = least_width(group)
    return Cells(wide, wide if group[0].grid.square else LEAST_ROW * group[0].size)


def _resized(lines: list[Line], size: float) -> list[Line]:
    return [[[replace(block, size=size) for block in group] for group in line] for line in lines]


def _overview(groups: list[Group], area: Area) -> Layout:
    """Where not all numbers can be read: one line, or more of them where that is clearly more readable, or all that
    fits the page."""
    best, *others = [_fitted(lines, area) for lines in arrangements(groups)]
    for other in others:
        if other.score > best.score * 1.12 or other.width <= area.width < best.width:
            best = other
    return best


def zoomed(layout: Layout, zoom: float) -> Layout:
    """The same with larger or smaller cells, and somewhat larger texts."""
    size = layout.size * min(max(zoom, 1.0), ZOOMED_TEXT)
    lines = _resized(layout.lines, size)
    pairs = zip(blocks_of(layout.lines), blocks_of(lines), strict=True)
    cells = {id(new): Cells(layout.of(old).width * zoom, layout.of(old).height * zoom) for old, new in pairs}
    return replace(layout, lines=lines, cells=cells, size=size)


def _fitted(lines: list[Line], area: Area, readable: bool = False) -> Layout:
    """Cells that fill the page; with room for each number, where that is known to be there."""
    size = lines[0][0][0].size
    widths = {id(block): cell for line in lines for block, cell in _cell_widths(line, area.width, readable)}
    flat = Layout(lines, {key: Cells(cell, 0.0) for key, cell in widths.items()}, size)
    free = area.height - 0.01 - size * BETWEEN * (len(lines) - 1) - sum(map(flat.head_height, lines))
    rooms = _shared_out(free, lines, readable)
    cells: dict[int, Cells] = {}
    for line, room in zip(lines, rooms, strict=True):
        widest = max(widths[id(group[0])] for group in line)
        for group in line:
            tallest = min((room - _stacked(group)) / max(group[0].rows, 1), max(widest, size * LEAST_ROW))
            cells[id(group[0])] = _cells(group[0], widths[id(group[0])], tallest)
            cells |= {id(block): Cells(widths[id(block)], VECTOR * size) for block in group[1:]}
        _level([group[0] for group in line], cells, size)
    return Layout(lines, cells, size, readable)


def _shared_out(free: float, lines: list[Line], readable: bool) -> list[float]:
    """Of the height, each line's share: by what it needs where all is to be read, else by the root of its rows."""
    if readable:
        needs = [max(group[0].rows * least_cells(group).height + _stacked(group) for group in line) for line in lines]
        return [free * need / sum(needs) for need in needs]
    below = [max(map(_stacked, line)) for line in lines]
    shares = [sqrt(max(max(group[0].rows, 1) for group in line)) for line in lines]
    return [(free - sum(below)) * share / sum(shares) + own for share, own in zip(shares, below, strict=True)]


def _stacked(group: Group) -> float:
    """The height of the vectors that stand below a matrix."""
    return sum(map(stacked_height, group[1:]))


def _level(blocks: list[Block], cells: dict[int, Cells], size: float) -> None:
    """Rows of neighbours are of one height, where all have room for a number; a picture keeps its own."""
    tall = [block for block in blocks if cells[id(block)].height >= LEAST_HEIGHT * size and not block.grid.square]
    least = min((cells[id(block)].height for block in tall), default=0.0)
    cells.update({id(block): Cells(cells[id(block)].width, least) for block in tall})


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
