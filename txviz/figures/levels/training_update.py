"""One number of the model before and after the update, with the optimiser's arithmetic; and the loss once more."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from txviz.figures import fonts
from txviz.figures.grid import Grid
from txviz.figures.levels.board import Board
from txviz.figures.levels.cells import learned_grid
from txviz.figures.levels.sections import CHIP, LINE, bar_colour, columns, paragraph, section
from txviz.figures.levels.titles import short_name
from txviz.figures.levels.training_steps import TrainingSteps
from txviz.figures.marks import Box, Text
from txviz.figures.naming import cell, quoted
from txviz.figures.numerals import percent
from txviz.figures.theme import largest
from txviz.figures.views.page import Area, bar_length, wrapped
from txviz.ops.arithmetic import number
from txviz.trace import Parameter, Step

AROUND = 1
"""How many neighbours of the number are shown on each side."""

PLATE_ROW, LEAST_ROW, BAR = 2.9, 1.1, 1.9
"""How high a row of the matrices may be and must be, and a bar. By the size of the text."""


def draw_update(board: Board, steps: TrainingSteps, area: Area) -> None:
    count = f"{sum(each.before.value.size for each in steps.learned):,}"
    node = steps.trace.outline.find("update")
    inside = section(board, area, f"3 · Update: one of {count} numbers", [node])
    _Update(board, steps, inside).draw()


@dataclass(frozen=True, eq=False)
class _Update:
    board: Board
    steps: TrainingSteps
    area: Area

    def draw(self) -> None:
        board, size, learned = self.board, self.board.size, self.steps.moved.learned
        y = paragraph(board, self.area._replace(height=2 * LINE * size), self._where, step=learned.after) + size * 0.4
        top = y + LINE * size * (1 if self._beside else 2)
        row = self.area._replace(y=top, height=self._plate_height(top))
        for place, (name, source) in zip(self._columns(row), self._sources.items(), strict=True):
            self._excerpt(name, source, place)
        y = row.bottom + size * 0.4
        if board.computed(learned.after):
            y = paragraph(board, self.area._replace(y=y, height=self.area.bottom - y), *self._worked) + size * 0.4
        self._chips(y)

    def _columns(self, row: Area) -> list[Area]:
        return columns(row, (1, 1, 1), self.board.size)

    @cached_property
    def _beside(self) -> bool:
        """Whether all digits of a number fit beside its name."""
        size, room = self.board.size, self._columns(self.area)[0].width
        values = {name: float(source.value[self.steps.moved.at]) for name, source in self._sources.items()}
        wide = (fonts.width(f"{name} {self._digits(value)}", size, bold=True) for name, value in values.items())
        return max(wide) + size * 0.3 <= room

    @cached_property
    def _worked(self) -> tuple[str, str]:
        """The optimiser's arithmetic, and the same without what it was made from."""
        text = self.steps.moved.learned.after.explain(self.steps.moved.at).text
        return text, text.partition(", where")[0]

    def _plate_height(self, top: float) -> float:
        """What the arithmetic and the line of other steps leave; none where no numbers would fit."""
        size, rows = self.board.size, min(len(np.atleast_2d(self.steps.moved.learned.before.value)), 2 * AROUND + 1)
        long, short = (len(wrapped(text, size, self.area.width)) * LINE * size for text in self._worked)
        room = self.area.bottom - top - size * 0.5
        left = (room - need for need in (long + (CHIP + 0.5) * size, long, short))
        return min(next((high for high in left if high >= rows * LEAST_ROW * size), 0.0), rows * PLATE_ROW * size)

    @property
    def _sources(self) -> dict[str, Parameter | Step]:
        learned = self.steps.moved.learned
        return {"before": learned.before, "gradient": learned.gradient, "after": learned.after}

    @property
    def _where(self) -> str:
        """Which number it is: of a table of words, whose."""
        (learned, index, _), steps = self.steps.moved, self.steps
        words = steps.logits.labels[-1] if steps.logits is not None else ()
        table = learned.before.site.leaf.endswith("tokens.table") and len(words) == len(learned.before.value)
        where = cell(learned.after, index)
        return f"Largest change: {where} in {learned.before.site.title}" + (
            f" (row of {quoted(words[index[0]])})" if table else ""
        )

    @cached_property
    def _rows(self) -> tuple[slice, ...]:
        """The number and its neighbours."""
        index, shape = self.steps.moved.at, self.steps.moved.learned.before.value.shape
        starts = [max(0, min(i - AROUND, n - 2 * AROUND - 1)) for i, n in zip(index, shape, strict=True)]
        return tuple(slice(start, start + 2 * AROUND + 1) for start in starts)

    def _excerpt(self, name: str, source: Parameter | Step, area: Area) -> None:
        """The number among its neighbours, framed; above it all its digits. What is learned is known from the start."""
        board, size, (learned, index, _) = self.board, self.board.size, self.steps.moved
        known = isinstance(source, Parameter) or board.computed(source)
        self._caption(name, learned.after if isinstance(source, Parameter) else source, area, known)
        if not known:
            board.add("not yet", area.box(board.theme.line))
            return
        x, digits = area.x + (fonts.width(f"{name} ", size) if self._beside else 0.0), self._digits(source.value[index])
        board.add("in digits", Text(x, area.y - size * 0.45, digits, size, board.theme.accent, bold=True))
        if area.height:
            panel = board.sketch(f"{name} of {learned.before.name}", self._grid(source), area)
            frame = Area(*panel.box([_place(self._rows, index)]))
            board.add("the number", frame.box(board.theme.highlight, size * 0.17))

    def _caption(self, name: str, step: Step, area: Area, known: bool) -> None:
        board, lines = self.board, 1 if self._beside else 2
        above, high = board.size * (0.45 + (lines - 1) * LINE), board.size * LINE * lines
        board.write(area.x, area.y - above, name, board.theme.text if known else board.ink(step))
        board.spot(step, area._replace(y=area.y - high, height=area.height + high), f"{name}: {step.title}")

    def _grid(self, source: Parameter | Step) -> Grid:
        return learned_grid(Parameter(source.name, np.atleast_2d(source.value[self._rows]), source.site))

    def _digits(self, value: float) -> str:
        """So many that before and after differ."""
        learned, index, _ = self.steps.moved
        pair = float(learned.before.value[index]), float(learned.after.value[index])
        enough = (n for n in range(4, 12) if number(pair[0], n) != number(pair[1], n))
        return number(value, next(enough, 4)) if value in pair else number(value)

    def _chips(self, y: float) -> None:
        """What the optimiser made on the way, where there is room."""
        size, x = self.board.size, self.area.x
        for step in self.steps.moved.on_the_way:
            wide = fonts.width(short_name(step), size) + size * 1.2
            if x + wide <= self.area.right and y + size * CHIP <= self.area.bottom:
                self.board.chip(step, x + wide, y + size)
            x += wide + size * 0.5


