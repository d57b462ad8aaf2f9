"""What is done from the event loop, when all that happens now is over."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from txviz.gui.changes import Changes

LATER = 50
"""Milliseconds between two looks of what follows while something is dragged."""


class Soon(QTimer):
    """Calls once, however often it was started. An exception is told, which ``QTimer.singleShot`` may hide."""

    def __init__(self, parent: QObject, call: Callable[[], None]) -> None:
        super().__init__(parent, singleShot=True, interval=0)
        self.timeout.connect(lambda: call())


class Later(QTimer):
    """Calls at once; while a cell or a slider is dragged only now and then, since the picture comes first."""

    def __init__(self, parent: QObject, changes: Changes, call: Callable[[], None]) -> None:
        super().__init__(parent, singleShot=True, interval=LATER)
        self._changes, self._call = changes, call
        self.timeout.connect(lambda: call())

    def ask(self) -> None:
        if not self._changes.live:
            self.stop()
            self._call()
        elif not self.isActive():
            self.start()
