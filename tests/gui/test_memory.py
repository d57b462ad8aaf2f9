"""What the window has shown is let go of: a trace may be large, and a day has many."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path
from weakref import ref

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Compute, settle
from txviz.gui.answer_badge import AnswerBadge
from txviz.gui.app import FIRST, make_window
from txviz.gui.export_dialog import ExportDialog
from txviz.gui.inputs.drawing import MOST_UNDONE, Drawing
from txviz.gui.window import Window
from txviz.models import find
from txviz.ops import Array


def look_around(window: Window, qtbot: QtBot) -> None:
    """At every plot, a pinned cell, a head, and the export dialog."""
    assert window.plots is not None
    for name in ("encoder.0.attention.weights", "encoder.1.norm_2"):
        window.session.go_to(name)
        for tab in range(window.plots.tabs.count()):
            window.plots.tabs.setCurrentIndex(tab)
            settle()
        window.session.move_place(1)
        window.stage.move_cell(0, 0)
        settle()
        assert window.session.explanation is not None
    window.actions_by_key["export"].trigger()
    (dialog,) = window.findChildren(ExportDialog)
    settle()
    dialog.reject()
    window.files.copy()
    settle()


def values(window: Window) -> list[Callable[[], Array | None]]:
    """The numbers of the trace that is shown, held by nobody here."""
    return [ref(step.value) for step in window.session.trace if step.value.base is None]


@pytest.mark.parametrize("hidden", [False, True])
def test_a_trace_is_let_go_of_when_another_is_shown(
    window: Window, qtbot: QtBot, compute: Compute, hidden: bool
) -> None:
    compute(window, "digits", find("digits").examples[1])
    look_around(window, qtbot)
    window.docks["Plots"].setHidden(hidden)
    before, numbers = ref(window.session.trace), values(window)
    compute(window, "sentence-guide", "A dog")
    compute(window, "digits", find("digits").examples[2])
    window.session.go_to("encoder.0.attention.weights")
    qtbot.waitUntil(lambda: is_gone(before))  # the thread that typesets its formulas has to see that it is
    held = [array.shape for array in (number() for number in numbers) if array is not None]
    assert held in ([], [(6, 6), (4, 9, 9)]), "but for the picture and the weights that a plot behind others has drawn"


def test_a_closed_window_is_let_go_of_with_all_that_it_has_shown(
    qtbot: QtBot, compute: Compute, state_path: Path, tmp_path: Path
) -> None:
    held = used_and_closed(make_window(state_path, None, FIRST), qtbot, compute, tmp_path / "x.gif")
    for _ in range(2):
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    settle()
    qtbot.waitUntil(lambda: not [each() for each in held if not is_gone(each)], timeout=10_000)


def used_and_closed(window: Window, qtbot: QtBot, compute: Compute, film: Path) -> list[Callable[[], object]]:
    """With a comparison, plots, an edit, a presentation, tools, the map and a film. What must be gone afterwards."""
    window.show()
    qtbot.waitUntil(lambda: window.plots is not None)
    held: list[Callable[[], object]] = [ref(window), ref(window.session), ref(window.session.trace)]
    window.actions_by_key["compare"].trigger()
    compute(window, "digits", find("digits").examples[1])
    held.append(ref(window.session.trace))
    look_around(window, qtbot)
    with qtbot.waitSignal(window.session.trace_changed):
        window.editing.put("encoder.0.attention.weights[1]=0")
    held.append(ref(window.session.trace))
    for command in ("present", "calculator", "meaning", "keys", "card", "train", "map", "record"):
        window.actions_by_key[command].trigger()
        settle()
    assert window.recorder.recording is not None
    window.exporter.run(window.recorder._film(window.recorder.recording.scenes(), film), film)
    qtbot.waitUntil(lambda: film.exists() and not window.exporter.background.busy)
    window.recorder.forget()
    window.close()
    window.deleteLater()
    return held


def is_gone(held: Callable[[], object]) -> bool:
    gc.collect()
    return held() is None


def test_a_closed_window_leaves_no_widget_to_the_garbage_collector(qtbot: QtBot, state_path: Path) -> None:
    """Which may come while Qt goes through all widgets, as for another theme: then the program crashes."""
    before = [*QApplication.allWidgets()]
    gc.disable()
    try:
        window = make_window(state_path, None, FIRST)
        window.show()
        qtbot.waitUntil(lambda: window.plots is not None)
        window.tools.open_training()
        settle()
        window.close()
        window.deleteLater()
        for _ in range(2):  # the window, and then what goes with its parts
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        left = [widget for widget in QApplication.allWidgets() if widget not in before and widget.parent() is None]
        assert [type(widget).__name__ for widget in left] == []
    finally:
        gc.enable()


def test_a_badge_is_let_go_of_with_its_run(window: Window) -> None:
    """What a click does must not hold it."""
    badge = ref(AnswerBadge(window.session, window.theme))
    gc.collect()
    assert badge() is None


def test_strokes_that_can_be_taken_back_have_an_end() -> None:
    drawing = Drawing(np.zeros((6, 6)))
    for i in range(3 * MOST_UNDONE):
        drawing.begin()
        drawing.paint([(0, 0)], (i % 7) / 7)
    taken = 0
    while drawing.can_undo:
        drawing.undo()
        taken += 1
    assert taken == MOST_UNDONE
