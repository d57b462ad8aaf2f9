"""Training and inference side by side: one pass for all positions, or one pass for each word."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from txviz.figures.levels.board import Board
from txviz.figures.levels.sections import CHIP, LINE, chip, chip_places, chips, columns, paragraph, section, word
from txviz.figures.levels.training_steps import TrainingSteps
from txviz.figures.marks import Box, Colour, Mark
from txviz.figures.naming import counted
from txviz.figures.theme import mixed
from txviz.figures.views.page import Area, stride, wrapped
from txviz.trace.outline import Node

CELL, LEAST, HEAD, ARROW, EDGE, BESIDE = 1.9, 0.55, 1.5, 1.1, 0.4, 1.5
"""How high a cell may be and must be, the line above, an arrow, the edge around the model's parts, and the room between
training and inference. All by the size of the text."""

SAID = (
    "Reading is the same in training and in use. Training goes on with the loss, its gradients and an update.",
    "Training goes on with the loss, its gradients and an update.",
)


def draw_passes(board: Board, steps: TrainingSteps, area: Area) -> None:
    if steps.inputs is None:
        _draw_one_pass(board, steps, section(board, area, "One pass through the model"))
        return
    inside = section(board, area, "It all happens in one time step")
    training, inference = columns(inside, (1, 1), board.size * BESIDE)
    passes = _Passes(board, steps)
    passes.draw_training(training)
    passes.draw_inference(inference)


def passes_height(board: Board, steps: TrainingSteps, area: Area) -> float:
    """How high the inside of this part must be, where it is so wide."""
    if steps.inputs is None:
        return chip_places(board, steps.forward, area)[-1].bottom - area.y
    training, _ = columns(area, (1, 1), board.size * BESIDE)
    return (HEAD + 2 * CHIP) * board.size + _model_height(board, steps, training)


def _model_height(board: Board, steps: TrainingSteps, area: Area) -> float:
    """Of a box around the parts of the model."""
    inside = area.grown(-EDGE * board.size)
    return chip_places(board, steps.forward, inside)[-1].bottom - inside.y + 2 * EDGE * board.size


def _draw_one_pass(board: Board, steps: TrainingSteps, area: Area) -> None:
    """From the input to the answer, from the top down where there is room."""
    size, count = board.size, len(steps.forward)
    lines = len(wrapped(SAID[1], size, area.width)) * LINE * size
    pitch = min((area.height - lines) / count, size * (CHIP + 2 * ARROW))
    if pitch < size * (CHIP + 0.5):
        y = chips(board, steps.forward, area)
    else:
        places = [Area(area.x, area.y + i * pitch, area.width, size * CHIP) for i in range(count)]
        for node, place in zip(steps.forward, places, strict=True):
            chip(board, node, place)
        x, chained = area.centre[0], all(_reads(below, above) for above, below in pairwise(steps.forward))
        for node, above, below in zip(steps.forward[1:], places, places[1:], strict=False):
            if chained:
                board.pointer("next", board.ink(node.first), (x, above.bottom), (x, below.y))
        y = places[-1].bottom
    paragraph(board, area._replace(y=y + size * 0.3, height=area.bottom - y - size * 0.3), *SAID)


def _reads(node: Node, other: Node) -> bool:
    names = {step.name for step in other.steps}
    return any(names & set(step.inputs) for step in node.steps)


class _Passes:
    def __init__(self, board: Board, steps: TrainingSteps) -> None:
        assert steps.inputs is not None
        self.board, self.steps = board, steps
        self.given, self.answers = steps.inputs.labels[0], steps.answers

    def draw_training(self, area: Area) -> None:
        """All words at once, through the model, to all answers at once."""
        board, size, count = self.board, self.board.size, len(self.given)
        board.write(area.x, area.y + size, "Training: 1 pass", board.theme.accent)
        wide, high, model = area.width / (count + 1), size * CHIP, self._model(area)
        read = [Area(area.x + i * wide, area.y + HEAD * size, wide, high) for i in range(count)]
        said = [cell._replace(x=cell.x + wide, y=model.bottom + model.y - cell.bottom) for cell in read]
        board.add("read at once", *self._cells(self.given, read, None))
        board.add("the model", Box(*model, stroke=board.theme.muted, radius=size * 0.5))
        chips(board, self.steps.forward, model.grown(-EDGE * size))
        board.add("answered at once", *self._cells(self.answers, said, self._new))
        every = stride(wide, size * 0.8)
        for above, below in zip(read[::every], said[::every], strict=True):
            self._down(above.centre[0], above.bottom, model.y)
            self._down(below.centre[0], model.bottom, below.y)
        y = said[0].bottom + size * 0.3
        words = f"The right words are known, so all {self.steps.learning} positions learn at once."
        paragraph(board, area._replace(y=y, height=area.bottom - y), words, "All at once.")

    def _model(self, area: Area) -> Area:
        """A box around its parts; the arrows to it and from it get what room there is."""
        size, high = self.board.size, _model_height(self.board, self.steps, area)
        free = area.height - (HEAD + 2 * CHIP) * size - high
        gap = max(min(free / 2, ARROW * size), 0.0)
        return area._replace(y=area.y + (HEAD + CHIP) * size + gap, height=high)

    def _down(self, x: float, top: float, bottom: float) -> None:
        if bottom - top > self.board.size * 0.3:
            self.board.pointer("all at once", self.board.theme.muted, (x, top), (x, bottom))

    def draw_inference(self, area: Area) -> None:
        """A row for each pass: what was written before, and the word that is new."""
        board, size, count = self.board, self.board.size, self.steps.learning
        board.write(area.x, area.y + size, f"Inference: {counted(count, 'pass')}", board.theme.accent)
        waits = "Each word waits for the one before it."
        top, foot = area.y + HEAD * size, (len(wrapped(waits, size, area.width)) * LINE + 0.3) * size
        free = area.bottom - top - foot
        shown = min(count, max(1, int(free / (LEAST * size))))
        high, wide = min(free / shown, CELL * size), area.width / (shown + 1)
        for row in range(shown):
            y = top + row * high
            cells = [Area(area.x + i * wide, y, wide, high) for i in range(row + 2)]
            words = (*self.given[: row + 1], self.answers[row])
            board.add("read again", *self._cells(words[:-1], cells[:-1], None))
            board.add("new word", *self._cells(words[-1:], cells[-1:], self._new))
        y = top + shown * high + size * 0.2
        more = f"{counted(count - shown, 'more pass')} …" if shown < count else waits
        paragraph(board, area._replace(y=y, height=area.bottom - y), more)

    @property
    def _new(self) -> Colour:
        return mixed(self.board.theme.accent, self.board.theme.panel, 0.25)

    def _cells(self, words: Iterable[str], cells: Iterable[Area], fill: Colour | None) -> list[Mark]:
        colour = self.board.theme.text
        pairs = zip(words, cells, strict=True)
        return [mark for text, cell in pairs for mark in word(self.board, text, cell.grown(-1), colour, fill)]
