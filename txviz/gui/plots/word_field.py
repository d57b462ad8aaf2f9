"""A field to look for a word in: the arrows choose among what is found, Enter goes there, Esc empties it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent

from txviz.gui.search_field import SearchField

_BY = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}


class WordField(SearchField):
    moved = Signal(int)
    """To the next of those that are found (1), or to the one before (−1)."""

    def __init__(self) -> None:
        super().__init__(placeholderText="Find a word (Ctrl+Shift+F)", maxLength=200)
        self.setAccessibleName("Find a word")
        self.setToolTip("Where does a word stand? ↑ ↓ choose among those that are found, Enter shows its column")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in _BY:
            self.moved.emit(_BY[key])
        else:
            super().keyPressEvent(event)
