"""Which entries of long axes a page has room for, so that all that it shows can be read.

The axes of what was read and of what was made are cut alike where they have the same labels. The last entry stays, and
so do those of the chosen cell, the first one and the one with the largest number; then come those from the start on. Of
a vocabulary, the likeliest words stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import log
from typing import NamedTuple

import numpy as np

from txviz.errors import TxvizError
from txviz.figures.area import Area
from txviz.figures.blocks import BETWEEN, Cells, Group, Layout, Line, label_room, numbered, sign_width, stacked_height
from txviz.figures.crop import Crop
from txviz.figures.grid import Axis, Grid, Labels, in_order
from txviz.figures.layout import arrangements, least_cells
from txviz.figures.looks import look
from txviz.figures.style import Style
from txviz.figures.tensors import NONE_LEFT_OUT, Entries, Shown
from txviz.ops import Array, Index
from txviz.trace import Step

FEWEST, MOST = 2, 24
"""Entries of an axis: at least its ends, or what was chosen; more than the most no page has room for."""

NAMED = 3.0
"""How much more an entry with a name counts than one with a number: words are left out last."""

AIR = 0.2
"""Pixels that a page has more than what is on it, so that rounding changes nothing."""

SMALLEST = 0.96
"""Where a tensor is cropped to what can be read, the text is at least so large, by the style's size."""

Counts = dict[Labels, int]


def cropped_layout(
    style: Style,
    area: Area,
    cropping: Callable[[], Cropping],
    grouped: Callable[[Entries], list[Group]],
    made: Callable[[Entries, float], Layout],
) -> Layout:
    """All of the tensors, or as much of them as the style says. ``made`` lays out some entries, with a least size of
    the text."""
    if style.crop.chosen:
        return made(cropping().part(style.crop), 0.0)
    least = SMALLEST * style.size if style.crop.fits else 0.0
    layout = made(NONE_LEFT_OUT, least)
    seen = any(block.grid.raster for group in layout.groups for block in group)
    if not style.crop.fits or layout.readable or not style.numbers or seen:
        return layout
    entries = cropping().fitting(area, least, grouped)
    return made(NONE_LEFT_OUT, 0.0) if entries is None else made(entries, least)


class Side(NamedTuple):
    """The rows of a grid, or its columns."""

    axis: Axis
    ids: Array  # (n,)
    sizes: Array  # (n,), the largest number of each
    grid: Grid

    @property
    def labels(self) -> Labels:
        return self.axis[1]


def sides(grid: Grid) -> tuple[Side, Side]:
    """Its rows and its columns."""
    sizes = np.where(np.isfinite(grid.values), np.abs(grid.values.astype(float)), 0.0)
    rows, columns = (sizes.max(axis=axis, initial=0.0) for axis in (1, 0))
    return Side(grid.row_axis, grid.row_ids, rows, grid), Side(grid.column_axis, grid.column_ids, columns, grid)


