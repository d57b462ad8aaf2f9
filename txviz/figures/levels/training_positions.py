"""A column for each position: the word that goes in, the one that should come out, how likely it was, and its loss."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from txviz.figures import fonts
from txviz.figures.levels.board import Board
from txviz.figures.levels.sections import bar_colour, word
from txviz.figures.levels.training_steps import TrainingSteps
from txviz.figures.marks import Box, Line, Text
from txviz.figures.numerals import decimal, percent
from txviz.figures.theme import mixed
from txviz.figures.views.page import MIDDLE, Area
from txviz.ops import Array
from txviz.ops.arithmetic import number
from txviz.trace import Step

ROW, SHIFT, NUMBER = 1.7, 1.7, 1.35
"""The heights of a row of words, of the arrows between two of them, and of a line of numbers."""

LEAST, MOST = 3.1, 14.0
"""How wide a column must be and may be. All by the size of the text."""

WORDS, LOWEST_BARS = 2 * ROW + SHIFT + 0.3, 2.6
"""How high both rows of words are, and a row of bars must be: the mean is written beside it on two lines."""

LOWEST = WORDS + 2 * LOWEST_BARS

TITLES = "goes in", "shifted by one", "should say", "probability of it", "cross-entropy"


@dataclass(frozen=True, eq=False)
class Positions:
    board: Board
    steps: TrainingSteps
    area: Area

    def draw(self) -> None:
        inputs, labels = self.inputs, self.steps.labels
        tops = self.tops
        self._words(inputs, inputs.labels[0], tops[0], TITLES[0])
        self._shifted(tops[0] + ROW * self.board.size, tops[1])
        self._words(labels, self.steps.answers, tops[1], TITLES[2])
        self._bars(self.steps.likely, self.steps.right, self._row(2), TITLES[3], 1.0, self._share)
        self._goal(self._row(2))
        costs = self.steps.each.value.reshape(-1)
        most = float(costs.max(initial=0.0)) or 1.0
        self._bars(self.steps.each, costs, self._row(3), TITLES[4], most, lambda cost: decimal(cost, 2))
        self._mean(self._row(3), most)
        self._left_out()

    @property
    def inputs(self) -> Step:
        assert self.steps.inputs is not None
        return self.steps.inputs

    # where everything goes

    @cached_property
    def tops(self) -> list[float]:
        """Of the four rows; the bars share what the words leave."""
        size, y = self.board.size, self.area.y
        first = y + WORDS * size
        return [y, y + (ROW + SHIFT) * size, first, first + (self.area.bottom - first) / 2]

    def _row(self, i: int) -> Area:
        """Of bars: with the number above them."""
        size, bottom = self.board.size, [*self.tops, self.area.bottom][i + 1]
        top = self.tops[i] + NUMBER * size
        return Area(self.left, top, self.pitch * self.count, bottom - top - size * 0.15)

    @cached_property
    def left(self) -> float:
        size = self.board.size
        return self.area.x + max(fonts.width(title, size) for title in TITLES) + size * 0.8

    @cached_property
    def right(self) -> float:
        """Where the mean begins."""
        return self.area.right - max(fonts.width(said, self.board.size) for said in self._mean_words) - self.board.size

    @cached_property
    def count(self) -> int:
        """How many positions have room."""
        return min(len(self.inputs.value), max(1, int((self.right - self.left) / (LEAST * self.board.size))))

    @cached_property
    def pitch(self) -> float:
        return min((self.right - self.left) / self.count, MOST * self.board.size)

    def _middle(self, i: int) -> float:
        return self.left + (i + 0.5) * self.pitch

    # what is drawn there

    def _title(self, step: Step, title: str, y: float) -> None:
        self.board.write(self.area.x, y + self.board.size * MIDDLE, title, self.board.ink(step))

    def _words(self, step: Step, words: Sequence[str], top: float, title: str) -> None:
        board, size = self.board, self.board.size
        row = Area(self.left, top, self.pitch * self.count, ROW * size)
        self._title(step, title, row.centre[1])
        for i, text in enumerate(words[: self.count]):
            cell = Area(self.left + i * self.pitch + size * 0.15, top, self.pitch - size * 0.3, ROW * size)
            fill = mixed(board.theme.accent, board.theme.panel, 0.12) if step is self.steps.labels else None
            board.add(step.name, *word(board, text if board.computed(step) else "", cell, board.theme.text, fill))
        board.spot(step, row)

    def _shifted(self, top: float, bottom: float) -> None:
        """What one position should say goes in at the next."""
        size = self.board.size
        self._title(self.steps.labels, TITLES[1], (top + bottom) / 2)
        for i, after in pairwise(range(self.count)):
            start, end = (self._middle(i), bottom - size * 0.15), (self._middle(after), top + size * 0.15)
            self.board.pointer("shifted by one", self.board.ink(self.steps.labels), start, end)

    def _bars(
        self, step: Step, values: Array, row: Area, title: str, most: float, write: Callable[[float], str]
    ) -> None:
        board, size = self.board, self.board.size
        self._title(step, title, row.bottom - min(row.height / 2, size))
        board.add("foot", Line(row.x, row.bottom, row.right, row.bottom, board.theme.muted, 1))
        if board.computed(step):
            fill, wide = bar_colour(board, step.site), min(self.pitch * 0.6, size * 3.2)
            for i, value in enumerate(values[: self.count].tolist()):
                x, high = self._middle(i), row.height * value / most
                above = Text(x, row.y - size * 0.3, write(value), size, board.theme.text, "middle")
                board.add(title, Box(x - wide / 2, row.bottom - high, wide, high, fill))
                board.add(f"{title} in numbers", above)
        board.spot(step, row)

    def _goal(self, row: Area) -> None:
        """With label smoothing the right answer should be nearly sure, but not quite."""
        part, size = self.steps.smoothing, self.board.size
        if not part:
            return
        goal = 1 - part + part / self.steps.scores.value.shape[-1]
        y, ink = row.bottom - row.height * goal, self.board.ink(self.steps.labels)
        self.board.add("goal", Line(row.x, y, row.right, y, ink, size * 0.08))
        self.board.write(self.area.right, row.y - size * 0.3, f"goal {percent(goal)}", ink, "end")

    def _share(self, share: float) -> str:
        """In percent where that fits into a column."""
        widest = max(fonts.width(percent(each), self.board.size) for each in self.steps.right.tolist())
        return percent(share) if widest < self.pitch - self.board.size * 0.3 else decimal(share, 2)

    @property
    def _mean_words(self) -> tuple[str, str]:
        return "mean = loss", number(float(self.steps.loss.value))

    def _mean(self, row: Area, most: float) -> None:
        """A line across the bars, and the loss at its end."""
        board, size, loss = self.board, self.board.size, self.steps.loss
        said, amount = self._mean_words
        x, colour = self.area.right, board.theme.accent if board.computed(loss) else board.ink(loss)
        y = row.bottom - size * 0.2
        words = [Text(x, y - size * 1.4, said, size, board.ink(loss), "end")]
        if board.computed(loss):
            level = row.bottom - row.height * float(loss.value) / most
            board.add("mean", Line(row.x, level, row.right, level, colour, size * 0.12))
            words.append(Text(x, y, amount, size, colour, "end", bold=True))
        board.add("the mean", *words)
        wide = fonts.width(said, size)
        board.spot(loss, Area(x - wide, y - size * 2.3, wide, size * 2.6))

    def _left_out(self) -> None:
        more = len(self.inputs.value) - self.count
        if more:
            y = self.tops[0] + self.board.size * (ROW / 2 + MIDDLE)
            self.board.write(self.area.right, y, f"{more} more …", self.board.theme.muted, "end")
