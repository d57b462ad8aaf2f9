"""Below the stage: the arithmetic of the cell that is looked at, and the step in plain words."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from txviz.figures import words
from txviz.figures.painter import font
from txviz.figures.theme import Theme
from txviz.gui.session import Session
from txviz.gui.stage import cell_name
from txviz.trace import Step, verify

HINT = "Point at a cell of the result, or press Ctrl and an arrow key, to see its arithmetic."


class WordsView(QScrollArea):
    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._theme = theme
        self.arithmetic = _label("Arithmetic of the cell")
        self.arithmetic.setFont(font(12.5, mono=True))
        self.text = _label("The step in words")
        inside = QWidget()
        layout = QVBoxLayout(inside)
        layout.setContentsMargins(20, 10, 20, 12)
        layout.setSpacing(8)
        layout.addWidget(self.arithmetic)
        layout.addWidget(self.text)
        layout.addStretch(1)
        self.setWidget(inside)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Words")
        self.setMinimumHeight(90)
        session.step_changed.connect(self._show_step)
        session.place_changed.connect(self._show_step)
        session.cell_changed.connect(self._show_cell)
        self._show_step()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._show_step()

    def _show_step(self) -> None:
        step, colours = self._session.step, self._theme
        told = escape(" ".join(words.sentences(step, self._session.place)))
        prints = "".join(
            f'<p style="margin:6px 0 0 0"><span style="color:{colours.good if entry.agrees else colours.bad}">'
            f"{'✓' if entry.agrees else '✗'}</span> {escape(entry.text)}</p>"
            for entry in words.prints(step)
        )
        mark = _replayed(step, self._session.trace.origin, colours)
        shape = f'<span style="color:{colours.muted}">{escape(words.shape_arithmetic(step))}</span>'
        self.text.setText(
            f'<p style="margin:0">{told}</p>{prints}<p style="margin:6px 0 0 0">{shape}&nbsp;&nbsp;·&nbsp; {mark}</p>'
        )
        self._show_cell()

    def _show_cell(self) -> None:
        step, cell = self._session.step, self._session.cell
        if cell is None:
            self.arithmetic.setText(f'<span style="color:{self._theme.muted}; font-family:IBM Plex Sans">{HINT}</span>')
            return
        text = escape(f"{cell_name(step, cell)} = {step.explain(cell).text}")
        pinned = f' <span style="color:{self._theme.highlight}">pinned</span>' if cell == self._session.pinned else ""
        self.arithmetic.setText(text + pinned)


def _replayed(step: Step, origin: str, theme: Theme) -> str:
    """Whether the operation, run again on the recorded inputs, gives the recorded numbers."""
    wrong = verify.verify([step], exact=origin in ("", verify.this_machine()))
    if wrong:
        return f'<span style="color:{theme.bad}">✗ replayed: {escape(str(wrong[0]))}</span>'
    return f'<span style="color:{theme.good}">✓ replayed</span>'


def _label(name: str) -> QLabel:
    label = QLabel(wordWrap=True, textFormat=Qt.TextFormat.RichText)
    label.setAccessibleName(name)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
