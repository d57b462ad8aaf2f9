"""Options at the picture: they are those of the panel, and what is painted follows while a slider is dragged."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QSlider, QStyle, QStyleOptionSlider
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Compute
from txviz.gui.picture_controls import SCALES, DrawAgain, SliderControl
from txviz.gui.window import Window
from txviz.models import find
from txviz.models.options import DECODING, Number
from txviz.models.request import compute as computed

LEFT = Qt.MouseButton.LeftButton
SAMPLED = {"strategy": "sample", "temperature": 2.0, "seed": 3}


@pytest.fixture
def board(window: Window, compute: Compute) -> Window:
    """The board of a sampled sentence."""
    compute(window, "translator", "I love you very much", **SAMPLED)
    window.session.show_node("time")
    return window


def slider(window: Window, name: str) -> SliderControl:
    control = window.controls.controls[name]
    assert isinstance(control, SliderControl)
    return control


def drag(qtbot: QtBot, window: Window, name: str, place: int) -> None:
    """The handle, with the mouse held, to where the slider has this place; stays pressed."""
    pull(qtbot, slider(window, name).slider, place)


def pull(qtbot: QtBot, bar: QSlider, place: int) -> None:
    at, to = _handle(bar, bar.value()), _handle(bar, place)
    qtbot.mousePress(bar, LEFT, pos=at)
    qtbot.mouseMove(bar, to)


def _handle(bar: QSlider, place: int) -> QPoint:
    option = QStyleOptionSlider()
    bar.initStyleOption(option)
    option.sliderPosition = place
    style = bar.style()
    part = QStyle.SubControl.SC_SliderHandle
    return style.subControlRect(QStyle.ComplexControl.CC_Slider, option, part, bar).center()


def test_they_are_there_where_they_matter(board: Window, qtbot: QtBot, compute: Compute) -> None:
    assert board.controls.isVisible()
    assert list(board.controls.controls) == ["strategy", "temperature", "top_k", "top_p", "seed"]
    assert slider(board, "temperature").number.text() == "2"
    assert slider(board, "top_k").number.text() == "all"
    compute(board, "translator", "I love you very much", strategy="beam")
    assert list(board.controls.controls) == ["strategy"]
    board.session.choose_picture("beams")
    assert list(board.controls.controls) == ["strategy", "beam_width", "length_penalty"]
    assert board.session.node.name == "time"  # which is one level higher than before
    board.session.show_node(board.session.step.name)
    assert not board.controls.isVisible()
    board.session.show_node("time")
    compute(board, "digits", "0 0 0 0 0 0; " * 5 + "0 0 0 0 0 1")
    assert not board.controls.isVisible()


def test_a_slider_that_is_held_computes_at_once(board: Window, qtbot: QtBot) -> None:
    """Before it is let go of; panel, picture and keys are as they would be after an edit of the panel."""
    board.activateWindow()
    board.area.take_focus()
    with qtbot.waitSignal(board.session.trace_changed):
        drag(qtbot, board, "temperature", -60)
    chosen = slider(board, "temperature").chosen()
    assert 0.1 < chosen < 1
    assert slider(board, "temperature").number.text() == f"{chosen:.3g}"
    request = board.input.request()
    assert request.options == {"strategy": "sample", "temperature": chosen, "seed": 3}
    qtbot.waitUntil(lambda: board.session.request == request)
    assert board.session.trace.output == computed(request).output
    assert board.session.node.name == "time"
    assert board.area.shown.hasFocus()


def test_undo_takes_back_a_drag(board: Window, qtbot: QtBot) -> None:
    with qtbot.waitSignal(board.session.trace_changed):
        drag(qtbot, board, "temperature", -60)
    qtbot.mouseRelease(slider(board, "temperature").slider, LEFT)
    qtbot.waitUntil(lambda: not board.computing.background.busy)
    with qtbot.waitSignal(board.session.trace_changed):
        board.actions_by_key["undo"].trigger()
    assert slider(board, "temperature").number.text() == "2"
    assert board.input.request().options == SAMPLED


def test_draw_again_takes_the_next_seed(board: Window, qtbot: QtBot) -> None:
    button = board.controls.controls["seed"]
    assert isinstance(button, DrawAgain)
    for seed in (4, 5):
        with qtbot.waitSignal(board.session.trace_changed):
            qtbot.mouseClick(button, LEFT)
        assert board.input.request().options["seed"] == seed


def test_the_panel_moves_the_sliders(board: Window, qtbot: QtBot) -> None:
    """Also to a value outside the slider's scale: its number is told all the same."""
    board.input.page.form.fields["temperature"].setValue(50)  # type: ignore[union-attr]
    control = slider(board, "temperature")
    assert control.slider.value() == control.slider.maximum()
    assert control.number.text() == "50"
    assert board.input.request().options["temperature"] == 50


@pytest.mark.parametrize("name", SCALES)
def test_every_place_of_a_slider_is_a_value(name: str) -> None:
    """One that the option allows, and that is found again at the same place."""
    scale, option = SCALES[name], DECODING[name]
    assert isinstance(option, Number)
    for place in range(scale.place(scale.lowest), scale.place(scale.highest) + 1):
        value = scale.value(place)
        assert option.read(name, int(value) if isinstance(option.default, int) else value) == value
        assert scale.place(value) == place


def test_a_head_is_dragged_while_a_run_without_heads_arrives(window: Window, qtbot: QtBot, compute: Compute) -> None:
    compute(window, "digits", find("digits").example)
    window.session.go_to("encoder.0.attention.scores")
    (head,) = [each for each in window.stage_bar.findChildren(QSlider) if each.accessibleName() == "head"]
    pull(qtbot, head, 1)
    assert window.session.shown_place[0] == 1
    window.session.go_to("head.logits")
    qtbot.mouseMove(head, _handle(head, 0))
    qtbot.mouseMove(head, QPoint(head.width() - 1, head.height() // 2))
    qtbot.mouseRelease(head, LEFT)
    assert (window.session.step.name, window.session.shown_place) == ("head.logits", ())
    window.session.go_to("encoder.0.attention.scores")
    assert (head.isVisible(), head.maximum(), head.value()) == (True, 3, 1)
