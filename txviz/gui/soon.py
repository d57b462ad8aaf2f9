"""What is done from the event loop, when all that happens now is over."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer


class Soon(QTimer):
    """Calls once, however often it was started. An exception is told, which ``QTimer.singleShot`` may hide."""

    def __init__(self, parent: QObject, call: Callable[[], None]) -> None:
        super().__init__(parent, singleShot=True, interval=0)
        self.timeout.connect(lambda: call())
