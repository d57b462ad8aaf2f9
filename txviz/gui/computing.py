"""Computes requests and opens files off the GUI thread, and puts what comes out into the session."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

import txviz
from txviz.errors import TxvizError
from txviz.gui.background import Background, Watch
from txviz.gui.session import Session
from txviz.models.request import Request, compute
from txviz.trace import Trace


class _Asked(NamedTuple):
    request: Request
    remember: bool


class _Made(NamedTuple):
    trace: Trace
    origin: Request | Path
    remember: bool
    error: TxvizError | None = None
    """Why a file that was to be shown instead is not."""


class Computing(QObject):
    """Of several things that are asked for quickly, only the last counts."""

    finished = Signal(object)
    """The session has the new trace; with the Request or the Path that it came from."""

    failed = Signal(object)
    """With the exception."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._unfinished: _Asked | None = None
        """What the input panel shows already, and the session does not yet."""
        self.background = Background(self)
        self.background.finished.connect(self._show)
        self.background.failed.connect(self.failed)
        self.background.busy_changed.connect(self._busy)

    def compute(self, request: Request, *, remember: bool = True) -> None:
        """Runs the model; the session can undo it where it is to be remembered."""
        self._unfinished = _Asked(request, remember)
        self.background.submit(lambda watch: _Made(compute(request, watch), request, remember))

    def open(self, path: Path) -> None:
        """Loads a saved trace. Where that can't be done, what was being computed comes out all the same."""
        before = self._unfinished
        self.background.submit(lambda watch: _load(path, before, watch))

    def _busy(self, busy: bool) -> None:
        if not busy:
            self._unfinished = None

    def _show(self, made: _Made) -> None:
        request = made.origin if isinstance(made.origin, Request) else None
        self._session.show_trace(made.trace, request, remember=made.remember)
        self.finished.emit(made.origin)
        if made.error is not None:
            self.failed.emit(made.error)


def _load(path: Path, before: _Asked | None, watch: Watch) -> _Made:
    try:
        return _Made(txviz.load(path), path, False)
    except TxvizError as error:
        if before is None:
            raise
        return _Made(compute(before.request, watch), before.request, before.remember, error)
