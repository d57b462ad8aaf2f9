"""One number for each answer as a bar, from the top down: scores from 0 on either way, probabilities as shares of 1."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isfinite

import numpy as np

from txviz.figures import fonts
from txviz.figures.colour_scale import extent
from txviz.figures.grid import Grid
from txviz.figures.levels.board import Board
from txviz.figures.levels.head_steps import last_row
from txviz.figures.marks import Box, Line, Mark, Text
from txviz.figures.numerals import decimal, percent
from txviz.figures.stage import Panel
from txviz.figures.theme import mixed
from txviz.figures.views.page import MIDDLE, Area
from txviz.ops import Array
from txviz.trace import Step

THICK = 3.4
"""The most that a bar is high, by the size of the text."""

STRENGTH = 0.45
"""Of the colour of a bar."""


@dataclass(frozen=True, eq=False)
class AnswerBars:
    board: Board
    step: Step
    order: Array
    """Which answers are shown."""

    area: Area
    pitch: float
    """The height of a row."""

    def draw(self) -> None:
        board, step = self.board, self.step
        if not board.computed(step):
            board.add(step.name, self.area.box(board.theme.line))
            board.spot(step, self.area)
            return
        marks = [mark for row, value in enumerate(self.values.tolist()) for mark in self._bar(row, value)]
        board.add(step.name, *marks, *self._rest())
        panel = Panel(upright(step, self.order), self.area.x, self.area.y, self.area.width, self.pitch)
        board.spot(step, self.area, panel=panel)

    @cached_property
    def values(self) -> Array:
        return last_row(self.step)[self.order]

    @cached_property
    def ends(self) -> tuple[float, float]:
        """Of the bars."""
        finite = self.values[np.isfinite(self.values)]
        shares = self.step.op == "softmax"
        return (0.0, 1.0) if shares else (float(finite.min(initial=0.0)), float(finite.max(initial=0.0)))

    @cached_property
    def room(self) -> float:
        """Of the bars from end to end, where the numbers have theirs at the right."""
        widest = max(fonts.width(self._written(value), self.board.size) for value in self.values.tolist())
        return self.area.width - widest - self.board.size * 0.5

    def _long(self, value: float) -> float:
        """From 0 to the number. By the largest: numbers may be as large as they get, or as small."""
        largest = max(map(abs, self.ends)) or 1.0
        low, high = (end / largest for end in self.ends)
        return self.room * (value / largest) / ((high - low) or 1.0)

    def _written(self, value: float) -> str:
        return percent(value) if self.step.op == "softmax" else decimal(value, 2)

    def _bar(self, row: int, value: float) -> list[Mark]:
        """From 0 to the number, which stands at the right; −∞ has no bar."""
        size, colours, low = self.board.size, self.board.theme, self.ends[0]
        thick, zero = min(self.pitch * 0.68, THICK * size), self.area.x - self._long(low)
        middle = self.area.y + (row + 0.5) * self.pitch
        y, marks, known = middle - thick / 2, list[Mark](), isfinite(value)
        if known:
            fill = mixed(colours.stages[int(value > 0)], colours.panel, STRENGTH)
            long = self._long(value)
            marks.append(Box(zero + min(long, 0.0), y, max(abs(long), 0.5), thick, fill))
        if low < 0:
            marks.append(Line(zero, y, zero, y + thick, colours.muted, 1))
        ink = colours.text if known else colours.muted
        return [*marks, Text(self.area.right, middle + size * MIDDLE, self._written(value), size, ink, "end")]

    def _rest(self) -> list[Mark]:
        """What all the answers have that are not shown."""
        every, size = last_row(self.step), self.board.size
        hidden = len(every) - len(self.order)
        if not hidden or self.step.op != "softmax":
            return []
        text = f"{hidden:,} more: {percent(max(0.0, 1.0 - float(self.values.sum())))}"
        return [Text(self.area.right, self.area.bottom + size * 1.3, text, size, self.board.theme.muted, "end")]


def upright(step: Step, order: Array) -> Grid:
    """Some entries of the last row, from the top down."""
    values, axes = last_row(step)[order].reshape(-1, 1), step.value.ndim
    labels = tuple(step.labels[-1][i] for i in order)
    last = np.array([step.value.shape[-2] - 1 if axes > 1 else 0])
    place, drawn = (0,) * max(axes - 2, 0), (True, False, False, extent(values))
    called = step.site.labels[-1]
    return Grid(step.name, True, called, "", values, labels, ("",), order, last, place, axes, *drawn)
