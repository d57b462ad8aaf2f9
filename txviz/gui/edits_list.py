"""The list of edits, below its button: each in words, with a switch, a way to its step and a way to be rid of it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QPushButton, QToolButton, QVBoxLayout, QWidget

from txviz.figures.edit_words import in_words, step_of
from txviz.gui.inputs.edits import EditsButton, Listed
from txviz.gui.plain import plain_label, tip, without_keys
from txviz.gui.popup import Popup
from txviz.gui.session import Session

WIDEST = 460
"""Pixels of an edit in words; what is longer is cut, and told in full where the pointer rests."""


class EditsList(Popup):
    """It stays open, so that one can switch an edit off, look, and switch it on again."""

    go_requested = Signal(str)
    """To the step that was changed, or that reads the parameter."""

    matter_requested = Signal(str)
    """To where this edit first changes something."""

    def __init__(self, session: Session, button: EditsButton) -> None:
        inside = QWidget()
        super().__init__(inside, button)
        self.setAccessibleName("Edits")
        self._session, self._button = session, button
        self.rows: list[EditRow] = []
        self.remove_all = QPushButton("Remove all")
        self.remove_all.clicked.connect(lambda: button.remove(*(each.text for each in button.listed)))
        self._lines = QVBoxLayout()
        self._lines.setSpacing(2)
        column = QVBoxLayout(inside)
        column.addLayout(self._lines)
        column.addWidget(self.remove_all, alignment=Qt.AlignmentFlag.AlignRight)
        column.addStretch(1)
        button.shown.connect(self._refresh)
        session.trace_changed.connect(self._refresh)

    def open(self) -> None:
        self._fill()
        self.open_below(self._button, self.rows[0].switch if self.rows else None)

    def _refresh(self) -> None:
        """An open list follows what happens, and closes when it is empty."""
        if self.isVisible() and not self._button.listed:
            self.close()
        elif self.isVisible() and [row.listed for row in self.rows] != list(self._button.listed):
            self._fill()
            self.place_below(self._button)

    def _fill(self) -> None:
        focused = next((i for i, row in enumerate(self.rows) if row.isAncestorOf(self.focusWidget() or self)), None)
        gone, self.rows = self.rows, [self._row(each) for each in self._button.listed]
        for row in gone:
            row.hide()
            row.deleteLater()
        for row in self.rows:
            self._lines.addWidget(row)
        if focused is not None and self.rows:
            self.rows[min(focused, len(self.rows) - 1)].switch.setFocus()

    def _row(self, listed: Listed) -> EditRow:
        trace, button = self._session.trace, self._button
        row = EditRow(listed, in_words(listed.text, trace), step_of(listed.text, trace) is not None)
        row.switch.toggled.connect(partial(button.switch, listed.text))
        for asked, request in ((row.go, self.go_requested), (row.matter, self.matter_requested)):
            asked.clicked.connect(self.close)
            asked.clicked.connect(partial(request.emit, listed.text))
        row.remove.clicked.connect(lambda: button.remove(listed.text))
        return row


class EditRow(QWidget):
    """One edit."""

    def __init__(self, listed: Listed, words: str, is_here: bool) -> None:
        super().__init__()
        self.listed, self.words = listed, words
        self.switch = QCheckBox()
        self.switch.setChecked(listed.on)
        self.switch.setAccessibleName(f"{words}: on")
        self.switch.setToolTip("On, or off and kept")
        self.text = plain_label()
        self.text.setText(self.text.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, WIDEST))
        self.text.setToolTip(tip(listed.text))
        self.text.setEnabled(listed.on)
        self.go = _button("Go there", f"Go to {words}")
        self.matter = _button("Where does it first matter?", f"Where does it first matter: {words}")
        self.remove = _button("✕", f"Remove {words}")
        self.go.setEnabled(is_here)
        self.matter.setEnabled(listed.on)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.switch)
        row.addWidget(self.text, 1)
        for button in (self.go, self.matter, self.remove):
            row.addWidget(button)


def _button(text: str, name: str) -> QToolButton:
    button = QToolButton(autoRaise=True)
    button.setText(without_keys(text))
    button.setAccessibleName(name)
    button.setToolTip(tip(name))
    return button