def _place(rows: tuple[slice, ...], index: tuple[int, ...]) -> tuple[int, int]:
    inside = [i - part.start for i, part in zip(index, rows, strict=True)]
    return (0, inside[0]) if len(inside) == 1 else (inside[0], inside[1])


def draw_loss_again(board: Board, steps: TrainingSteps, area: Area) -> None:
    """The same example with the new numbers."""
    inside = section(board, area, "4 · The loss again")
    size, pair = board.size, {"before": steps.loss, "after": steps.after}
    y, high = inside.y, min(BAR * size, (inside.height - (4.0 + LINE) * size) / 2)
    most = largest(*(step.value for step in pair.values()))
    for name, step in pair.items():
        board.write(inside.x, y + size, name, board.ink(step))
        bar = Area(inside.x, y + size * 1.4, inside.width, high)
        _loss_bar(board, step, bar, bar_length(bar.width, float(step.value) / most))
        y = bar.bottom + size * 0.6
    board.spot(steps.after, bar)
    if board.computed(steps.after):
        paragraph(board, inside._replace(y=y, height=inside.bottom - y), *_verdict(steps))


def _loss_bar(board: Board, step: Step, whole: Area, long: float) -> None:
    """A bar so long, with its number above its end."""
    size, shown = board.size, number(float(step.value), 6)
    board.add("whole", whole.box(board.theme.line))
    board.place(step, whole, f"{step.title}, {shown}")
    if board.computed(step):
        board.add("loss", Box(*whole._replace(width=long), bar_colour(board, step.site)))
        y = whole.y - size * 0.4
        board.add("losses", Text(whole.right, y, shown, size, board.theme.text, "end", bold=True))


def _amount(before: float, after: float) -> str:
    """Of a change, in percent where that says something."""
    change = abs(after - before)
    return percent(change / before) if change < before else number(change, 3)


def _verdict(steps: TrainingSteps) -> tuple[str, ...]:
    """In words; shorter ones for little room."""
    before, after = float(steps.loss.value), float(steps.after.value)
    if before == after:
        return "The same: the step was too small to make a difference.", "The same."
    short = f"{'Lower' if after < before else 'Higher'} by {_amount(before, after)}."
    if after < before:
        return f"{short} Training takes thousands of such steps, each on other examples.", short
    return f"{short} The step was too long for this example; a smaller learning rate may help.", short
