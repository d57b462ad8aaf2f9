"""A lesson in a process of its own: whoever watches asks for steps, and is told how it goes.

The window stays as quick as it is, since Python runs one thread at a time, and training is as quick as by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic, perf_counter
from typing import NamedTuple

import numpy as np

from txviz.errors import NO_MEMORY, TxvizError
from txviz.ops import Array
from txviz.trace.machine import one_thread
from txviz.training.lesson import Lesson, Plan

EVERY = 0.1
"""Seconds between two reports while it runs."""

SHARE = 0.05
"""How much of the time may go to measuring."""


class Go(NamedTuple):
    """So many steps more; 0 is a pause."""

    steps: int


class Keep(NamedTuple):
    folder: Path


class Told(NamedTuple):
    """How it goes: the mean loss of the steps since the last time, and what it has learnt by now."""

    step: int
    loss: float
    seconds: float
    parameters: Mapping[str, Array]
    waits: bool
    """Whether no more steps are asked for, and these are all."""


class Measured(NamedTuple):
    step: int
    right: float


class Kept(NamedTuple):
    folder: Path


class Failed(NamedTuple):
    sentence: str


Message = Told | Measured | Kept | Failed


def work(pipe: Connection, plan: Plan) -> None:
    """Until nobody is at the other end."""
    try:
        with one_thread():
            _Worker(pipe, Lesson(plan)).run()
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        return
    except TxvizError as error:
        pipe.send(Failed(str(error)))
    except MemoryError:
        pipe.send(Failed(NO_MEMORY))


class _Worker:
    def __init__(self, pipe: Connection, lesson: Lesson) -> None:
        self._pipe, self._lesson = pipe, lesson
        self._wanted = 0
        self._losses: list[float] = []
        self._told = self._next_glance = monotonic()

    def run(self) -> None:
        self._wait()
        while True:
            while not self._wanted or self._pipe.poll():
                self._take(self._pipe.recv())
            self._losses.append(self._lesson.learn())
            self._wanted -= 1
            if not self._wanted:
                self._wait()
                continue
            if monotonic() - self._told > EVERY:
                self._tell()
            if monotonic() > self._next_glance:
                self._glance()

    def _take(self, message: Go | Keep) -> None:
        if isinstance(message, Go):
            was, self._wanted = self._wanted, message.steps
            if was and not self._wanted:
                self._wait()
            return
        try:
            self._lesson.keep(message.folder)
        except TxvizError as error:
            self._pipe.send(Failed(str(error)))
        else:
            self._pipe.send(Kept(message.folder))

    def _wait(self) -> None:
        """What was learnt since the last time is told, too: from here on it is shown, remembered and kept."""
        self._tell()
        self._glance()

    def _tell(self) -> None:
        loss = float(np.mean(self._losses)) if self._losses else float("nan")
        self._pipe.send(Told(self._lesson.step, loss, self._lesson.seconds, self._lesson.parameters, not self._wanted))
        self._losses.clear()
        self._told = monotonic()

    def _glance(self) -> None:
        start = perf_counter()
        self._pipe.send(Measured(self._lesson.step, self._lesson.glance()))
        self._next_glance = monotonic() + (perf_counter() - start) / SHARE
