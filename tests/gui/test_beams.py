"""The beam tree in the window: it is there, it can be pointed at, and a click goes to the hypothesis."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Compute, settle
from tests.gui.test_levels import press
from tests.gui.test_picture_controls import drag, slider
from txviz.figures.marks import Box, Group, Text
from txviz.gui.window import Window
from txviz.training.translator import BEAM_EXAMPLE


def box_of(window: Window, name: str) -> QPoint:
    """The middle of the box that is painted for a hypothesis, by time step and place there."""
    settle()  # the controls above the picture take some of its room
    marks = window.area.picture.picture.figure.marks
    group = next(mark for mark in marks if isinstance(mark, Group) and mark.name == name)
    box = next(mark for mark in group.marks if isinstance(mark, Box))
    return QPoint(round(box.x + box.width * 0.4), round(box.y + box.height / 2))


def test_a_box_says_its_sum_and_opens_its_scores(window: Window, qtbot: QtBot, compute: Compute) -> None:
    compute(window, "translator", BEAM_EXAMPLE, strategy="beam", beam_width=2)
    window.session.go_to(len(window.session.trace) - 1)
    window.session.show_node("time")
    assert window.session.picture == "beams"
    view = window.area.picture.viewport()
    said: list[str] = []
    window.area.picture.pointed.connect(said.append)
    qtbot.mouseMove(view, box_of(window, "2.1"))
    assert said[-1] == "“il ne” · kept, 2nd of its time step · (−0.9747) + (−0.1109) ≈ −1.086"
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=box_of(window, "2.1"))
    assert window.session.node.name == "time.3.beam.1.head"
    assert window.windowTitle().startswith("txviz — time.3.beam.1.head · ")


def test_a_thousand_steps_are_written_as_in_the_timeline(window: Window, qtbot: QtBot, compute: Compute) -> None:
    compute(window, "translator", "The house is big", strategy="beam", beam_width=4)
    window.session.show_node("")
    window.session.go_to(len(window.session.trace) - 1)
    assert window.timeline.count.text() == "step 1,456 of 1,456"
    qtbot.waitUntil(lambda: "1,456 steps; open is step 1,456, time 5" in window.explanation.toPlainText())


def test_it_grows_while_one_steps_on(window: Window, qtbot: QtBot, compute: Compute) -> None:
    compute(window, "translator", BEAM_EXAMPLE, strategy="beam", beam_width=2)
    window.session.go_to("time.2.search.kept")
    window.session.show_node("time")
    before = window.area.picture.viewport().grab().toImage()
    press(qtbot, window, Qt.Key.Key_Right)
    assert window.session.step.name == "time.2.search.kept_totals"
    assert window.session.node.name == "time"
    at = box_of(window, "2.0")
    around = [(at.x() + dx, at.y() + dy) for dx in range(-15, 16) for dy in range(-6, 7)]
    after = window.area.picture.viewport().grab().toImage()
    assert any(before.pixel(x, y) != after.pixel(x, y) for x, y in around)  # its sum


def test_width_and_penalty_are_sliders_at_the_tree(window: Window, qtbot: QtBot, compute: Compute) -> None:
    compute(window, "translator", BEAM_EXAMPLE, strategy="beam", beam_width=2)
    window.session.go_to("time.2.search.kept_totals")
    window.session.show_node("time")
    assert list(window.controls.controls) == ["strategy", "beam_width", "length_penalty"]
    for name, place in (("beam_width", 5), ("length_penalty", 6)):
        with qtbot.waitSignal(window.session.trace_changed):
            drag(qtbot, window, name, place)
        qtbot.mouseRelease(slider(window, name).slider, Qt.MouseButton.LeftButton)
    marks = window.area.picture.picture.figure.marks
    heading = next(mark for mark in marks if isinstance(mark, Group) and mark.name == "heading")
    assert isinstance(heading.marks[0], Text)
    assert heading.marks[0].text == "Beam search: the 5 best are kept, length penalty 0.6"
    assert window.session.step.name == "time.2.search.kept_totals"
