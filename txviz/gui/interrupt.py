"""Ctrl+C in the terminal that the window was started from."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from PySide6.QtCore import QSocketNotifier

INTERRUPTED = 130
"""What a program returns that was ended by Ctrl+C."""


@contextmanager
def calling(end: Callable[[], object]) -> Iterator[None]:
    """Inside, Ctrl+C calls ``end``; a second one ends the program at once.

    Python sees a signal only when it runs, and an idle window runs none of it: what wakes it up is a socket that Qt
    looks at.
    """
    ours, woken = socket.socketpair()
    for each in (ours, woken):
        each.setblocking(False)
    notifier = QSocketNotifier(ours.fileno(), QSocketNotifier.Type.Read)

    def interrupted() -> None:
        if signal.SIGINT in ours.recv(4096):
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            end()

    notifier.activated.connect(interrupted)
    before = signal.signal(signal.SIGINT, lambda *_: None), signal.set_wakeup_fd(woken.fileno())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before[0])
        signal.set_wakeup_fd(before[1])
        notifier.setEnabled(False)
        ours.close()
        woken.close()
