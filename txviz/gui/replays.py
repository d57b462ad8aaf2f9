"""Whether steps replay to what was recorded, and what rounding did: found out once, off the GUI thread where large."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from txviz.gui.background import Background
from txviz.gui.session import Session
from txviz.trace import Step, verify
from txviz.trace.precision import rounding_text

LARGE = 100_000
"""A step that reads more numbers than these may take longer than a picture of it."""


class Replay(NamedTuple):
    wrong: str
    """What came out otherwise; nothing where all is as recorded."""

    rounded: str


class Replays(QObject):
    """Of the session's trace."""

    found = Signal()
    """What was asked for is known now."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._known: dict[str, Replay] = {}
        self.background = Background(self)
        self.background.finished.connect(self._take)
        session.trace_changed.connect(self._known.clear)

    def known(self, step: Step) -> bool:
        """Whether it is known; if not, it is found out, and told."""
        if step.name not in self._known:
            exact = self._session.trace.exact
            if sum(operand.size for operand in step.operands) > LARGE:
                self.background.submit(lambda _: (step, _replay(step, exact)))
            else:
                self._known[step.name] = _replay(step, exact)
        return step.name in self._known

    def of(self, step: Step) -> Replay:
        """Of a step that it is known of."""
        return self._known[step.name]

    def _take(self, made: tuple[Step, Replay]) -> None:
        step, replay = made
        if self._session.trace.get(step.name) is step:  # there may be another run by now
            self._known[step.name] = replay
            self.found.emit()


def _replay(step: Step, exact: bool) -> Replay:
    wrong = verify.verify([step], exact=exact)
    return Replay(str(wrong[0]), "") if wrong else Replay("", rounding_text(step))
