"""A panel below the button that opened it; it scrolls where the screen is low."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

EDGE = 1
"""Pixels between the frame and what is inside."""


class Popup(QFrame):
    """A click elsewhere closes it, and so does Esc."""

    def __init__(self, inside: QWidget, parent: QWidget, narrowest: int = 260) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_NoMouseReplay)  # a click on the button closes, and does not open again
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self._inside, self._narrowest = inside, narrowest
        self._scroll = QScrollArea(widgetResizable=True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(inside)
        column = QVBoxLayout(self)
        column.setContentsMargins(EDGE, EDGE, EDGE, EDGE)
        column.addWidget(self._scroll)

    def open_below(self, button: QWidget, first: QWidget | None) -> None:
        """Inside the screen, with the keyboard on the first of its controls."""
        self.place_below(button)
        self.show()
        if first is not None:
            first.setFocus(Qt.FocusReason.PopupFocusReason)

    def place_below(self, button: QWidget) -> None:
        room = button.screen().availableGeometry()
        wanted, edges = self._inside.sizeHint(), 2 * (EDGE + self.frameWidth())
        width = max(self._narrowest, wanted.width()) + self._scroll.verticalScrollBar().sizeHint().width() + edges
        if self._inside.hasHeightForWidth():
            wanted.setHeight(self._inside.heightForWidth(width - edges))
        self.resize(width, min(wanted.height() + edges, room.height() * 2 // 3))
        corner = button.mapToGlobal(self.corner(button))
        x = max(room.left(), min(corner.x(), room.right() - self.width()))
        self.move(x, max(room.top(), min(corner.y(), room.bottom() - self.height())))

    def corner(self, button: QWidget) -> QPoint:
        """Where it begins, seen from the button: below it, so that both end at the right."""
        return QPoint(button.width() - self.width(), button.height() + 2)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self.close() if event.key() == Qt.Key.Key_Escape else super().keyPressEvent(event)
