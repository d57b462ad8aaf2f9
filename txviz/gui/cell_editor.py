"""A small field over a cell: what is typed there is put into the cell, the row or whatever was chosen."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QRect, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QLabel, QLineEdit, QVBoxLayout

from txviz.errors import TxvizError
from txviz.gui.notice import sentence
from txviz.gui.plain import plain_label

NARROWEST, WIDEST = 110, 420

Take = Callable[[str], None]
"""Takes what was typed, or raises why not."""


class Field(QLineEdit):
    """Its keys are its own, Esc and Enter among them."""

    def event(self, event: QEvent) -> bool:
        ours = (Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() in ours:
            event.accept()
            return True
        return super().event(event)


class CellEditor(QFrame):
    """Enter takes the text, Esc leaves all as it was; a wrong one gets a sentence, and stays to be mended."""

    def __init__(self, stage: QAbstractScrollArea) -> None:
        super().__init__(stage)
        self._stage, self._cell = stage, QRect()
        self._take: Take = _nothing
        self.setAutoFillBackground(True)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.field = Field(self)
        self.title = plain_label()
        self.problem: QLabel = plain_label()
        self.problem.setWordWrap(True)
        self.problem.setAccessibleName("What is wrong")
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(4, 2, 4, 4)
        column.setSpacing(2)
        for widget in (self.title, self.field, self.problem):
            column.addWidget(widget)
        self.field.textEdited.connect(lambda: self._say(""))
        self.hide()

    def open(self, cell: QRect, title: str, text: str, take: Take, *, typed: bool = False) -> None:
        """Over the cell, with a text that is marked, or that somebody has begun to type."""
        self._take, self._cell = take, cell
        self.title.setText(title)
        self.field.setAccessibleName(title)
        self.field.setText(text)
        self._say("")
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)
        if not typed:
            self.field.selectAll()

    def _say(self, problem: str) -> None:
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        self._place()

    def _place(self) -> None:
        """The field is where the cell is, as far as there is room."""
        metrics, room = self.field.fontMetrics(), self._stage.viewport().size()
        texts = max(metrics.horizontalAdvance(each) for each in (self.field.text(), self.title.text()))
        wide = max(NARROWEST, min(texts + 36, WIDEST), min(metrics.horizontalAdvance(self.problem.text()) // 2, WIDEST))
        self.setFixedWidth(min(wide, room.width()))
        self._column.activate()
        wraps, plain = self._column.hasHeightForWidth(), self._column.totalSizeHint().height()
        self.resize(self.width(), self._column.totalHeightForWidth(self.width()) if wraps else plain)
        above = self.title.sizeHint().height() + 6
        x = min(self._cell.left() - 4, room.width() - self.width())
        y = min(self._cell.center().y() - above - self.field.sizeHint().height() // 2, room.height() - self.height())
        self.move(max(0, x), max(0, y))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_field()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._commit()
        else:
            super().keyPressEvent(event)

    def _commit(self) -> None:
        try:
            self._take(self.field.text())
        except TxvizError as error:
            self._say(sentence(error))
        else:
            self.close_field()

    def close_field(self) -> None:
        """The keys go back to the stage."""
        had = self.isVisible() and self.field.hasFocus()
        self.hide()
        if had:
            self._stage.setFocus(Qt.FocusReason.OtherFocusReason)


def _nothing(text: str) -> None:
    """What a field does that was never opened."""