class Cropping:
    """A step of which not all can be ``shown``; the ``cell`` is, where one is chosen."""

    def __init__(self, step: Step, shown: Shown, cell: Index | None = None) -> None:
        self._step, self._cell = step, cell
        inputs, outputs = shown
        self._sides = [side for grid in (*outputs, *inputs) for side in sides(grid)]
        self._result = sides(outputs[0])
        self._best: dict[Labels, list[int]] = {}

    def part(self, crop: Crop) -> Entries:
        """So many rows and columns of all tensors; or those of the result that were asked for, wherever they are."""
        counts: dict[Axis, int] = {}
        found: dict[Axis, Array] = {}
        for side, part in self._parts(crop):
            if isinstance(part, int):
                counts[side.axis] = min(part, counts.get(side.axis, len(side.ids)))
            elif side.axis in [mine.axis for mine in self._result]:
                found[side.axis] = self._within(side, part)
        return self._with_table({axis: self._first(axis[1], n) for axis, n in counts.items()} | found)

    def _parts(self, crop: Crop) -> Iterator[tuple[Side, int | tuple[int, int]]]:
        for rows, columns in zip(self._sides[::2], self._sides[1::2], strict=True):
            yield from ((side, part) for side, part in ((rows, crop.rows), (columns, crop.columns)) if part is not None)

    def _within(self, side: Side, part: tuple[int, int]) -> Array:
        found = side.ids[(side.ids >= part[0]) & (side.ids < part[1])]
        if not len(found):
            there = f"{len(side.labels)} {side.axis[0]}{'' if len(side.labels) == 1 else 's'}, counted from 0"
            raise TxvizError(f"{self._step.name} has {there}; none of them is in {part[0]}:{part[1]}")
        if side.grid.output and not {*self._chosen(side)} <= {*found.tolist()}:
            raise TxvizError(f"the crop leaves out the chosen cell {self._cell}; {part[0]}:{part[1]} has to reach it")
        return found

    def fitting(self, area: Area, size: float, grouped: Callable[[Entries], list[Group]]) -> Entries | None:
        """As many entries as leave the text this size; None where that would be less than the fewest."""
        counts = {side.labels: min(len(side.ids), MOST) for side in self._sides}
        table = self._table
        if table is not None:
            counts[table.labels] = min(counts[table.labels], counts[self._result[0].labels])
        while True:  # "5 of 6" below a name is wider than "6": what is shown must fit with it
            groups = grouped(self._entries(counts))
            scale = groups[0][0].size / size
            room = area._replace(width=area.width * scale, height=area.height * scale)
            fitted = [_fitted(lines, dict(counts), room) for lines in arrangements(groups)]
            found = [each for each in fitted if each is not None]
            if not found:
                return None
            if counts in found:
                return self._entries(counts)
            counts = max(found, key=_kept)

    def _entries(self, counts: Counts) -> Entries:
        return self._with_table({side.axis: self._first(side.labels, counts[side.labels]) for side in self._sides})

    def _with_table(self, entries: dict[Axis, Array]) -> Entries:
        """Of a table that rows are picked from, those that are picked for what is shown."""
        table, (rows, _) = self._table, self._result
        if table is not None and rows.axis in entries:
            picked = self._step.sources[0].value.ravel()[entries[rows.axis]]
            entries[table.axis] = np.unique(picked)
        return entries

    @property
    def _table(self) -> Side | None:
        name = self._step.sources[1].name if look(self._step).picks_rows else None
        return next((side for side in self._sides if side.grid.name == name and not side.grid.output), None)

    def _first(self, labels: Labels, count: int) -> Array:
        """So many entries of an axis, those that matter most, in the order that they have."""
        if labels not in self._best:
            self._best[labels] = list(self._ranked(labels))
        ids = next(side.ids for side in self._sides if side.labels == labels)
        kept = set(self._best[labels][: max(count, 1)])
        return np.array([i for i in ids.tolist() if i in kept], dtype=int)

    def _ranked(self, labels: Labels) -> Iterator[int]:
        """The entries of an axis; those that matter most come first."""
        mine = [side for side in self._sides if side.labels == labels]
        ids = mine[0].ids.tolist()
        chosen = [i for side in mine for i in self._chosen(side)]
        ends = [ids[-1], *chosen, ids[0], ids[int(np.argmax(mine[0].sizes))]] if in_order(mine[0].ids) else chosen
        return iter(dict.fromkeys([*ends, *ids]))

    def _chosen(self, side: Side) -> list[int]:
        """The row or column of the cell, or of the cells that it was made from, where it is one."""
        if self._cell is None:
            return []
        cells = [self._cell] if side.grid.output else self._reads.get(side.grid.name, [])
        places = [place for place in map(side.grid.find, cells) if place is not None]
        found = {place[side.axis is not side.grid.row_axis] for place in places}
        return [int(side.ids[i]) for i in found] if len(found) == 1 else []

    @property
    def _reads(self) -> dict[str, list[Index]]:
        assert self._cell is not None
        return {name: list(cells) for name, cells in self._step.explain(self._cell).reads.items()}


def _fitted(lines: Sequence[Line], counts: Counts, area: Area) -> Counts | None:
    """Fewer and fewer entries of the longest axis that is in the way, until all fit."""
    rooms = [_rooms(line) for line in lines]
    fixed = sum(map(_head, lines)) + BETWEEN * lines[0][0][0].size * (len(lines) - 1) + AIR
    while True:
        across = [sum(room.width(counts) for room in line) + AIR for line in rooms]
        down = sum(max(room.height(counts) for room in line) for line in rooms) + fixed
        wide, high = max(across) / area.width, down / area.height
        if max(wide, high) <= 1:
            return counts
        widest = rooms[across.index(max(across))]
        axes = {room.columns for room in widest} if wide >= high else {room.rows for line in rooms for room in line}
        longer = [labels for labels in axes if counts[labels] > FEWEST]
        if not longer:
            return None
        counts[max(longer, key=lambda labels: _spare(labels, counts))] -= 1


def _kept(counts: Counts) -> float:
    """How much of all axes is shown."""
    return sum((1.0 if numbered(labels) else NAMED) * log(count) for labels, count in counts.items())


def _spare(labels: Labels, counts: Counts) -> float:
    """How well an axis can do with one entry less."""
    return counts[labels] / (1.0 if numbered(labels) else NAMED)


class _Room(NamedTuple):
    """What a group takes of the page, but for how many rows and columns it has."""

    rows: Labels
    columns: Labels
    cell: Cells
    beside: float
    caption: float
    below: float

    def width(self, counts: Counts) -> float:
        return self.beside + max(max(counts[self.columns], 1) * self.cell.width, self.caption)

    def height(self, counts: Counts) -> float:
        return counts[self.rows] * self.cell.height + self.below


def _rooms(line: Line) -> list[_Room]:
    return [
        _Room(
            group[0].grid.row_axis[1],
            group[0].grid.column_axis[1],
            least_cells(group),
            (sign_width(group) if group[0].sign or group is not line[0] else 0.0) + label_room(group),
            max(block.caption_width for block in group),
            sum(map(stacked_height, group[1:])),
        )
        for group in line
    ]


def _head(line: Line) -> float:
    """The height of captions and labels above the cells."""
    return line[0][0].size * 2.7 + max(group[0].column_label_height(least_cells(group).width) for group in line)
