"""Computes requests and opens files off the GUI thread, and puts what comes out into the session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

import txviz
from txviz.errors import TxvizError
from txviz.gui.background import Background, Watch
from txviz.gui.session import Session
from txviz.models import find
from txviz.models.request import Request, compute_what_applies
from txviz.trace import Trace


class _Made(NamedTuple):
    trace: Trace
    origin: Request | Path
    refused: TxvizError | None
    """Why it is not the input that was asked for."""

    remember: bool
    unread: TxvizError | None = None
    """Why it is not the file that was asked for."""

    asked: Request | None = None
    """What was asked for, with edits that may no longer apply."""

    live: bool = False
    """Whether a cell is being dragged, so that the stage is to be quick."""


class Computing(QObject):
    """Of several things that are asked for quickly, only the last counts."""

    finished = Signal(object)
    """The session has the new trace; with the Request or the Path that it came from."""

    replaced = Signal(object)
    """After that, with the TxvizError: what was asked for could not be computed, and another input is shown."""

    dropped = Signal(object)
    """After that, with the edits that were left out, since they do not fit the new input."""

    failed = Signal(object)
    """With the exception; the session shows what it did, or what was being computed when a file could not be opened."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._unfinished: tuple[tuple[Request, ...], bool] | None = None
        """What the input panel shows already, and the session does not yet; and whether it is to be remembered."""
        self.background = Background(self)
        self.background.finished.connect(self._show)
        self.background.failed.connect(self.failed)
        self.background.busy_changed.connect(self._forget_when_done)

    def compute_live(self, request: Request) -> None:
        """Runs the model while a cell of it is dragged; nothing of it is remembered."""
        self._unfinished = (request,), False
        shown = self._session.trace
        self.background.submit(
            lambda watch: _Made(*_first_that_works((request,), watch, shown), False, asked=request, live=True)
        )

    def compute(self, request: Request, *, remember: bool = True) -> None:
        """Runs the model; the session can undo it where it is to be remembered.

        Another model than the one that is shown comes with an input that it can read, if not with this one: it is the
        model that was chosen.
        """
        chosen = remember and request.model != self._session.trace.about.get("model")
        meant = self._without_choices(request) if remember else request
        inputs = (meant, *self._inputs(request.model)) if chosen else (meant,)
        self._unfinished = inputs, remember
        shown = self._session.trace
        self.background.submit(lambda watch: _Made(*_first_that_works(inputs, watch, shown), remember, asked=request))

    def _without_choices(self, request: Request) -> Request:
        """A token that was forced belongs to its sentence: in another one it is left to the model again."""
        shown, steps = self._session.request, self._session.trace
        if not request.edits or shown is None or (shown.model, shown.source) == (request.model, request.source):
            return request
        forced = {step.name for step in steps if step.chosen is not None}
        return replace(request, edits=tuple(e for e in request.edits if e.partition("=")[0] not in forced))

    def _inputs(self, model: str) -> tuple[Request, Request]:
        """The last input of this model that was shown, and its example."""
        example = Request(model, find(model).example)
        return next((each for each in reversed(self._session.requests) if each.model == model), example), example

    def open(self, path: Path) -> None:
        """Loads a saved trace. Where that can't be done, what was being computed comes out all the same."""
        before = self._unfinished
        self.background.submit(lambda watch: _load(path, before, watch))

    def _forget_when_done(self, busy: bool) -> None:
        if not busy:
            self._unfinished = None

    def _show(self, made: _Made) -> None:
        origin = made.origin
        if made.live and self._session.show_numbers(made.trace):
            self.finished.emit(origin)
            return
        self._session.show_trace(made.trace, origin if isinstance(origin, Request) else None, remember=made.remember)
        self.finished.emit(origin)
        if isinstance(origin, Request) and made.asked is not None and made.refused is None:
            self._tell_dropped(made.asked, origin)
        if made.refused is not None:
            self.replaced.emit(made.refused)
        if made.unread is not None:
            self.failed.emit(made.unread)

    def _tell_dropped(self, asked: Request, shown: Request) -> None:
        gone = tuple(edit for edit in asked.edits if edit not in shown.edits)
        if gone:
            self.dropped.emit(gone)


def _load(path: Path, before: tuple[tuple[Request, ...], bool] | None, watch: Watch) -> _Made:
    try:
        return _Made(txviz.load(path), path, None, False)
    except TxvizError as error:
        if before is None:
            raise
        inputs, remember = before
        return _Made(*_first_that_works(inputs, watch), remember, error)


def _first_that_works(
    inputs: Sequence[Request], watch: Watch, known: Trace | None = None
) -> tuple[Trace, Request, TxvizError | None]:
    """Its trace, and why it is not the first; raises why the first does not work where none does.

    What comes out as in a trace that is ``known`` is taken from there.
    """
    refused: TxvizError | None = None
    for request in inputs:
        try:
            return *compute_what_applies(request, watch, known=known), refused
        except TxvizError as error:
            refused = refused or error
    assert refused is not None
    raise refused
