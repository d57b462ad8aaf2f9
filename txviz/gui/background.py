"""Work off the GUI thread. Of several quick requests only the last is computed; what is late is thrown away."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Event
from time import monotonic
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, QThreadPool, Signal

from txviz.errors import NO_MEMORY, TxvizError

Work = Callable[["Watch"], Any]

INTERVAL = 0.05
"""Seconds between two reports of progress."""


class CancelledError(Exception):
    """Raised inside work that nobody waits for any more."""


class Watch:
    """Given to the work: tells how far it is, and whether to stop."""

    def __init__(self, report: Callable[[int], None]) -> None:
        self._stop = Event()
        self._report = report
        self.count = 0
        self._next = 0.0
        self.total = 0
        """Of how many pieces, where the work says so."""

        self.latest: object = None
        """What the work has told last: the step that it made."""

    def stop(self) -> None:
        self._stop.set()

    @property
    def stopped(self) -> bool:
        return self._stop.is_set()

    def __call__(self, *told: object) -> None:
        """Two numbers that are told are how many pieces are done and how many there are; else it is one more."""
        if self.stopped:
            raise CancelledError
        match told:
            case (int(done), int(total)):
                self.count, self.total = done, total
            case _:
                self.count += 1
                self.latest = told[0] if told else None
        if monotonic() >= self._next:
            self._next = monotonic() + INTERVAL
            self._report(self.count)


class Background(QObject):
    """Runs one piece of work at a time. Its signals arrive in the GUI thread."""

    finished = Signal(object)
    failed = Signal(object)
    """With the exception."""

    cancelled = Signal()
    """Nothing came of it."""

    progressed = Signal(int)
    busy_changed = Signal(bool)
    _ended = Signal(int, object, object)

    def __init__(self, parent: QObject | None = None, *, writes: bool = False) -> None:
        """A result that is there in spite of Cancel is told only by work that ``writes``: its file is there, too."""
        super().__init__(parent)
        self._writes, self._over = writes, False
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self._number = 0
        self._running: Watch | None = None
        self._waiting: Work | None = None
        self._ended.connect(self._end)

    @property
    def busy(self) -> bool:
        return self._running is not None

    @property
    def total(self) -> int:
        """Of how many pieces the work that runs has told, if it has."""
        return 0 if self._running is None else self._running.total

    @property
    def latest(self) -> tuple[object, int]:
        """What the work that runs has told last, and how many pieces it has done."""
        return (None, 0) if self._running is None else (self._running.latest, self._running.count)

    def submit(self, work: Work) -> None:
        """Starts the work, or puts it in place of whatever waits; what runs is told to stop."""
        if self._over:
            return
        if self._running is not None:
            self._running.stop()
            self._waiting = work
            return
        self._start(work)

    def cancel(self) -> None:
        """Forgets all work."""
        self._waiting = None
        if self._running is not None:
            self._running.stop()

    def end(self) -> None:
        """For good, when the window closes: a timer may still ask for something, and nobody is there to be told."""
        self._over = True
        self.wait()

    def wait(self) -> None:
        """Until nothing runs."""
        self.cancel()
        self._pool.waitForDone()

    def _start(self, work: Work) -> None:
        self._number += 1
        self._running = Watch(self.progressed.emit)
        self._pool.start(partial(_run, work, self._running, self._number, self._ended))
        self.busy_changed.emit(True)

    def _end(self, number: int, result: object, error: object) -> None:
        if number != self._number or self._running is None:
            return
        stopped, self._running = self._running.stopped, None
        if self._waiting is not None:
            waiting, self._waiting = self._waiting, None
            self._start(waiting)
            return
        self.busy_changed.emit(False)
        if error is None and (self._writes or not stopped):
            self.finished.emit(result)
        elif not stopped:
            self.failed.emit(error)
        else:
            self.cancelled.emit()


def _run(work: Work, watch: Watch, number: int, ended: Any) -> None:
    """In the other thread. A function, since a QRunnable is not always let go of afterwards, nor what it holds."""
    result: Any = None
    error: Exception | None = None
    try:
        with np.errstate(all="ignore"):  # as in the other thread: ∞ and what is not a number are shown
            result = work(watch)
    except MemoryError:
        error = TxvizError(NO_MEMORY)
    except Exception as caught:
        error = caught
    ended.emit(number, result, error)
