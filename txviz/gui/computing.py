"""Computes requests and opens files off the GUI thread, and puts what comes out into the session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

import txviz
from txviz.errors import TxvizError
from txviz.gui.background import Background, Watch, Work
from txviz.gui.session import Session
from txviz.models import find
from txviz.models.folders import CONFIG, model_folder
from txviz.models.progress import Progress, Teller
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

    opened: Path | None = None
    """The file or the folder that was opened."""


class Computing(QObject):
    """Of several things that are asked for quickly, only the last counts."""

    finished = Signal(object)
    """The session has the new trace; with the Request or the Path that it came from."""

    replaced = Signal(object)
    """After that, with the TxvizError: what was asked for could not be computed, and another input is shown."""

    opened = Signal(object)
    """After that, with the Path of the trace or of the model that is shown now."""

    dropped = Signal(object)
    """After that, with the edits that were left out, since they do not fit the new input."""

    failed = Signal(object)
    """With the exception; the session shows what it did, or what was being computed when a file could not be opened."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._unfinished: tuple[tuple[Request, ...], bool] | None = None
        """What the input panel shows already, and the session does not yet; and whether it is to be remembered."""
        self._teller = Teller("", {})
        self.background = Background(self)
        self.background.finished.connect(self._show)
        self.background.failed.connect(self.failed)
        self.background.busy_changed.connect(self._forget_when_done)

    def progress(self) -> Progress:
        """How far the work is that runs."""
        return self._teller.progress(*self.background.latest)

    def _submit(self, asked: Request, work: Work) -> None:
        """Of a file or a folder that is opened only the path is known."""
        self._teller = Teller(asked.model, asked.options)
        self.background.submit(lambda watch: _looked_through(work(watch)))

    def compute_live(self, request: Request) -> None:
        """Runs the model while a cell of it is dragged; nothing of it is remembered."""
        self._unfinished = (request,), False
        shown = self._session.trace
        self._submit(
            request,
            lambda watch: _Made(*_first_that_works((request,), watch, shown), False, asked=request, live=True),
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
        self._submit(meant, lambda watch: _Made(*_first_that_works(inputs, watch, shown), remember, asked=request))

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

    def show(self, trace: Trace, request: Request | None) -> None:
        """A run that is there already, instead of what is being computed."""
        self.background.cancel()
        self._session.show_trace(trace, request)

    def open(self, path: Path) -> None:
        """Loads a saved trace, or a model with the input that it had last. Where that can't be done, what was being
        computed comes out all the same."""
        before, inputs = self._unfinished, {each.model: each for each in self._session.requests}
        asked = Request(str(path.parent if path.name == CONFIG else path), "")
        self._submit(asked, lambda watch: _load(path, before, inputs, watch))

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
        if made.opened is not None:
            self.opened.emit(made.opened)
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


def _looked_through(made: _Made) -> _Made:
    """Numbers that are not finite are found here, since in a large model that takes a while."""
    _ = made.trace.not_finite
    return made


def _load(
    path: Path, before: tuple[tuple[Request, ...], bool] | None, inputs: Mapping[str, Request], watch: Watch
) -> _Made:
    try:
        folder = model_folder(path)
        if folder is None and not path.exists():
            raise TxvizError(f"there is no file or folder {path}")
        if folder is None:
            return _Made(txviz.load(path), path, None, False, opened=path)
        return _run_folder(folder.absolute(), inputs, watch)
    except TxvizError as error:
        if before is None:
            raise
        asked, remember = before
        return _Made(*_first_that_works(asked, watch), remember, error)


def _run_folder(folder: Path, inputs: Mapping[str, Request], watch: Watch) -> _Made:
    """The model that is there on the last input that it was given here, else on its example."""
    name = str(folder)
    example = Request(name, find(name).example)
    return _Made(*_first_that_works((inputs.get(name, example), example), watch), True, opened=folder)


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
