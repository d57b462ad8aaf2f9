"""Keeps the run without edits beside an edited one, so that what changed can be marked: the one that was shown before,
or one that is computed off the GUI thread."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, QTimer

from txviz.errors import TxvizError
from txviz.gui.background import Background, Watch
from txviz.gui.changes import edited_nodes, how_much
from txviz.gui.session import Session
from txviz.models.request import Request, compute
from txviz.trace import Trace

WAIT = 60
"""Milliseconds without a change before all steps are compared: a cell that is dragged has the processor first."""

Found = tuple[Trace, Trace, dict[str, float]]
"""The run that was compared, the one without edits, and how much each step changed."""


class Untouched(QObject):
    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._kept: tuple[Request, Trace] | None = None
        self.background = Background(self)
        self.background.finished.connect(self._show)
        self._timer = QTimer(self, singleShot=True, interval=WAIT)
        self._timer.timeout.connect(self._compare)
        session.trace_changed.connect(self._look)
        self._look()

    @property
    def waiting(self) -> bool:
        """Whether what changed is yet to be found."""
        return self._timer.isActive() or self.background.busy

    def stop(self) -> None:
        """Until nothing runs, and nothing will; for closing."""
        self._timer.stop()
        self.background.wait()

    def _look(self) -> None:
        trace, changes = self._session.trace, self._session.changes
        self.background.cancel()
        self._timer.stop()
        asked = _asked(trace)
        if asked is None or not asked.edits:
            self._kept = None if asked is None else (asked, trace)
            changes.compare_with(None)
            return
        changes.compare_with(self._known(asked))
        self._timer.start()

    def _known(self, asked: Request) -> Trace | None:
        """If it is of the same weights: a model that learns has others, and says so in its title."""
        if self._kept is None:
            return None
        request, trace = self._kept
        same = trace.about.get("title") == self._session.trace.about.get("title")
        return trace if same and request == replace(asked, edits=()) else None

    def _compare(self) -> None:
        trace, asked = self._session.trace, _asked(self._session.trace)
        assert asked is not None
        known = self._known(asked)
        self.background.submit(lambda watch: _compared(trace, known, replace(asked, edits=()), watch))

    def _show(self, found: Found | None) -> None:
        if found is None or found[0] is not self._session.trace:
            return
        trace, untouched, changed = found
        asked = _asked(trace)
        assert asked is not None
        self._kept = replace(asked, edits=()), untouched
        self._session.changes.compare_with(untouched)
        self._session.changes.show(changed, edited_nodes(trace))


def _asked(trace: Trace) -> Request | None:
    try:
        return Request.of_trace(trace)
    except TxvizError:
        return None


def _compared(trace: Trace, known: Trace | None, plain: Request, watch: Watch) -> Found | None:
    """None where the model of a trace from a file is not here."""
    try:
        untouched = known or compute(plain, watch, known=trace)
    except TxvizError:
        return None
    return trace, untouched, how_much(untouched, trace)
