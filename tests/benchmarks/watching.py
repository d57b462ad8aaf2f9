"""Training that is watched in the window: neither may slow down the other."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from time import perf_counter

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("QT_LOGGING_RULES", "*.warning=false")

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

import txviz
from tests.benchmarks.measure import Result, compiled
from txviz.gui.app import FIRST, make_application, make_window
from txviz.gui.training_panel import TrainingPanel
from txviz.gui.window import Window
from txviz.models import find
from txviz.models.request import Request

STEPS = 300
ALONE = f"""
from time import perf_counter
from txviz.trace.machine import one_thread
from txviz.training.lesson import Lesson, Plan
with one_thread():
    lesson = Lesson(Plan("digits"))
    for _ in range({STEPS} + 1):
        lesson.learn()
print(lesson.seconds)
"""


def results() -> Iterator[Result]:
    app = QApplication.instance() or make_application()
    assert isinstance(app, QApplication)
    with tempfile.TemporaryDirectory() as folder:
        window = make_window(Path(folder) / "state.json", None, FIRST)
        window.resize(1280, 800)
        window.show()
        request = Request("digits", find("digits").example)
        window.session.show_trace(txviz.trace("digits", request.source), request)
        idle = _steps(app, window)
        window.tools.open_training()
        assert window.tools.training is not None
        panel = window.tools.training.panel
        panel.run.click()
        _until(app, lambda: bool(panel.loss.points) and panel.loss.points[-1][0] > 20)
        busy = _steps(app, window)
        yield Result("training in the window: next step while it learns / while it does not", busy / idle, "×", 2.0)
        ratios = []
        for _ in range(3):
            watched = _seconds(app, panel)
            panel.run.click()
            ratios.append(watched / _alone())
            panel.run.click()
        yield Result("training in the window: time of a step / by itself", median(ratios), "×", 1.15)
        window.close()


def _alone() -> float:
    """The seconds that as many steps take in a process of their own, with nobody watching."""
    script = [sys.executable, "-c", ALONE]
    return float(subprocess.run(script, check=True, capture_output=True, env=compiled()).stdout)


def _steps(app: QApplication, window: Window) -> float:
    """The median time from a key press to the painted step."""
    took: list[float] = []
    for _ in range(3):
        window.session.go_to(0)
        for _ in range(len(window.session.trace) - 1):
            start = perf_counter()
            QTest.keyClick(window.stage, Qt.Key.Key_Right)
            app.processEvents()
            took.append(perf_counter() - start)
    return median(took)


def _seconds(app: QApplication, panel: TrainingPanel) -> float:
    """What so many steps take while the window shows them."""
    first = panel.last
    assert first is not None
    _until(app, lambda: panel.last is not None and panel.last.step >= first.step + STEPS)
    last = panel.last
    assert last is not None
    return (last.seconds - first.seconds) / (last.step - first.step) * STEPS


def _until(app: QApplication, reached: Callable[[], bool]) -> None:
    while not reached():
        app.processEvents()
