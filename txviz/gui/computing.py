"""Computes requests and opens files off the GUI thread, and puts what comes out into the session."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

import txviz
from txviz.errors import TxvizError
from txviz.gui.background import Background, Watch
from txviz.gui.session import Session
from txviz.models import find
from txviz.models.request import Request, compute
from txviz.trace import Trace


class _Asked(NamedTuple):
    inputs: tuple[Request, ...]
    """The one that is wanted, and others to show where it can't be computed."""

    remember: bool


class _Made(NamedTuple):
    trace: Trace
    origin: Request | Path
    remember: bool
    refused: TxvizError | None = None
    """Why another input is shown than the one that was wanted."""

    error: TxvizError | None = None
    """Why a file that was to be shown instead is not."""


class Computing(QObject):
    """Of several things that are asked for quickly, only the last counts."""

    finished = Signal(object)
    """The session has the new trace; with the Request or the Path that it came from."""

    replaced = Signal(object)
    """After that, with the TxvizError: what was asked for could not be computed, and another input is shown."""

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
        """Runs the model; the session can undo it where it is to be remembered.

        Another model than the one that is shown comes with an input that it can read, if not with this one: it is the
        model that was chosen.
        """
        chosen = remember and request.model != self._session.trace.about.get("model")
        asked = _Asked((request, *self._inputs(request.model)) if chosen else (request,), remember)
        self._unfinished = asked
        self.background.submit(lambda watch: _first_that_works(asked, watch))

    def _inputs(self, model: str) -> tuple[Request, Request]:
        example = Request(model, find(model).example)
        return self._session.last_request(model) or example, example

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
        if made.refused is not None:
            self.replaced.emit(made.refused)
        if made.error is not None:
            self.failed.emit(made.error)


def _first_that_works(asked: _Asked, watch: Watch) -> _Made:
    """Raises why the first does not work where none does."""
    refused: TxvizError | None = None
    for request in asked.inputs:
        try:
            return _Made(compute(request, watch), request, asked.remember, refused)
        except TxvizError as error:
            refused = refused or error
    assert refused is not None
    raise refused


def _load(path: Path, before: _Asked | None, watch: Watch) -> _Made:
    try:
        return _Made(txviz.load(path), path, False)
    except TxvizError as error:
        if before is None:
            raise
        return _first_that_works(before, watch)._replace(error=error)
