"""Computes requests and opens files off the GUI thread, and puts what comes out into the session."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal

import txviz
from txviz.gui.background import Background
from txviz.gui.session import Session
from txviz.models.request import Request, compute
from txviz.trace import Trace


class Computing(QObject):
    """Of several things that are asked for quickly, only the last counts."""

    finished = Signal(object)
    """The session has the new trace; with the Request or the Path that it came from."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.background = Background(self)
        self.background.finished.connect(self._show)

    def compute(self, request: Request, *, remember: bool = True) -> None:
        """Runs the model; the session can undo it where it is to be remembered."""
        self.background.submit(lambda watch: (compute(request, watch), request, remember))

    def open(self, path: Path) -> None:
        """Loads a saved trace."""
        self.background.submit(lambda _: (txviz.load(path), path, False))

    def _show(self, found: tuple[Trace, Request | Path, bool]) -> None:
        trace, origin, remember = found
        self._session.show_trace(trace, origin if isinstance(origin, Request) else None, remember=remember)
        self.finished.emit(origin)
