"""A model that learns in a process of its own, seen from the window."""

from __future__ import annotations

import multiprocessing
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Thread

from PySide6.QtCore import QObject, Signal

from txviz.training.lesson import Plan
from txviz.training.worker import Failed, Go, Keep, Kept, Measured, Message, Told, work

ENDLESS = 10**9
LOST = "the training has ended unexpectedly; begin again"


class Learning(QObject):
    """Its signals arrive in the GUI thread; those of a lesson that was ended are lost."""

    told = Signal(object)
    measured = Signal(object)
    kept = Signal(object)
    """With the folder."""

    failed = Signal(str)
    _arrived = Signal(int, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pipe: Connection | None = None
        self._process: BaseProcess | None = None
        self._listener: Thread | None = None
        self._number = 0
        self._arrived.connect(self._take)

    @property
    def begun(self) -> bool:
        return self._pipe is not None

    def begin(self, plan: Plan) -> None:
        """A new lesson, in place of whatever was learnt before; it waits for ``go``."""
        self.end()
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=work, args=(other, plan), daemon=True, name="txviz training")
        self._process.start()
        other.close()
        self._number += 1
        self._listener = Thread(target=self._listen, args=(self._pipe, self._number), daemon=True)
        self._listener.start()

    def go(self, steps: int = ENDLESS) -> None:
        self._send(Go(steps))

    def pause(self) -> None:
        self._send(Go(0))

    def keep(self, folder: Path) -> None:
        """As a model of one's own."""
        self._send(Keep(folder))

    def end(self) -> None:
        """Nothing is kept. Nobody listens any more when it returns: what tells a window that is gone may crash."""
        self._number += 1
        pipe, process, listener = self._pipe, self._process, self._listener
        self._pipe = self._process = self._listener = None
        if pipe is not None and process is not None and listener is not None:
            process.terminate()
            process.join()
            listener.join()
            pipe.close()

    def _send(self, message: Go | Keep) -> None:
        if self._pipe is None:
            return
        try:
            self._pipe.send(message)
        except (BrokenPipeError, OSError):
            self.failed.emit(LOST)

    def _listen(self, pipe: Connection, number: int) -> None:
        """In a thread of its own."""
        message: Message | None = None
        try:
            while True:
                message = pipe.recv()
                self._arrived.emit(number, message)
        except (EOFError, OSError):  # it was ended, or has died: then nobody has begun another one
            if not isinstance(message, Failed):  # which has said why
                with suppress(RuntimeError):  # the window is gone
                    self._arrived.emit(number, Failed(LOST))
        except RuntimeError:  # the window is gone
            return

    def _take(self, number: int, message: Message) -> None:
        if number != self._number:
            return
        if isinstance(message, Told):
            self.told.emit(message)
        elif isinstance(message, Measured):
            self.measured.emit(message)
        elif isinstance(message, Kept):
            self.kept.emit(message.folder)
        elif isinstance(message, Failed):
            self.failed.emit(message.sentence)
