"""Dragging a cell: from the pointer's move to the painted stage, with the run computed in its thread in between."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEvent, QEventLoop, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from tests.benchmarks.measure import Result
from txviz.gui.app import make_application, make_window
from txviz.gui.window import Window
from txviz.models import find
from txviz.models.request import Request

CELLS = (
    ("digits", "encoder.0.attention.scores"),
    ("digits", "head.logits"),
    ("translator", "encoder.0.attention.scores"),
    ("translator", "time.2.decoder.0.self_attention.scores"),
)
"""One near the beginning, from which nearly all follows, and one further on."""

MOVES = 80


def results() -> Iterator[Result]:
    app = QApplication.instance() or make_application()
    assert isinstance(app, QApplication)
    for model, step in CELLS:
        with tempfile.TemporaryDirectory() as folder:
            window = make_window(Path(folder) / "state.json", None, Request(model, find(model).example))
            window.resize(1280, 800)
            window.show()
            _settle(app, 1.5)
            took, worked = _dragging(app, window, step)
            yield Result(f"editing: drag a cell, move to painted, median: {model} {step}", took * 1000, "ms", 16.0)
            yield Result(f"editing: the same, time of the processor: {model} {step}", worked * 1000, "ms")
            window.close()


class _Painted(QObject):
    """Ends the wait when the stage is painted after a new run."""

    def __init__(self, window: Window, loop: QEventLoop) -> None:
        super().__init__()
        self._loop, self._fresh = loop, False
        for changed in (window.session.step_changed, window.session.numbers_changed):
            changed.connect(self._note)
        window.stage.viewport().installEventFilter(self)

    def _note(self) -> None:
        self._fresh = True

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() == QEvent.Type.Paint and self._fresh:
            self._fresh = False
            self._loop.quit()  # which ends it after this event
        return False


def _dragging(app: QApplication, window: Window, step: str) -> tuple[float, float]:
    stage, session = window.stage, window.session
    session.go_to(step)
    session.show_node(step)
    stage.move_cell(0, 0)
    _settle(app, 0.5)
    place = stage.rect_of(stage.target)
    assert place is not None
    spot, view = place.center(), stage.viewport()
    waiting = QEventLoop()
    painted = _Painted(window, waiting)
    QTest.mousePress(view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, spot)
    took, worked = [], []
    for i in range(1, MOVES + 1):
        begin, spent = perf_counter(), process_time()
        _move(app, window, spot - QPoint(0, 6 + i))  # at once after the last one, as a hand does that does not rest
        waiting.exec()
        took.append(perf_counter() - begin)
        worked.append(process_time() - spent)
        app.processEvents()
    painted.deleteLater()
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, spot)
    _settle(app, 0.3)
    return median(took), median(worked)


def _move(app: QApplication, window: Window, spot: QPoint) -> None:
    view, left = window.stage.viewport(), Qt.MouseButton.LeftButton
    place = QPointF(spot)
    app.sendEvent(
        view,
        QMouseEvent(QEvent.Type.MouseMove, place, view.mapToGlobal(place), left, left, Qt.KeyboardModifier.NoModifier),
    )


def _settle(app: QApplication, seconds: float) -> None:
    end = perf_counter() + seconds
    while perf_counter() < end:
        app.processEvents()
