"""The real window, without a screen: started on a state file, or opened on a trace file."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

import numpy as np
from PySide6.QtCore import QEvent, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from tests.fuzz.checks import FindingError
from txviz import TxvizError
from txviz.gui.app import make_application, make_window
from txviz.gui.window import Window

PAUSE, PATIENCE = 0.005, 3000
"""Seconds between two looks at what is waited for, and how often it is looked: longer where the machine is busy."""

HARMLESS = ("This plugin does not support", "OpenType support missing")
"""Said by the plugin that needs no screen, of every window, and of scripts that txviz's own fonts do not have."""


def start(given: bytes) -> None:
    """The window starts, whatever it finds, and what it saves at its end can be read."""
    from txviz.gui import saved_state

    path = Path("state.json")
    path.write_bytes(given)
    with _window(path) as window:
        window.session.move(1)
        _settle()
    if saved_state.load(path)[1]:
        raise FindingError("what the window saved can't be read")


def open_trace(given: bytes) -> None:
    """Every step of the trace is shown, with its plots and the arithmetic of a cell; or a sentence says why not."""
    path = Path("case.safetensors")
    path.write_bytes(given)
    with _window(Path("state.json")) as window:
        before = window.session.trace
        window.computing.open(path)
        _until(lambda: not window.computing.background.busy)
        _settle()
        if window.session.trace is before:
            raise TxvizError(window.notice.text.text() or "")
        _walk(window)


def _walk(window: Window) -> None:
    count = len(window.session.trace)
    for position in range(0, count, max(1, count // 20)):
        window.session.go_to(position)
        window.session.pin(tuple(n - 1 for n in window.session.step.value.shape))
        _settle()
        window.grab()


@contextmanager
def _window(state: Path) -> Iterator[Window]:
    """Inside, an exception or a warning of Qt's that nobody sees is kept, and raised at the end."""
    app, told = application(), list[str]()
    with _overheard(told), np.errstate(all="ignore"):  # as the command has it
        window = make_window(state)
        window.show()
        _until(lambda: window.plots is not None)
        try:
            yield window
        finally:
            window.close()
            window.deleteLater()
            app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            _settle()
    if told:
        raise FindingError(told[0])


@contextmanager
def _overheard(told: list[str]) -> Iterator[None]:
    def hook(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
        while where and where.tb_next:
            where = where.tb_next
        place = f"{where.tb_frame.f_code.co_filename}:{where.tb_lineno}" if where else ""
        told.append(f"{kind.__name__}: {error} ({place})")

    def say(kind: QtMsgType, _: object, text: str) -> None:
        if kind is not QtMsgType.QtDebugMsg and not text.startswith(HARMLESS):
            told.append(text)

    before, sys.excepthook = sys.excepthook, hook
    handler = qInstallMessageHandler(say)
    try:
        yield
    finally:
        sys.excepthook = before
        qInstallMessageHandler(handler)


def application() -> QApplication:
    """The one of this process, made where there is none yet: what writes figures would make a smaller one."""
    found = QApplication.instance()
    return found if isinstance(found, QApplication) else make_application()


def _settle() -> None:
    for _ in range(3):
        QApplication.processEvents()


def _until(done: Callable[[], bool]) -> None:
    for _ in range(PATIENCE):
        if done():
            return
        QApplication.processEvents()
        time.sleep(PAUSE)
    raise FindingError("the window waits for something that does not come")
