"""What is done from the event loop, when all that happens now is over."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from txviz.gui.session import Session

LATER = 50
"""Milliseconds between two looks at what follows while a slider moves."""


class Soon(QTimer):
    """Calls once, however often it was started. An exception is told, which ``QTimer.singleShot`` may hide."""

    def __init__(self, parent: QObject, call: Callable[[], None]) -> None:
        super().__init__(parent, singleShot=True, interval=0)
        self.timeout.connect(lambda: call())


class Later(QTimer):
    """Calls at once; while a slider moves only now and then, since the picture comes first."""

    def __init__(self, parent: QObject, session: Session, call: Callable[[], None]) -> None:
        super().__init__(parent, singleShot=True, interval=LATER)
        self._session, self._call = session, call
        self.timeout.connect(lambda: call())

    def ask(self) -> None:
        if not self._session.sliding:
            self.stop()
            self._call()
        elif not self.isActive():
            self.start()
