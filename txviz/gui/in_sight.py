"""Windows stay in sight: when a screen is unplugged, what was on it moves inside one that is there."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPoint, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget

SETTLED = 500
"""Milliseconds after which the desktop has done what it does by itself."""


class InSight(QObject):
    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        app = QApplication.instance()
        assert isinstance(app, QGuiApplication)
        self._later = QTimer(self, singleShot=True, interval=SETTLED)
        self._later.timeout.connect(_bring_back)
        app.screenRemoved.connect(self._wait)  # no lambda: the application would keep it, and all that it knows

    def _wait(self) -> None:
        self._later.start()


def _bring_back() -> None:
    for window in QApplication.topLevelWidgets():
        if window.isVisible() and not (window.isFullScreen() or window.isMaximized() or window.isMinimized()):
            bring_back(window)


def bring_back(window: QWidget) -> None:
    """Inside its screen with its frame, and not larger than that."""
    room, frame = window.screen().availableGeometry(), window.frameGeometry()
    if room.contains(frame):
        return
    edges = frame.size() - window.size()
    window.resize(window.size().boundedTo(room.size() - edges))
    last = room.bottomRight() - QPoint(window.width() + edges.width(), window.height() + edges.height()) + QPoint(1, 1)
    at = frame.topLeft()
    window.move(max(room.left(), min(at.x(), last.x())), max(room.top(), min(at.y(), last.y())))
