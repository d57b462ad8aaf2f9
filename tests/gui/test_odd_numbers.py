"""A run that comes to NaN says so, and a click goes to the step where it begins."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.gui.conftest import settle
from txviz.gui.window import Window
from txviz.models.request import Request

STEP = "encoder.0.attention.key"


def test_the_first_step_is_named_and_a_click_goes_there(window: Window, qtbot: QtBot) -> None:
    request = Request("sentence-guide", "The cat sat.", {}, (f"{STEP}[0,1,0]=nan",))
    with qtbot.waitSignal(window.computing.finished):
        window.computing.compute(request)
    settle()
    window.session.go_to("tokens")
    notice = window.notice
    assert notice.isVisible()
    assert notice.text.text() == f"NaN appears first in {STEP} at [0, 1, 0] (1 of 15)."
    assert notice.go.isVisible()
    QTest.mouseClick(notice.go, Qt.MouseButton.LeftButton)
    settle()
    assert window.session.step.name == STEP
    with qtbot.waitSignal(window.computing.finished):
        window.computing.compute(Request("sentence-guide", "The cat sat."))
    settle()
    assert not notice.isVisible()


def test_another_message_has_no_such_button(window: Window) -> None:
    window.notice.show_message("Something else.", step=STEP)
    window.notice.show_message("Something else.")
    assert not window.notice.go.isVisible()


def test_the_rounding_of_a_step_is_told(window: Window, qtbot: QtBot) -> None:
    with qtbot.waitSignal(window.computing.finished):
        window.computing.compute(Request("sentence-guide", "The cat sat."))
    window.session.go_to("encoder.0.attention.weights")
    settle()
    assert "✓ replayed" in window.explanation.toPlainText()
    assert "float32 and float64 differ by at most" in window.explanation.toPlainText()
