"""A passing message at the lower edge of the picture: it needs no room of its own, and goes by itself."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QLabel, QWidget

MARGIN = 12


class Toast(QLabel):
    def __init__(self, over: QWidget) -> None:
        super().__init__(over, textFormat=Qt.TextFormat.PlainText, wordWrap=True, margin=8)
        self._over = over
        self.setAccessibleName("Passing message")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Highlight)
        self.setForegroundRole(QPalette.ColorRole.HighlightedText)
        self._end = QTimer(self, singleShot=True)
        self._end.timeout.connect(self.hide)
        over.installEventFilter(self)
        self.hide()

    def show_message(self, text: str, milliseconds: int = 4000) -> None:
        self.setText(text)
        self._place()
        self.show()
        self.raise_()
        self._end.start(milliseconds)

    def take_back(self, text: str) -> None:
        """What this says is no longer so; another message stays."""
        if self.text() == text:
            self._end.stop()
            self.hide()

    def _place(self) -> None:
        """In the middle of the lower edge, as wide as its text."""
        over = self._over
        room = max(1, over.width() - 2 * MARGIN)
        wide = min(room, self.fontMetrics().horizontalAdvance(self.text()) + 2 * self.margin() + 4)
        self.resize(wide, self.heightForWidth(wide))
        self.move((over.width() - wide) // 2, over.height() - self.height() - MARGIN)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return False
