"""Whether steps replay to what was recorded: found out once, and for large steps off the GUI thread."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from txviz.gui.background import Background
from txviz.gui.session import Session
from txviz.trace import Step, verify
from txviz.trace.verify import Mismatch

LARGE = 100_000
"""A step that reads more numbers than these may take longer than a picture of it."""


class _Replayed(NamedTuple):
    step: Step
    wrong: Mismatch | None


class Replays(QObject):
    """Of the session's trace."""

    found = Signal()
    """What was asked for is known now."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._known: dict[str, Mismatch | None] = {}
        self.background = Background(self)
        self.background.finished.connect(self._take)
        session.trace_changed.connect(self._known.clear)

    def known(self, step: Step) -> bool:
        """Whether it is known; if not, it is found out, and told."""
        if step.name not in self._known:
            exact = self._session.trace.exact
            if sum(operand.size for operand in step.operands) > LARGE:
                self.background.submit(lambda _: _replay(step, exact))
            else:
                self._known[step.name] = _replay(step, exact).wrong
        return step.name in self._known

    def wrong(self, step: Step) -> Mismatch | None:
        """What came out otherwise, of a step of which it is known."""
        return self._known[step.name]

    def _take(self, made: _Replayed) -> None:
        if self._session.trace.get(made.step.name) is made.step:  # there may be another run by now
            self._known[made.step.name] = made.wrong
            self.found.emit()


def _replay(step: Step, exact: bool) -> _Replayed:
    return _Replayed(step, next(iter(verify.verify([step], exact=exact)), None))
