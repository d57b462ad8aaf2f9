"""What if: the switches of what is looked at, by pointer and by keys; and a guide's model built otherwise."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QLabel, QWidget
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Compute, press
from tests.gui.shown import Checker, pixels, words
from txviz.figures.theme import LIGHT
from txviz.gui.inputs.drawing_editor import DrawingEditor
from txviz.gui.menus import all_keys
from txviz.gui.what_if import WhatIfPopup
from txviz.gui.window import Window
from txviz.models import find
from txviz.models.request import Request
from txviz.models.request import compute as computed

Key = Qt.Key
WEIGHTS = "time.2.decoder.1.self_attention.weights"


@pytest.fixture
def translation(window: Window, compute: Compute) -> Window:
    window.resize(1280, 800)
    compute(window, "translator", "I love you very much")
    window.session.show_node(WEIGHTS)
    return window


def opened(window: Window, qtbot: QtBot) -> WhatIfPopup:
    press(qtbot, window, Key.Key_I)
    popup = window.what_if.popup
    assert popup is not None
    qtbot.waitUntil(popup.isVisible)
    return popup


def lines(popup: WhatIfPopup) -> list[str]:
    """All that is written, from top to bottom."""
    found: list[QCheckBox | QLabel] = [*popup.findChildren(QCheckBox), *popup.findChildren(QLabel)]
    parts = [each for each in found if each.isVisibleTo(popup)]
    return [part.text() for part in sorted(parts, key=lambda part: part.mapTo(popup, QPoint()).y())]


def box(popup: WhatIfPopup, title: str, which: int = 0) -> QCheckBox:
    found = [each for each in popup.findChildren(QCheckBox) if each.isVisibleTo(popup) and each.text() == title]
    return sorted(found, key=lambda each: each.mapTo(popup, QPoint()).y())[which]


def click(qtbot: QtBot, window: Window, switch: QCheckBox) -> None:
    with qtbot.waitSignal(window.session.trace_changed, timeout=20_000):
        qtbot.mouseClick(switch, Qt.MouseButton.LeftButton, pos=QPoint(8, switch.height() // 2))


def test_what_is_looked_at_comes_first(translation: Window, qtbot: QtBot) -> None:
    popup = opened(translation, qtbot)
    written = lines(popup)
    assert written[0] == "Decoder 1 · self-attention"
    assert written.index("Decoder 1") < written.index("Without layer 1") < written.index("Whole model")
    assert written[2] == "Every token then sees those that come after it, which a model that writes must not."
    assert written.count("What it found is left out, which shows what it is needed for.") == 1
    assert not any(each.isChecked() for each in popup.boxes.values())
    assert popup.geometry().intersected(translation.screen().availableGeometry()) == popup.geometry()


def test_one_click_shows_it_and_another_takes_it_back(translation: Window, qtbot: QtBot) -> None:
    before, answer = pixels(translation.stage.viewport()), pixels(translation.badge)
    assert (translation.session.step.value[:, 0, 1:] == 0).all()
    popup = opened(translation, qtbot)
    click(qtbot, translation, box(popup, "Without the mask", which=1))  # in the whole model
    assert translation.session.step.name == WEIGHTS
    assert (translation.session.step.value[:, 0, 1:] > 0).all()
    assert box(popup, "Without the mask", which=1).isChecked()
    assert not box(popup, "Without the mask").isChecked()
    assert popup.isVisible()
    assert translation.input.page.edits.text() == "Edits · 1"
    assert (pixels(translation.stage.viewport()) != before).any()
    assert translation.session.request == translation.input.request()
    click(qtbot, translation, box(popup, "Without the mask", which=1))
    assert not translation.input.page.edits.isVisible()
    assert not box(popup, "Without the mask", which=1).isChecked()
    popup.close()
    qtbot.waitUntil(lambda: np.array_equal(pixels(translation.stage.viewport()), before))
    qtbot.waitUntil(lambda: np.array_equal(pixels(translation.badge), answer))
    assert Checker().disagreements(translation) == []


def test_the_words_below_the_picture_follow(window: Window, compute: Compute, qtbot: QtBot) -> None:
    """Without the mask a token no longer looks at nothing but itself and those before it."""
    compute(window, "masked-attention-guide", find("masked-attention-guide").example)
    window.session.show_node("decoder.0.self_attention.weights")
    assert "to itself and to each one before it (column); each row sums to 1." in words(window)
    popup = opened(window, qtbot)
    click(qtbot, window, box(popup, "Without the mask"))
    popup.close()
    assert "to each token (column), also to later ones; each row sums to 1." in words(window)


def test_it_is_undone_and_redone_like_any_edit(translation: Window, qtbot: QtBot) -> None:
    popup = opened(translation, qtbot)
    click(qtbot, translation, box(popup, "Without layer 1"))
    click(qtbot, translation, box(popup, "Without positions"))
    both = translation.input.request()
    assert len(both.edits) == 5
    popup.close()
    for key, modifiers, count in (
        (Key.Key_Z, Qt.KeyboardModifier.ControlModifier, 3),
        (Key.Key_Z, Qt.KeyboardModifier.ControlModifier, 0),
        (Key.Key_Y, Qt.KeyboardModifier.ControlModifier, 3),
        (Key.Key_Y, Qt.KeyboardModifier.ControlModifier, 5),
    ):
        with qtbot.waitSignal(translation.session.trace_changed, timeout=20_000):
            press(qtbot, translation, key, modifier=modifiers)
        assert len(translation.input.request().edits) == count
    assert translation.input.request() == both
    popup = opened(translation, qtbot)
    assert box(popup, "Without layer 1").isChecked()
    assert box(popup, "Without positions").isChecked()
    assert not box(popup, "Uniform attention").isChecked()


def on_screen(widget: QWidget) -> QRect:
    return QRect(widget.mapToGlobal(QPoint()), widget.size())


def test_the_picture_and_the_answer_stay_in_sight(translation: Window, qtbot: QtBot) -> None:
    popup, stage = opened(translation, qtbot).geometry(), on_screen(translation.stage)
    assert popup.intersected(stage).width() < stage.width() / 3
    assert not popup.intersects(on_screen(translation.badge))


def test_keys_are_enough(translation: Window, qtbot: QtBot) -> None:
    popup = opened(translation, qtbot)
    first, second = box(popup, "Without the mask"), box(popup, "Without scaling by √d_k")
    qtbot.waitUntil(first.hasFocus)
    qtbot.keyClick(first, Key.Key_Down)
    assert second.hasFocus()
    with qtbot.waitSignal(translation.session.trace_changed, timeout=20_000):
        qtbot.keyClick(second, Key.Key_Space)
    qtbot.waitUntil(second.isChecked)
    assert translation.input.request().edits == ("time.*.decoder.1.self_attention.scaled=@1",)
    qtbot.keyClick(second, Key.Key_Escape)
    qtbot.waitUntil(lambda: translation.what_if.popup is None)
    position = translation.session.position
    press(qtbot, translation, Key.Key_Right)
    assert translation.session.position == position + 1


def test_it_opens_over_the_presentation_too(translation: Window, qtbot: QtBot) -> None:
    press(qtbot, translation, Key.Key_F5)
    qtbot.waitUntil(lambda: translation.overlays.presentation is not None)
    presentation = translation.overlays.presentation
    assert presentation is not None
    qtbot.waitUntil(presentation.isActiveWindow)
    before = pixels(presentation.area)
    qtbot.keyClick(presentation, Key.Key_I)
    popup = translation.what_if.popup
    assert popup is not None
    assert popup.parent() is presentation
    click(qtbot, translation, box(popup, "Uniform attention"))
    qtbot.waitUntil(lambda: (pixels(presentation.area) != before).any())
    qtbot.keyClick(box(popup, "Uniform attention"), Key.Key_Escape)
    qtbot.waitUntil(lambda: translation.what_if.popup is None)
    assert presentation.isVisible()
    presentation.close()
    qtbot.waitUntil(lambda: translation.overlays.presentation is None)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_an_empty_box_can_be_seen(translation: Window, qtbot: QtBot, theme: str) -> None:
    translation.choose_theme(theme)
    popup = opened(translation, qtbot)
    painted = pixels(box(popup, "Uniform attention")).astype(int)
    middle, ground = painted[painted.shape[0] // 2, :14], painted[0, 0]
    assert np.abs(middle - ground).max() > 30


def test_the_button_opens_it_and_f1_lists_the_key(translation: Window, qtbot: QtBot) -> None:
    qtbot.mouseClick(translation.input.page.what_if, Qt.MouseButton.LeftButton)
    assert translation.what_if.popup is not None
    assert translation.what_if.popup.isVisible()
    assert ("Edit", "I", "What if") in all_keys()


def test_another_model_has_its_own(translation: Window, compute: Compute, qtbot: QtBot) -> None:
    opened(translation, qtbot).close()
    compute(translation, "masked-attention-guide", find("masked-attention-guide").example)
    popup = opened(translation, qtbot)
    assert [text for text in lines(popup) if text.startswith(("With", "Uni", "Whole"))] == [
        *("Whole model", "Without the mask", "Uniform attention")
    ]
    click(qtbot, translation, box(popup, "Without the mask"))
    weights = translation.session.trace["decoder.0.self_attention.weights"].value
    np.testing.assert_allclose(
        weights[0], translation.session.trace["decoder.0.self_attention.table"].value[0], atol=2e-3
    )


def test_a_switch_takes_the_place_of_another_for_the_same_step(translation: Window, qtbot: QtBot) -> None:
    popup = opened(translation, qtbot)
    click(qtbot, translation, box(popup, "Without the residual around self-attention"))
    click(qtbot, translation, box(popup, "Without layer 1"))
    assert not box(popup, "Without the residual around self-attention").isChecked()
    assert [edit.rpartition("=")[2] for edit in translation.input.request().edits] == ["@1"] * 3


# A guide's model built otherwise


def choose(qtbot: QtBot, window: Window, option: str, value: str) -> None:
    """In the menu of options, by keys."""
    page = window.input.page
    qtbot.mouseClick(page.options, Qt.MouseButton.LeftButton)
    field = page.form.fields[option]
    assert isinstance(field, QComboBox)
    field.setFocus()
    while field.currentData() != value:
        QTest.keyClick(field, Key.Key_Down)
    qtbot.keyClick(field, Key.Key_Escape)
    page.options.popup.close()
    qtbot.waitUntil(lambda: window.session.request == window.input.request(), timeout=20_000)
    qtbot.waitUntil(lambda: not window.computing.background.busy, timeout=20_000)


def summary(window: Window) -> QLabel:
    """Below the name of the model."""
    (found,) = [
        each for each in window.input.findChildren(QLabel) if each.isVisible() and each.y() > window.input.models.y()
        and each.x() == window.input.models.x()
    ]  # fmt: skip
    return found


def reddest(label: QLabel) -> float:
    painted = pixels(label).astype(float)
    return float((painted[..., 0] - painted[..., 1]).max())


def test_a_changed_architecture_is_told_and_drawn(window: Window, compute: Compute, qtbot: QtBot) -> None:
    window.resize(1280, 800)
    window.choose_theme("light")
    compute(window, "vit-guide-2x2", find("vit-guide-2x2").example)
    editor = window.input.page.editor
    assert isinstance(editor, DrawingEditor)
    board, plain = pixels(editor.board), summary(window).text()
    assert plain.startswith("A 6×6 image in nine 2×2 patches")
    assert reddest(summary(window)) < 60
    choose(qtbot, window, "patch", "3x3")
    choose(qtbot, window, "positions", "2d")
    assert summary(window).text().startswith("Not the guide's: 3×3 patches, 2D positions.")
    assert "Made up, repeatably: the projection of the patches." in summary(window).toolTip()
    assert reddest(summary(window)) > 100 > QColor(LIGHT.muted).red() - QColor(LIGHT.muted).green()
    assert (pixels(editor.board) != board).any()
    assert "Not the guide's" in window.explanation.toPlainText()
    assert (
        window.session.trace.output
        == computed(Request("vit-guide-2x2", find("vit-guide-2x2").example, {"patch": "3x3", "positions": "2d"})).output
    )
    assert Checker().disagreements(window) == []
    qtbot.mouseClick(window.input.page.options, Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(window.session.trace_changed, timeout=20_000):
        qtbot.mouseClick(window.input.page.form.reset, Qt.MouseButton.LeftButton)
    window.input.page.options.popup.close()
    assert summary(window).text() == plain
    QApplication.processEvents()
    qtbot.waitUntil(lambda: np.array_equal(pixels(editor.board), board))


def test_the_note_belongs_to_its_model(window: Window, compute: Compute, qtbot: QtBot) -> None:
    compute(window, "sentence-guide", "The cat sat.", layers=2)
    assert summary(window).text().startswith("Not the guide's: 2 layers.")
    compute(window, "sentence", "the cat sleeps")
    assert "guide" not in summary(window).text()
    compute(window, "sentence-guide", "The cat sat.", pooling="cls")
    assert summary(window).text().startswith("“The cat sat.”")
