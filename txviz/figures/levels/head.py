"""From the last vectors to the answer: a score for each answer, softmax, and the choice, as bars side by side.

x → scores of every position → those of the last one → softmax → answer
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from txviz.figures import fonts
from txviz.figures.grid import Grid
from txviz.figures.levels.answer_bars import AnswerBars, upright
from txviz.figures.levels.board import Board
from txviz.figures.levels.head_steps import HeadSteps, last_row
from txviz.figures.levels.labels import row_label_width
from txviz.figures.levels.picture import NodeScene, Picture
from txviz.figures.levels.titles import matrix_shape, node_title, short_name
from txviz.figures.levels.verbs import verb
from txviz.figures.marks import Box, Mark, Text
from txviz.figures.naming import quoted
from txviz.figures.numerals import decimal, percent
from txviz.figures.tensors import result_at
from txviz.figures.theme import mixed
from txviz.figures.views.page import MIDDLE, Area
from txviz.ops import Array
from txviz.trace import Step

HEAD, FOOT = 2.4, 1.8
"""The heights of the captions above, and of a line for what is left out."""

SOURCE, VECTOR, MATRIX, BARS, ANSWER = 11.0, 3.0, 13.0, 10.0, 10.5
"""The widths of what the scores are made from (many vectors, or one), of a matrix of scores, of a column of bars at
least, and of the answer."""

ROW, WORD, GAP = 14.0, 9.0, 3.0
"""How high a row may be, how wide a word, and a gap at least. All these by the size of the text."""

NARROWEST = 0.4
"""By how much the matrices may be narrower; where that is not enough, what the scores are made from is left out."""


def draw(scene: NodeScene) -> Picture:
    steps, board = HeadSteps(scene.trace, scene.node), Board(scene)
    board.heading(node_title(scene.node), *steps.formulas)
    board.sentences(_sentence(board, steps))
    _Drawing(board, steps).draw()
    return board.picture()


def _sentence(board: Board, steps: HeadSteps) -> str:
    kind = {"vocabulary": "words", "class": "classes"}.get(steps.logits.axes[-1], "answers")
    said = [f"A score for each of {steps.logits.value.shape[-1]:,} {kind}."]
    if steps.position is not None:
        said.append(_about_position(steps.position, steps.learns))
    if steps.probabilities is not None and board.computed(steps.probabilities):
        row = last_row(steps.probabilities)
        best = int(row.argmax())
        most = quoted(steps.logits.labels[-1][best])
        said.append(f"Softmax makes them shares of 1, of which {most} has most: {percent(row[best])}.")
    if any(step.op == "add" for step in steps.columns):
        said.append("Totals are compared with those of the other hypotheses.")
    return " ".join(said)


def _about_position(token: str, learns: bool) -> str:
    """Whoever writes needs the last position only; whoever learns is told what should follow at each of them."""
    if learns:
        return f"Every position says what comes next, and learns from it; shown is the last one, after {quoted(token)}."
    return f"Only the last position counts, after {quoted(token)}: it says what comes next."


@dataclass(frozen=True, eq=False)
class _Drawing:
    board: Board
    steps: HeadSteps

    def draw(self) -> None:
        self._mark_chosen()
        areas: list[tuple[Step, Area]] = []
        if self.source is not None:
            areas.append((self.source, self._source(self.source)))
        if self.steps.picked is not None:
            areas.append((self.steps.logits, self._matrix()))
        for i, step in enumerate(self.steps.columns):
            areas.append((step, self._bars(step, self._column(i))))
        self._words()
        if self.steps.choice is not None:
            areas.append((self.steps.choice, self._answer(self.steps.choice)))
        for step in self.steps.before:
            if step is not areas[0][0]:
                self.board.behind(step, areas[0][1])
        for (before, left), (after, right) in pairwise(areas):
            self._lead(before, left, after, right)

    # where everything goes

    @property
    def unit(self) -> float:
        """The size of the text, or less where the columns of bars need the room."""
        size, count = self.board.size, len(self.steps.columns)
        fixed = sum((WORD, ANSWER, GAP * (count + 2), BARS * count)) * size
        room = (self.board.area.width - fixed) / (SOURCE + MATRIX)
        return size * max(NARROWEST, min(1.0, room / size))

    @property
    def top(self) -> float:
        return self.board.area.y + HEAD * self.board.size

    @cached_property
    def pitch(self) -> float:
        size = self.board.size
        free = self.board.area.bottom - self.top - FOOT * size
        return min(free / len(self.steps.order), ROW * size)

    @property
    def height(self) -> float:
        return self.pitch * len(self.steps.order)

    @cached_property
    def words(self) -> float:
        names = [self.steps.logits.labels[-1][i] for i in self.steps.order]
        return (
            min(max(fonts.width(name, self.board.size * 1.1) for name in names), WORD * self.board.size)
            + self.board.size
        )

    @cached_property
    def left(self) -> float:
        """The width of the source and of the matrix of scores."""
        source = self.source
        wide = 0.0 if source is None else self._source_width(source) + self._gap(self.steps.logits)
        return wide + (MATRIX * self.unit + self._gap(self.steps.columns[0]) if self.steps.picked is not None else 0.0)

    @cached_property
    def source(self) -> Step | None:
        """What the scores are made from, unless the bars need its room."""
        return self.steps.source if self.unit > NARROWEST * self.board.size else None

    def _source_width(self, source: Step) -> float:
        size, caption = self.board.size, self.board.caption_width(source)
        if source.value.ndim == 1:
            return max(VECTOR * size, caption)
        labels = row_label_width(self.board.style, source.labels[-2], size * WORD * 0.8)
        return labels + max(SOURCE * self.unit, caption)

    @property
    def right(self) -> float:
        return ANSWER * self.board.size + self._gap(self.steps.choice) if self.steps.choice is not None else 0.0

    def _gap(self, step: Step) -> float:
        return max(GAP * self.board.size, self.board.formula_width(verb(step)) + self.board.size * 1.2)

    @cached_property
    def lefts(self) -> list[tuple[float, float]]:
        """Where each column of bars begins, and how wide it is."""
        gaps = [self._gap(step) for step in self.steps.columns[1:]]
        free = self.board.area.width - self.left - self.right - self.words - sum(gaps)
        wide = free / len(self.steps.columns)
        start = self.board.area.x + self.left + self.words
        return [(start + i * wide + sum(gaps[:i]), wide) for i in range(len(self.steps.columns))]

    def _column(self, i: int) -> Area:
        x, wide = self.lefts[i]
        return Area(x, self.top, wide, self.height)

    # what is drawn there

    def _source(self, step: Step) -> Area:
        """The vectors that the scores are made from, the last one framed; or the one vector, upright."""
        board, size = self.board, self.board.size
        wide = self._source_width(step)
        if step.value.ndim > 1:
            grid = result_at(step, ())
            labels = row_label_width(board.style, grid.row_labels, size * WORD * 0.8)
            high = min(self.height, len(grid.values) * ROW * size)
            area = Area(board.area.x + labels, self.top, wide - labels, high)
            board.plate(step, grid, area, rows=labels, apart=True)
            board.caption(step, area.x, self.top - size * 0.6, area.width + size)
            return self._last(area, len(grid.values))
        area = Area(board.area.x + (wide - VECTOR * size) / 2, self.top, VECTOR * size, self.height)
        board.plate(step, upright(step, np.arange(len(step.value))), area)
        board.caption(step, board.area.x, self.top - size * 0.6, wide + size)
        return area

    def _last(self, area: Area, rows: int) -> Area:
        """The last row, which is all that counts: framed."""
        row = area._replace(y=area.bottom - area.height / rows, height=area.height / rows)
        self.board.add("last position", row.box(self.board.theme.accent, self.board.size * 0.16))
        return row

    def _matrix(self) -> Area:
        """The scores of every position, for the answers that are shown."""
        board, size, step = self.board, self.board.size, self.steps.logits
        grid = _some_columns(result_at(step, ()), step, self.steps.order)
        x = board.area.x + self.left - self._gap(self.steps.columns[0]) - MATRIX * self.unit
        area = Area(x, self.top, MATRIX * self.unit, min(self.height, len(grid.values) * ROW * size))
        labels = [f"{each}" for each in grid.column_labels]
        room = self.height - area.height
        board.plate(step, grid, area, apart=True)
        shape = (
            f"{len(labels)} of {step.value.shape[-1]:,}" if len(labels) < step.value.shape[-1] else matrix_shape(step)
        )
        board.caption(step, area.x, self.top - size * 0.6, area.width + size, shape=shape)
        if board.style.labels and room > size * 4:
            board.add("words below", *self._below(labels, area, min(room, size * 8)))
        return self._last(area, len(grid.values))

    def _below(self, labels: list[str], area: Area, room: float) -> list[Mark]:
        """The answers below the columns, turned."""
        size, pitch = self.board.size, area.width / len(labels)
        if pitch < size * 1.05 or not self.board.computed(self.steps.logits):
            return []
        return [
            Text(
                area.x + (j + 0.5) * pitch + size * MIDDLE,
                area.bottom + size * 0.5,
                fonts.elided(label, size, room - size),
                size,
                self.board.theme.muted,
                "end",
                turn=90,
            )
            for j, label in enumerate(labels)
        ]

    def _words(self) -> None:
        """The answers, in front of the bars."""
        board, size, x = self.board, self.board.size, self._column(0).x - self.board.size * 0.5
        if not board.style.labels or not board.computed(self.steps.logits):
            return
        for row, i in enumerate(self.steps.order.tolist()):
            name, mine = self.steps.logits.labels[-1][i], i == self._chosen
            label = fonts.elided(name, size * 1.1, self.words - size * 0.6)
            ink = board.theme.accent if mine else board.theme.text
            y = self.top + (row + 0.5) * self.pitch + size * 1.1 * MIDDLE
            board.add("answers", Text(x, y, label, size * 1.1, ink, "end", bold=mine))

    @cached_property
    def _chosen(self) -> int | None:
        """The answer that was chosen, as soon as it is."""
        choice = self.steps.choice
        return int(choice.value) if choice is not None and self.board.computed(choice) else None

    def _mark_chosen(self) -> None:
        if self._chosen is None:
            return
        row = self.steps.order.tolist().index(self._chosen)
        first, last = self._column(0), self._column(len(self.steps.columns) - 1)
        x = first.x - self.words
        fill = mixed(self.board.theme.accent, self.board.theme.panel, 0.12)
        band = Area(x, self.top + row * self.pitch, last.right - x, self.pitch)
        self.board.add("chosen", Box(*band, fill, radius=self.board.size * 0.3))

    def _bars(self, step: Step, area: Area) -> Area:
        """A column of bars, with its caption above."""
        board, name = self.board, short_name(step) if step is not self.steps.picked else "last scores"
        top, shape = self.top - board.size * 0.6, str(step.value.shape[-1])
        board.caption(step, area.x, top, area.width + board.size, name, shape)
        AnswerBars(board, step, self.steps.order, area, self.pitch).draw()
        return area

    def _answer(self, choice: Step) -> Area:
        """What was chosen, large, in the middle of the row that it stands in or as near as fits."""
        board, size = self.board, self.board.size
        high = min((7.6 if choice.op == "draw" else 6.0) * size, self.board.area.bottom - self.top)
        area = Area(board.area.right - ANSWER * self.board.size, self.top, ANSWER * self.board.size, high)
        if self._chosen is not None:
            row = self.steps.order.tolist().index(self._chosen)
            middle = self.top + (row + 0.5) * self.pitch
            area = area._replace(y=min(max(middle - high / 2, self.top), self.top + max(self.height - high, 0.0)))
            self._said(choice, area)
        frame = board.theme.accent if self._chosen is not None else board.theme.line
        board.add(choice.name, Box(*area, stroke=frame, stroke_width=size * 0.16, radius=size * 0.6))
        board.spot(choice, area)
        board.write(area.centre[0], area.y + size * 1.4, "the answer", board.theme.muted, "middle")
        return area

    def _said(self, choice: Step, area: Area) -> None:
        board, size, likely = self.board, self.board.size, choice.sources[0] if choice.sources else None
        word = choice.chosen or self.steps.logits.labels[-1][int(choice.value)]
        large = max(size * 1.1, min(size * 2, (area.width - size) / max(fonts.width(word, 1, bold=True), 0.1)))
        shown = fonts.elided(word, large, area.width - size)
        middle, accent = area.centre[0], board.theme.accent
        marks: list[Mark] = [Text(middle, area.y + size * 3.5, shown, large, accent, "middle", bold=True)]
        if likely is not None:
            share = percent(float(likely.value[int(choice.value)]))
            marks.append(Text(middle, area.y + size * 5.2, share, size * 1.1, board.theme.text, "middle"))
        if choice.op == "draw":
            chance = f"chance {decimal(float(choice.sources[1].value), 2)}"
            marks.append(Text(middle, area.y + size * 6.8, chance, size, board.theme.muted, "middle"))
        board.add("the answer", *marks)

    def _lead(self, before: Step, left: Area, after: Step, right: Area) -> None:
        """The arrow between two neighbours; words stand before the first bars."""
        if before.name not in after.inputs:
            return
        size = self.board.size
        stop = right.x - (self.words if after is self.steps.columns[0] else size * 0.2)
        start = left.right + size * 0.2
        y = min(max(left.centre[1], right.y + size * 1.2), right.bottom - size * 0.3)
        if after is self.steps.choice:
            y = right.centre[1]
        points = [(start, y), (stop, y)]
        if not left.y <= y <= left.bottom:
            x = start + size * 0.5
            points = [(start, left.centre[1]), (x, left.centre[1]), (x, y), (stop, y)]
        self.board.arrow(before, after, *points, label=verb(after))


def _some_columns(grid: Grid, step: Step, order: Array) -> Grid:
    """The whole matrix, but only the columns of some answers."""
    values = step.value.reshape(-1, step.value.shape[-1])[:, order]
    labels = tuple(step.labels[-1][i] for i in order)
    return replace(grid, values=values, column_labels=labels, column_ids=order)
