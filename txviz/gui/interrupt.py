"""Ctrl+C in the terminal closes the window."""

from __future__ import annotations

import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QSocketNotifier
from PySide6.QtWidgets import QWidget


@contextmanager
def closed_by_interrupt(window: QWidget) -> Iterator[None]:
    """At once, but from the event loop: Python may handle a signal in the middle of painting.

    A socket tells Qt of it. While Qt waits for something to happen, Python sees no signal at all.
    """
    woken, waking = socket.socketpair()

    def close() -> None:
        if signal.SIGINT in woken.recv(100):
            window.close()

    with woken, waking:
        for end in (woken, waking):
            end.setblocking(False)
        notifier = QSocketNotifier(woken.fileno(), QSocketNotifier.Type.Read)
        notifier.activated.connect(close)
        before = signal.signal(signal.SIGINT, lambda *_: None), signal.set_wakeup_fd(waking.fileno())
        try:
            yield
        finally:
            notifier.setEnabled(False)
            signal.signal(signal.SIGINT, before[0])
            signal.set_wakeup_fd(before[1])
