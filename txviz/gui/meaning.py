"""A handful of sentences of one's own: how alike they are, and which is nearest to a question, as in a search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFormLayout, QHBoxLayout, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from txviz.errors import TxvizError
from txviz.figures.alike import Alike, alike_figure
from txviz.figures.marks import Figure, Mark
from txviz.figures.style import Style
from txviz.figures.theme import Theme
from txviz.gui.background import Background, Watch
from txviz.gui.figure_buttons import FigureButtons
from txviz.gui.plain import plain_label
from txviz.gui.plots.canvas import Canvas
from txviz.models import find
from txviz.models.tracing import trace_with
from txviz.ops import Array

MODEL = "sentence"
MOST = 14
"""Sentences that can be told apart on one page."""

FIRST = (
    "the cat sleeps on the sofa",
    "the dog sleeps on the sofa",
    "the farmer sold an automobile to the woman",
    "the snow makes the teacher glad",
    "the girl reads a book in the garden",
)
QUESTION = "a cat naps on the couch"


class _Asked(NamedTuple):
    shown: Alike
    note: str


class AlikePage(Canvas):
    def __init__(self, theme: Theme) -> None:
        super().__init__("How alike the sentences are")
        self.theme, self.shown = theme, Alike((), np.zeros((0, 0)))
        self.setMinimumSize(480, 320)

    def figure(self) -> Figure:
        return alike_figure(self.shown, self.width(), self.height(), Style(theme=self.theme, size=self.text_size))

    def marks(self) -> Sequence[Mark]:
        return self.figure().marks


class Meaning(QDialog):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Compare sentences")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.page = AlikePage(theme)
        self.sentences, self.question = QPlainTextEdit("\n".join(FIRST)), QLineEdit(QUESTION)
        self.sentences.setAccessibleName("Sentences, one on each line")
        self.question.setAccessibleName("A question: which sentence is nearest to it?")
        self.question.setPlaceholderText("none")
        self.said = plain_label()
        self.said.setWordWrap(True)
        self._background = Background(self)
        self._background.finished.connect(self._show)
        self._background.failed.connect(self._tell)
        self._build()
        self.sentences.textChanged.connect(self._ask)
        self.question.textChanged.connect(self._ask)
        self.resize(1100, 600)
        self._ask()

    def _build(self) -> None:
        form = QFormLayout()
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapAllRows)
        form.addRow("Sentences, one on each line", self.sentences)
        form.addRow("A question: which is nearest to it?", self.question)
        form.addRow(self.said)
        row = QHBoxLayout()
        row.addLayout(form, 2)
        row.addWidget(self.page, 5)
        layout = QVBoxLayout(self)
        layout.addLayout(row, 1)
        layout.addWidget(FigureButtons(self.page.figure, "sentences", self.reject))

    def _ask(self) -> None:
        """After every letter; of several only the last is computed."""
        lines = [line.strip() for line in self.sentences.toPlainText().splitlines() if line.strip()]
        question = self.question.text().strip()
        self._background.submit(lambda watch: _compared(lines[:MOST], question, len(lines), watch))

    def _show(self, asked: _Asked) -> None:
        self.page.shown = asked.shown
        self.said.setText(asked.note)
        self.page.update()

    def _tell(self, error: Exception) -> None:
        if not isinstance(error, TxvizError):
            raise error
        self.said.setText(f"{str(error)[0].upper()}{str(error)[1:]}.")

    def done(self, result: int) -> None:
        self._background.wait()
        super().done(result)


def _compared(lines: list[str], question: str, written: int, watch: Watch) -> _Asked:
    vectors = [_vector(line, watch) for line in lines]
    asked = _vector(question, watch) if question else np.zeros(0)
    unknown = dict.fromkeys(word for line in (*lines, question) for word in _unknown(line))
    notes = [f"Not in the vocabulary: {', '.join(f'“{word}”' for word in unknown)}."] if unknown else []
    notes += [f"Only the first {MOST} sentences are compared."] if written > MOST else []
    matrix = np.stack(vectors) if vectors else np.zeros((0, 0))
    return _Asked(Alike(lines, matrix, question if vectors else "", asked), " ".join(notes))


def _vector(text: str, watch: Watch) -> Array:  # -> (d,)
    """Of length 1."""
    trace = trace_with(MODEL, _one(text), {}, watch=watch)
    pooled = next(step for step in reversed(trace.steps) if step.site.part == "pool")
    return np.asarray(pooled.value / (float(np.linalg.norm(pooled.value)) or 1.0))


def _unknown(text: str) -> list[str]:
    return [token.text for token in find(MODEL).tokens(_one(text), {}) if not token.known] if text else []


def _one(text: str) -> str:
    """A bar would part two sentences."""
    return text.replace("|", " ")
