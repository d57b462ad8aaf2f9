"""Computes requests and opens files off the GUI thread, and puts what comes out into the session."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal

import txviz
from txviz.errors import TxvizError
from txviz.gui.background import Background, Watch
from txviz.gui.session import Session
from txviz.models import find
from txviz.models.request import Request, compute
from txviz.trace import Trace


class Computing(QObject):
    """Of several things that are asked for quickly, only the last counts."""

    finished = Signal(object)
    """The session has the new trace; with the Request or the Path that it came from."""

    replaced = Signal(object)
    """After that, with the TxvizError: what was asked for could not be computed, and another input is shown."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.background = Background(self)
        self.background.finished.connect(self._show)

    def compute(self, request: Request, *, remember: bool = True) -> None:
        """Runs the model; the session can undo it where it is to be remembered.

        Another model than the one that is shown comes with an input that it can read, if not with this one: it is the
        model that was chosen.
        """
        chosen = remember and request.model != self._session.trace.about.get("model")
        inputs = (request, *self._inputs(request.model)) if chosen else (request,)
        self.background.submit(lambda watch: (*_first_that_works(inputs, watch), remember))

    def _inputs(self, model: str) -> tuple[Request, Request]:
        example = Request(model, find(model).example)
        return self._session.last_request(model) or example, example

    def open(self, path: Path) -> None:
        """Loads a saved trace."""
        self.background.submit(lambda _: (txviz.load(path), path, None, False))

    def _show(self, found: tuple[Trace, Request | Path, TxvizError | None, bool]) -> None:
        trace, origin, refused, remember = found
        self._session.show_trace(trace, origin if isinstance(origin, Request) else None, remember=remember)
        self.finished.emit(origin)
        if refused is not None:
            self.replaced.emit(refused)


def _first_that_works(inputs: Sequence[Request], watch: Watch) -> tuple[Trace, Request, TxvizError | None]:
    """Its trace, and why it is not the first; raises why the first does not work where none does."""
    refused: TxvizError | None = None
    for request in inputs:
        try:
            return compute(request, watch), request, refused
        except TxvizError as error:
            refused = refused or error
    assert refused is not None
    raise refused
