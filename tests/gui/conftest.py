"""A real window for each test, with its own memory, and patience: a machine may be busy with something else."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from PySide6.QtCore import QAbstractEventDispatcher, QCoreApplication, QEvent, QEventLoop, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from txviz.gui.app import FIRST, make_window, style_application
from txviz.gui.window import Window
from txviz.models.request import Request

if os.environ.get("QT_QPA_PLATFORM") == "offscreen":  # as large as people have: Qt's own has 800×800 pixels
    os.environ["QT_QPA_PLATFORM"] = f"offscreen:configfile={Path(__file__).with_name('screens.json')}"

Compute = Callable[..., None]

PATIENCE = 120
"""Seconds that anything may take that does come. Nobody waits so long but for what never comes."""


class PatientBot(QtBot):
    """Waits for what is shown as long as it takes; ``wait`` is for what must not come."""

    def waitSignal(self, signal: Any, *, timeout: int = 1000 * PATIENCE, **named: Any) -> Any:
        return super().waitSignal(signal, timeout=timeout, **named)

    def waitSignals(self, signals: Any, *, timeout: int = 1000 * PATIENCE, **named: Any) -> Any:
        return super().waitSignals(signals, timeout=timeout, **named)

    def waitUntil(self, callback: Callable[[], bool | None], *, timeout: int = 1000 * PATIENCE) -> None:
        super().waitUntil(callback, timeout=timeout)

    def waitExposed(self, widget: Any, *, timeout: int = 1000 * PATIENCE) -> Any:
        return super().waitExposed(widget, timeout=timeout)


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    return PatientBot(request)


def settle() -> None:
    """Until Qt has nothing left to do: one layout asks for another, and a paint for what was put off until it."""
    end, loop = monotonic() + PATIENCE, QAbstractEventDispatcher.instance()
    while loop.processEvents(QEventLoop.ProcessEventsFlag.AllEvents):
        assert monotonic() < end, "it never comes to rest"


@pytest.fixture
def state_path(tmp_path: Path) -> Path:
    return tmp_path / "txviz" / "state.json"


@pytest.fixture
def start(qtbot: QtBot, qapp: QApplication, state_path: Path) -> Iterator[Callable[..., Window]]:
    """Starts the window as the command does, as often as a test wants."""
    style_application(qapp)
    started: list[Window] = []

    def start(file: Path | None = None, request: Request | None = None) -> Window:
        window = make_window(state_path, file, request or (FIRST if file is None and not state_path.exists() else None))
        started.append(window)
        with qtbot.waitExposed(window):
            window.show()
        qtbot.waitUntil(lambda: window.plots is not None)
        settle()
        return window

    yield start
    for window in started:
        window.recorder.forget()
        window.close()
        window.deleteLater()
    QGuiApplication.clipboard().clear()  # what is left in it outlives Python, and crashes
    qapp.processEvents()
    # Now, and not when Python next looks for garbage: Qt may then be in the middle of a walk over all widgets.
    for _ in range(2):
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def window(start: Callable[..., Window]) -> Window:
    return start()


@pytest.fixture
def compute(qtbot: QtBot) -> Compute:
    """Asks for a computation as the input panel does, and waits for it."""

    def compute(window: Window, model: str, source: str, **options: object) -> None:
        request = Request(model, source, options)
        window.input.show_request(request)
        with qtbot.waitSignal(window.session.trace_changed):
            window.computing.compute(request)

    return compute


def press(qtbot: QtBot, window: Window, *keys: Qt.Key, modifier: Qt.KeyboardModifier | None = None) -> None:
    """Presses keys as somebody at the stage does."""
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.stage.setFocus()
    for key in keys:
        qtbot.keyClick(window.stage, key, modifier or Qt.KeyboardModifier.NoModifier)
