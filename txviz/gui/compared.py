"""The run that is kept beside the one that is shown: A. What is shown is B, whatever it becomes."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from txviz.figures.pair import Pair, Sides, remarks
from txviz.models.request import Request
from txviz.trace import Step, Trace


class Compared(QObject):
    changed = Signal()
    """There is an A, or another one, or none any more; or another part of the comparison is looked at."""

    def __init__(self, shown: Callable[[], Trace], parent: QObject) -> None:
        super().__init__(parent)
        self._shown = shown
        self._trace: Trace | None = None
        self._pair: Pair | None = None
        self.request: Request | None = None
        """What A was computed from, where that is known."""

        self._sides: Sides = "all"

    @property
    def trace(self) -> Trace | None:
        """A."""
        return self._trace

    @property
    def pair(self) -> Pair | None:
        """Both, as they are now; None where nothing is compared."""
        if self._trace is None:
            self._pair = None
        elif self._pair is None or self._pair.a is not self._trace or self._pair.b is not self._shown():
            self._pair = Pair(self._trace, self._shown())
        return self._pair

    @property
    def sides(self) -> Sides:
        """Which part of the comparison is looked at."""
        return self._sides

    def show(self, sides: Sides) -> None:
        if sides != self._sides:
            self._sides = sides
            self.changed.emit()

    def keep(self, trace: Trace | None, request: Request | None = None) -> None:
        """Keeps a run as A; None ends the comparison."""
        if trace is self._trace and request == self.request:
            return
        self._trace, self.request = trace, request
        self.changed.emit()

    def notes(self, step: Step) -> list[str]:
        """What there is to say about a step of B beside that of A."""
        pair = self.pair
        return [] if pair is None else remarks(pair.of_a(step), step)
