"""Where each new token looked: a row of attention weights for each time step, over the words of the source, or over
the tokens so far where there is no encoder."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from txviz.figures import fonts
from txviz.figures.colour_scale import Span
from txviz.figures.grid import Grid
from txviz.figures.levels.board import Board
from txviz.figures.levels.cells import cells, panel_in
from txviz.figures.levels.decoding_steps import Column, DecodingSteps
from txviz.figures.levels.labels import column_label_height, column_labels
from txviz.figures.marks import Mark, Text
from txviz.figures.naming import counted
from txviz.figures.views.page import MIDDLE, Area

CAPTION, ROW, LARGEST_ROW, CELL, TURNED, WORD = 1.6, 1.35, 1.6, 6.0, 4.5, 7.0
"""By the size of the text: the caption, a row at least and at most, a cell and a turned label and a word at most."""


@dataclass(frozen=True, eq=False)
class Alignment:
    board: Board
    steps: DecodingSteps
    area: Area
    """With its caption and labels."""

    shown: range
    """Which time steps have a row."""

    above: float
    """The height of the labels of the columns."""

    pitch: float
    """The height of a row."""

    @classmethod
    def below(
        cls, board: Board, steps: DecodingSteps, page: Area, current: int, least: float, most: float
    ) -> Alignment:
        """At the bottom of the page, so high at least and at most, with the rows around the current one."""
        size, count = board.size, len(steps.columns)
        words, labels = _across(board, page, steps)
        above = max(column_label_height(board.style, labels, words.width, TURNED * size), size * 0.4)
        fixed = CAPTION * size + above
        rows = max(1, min(count, int((most - fixed) / (ROW * size))))
        pitch = min(max((most - fixed) / rows, ROW * size), LARGEST_ROW * size)
        start = max(0, min(current - rows // 2, count - rows))
        high = max(fixed + rows * pitch, least)
        area = Area(page.x, page.bottom - high, page.width, high)
        return cls(board, steps, area, range(start, start + rows), above, pitch)

    def draw(self) -> None:
        board, size = self.board, self.board.size
        board.write(self.area.x, self.area.y + size, self._caption(), board.theme.text)
        labels = column_labels(board.style, self.labels, self.cells, self.above)
        board.add("words of the alignment", *labels)
        for row, i in enumerate(self.shown):
            self._row(self.steps.columns[i], row)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        return _across(self.board, self.area, self.steps)[1]

    @cached_property
    def cells(self) -> Area:
        """All of them, without labels."""
        across, _ = _across(self.board, self.area, self.steps)
        top = self.area.y + CAPTION * self.board.size + self.above
        return across._replace(y=top, height=self.pitch * len(self.shown))

    def _caption(self) -> str:
        """As much of it as fits."""
        weights, place = self.steps.columns[0].weights, self.board.scene.place
        which = f"head {place[-1]}" if place else f"the mean of {counted(weights.value.shape[0], 'head')}"
        where = "source word" if self.steps.memory is not None else "token so far"
        block = (weights.site.block or "attention").replace("_", "-")
        hidden = len(self.steps.columns) - len(self.shown)
        left = f" ({counted(hidden, 'row')} left out)" if hidden else ""
        said = (
            f"How much each new token looked at each {where}: {block} of the last layer, {which}{left}",
            f"Where each new token looked: {block} of the last layer, {which}{left}",
            f"{block}, {which}{left}",
        )
        fits = (text for text in said if fonts.width(text, self.board.size) <= self.area.width)
        return next(fits, fonts.elided(said[-1], self.board.size, self.area.width))

    def _row(self, column: Column, row: int) -> None:
        board, size, step = self.board, self.board.size, column.weights
        pitch, wide = self.pitch, self.cells.width / len(self.labels)
        values = column.attention(board.scene.place).reshape(1, -1)
        area = Area(self.cells.x, self.cells.y + row * pitch, wide * values.shape[1], pitch)
        y, ink = area.centre[1] + size * MIDDLE, board.tinted(board.theme.text, column.decided)
        room = self.cells.x - self.area.x - size * 0.4
        label = Text(self.cells.x - size * 0.4, y, fonts.elided(column.word, size, room), size, ink, "end")
        inside: list[Mark] = [cells(panel_in(_grid(column, values), area), board.style)] if board.computed(step) else []
        board.add(f"alignment of {column.at.name}", label, *inside, area.box(board.theme.line))
        board.spot(step, area, f"{step.title}: where {column.word} looked")


def _across(board: Board, page: Area, steps: DecodingSteps) -> tuple[Area, tuple[str, ...]]:
    """From where to where the cells are, and what they stand for: the keys of the last time step have all words."""
    size, last = board.size, steps.columns[-1]
    labels = last.weights.labels[-1]
    if steps.memory is None:
        labels = last.chips
    words = max(fonts.width(column.word, size) for column in steps.columns)
    left = min(words, WORD * size) + size * 0.5
    wide = min((page.width - left) / len(labels), CELL * size)
    return Area(page.x + left, page.y, wide * len(labels), 0.0), labels


def _grid(column: Column, values: np.ndarray) -> Grid:
    """One row of weights, in the colours of shares of 1."""
    keys, name = np.arange(values.shape[1]), column.weights.name
    drawn = (False, False, False, Span(0.0, 1.0))
    return Grid(name, True, "weights", "", values, ("",), tuple(map(str, keys)), keys[:1], keys, (), 2, *drawn)
