"""Below the stage: the arithmetic of the cell that is looked at, and the step in plain words."""

from __future__ import annotations

from html import escape

from PySide6.QtWidgets import QTextBrowser, QWidget

from txviz.figures import fonts
from txviz.figures.looks import shape_arithmetic
from txviz.figures.prints import Print, prints
from txviz.figures.sentences import sentences
from txviz.figures.theme import Theme
from txviz.gui.session import Session
from txviz.trace import Step, verify

HINT = "Point at a cell of the result, or press Ctrl and an arrow key, to see its arithmetic."


class ExplanationView(QTextBrowser):
    """One page, at a size to read, written anew for each step and each cell."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._theme = theme
        self._step_text = ""
        self._pointed = ""
        self.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.setAccessibleName("The step in words, and the arithmetic of the cell")
        self.setMinimumHeight(60)
        self.document().setDocumentMargin(10)
        session.step_changed.connect(self._show_step)
        session.place_changed.connect(self._show_step)
        session.cell_changed.connect(self._show)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.setStyleSheet(f"QTextBrowser {{ background: {theme.window}; color: {theme.text}; }}")
        self._show_step()

    def show_pointed(self, text: str) -> None:
        """What is under the pointer, where that is no cell of the result: a cell that it was made from."""
        if text != self._pointed:
            self._pointed = text
            self._show()

    def _show_step(self) -> None:
        step, colours = self._session.step, self._theme
        text = escape(" ".join(sentences(step, self._session.place)))
        printed = "".join(_paragraph(_printed(entry, colours)) for entry in prints(step))
        shape = f'<span style="color:{colours.muted}">{escape(shape_arithmetic(step))}</span>'
        mark = _replayed(step, self._session.trace.exact, colours)
        self._step_text = _paragraph(text) + printed + _paragraph(f"{shape} &nbsp;·&nbsp; {mark}")
        self._show()

    def _show(self) -> None:
        session, colours = self._session, self._theme
        if session.cell is None:
            first = f'<span style="color:{colours.muted}">{escape(self._pointed or HINT)}</span>'
        else:
            pinned = f' <span style="color:{colours.highlight}">pinned</span>' if session.cell == session.pinned else ""
            first = f"<span style=\"font-family:'{fonts.MONO}'\">{escape(session.arithmetic)}</span>{pinned}"
        self.setHtml(f'<div style="font-size:large">{_paragraph(first)}{self._step_text}</div>')


def _paragraph(html: str) -> str:
    return f'<p style="margin:0 0 6px 0">{html}</p>'


def _printed(entry: Print, theme: Theme) -> str:
    return f'<span style="color:{theme.good if entry.agrees else theme.bad}">{entry.mark}</span> {escape(entry.text)}'


def _replayed(step: Step, exact: bool, theme: Theme) -> str:
    """Whether the operation, run again on the recorded inputs, gives the recorded numbers."""
    wrong = verify.verify([step], exact=exact)
    if wrong:
        return f'<span style="color:{theme.bad}">✗ replayed: {escape(str(wrong[0]))}</span>'
    return f'<span style="color:{theme.good}">✓ replayed</span>'
