"""Typesets the formulas of a trace before they are shown, so that the first walk through it does not stutter."""

from __future__ import annotations

from threading import Thread
from time import monotonic, sleep

from PySide6.QtCore import QObject

from txviz.figures.formula import typeset
from txviz.gui.session import Session
from txviz.gui.soon import Later
from txviz.trace import Step

PAUSE = 0.003
"""Seconds between two formulas that belong to the window."""

REST = 0.2
"""Seconds that belong to the window after a new trace, or when one has gone to another level or picture."""


class FormulaTypesetter(QObject):
    """In a thread of its own; a new trace ends the work on the old one."""

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._job = 0
        self._rest_until = 0.0
        self._later = Later(self, session, lambda: self.start())
        session.trace_changed.connect(self._later.ask)
        session.node_changed.connect(self._rest)

    def start(self) -> None:
        """From the open step to the end, then those before it."""
        self._job += 1
        self._rest()
        here, steps = self._session.position, self._session.trace.steps
        Thread(target=self._work, args=(self._job, (*steps[here:], *steps[:here])), daemon=True).start()

    def _rest(self) -> None:
        """Something else is about to be painted, which is slow beside work in Python."""
        self._rest_until = monotonic() + REST

    def stop(self) -> None:
        self._job += 1

    def _work(self, job: int, steps: tuple[Step, ...]) -> None:
        done: set[str] = set()
        for step in steps:
            while monotonic() < self._rest_until and job == self._job:
                sleep(PAUSE)
            if job != self._job:
                return
            formula = step.formula
            if formula and formula not in done:
                done.add(formula)
                typeset(formula)
                sleep(PAUSE)
