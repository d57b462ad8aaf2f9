"""What a mask does, and what it is for.

scores + mask = masked → weights
weights without the mask, with what would leak; how much of each token's attention that is
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from txviz.figures import fonts
from txviz.figures.levels.board import Board
from txviz.figures.levels.composed import composed
from txviz.figures.levels.labels import column_label_height, row_label_width
from txviz.figures.levels.mask_steps import MaskSteps
from txviz.figures.levels.picture import NodeScene, Picture
from txviz.figures.levels.verbs import verb
from txviz.figures.marks import Box, Line, Mark, Text
from txviz.figures.numerals import percent
from txviz.figures.theme import mixed
from txviz.figures.views.attention import heading
from txviz.figures.views.page import MIDDLE, Area, stride
from txviz.ops import Array
from txviz.trace import Step

CAPTION, CHIPS, BETWEEN = 1.7, 2.4, 3.6
"""The heights of a caption, of the line of other steps, and of the room between the two bands."""

LABELS, KEY_LABELS, ROW = 6.5, 4.5, 9.0
"""The most that labels take of the width and of the height, and how high a row may be."""

SIGN, FRAME = 2.6, 0.17
"""The room of a + or =, and the line around what leaks. All these by the size of the text."""

BAR = 0.3
"""How much of the room beside the open weights the bars take."""


def draw(scene: NodeScene) -> Picture:
    board, steps = Board(scene), MaskSteps(scene.node, scene.place)
    formula = composed(steps.weights, (steps.masked, steps.weights))
    board.heading(heading(steps.weights, steps.place), formula)
    board.sentences(*_sentences(board, steps))
    _Drawing(board, steps).draw()
    return board.picture()


def _sentences(board: Board, steps: MaskSteps) -> list[str]:
    said = [
        "A score that the mask makes −∞ gets no attention, since e to the power of −∞ is 0; "
        "the rest of its row still sums to 1."
    ]
    if not board.computed(steps.weights):
        return said
    most, share = int(steps.leaks.argmax()), percent(float(steps.leaks.mean()))
    worst = f"of {steps.query(most)} it would be {percent(float(steps.leaks[most]))}"
    said.append(f"Without the mask {share} of all attention would go to {steps.unseen}; {worst}.")
    if steps.causal:
        said.append("In training a word could then be copied from there; when the model writes, it is not there yet.")
    return [" ".join(said)]


@dataclass(frozen=True, eq=False)
class _Drawing:
    board: Board
    steps: MaskSteps

    def draw(self) -> None:
        for step in self.steps.row:
            self._matrix(step)
        self._signs()
        self._others()
        self._without()

    # where everything goes

    @cached_property
    def labels(self) -> float:
        names = self.steps.grid(self.steps.weights).row_labels
        return row_label_width(self.board.style, names, self.board.size * LABELS)

    @cached_property
    def gaps(self) -> list[float]:
        """Before each matrix of the row."""
        size, count = self.board.size, len(self.steps.masks)
        last = self.board.formula_width(verb(self.steps.weights)) + size * 1.2
        return [self.labels, *[SIGN * size] * (count + 1), max(last, SIGN * size)]

    @cached_property
    def width(self) -> float:
        return (self.board.area.width - sum(self.gaps)) / len(self.gaps)

    @cached_property
    def key_labels(self) -> float:
        names = self.steps.grid(self.steps.weights).column_labels
        most = min(KEY_LABELS * self.board.size, self.board.area.height * 0.12)
        return column_label_height(self.board.style, names, self.width, most)

    @cached_property
    def height(self) -> float:
        """Of each of the two bands."""
        size = self.board.size
        free = self.board.area.height - self.key_labels - (2 * CAPTION + CHIPS + BETWEEN) * size
        return float(min(free / 2, ROW * size * self.steps.weights.value.shape[-2]))

    @property
    def top(self) -> float:
        return self.board.area.y + CAPTION * self.board.size + self.key_labels

    def at(self, step: Step) -> Area:
        i = self.steps.row.index(step)
        x = self.board.area.x + sum(self.gaps[: i + 1]) + i * self.width
        return Area(x, self.top, self.width, self.height)

    @cached_property
    def below(self) -> Area:
        """Where the weights without the mask are."""
        first = self.at(self.steps.scores)
        return first._replace(y=first.bottom + BETWEEN * self.board.size)

    # what is drawn there

    def _matrix(self, step: Step) -> None:
        """A mask of one row counts for every query, and stands in the middle."""
        board, grid, area = self.board, self.steps.grid(step), self.at(step)
        high = area.height * len(grid.values) / self.steps.weights.value.shape[-2]
        area = area._replace(y=area.y + (area.height - high) / 2, height=high)
        rows = self.labels if step is self.steps.scores else 0.0
        board.plate(step, grid, area, rows=rows, columns=self.key_labels)
        board.caption(step, area.x, area.y - self.key_labels - board.size * 0.5, area.width + board.size)

    def _signs(self) -> None:
        board, steps, y = self.board, self.steps, self.at(self.steps.scores).centre[1]
        for before, step in pairwise(steps.row[:-1]):
            x = (self.at(before).right + self.at(step).x) / 2
            board.sign("=" if step is steps.masked else "+", before, steps.masked, x, y)
        left, right = self.at(steps.masked).right, self.at(steps.weights).x
        board.arrow(steps.masked, steps.weights, (left, y), (right, y), label=verb(steps.weights))

    def _others(self) -> None:
        """The other steps of the block, by their names; those that have no room behind the first one."""
        board, size = self.board, self.board.size
        y, right = board.area.bottom - size * 0.6, board.area.right
        first: Area | None = None
        for step in reversed([step for step in self.steps.node.steps if step not in self.steps.row]):
            if first is not None and right - board.chip_width(step) < board.area.x:
                board.behind(step, first)
                continue
            first = board.chip(step, right, y)
            right = first.x - size * 0.5
        said = "Also in this block:"
        if fonts.width(said, size) < right - board.area.x < board.area.width - size:
            board.write(right, y + size * 0.2, said, board.theme.muted, "end")

    def _without(self) -> None:
        """The question, softmax of the open scores, what leaks there, and how much it is."""
        board, size, area, first = self.board, self.board.size, self.below, self.at(self.steps.scores)
        known = board.computed(self.steps.weights)
        x, ink = area.centre[0], board.ink(self.steps.weights)
        board.pointer("without the mask", ink, (x, first.bottom), (x, area.y))
        board.formula(verb(self.steps.weights), x + size * 0.5, (first.bottom + area.y) / 2 + size * 0.3, ink)
        title = Text(self._right.x, area.y - size * 1.9, self.steps.question, size * 1.25, board.theme.text, bold=True)
        board.add("question", title)
        name = "weights without the mask"
        caption = fonts.elided(name, size, area.width + size * 2, bold=True)
        board.add("caption below", Text(area.x, area.bottom + size * 1.4, caption, size, board.theme.text, bold=True))
        if not known:
            board.add(name, area.box(board.theme.line))
            return
        board.sketch(name, self.steps.open_grid, area, rows=self.labels)
        board.place(self.steps.weights, area, "What the weights would be without the mask; not in this run")
        board.add("leaks", *self._leaks(area))
        self._bars(area)

    def _leaks(self, area: Area) -> list[Mark]:
        """A frame around the cells of each row that should be hidden."""
        rows, columns = self.steps.hidden.shape
        wide, high = area.width / columns, area.height / rows
        line = min(FRAME * self.board.size, high * 0.2)
        frames: list[Mark] = []
        for i, row in enumerate(self.steps.hidden):
            for start, end in _stretches(row):
                cells = Area(area.x + start * wide, area.y + i * high, (end - start) * wide, high)
                frames.append(cells.grown(-line / 2).box(self.board.theme.bad, line))
        return frames

    @property
    def _right(self) -> Area:
        """Beside the weights without the mask."""
        area = self.below
        x = area.right + SIGN * self.board.size
        return area._replace(x=x, width=self.board.area.right - x)

    def _bars(self, area: Area) -> None:
        """How much of each token's attention would leak, as a bar from 0 to all of it, and in words."""
        board, size, room = self.board, self.board.size, self._right
        pitch, wide = area.height / len(self.steps.leaks), room.width * BAR
        fill = mixed(board.theme.bad, board.theme.panel, 0.55)
        thick = min(pitch * 0.62, size * 2.4)
        tops = [area.y + (i + 0.5) * pitch - thick / 2 for i in range(len(self.steps.leaks))]
        board.add("all", *(Box(room.x, y, wide, thick, stroke=board.theme.line) for y in tops))
        pairs = zip(tops, self.steps.leaks.tolist(), strict=True)
        board.add("leaking", *(Box(room.x, y, share * wide, thick, fill) for y, share in pairs if share > 0))
        board.add("axis", Line(room.x, area.y, room.x, area.bottom, board.theme.muted, 1))
        about = fonts.elided(f"of each token's attention, what would go to {self.steps.unseen}", size, room.width)
        board.write(room.x, area.y - size * 0.5, about, board.theme.muted)
        for i in range(0, len(tops), stride(pitch, size * 1.15)):
            self._say(i, room.x + wide + size * 0.6, tops[i] + thick / 2 + size * MIDDLE)

    def _say(self, query: int, x: float, baseline: float) -> None:
        board, size = self.board, self.board.size
        share = percent(float(self.steps.leaks[query]))
        board.add("shares", Text(x, baseline, share, size, board.theme.text, bold=True))
        x += fonts.width("> 99.99 %", size, bold=True) + size * 0.6
        words = fonts.elided(self.steps.leak(query), size, board.area.right - x)
        board.add("where to", Text(x, baseline, words, size, board.theme.muted))


def _stretches(row: Array) -> list[tuple[int, int]]:  # (n,) of true and false
    """Where the places that are true begin and end."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], row, [False])).astype(int)))
    return [(int(start), int(end)) for start, end in edges.reshape(-1, 2)]
