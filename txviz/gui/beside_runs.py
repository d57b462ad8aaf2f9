"""Keeps the other runs of the same input beside the board: computed off the GUI thread, after the board is painted."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from txviz.errors import TxvizError
from txviz.figures.levels import LEVELS
from txviz.figures.levels.beside import beside_of
from txviz.figures.levels.picture import Beside
from txviz.gui.background import Background, Watch
from txviz.gui.computing import Computing
from txviz.gui.inputs.panel import InputPanel
from txviz.gui.session import Session
from txviz.models.alternatives import alternatives, run_key
from txviz.models.request import Request, compute
from txviz.trace import Trace

WAIT = 250
"""Milliseconds without a change before other runs are computed: a slider that is dragged has all of the processor."""

MOST_FORCED = 4
LARGEST = 64 * 2**20
"""Bytes of a run beside which others are computed, too."""

Known = dict[object, Beside | None]
"""By what makes a run: a line about it, or nothing where it can't be computed."""


class BesideRuns(QObject):
    def __init__(self, session: Session, panel: InputPanel, computing: Computing) -> None:
        super().__init__(computing)
        self._session, self._panel, self._computing = session, panel, computing
        self._known: Known = {}
        self._input: tuple[str, str, str] | None = None
        """What they were computed from: the model, how far it has learnt, as its title says, and the input."""

        self._listed: list[Request] = []
        self.background = Background(self)
        self.background.finished.connect(self._learn)
        self._timer = QTimer(self, singleShot=True, interval=WAIT)
        self._timer.timeout.connect(self._compute)
        self._seen: tuple[Trace, bool] | None = None
        for changed in (session.step_changed, session.node_changed):
            changed.connect(self._look)

    def _look(self) -> None:
        """Most steps change neither the run nor the picture."""
        session = self._session
        seen = session.trace, not session.shows_step and LEVELS[session.picture].compares
        if self._seen is None or seen[0] is not self._seen[0] or seen[1] != self._seen[1]:
            self._seen = seen
            self._refresh()

    def _refresh(self) -> None:
        """Shows what is known of the runs that belong beside this one, and computes the others soon."""
        self.background.cancel()
        self._timer.stop()
        wanted = self._wanted()
        if not wanted:
            self._session.show_beside(None)
            return
        self._show(wanted)
        if any(run_key(request) not in self._known for request in wanted):
            self._timer.start()

    def choose(self, number: int) -> None:
        """Shows one of the runs in the list in place of this one."""
        request = self._listed[number]
        self._panel.show_request(request)
        self._computing.compute(request)

    def _wanted(self) -> list[Request]:
        """None where the picture does not compare runs, or where they would be too large."""
        session, request = self._session, self._session.request
        if session.shows_step or not LEVELS[session.picture].compares or request is None:
            return []
        if sum(step.value.nbytes for step in session.trace) > LARGEST:
            return []
        here = request.model, str(session.trace.about.get("title")), request.source
        if self._input != here:
            self._input, self._known = here, {}
        same = request.model, request.source
        forced = [each for each in session.requests if each.edits and (each.model, each.source) == same]
        return alternatives(request, forced[-MOST_FORCED:])

    def _show(self, wanted: list[Request]) -> None:
        session = self._session
        assert session.request is not None
        here = run_key(session.request)
        self._known[here] = beside_of(session.trace)
        lines = [(request, self._known.get(run_key(request)), run_key(request) == here) for request in wanted]
        known = [(request, line._replace(shown=shown)) for request, line, shown in lines if line is not None]
        self._listed = [request for request, _ in known]
        session.show_beside(tuple(line for _, line in known))

    def _compute(self) -> None:
        lacking = [request for request in self._wanted() if run_key(request) not in self._known]
        if lacking:
            self.background.submit(lambda watch: {run_key(request): _line(request, watch) for request in lacking})

    def _learn(self, found: Known) -> None:
        self._known |= found
        wanted = self._wanted()
        if wanted:
            self._show(wanted)


def _line(request: Request, watch: Watch) -> Beside | None:
    try:
        return beside_of(compute(request, watch))
    except TxvizError:
        return None
