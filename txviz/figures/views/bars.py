"""A table of bars: one row for each entry, one column for each stage of a computation, numbers on the bars."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isfinite

from txviz.figures import fonts
from txviz.figures.marks import Anchor, Box, Colour, Line, Mark, Text
from txviz.figures.numerals import decimal
from txviz.figures.style import Style
from txviz.figures.theme import mixed
from txviz.figures.views.page import LINE, MIDDLE, Area
from txviz.ops import Array

GAP = 5.0
PADDING = 2.0
LARGEST_PITCH = 30.0
"""These in pixels at a text size of 12."""

BAR = 0.4
"""How strong the colour of a bar is: the number on it must be easy to read."""


@dataclass(frozen=True)
class Column:
    """A stage: a number for each entry, and the ends of its bars. Bars start at 0."""

    head: str
    values: Array  # (entries,)
    low: float
    high: float
    decimals: int
    foot: str = ""
    """Below the column, such as its sum."""

    rest: str = ""
    """For all the entries that are left out."""

    ticks: Array | None = None
    """Other values to compare with, each marked on its bar."""


@dataclass(frozen=True)
class Table:
    labels: tuple[str, ...]
    columns: tuple[Column, ...]
    left_out: int = 0
    """How many entries are not shown."""

    foot: str = ""
    """What the numbers below the columns are."""


def rows_that_fit(height: float, size: float) -> int:
    """How many entries fit, with a head, a foot, and a line for those that are left out."""
    return max(1, int(height // (size * LINE)) - 3)


@dataclass(frozen=True, eq=False)
class Bars:
    table: Table
    area: Area
    style: Style

    def cell(self, row: int, column: int) -> Area:
        """Where a number stands; row −1 is the head of the column."""
        left, gap = self._left, self._gap
        wide = (self.area.right - left + gap) / max(1, len(self.table.columns))
        return Area(left + column * wide, self.area.y + (row + 1) * self.pitch, wide - gap, self.pitch)

    def bar(self, row: int, column: int) -> Area:
        """The bar of a number: from 0 to it, on the scale of its column. An infinite number has none."""
        entry, box = self.table.columns[column], self.cell(row, column)
        value = float(entry.values[row])
        left, right = sorted((_across(entry, box, 0.0), _across(entry, box, value if isfinite(value) else 0.0)))
        inset = box.height * 0.1
        return Area(left, box.y + inset, right - left, box.height - 2 * inset)

    def row_at(self, y: float) -> int | None:
        row = int((y - self.area.y) // self.pitch) - 1
        return row if 0 <= row < len(self.table.labels) else None

    @cached_property
    def pitch(self) -> float:
        """The height of a row."""
        lines = len(self.table.labels) + (1 if self.table.left_out else 0) + 2
        return min(LARGEST_PITCH * self._unit, self.area.height / lines)

    def marks(self, marked: int | None = None) -> list[Mark]:
        count, more, colours = len(self.table.labels), self.table.left_out, self.style.theme
        marks = [mark for j in range(len(self.table.columns)) for mark in self._column(j)]
        if self.style.labels:
            marks += [
                self._label(i, label, colours.highlight if i == marked else colours.text)
                for i, label in enumerate(self.table.labels)
            ]
        if more:
            marks.append(self._label(count, f"… {more:,} more", colours.muted))
        return [*marks, self._label(self._last, self.table.foot, colours.muted)]

    @property
    def _unit(self) -> float:
        return self.style.size / 12

    @property
    def _gap(self) -> float:
        return GAP * self._unit

    @property
    def _last(self) -> int:
        """The row of the sums."""
        return len(self.table.labels) + (1 if self.table.left_out else 0)

    @cached_property
    def _left(self) -> float:
        """Where the first column begins: after the labels, long ones shortened."""
        labels = fonts.widest((*self.table.labels, self.table.foot), self.style.size)
        share = 0.22 if len(self.table.columns) > 3 else 0.36
        return self.area.x + min(labels + 1, self.area.width * share) + self._gap

    def _column(self, j: int) -> list[Mark]:
        column, muted, count = self.table.columns[j], self.style.theme.muted, len(self.table.labels)
        marks: list[Mark] = [self._number(self.cell(-1, j), column.head, muted)]
        for i in range(count):
            marks += self._bar(i, j, column)
        last = self.cell(self._last, j)
        if column.rest:
            marks.append(self._number(self.cell(count, j), column.rest, muted))
        if column.foot:
            marks.append(Line(last.x, last.y + 1, last.right, last.y + 1, self.style.theme.line))
            marks.append(self._number(last, column.foot, muted))
        return marks

    def _bar(self, i: int, j: int, column: Column) -> list[Mark]:
        value, box, bar, colours = float(column.values[i]), self.cell(i, j), self.bar(i, j), self.style.theme
        marks: list[Mark] = []
        if bar.width:
            marks.append(Box(*bar, fill=mixed(colours.stages[value > 0], colours.panel, BAR)))
        if column.low < 0:
            marks.append(self._tick(box, _across(column, box, 0.0), colours.line))
        if column.ticks is not None:
            marks.append(self._tick(box, _across(column, box, float(column.ticks[i])), colours.accent))
        return [*marks, self._number(box, decimal(value, column.decimals), colours.text)]

    def _tick(self, box: Area, x: float, colour: Colour) -> Mark:
        return Line(x, box.y + 1, x, box.bottom - 1, colour, 1.5)

    def _label(self, row: int, label: str, colour: Colour) -> Mark:
        cell = self.cell(row, 0)
        room = cell.x - self._gap - self.area.x if row < len(self.table.labels) else self.area.width / 2
        return self._text(self.area.x, cell, label, room, colour, "start")

    def _number(self, box: Area, text: str, colour: Colour) -> Mark:
        padding = PADDING * self._unit
        return self._text(box.right - padding, box, text, box.width - 2 * padding + 1, colour, "end")

    def _text(self, x: float, box: Area, text: str, room: float, colour: Colour, anchor: Anchor) -> Text:
        size = self.style.size
        return Text(x, box.centre[1] + size * MIDDLE, fonts.elided(text, size, room), size, colour, anchor)


def _across(column: Column, box: Area, value: float) -> float:
    share = (value - column.low) / ((column.high - column.low) or 1.0)
    return box.x + min(1.0, max(0.0, share)) * box.width
