"""A field to look for something in: Esc empties it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit


class SearchField(QLineEdit):
    def begin(self) -> None:
        """Puts the cursor in."""
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.selectAll()

    def event(self, event: QEvent) -> bool:
        """Esc is the window's, once the field is empty."""
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape and self.text():
            if event.type() == QEvent.Type.KeyPress:
                self.clear()
            event.accept()  # no shortcut, but a key for this field
            return True
        return super().event(event)
