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
    """At once: while Qt waits for something to happen, Python sees no signal, unless a socket wakes Qt."""
    woken, waking = socket.socketpair()
    with woken, waking:
        for end in (woken, waking):
            end.setblocking(False)
        notifier = QSocketNotifier(woken.fileno(), QSocketNotifier.Type.Read)
        notifier.activated.connect(lambda: woken.recv(100))
        before = signal.signal(signal.SIGINT, lambda *_: window.close()), signal.set_wakeup_fd(waking.fileno())
        try:
            yield
        finally:
            notifier.setEnabled(False)
            signal.signal(signal.SIGINT, before[0])
            signal.set_wakeup_fd(before[1])
