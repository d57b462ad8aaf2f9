"""The answers after each layer and all heads at a glance, in the window: clicks and keys go to a token or a head."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from tests.figures.levels.checks import words
from tests.gui.conftest import Compute, press
from tests.models.checkpoints.reference import path
from txviz.analysis.lens import readings, shares
from txviz.figures.levels.picture import Picture, Spot
from txviz.figures.numerals import percent
from txviz.gui.picture_buttons import PictureButtons
from txviz.gui.window import Window

LEFT, CONTROL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier
TEXT = "The cat sat on the mat."


@pytest.fixture
def writer(window: Window, compute: Compute) -> Window:
    """At the end of the first time step."""
    window.resize(1280, 800)
    compute(window, path("gpt2"), TEXT, max_steps=1)
    look(window, "lens")
    return window


def look(window: Window, kind: str) -> None:
    window.session.go_to("time.1.head.probabilities")
    window.session.show_node("time.1")
    window.session.choose_picture(kind)
    window.area.take_focus()


def picture(window: Window) -> Picture:
    return window.area.picture.picture


def parts(window: Window) -> list[Spot]:
    return [spot for spot in picture(window).spots if spot.at]


def click(qtbot: QtBot, window: Window, spot: Spot) -> None:
    at = QPoint(*(round(n) for n in spot.area.centre))
    qtbot.mouseClick(window.area.picture.viewport(), LEFT, pos=at)


def test_a_click_on_a_word_goes_to_the_vector_that_says_it(qtbot: QtBot, writer: Window) -> None:
    session = writer.session
    spot = next(spot for spot in parts(writer) if spot.node == "time.1.decoder.0.residual_2" and spot.at[0] == 2)
    click(qtbot, writer, spot)
    assert session.shows_step
    assert session.step.name == "time.1.decoder.0.residual_2"
    assert session.pinned == (2, 0)
    assert session.followed is not None
    assert session.followed.place == 2


def test_the_token_that_is_followed_is_the_one_whose_answers_are_shown(qtbot: QtBot, writer: Window) -> None:
    before = words(picture(writer))
    click(qtbot, writer, next(spot for spot in parts(writer) if spot.at[0] == 2))
    look(writer, "lens")
    found = shares(readings(writer.session.trace["time.1.head.probabilities"]), 2)
    said = words(picture(writer))
    assert said != before
    for row in found:
        assert percent(float(row.max())) in said
    assert any(text.startswith("The last norm") for text in said)
    press(qtbot, writer, Qt.Key.Key_Escape)
    assert words(picture(writer)) == before


def test_keys_choose_a_word_and_go_there(qtbot: QtBot, writer: Window) -> None:
    heard: list[str] = []
    writer.area.pointed.connect(heard.append)
    press(qtbot, writer, Qt.Key.Key_Down, modifier=CONTROL)
    first = writer.area.picture.chosen
    press(qtbot, writer, Qt.Key.Key_Right, modifier=CONTROL)
    chosen = writer.area.picture.chosen
    assert first is not None
    assert chosen is not None
    assert chosen.node != first.node
    assert heard[-1] == chosen.hint
    press(qtbot, writer, Qt.Key.Key_Return)
    assert writer.session.step.name == chosen.node
    assert writer.session.pinned == chosen.at


def test_a_click_on_a_head_goes_to_its_step_and_head(qtbot: QtBot, writer: Window) -> None:
    look(writer, "heads")
    spot = next(spot for spot in parts(writer) if "decoder.1." in spot.node and spot.at == (3,))
    click(qtbot, writer, spot)
    assert writer.session.step.name == "time.1.decoder.1.self_attention.weights"
    assert writer.session.place == (3,)
    assert writer.session.shows_step


def test_keys_move_from_head_to_head(qtbot: QtBot, writer: Window) -> None:
    look(writer, "heads")
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down):
        press(qtbot, writer, key, modifier=CONTROL)
    chosen = writer.area.picture.chosen
    assert chosen is not None
    assert (chosen.node, chosen.at) == ("time.1.decoder.1.self_attention.weights", (2,))
    assert chosen.hint.startswith("layer 1, head 2: ")
    press(qtbot, writer, Qt.Key.Key_Return)
    assert (writer.session.step.name, writer.session.place) == (chosen.node, (2,))


def test_two_checkpoints_side_by_side(qtbot: QtBot, writer: Window, compute: Compute) -> None:
    press(qtbot, writer, Qt.Key.Key_B, modifier=CONTROL)
    compute(writer, path("llama"), TEXT, max_steps=1)
    bar = writer.comparing.bar
    assert bar.told.text() == "A: gpt2  ·  B: llama"
    assert bar.buttons["table"].isVisible()
    writer.session.show_node("")
    qtbot.mouseClick(bar.buttons["table"], LEFT)
    assert "Two models, stage by stage" in words(picture(writer))
    assert any("goes to the same words" in text for text in words(picture(writer)))


def test_without_a_head_the_list_says_why(window: Window, compute: Compute) -> None:
    compute(window, path("minilm"), TEXT)
    window.session.show_node("")
    (buttons,) = window.findChildren(PictureButtons)
    assert "the model has no head" in buttons.list.toolTip()
    compute(window, path("bert-masked"), TEXT)
    assert "no head" not in buttons.list.toolTip()
