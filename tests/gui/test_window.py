"""The window as a user has it: what is shown after typing, stepping, pointing, resizing and closing."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, QRect, QSignalBlocker, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication, QImage, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QScrollArea,
    QTextEdit,
    QTreeView,
    QWidget,
)
from pytestqt.qtbot import QtBot

import txviz
from tests.figures.test_theme import luminance
from tests.gui.conftest import Compute, press, settle
from tests.models.checkpoints.reference import path as checkpoint
from txviz import ops
from txviz.errors import TxvizError
from txviz.figures.colour_scale import Span
from txviz.figures.marks import Box
from txviz.figures.theme import rgb
from txviz.gui.explanation import HINT
from txviz.gui.inputs.drawing_editor import DrawingEditor
from txviz.gui.inputs.sentence import PairEditor
from txviz.gui.stage_view import StageView
from txviz.gui.window import Window
from txviz.models import find
from txviz.models.digits import Digits
from txviz.models.request import Request
from txviz.trace import Run, Trace

Key = Qt.Key
SCORES = "encoder.0.attention.scores"


def point_at(qtbot: QtBot, window: Window, index: tuple[int, ...], *, click: bool = False) -> None:
    """Moves the pointer to a cell of the result."""
    panel = next(panel for panel in window.stage.stage.panels if panel.grid.output and panel.grid.find(index))
    place = panel.grid.find(index)
    assert place is not None
    x, y, width, height = panel.box([place])
    spot = QPoint(round(x + width / 2), round(y + height / 2))
    qtbot.mouseMove(window.stage.viewport(), spot)
    if click:
        qtbot.mouseClick(window.stage.viewport(), Qt.MouseButton.LeftButton, pos=spot)


def test_it_opens_on_the_cat_at_the_first_step(window: Window) -> None:
    assert window.windowTitle() == "txviz — tokens (1/21)"
    assert window.timeline.count.text() == "step 1 of 21"
    assert window.session.trace.about["input"] == "The cat sat."
    assert not window.notice.isVisible()


def test_a_pixel_of_the_board_and_of_the_stage_is_named_by_its_patch(
    window: Window, qtbot: QtBot, compute: Compute
) -> None:
    for model, name in (
        ("vit-guide-2x2", "patch E, row 1, column 1, middle centre"),
        ("vit-guide-3x2", "patch B, row 0, column 1, top centre"),
    ):
        compute(window, model, find(model).example)
        window.session.go_to("image")
        editor = window.input.page.editor
        assert isinstance(editor, DrawingEditor)
        qtbot.mouseMove(editor.board, editor.board.cell_rect(0, 0).center())
        qtbot.mouseMove(editor.board, editor.board.cell_rect(2, 3).center())
        qtbot.waitUntil(lambda name=name: f"{name} · pixel (2, 3) = 0.2" in window.explanation.toPlainText())  # type: ignore[misc]
        point_at(qtbot, window, (2, 3))
        qtbot.waitUntil(lambda name=name: f"image[2, 3] = given: 0.2 · {name}" in window.explanation.toPlainText())  # type: ignore[misc]


def test_an_image_is_told_with_its_patches(window: Window, compute: Compute) -> None:
    """Which of them is bright or dark, as the step that cuts it says: from the pixels alone."""
    compute(window, "vit-guide-2x2", find("vit-guide-2x2").example)
    window.session.go_to("image")
    pixels = window.session.trace["image"].value.reshape(3, 2, 3, 2)
    bright, rich = pixels.mean(axis=(1, 3)).argmax(), pixels.std(axis=(1, 3)).argmax()
    said = window.explanation.toPlainText()
    assert f"Patch {'ABCDEFGHI'[bright]} is the brightest (mean {pixels.mean(axis=(1, 3)).max():.3g})" in said
    assert f"patch {'ABCDEFGHI'[rich]} has the most contrast" in said
    window.session.go_to("embed.sum")
    assert "the brightest" not in window.explanation.toPlainText()


def test_keys_step_through(window: Window, qtbot: QtBot) -> None:
    press(qtbot, window, Key.Key_Right, Key.Key_Right)
    assert window.windowTitle() == "txviz — embed.positions (3/21)"
    press(qtbot, window, Key.Key_End)
    assert window.timeline.count.text() == "step 21 of 21"
    press(qtbot, window, Key.Key_Home)
    press(qtbot, window, Key.Key_Right, modifier=Qt.KeyboardModifier.ShiftModifier)
    assert window.session.step.name == "embed.tokens"
    press(qtbot, window, Key.Key_Left)
    assert window.windowTitle() == "txviz — tokens (1/21)"


def test_arrows_in_a_text_field_move_its_cursor(window: Window, qtbot: QtBot) -> None:
    window.activateWindow()
    window.actions_by_key["input"].trigger()
    field = QApplication.focusWidget()
    assert field is not None
    qtbot.keyClick(field, Key.Key_Left)
    qtbot.keyClick(field, Key.Key_Home)
    assert window.session.position == 0


def test_typing_recomputes_and_keeps_the_step(window: Window, qtbot: QtBot) -> None:
    window.session.go_to(SCORES)
    window.activateWindow()
    window.actions_by_key["input"].trigger()
    field = QApplication.focusWidget()
    assert field is not None
    qtbot.keyClick(field, Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(field, " Then")
    qtbot.waitUntil(lambda: window.session.step.value.shape == (1, 6, 6))
    assert window.session.step.name == SCORES
    assert window.session.trace.about["input"] == "The cat sat. Then"
    assert window.stage.stage.panels[-1].grid.column_labels == window.session.step.labels[-1]


def test_an_empty_sentence_is_a_sentence_in_the_notice_bar(window: Window, qtbot: QtBot) -> None:
    before = window.session.trace
    window.activateWindow()
    window.actions_by_key["input"].trigger()
    field = QApplication.focusWidget()
    assert field is not None
    qtbot.keyClick(field, Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(field, Key.Key_Delete)
    qtbot.waitUntil(window.notice.isVisible)
    assert window.notice.text.text() == "The sentence is empty; type at least one word."
    assert window.session.trace is before
    qtbot.keyClicks(field, "cat")
    qtbot.waitUntil(lambda: not window.notice.isVisible())
    assert window.session.trace.about["input"] == "cat"


def test_a_message_shows_what_looks_like_html(window: Window) -> None:
    window.notice.show_message("cat")
    before = window.notice.text.grab().toImage()
    window.notice.show_message("<i></i>cat")
    assert window.notice.text.grab().toImage() != before


CONTROLS = (QAbstractButton, QComboBox, QAbstractSlider, QAbstractSpinBox, QTextEdit, QLineEdit, QTreeView, StageView)


def places(window: Window) -> dict[QWidget, QRect]:
    """Where everything is that can be clicked."""
    found = [widget for kind in CONTROLS for widget in window.findChildren(kind) if widget.isVisible()]
    shown = [widget for widget in found if not window.notice.isAncestorOf(widget)]
    return {widget: QRect(widget.mapTo(window, QPoint()), widget.size()) for widget in shown}


@pytest.mark.parametrize(
    ("model", "text"),
    [
        ("sentence-guide", "The zebraa sat."),
        ("masked-attention-guide", "YOUR DOG"),
        ("translator", "The zebraa is big"),
        ("translator", "big " * 60),
        ("sentence", "the zebraa sleeps"),
        ("sentence", "cat " * 60),
    ],
)
def test_a_warning_moves_nothing_that_may_be_clicked(
    window: Window, qtbot: QtBot, compute: Compute, model: str, text: str
) -> None:
    compute(window, model, find(model).example)
    window.session.go_to(4)  # where there are plots, too
    editor = window.input.page.editor
    sentence = editor.first if isinstance(editor, PairEditor) else editor.sentence  # type: ignore[attr-defined]
    with QSignalBlocker(sentence.field):
        sentence.field.setPlainText(text)
    settle()
    grown = places(window)  # the field itself may grow with what is typed
    assert len(grown) > 20
    with qtbot.waitSignals([window.computing.background.busy_changed]):
        sentence.field.edited.emit(text)
    qtbot.waitUntil(sentence.unknown.isVisible)
    qtbot.waitUntil(lambda: not window.computing.background.busy)
    settle()
    assert "zebraa" in sentence.unknown.text() or window.notice.isVisible()
    assert places(window) == grown


def test_a_message_lies_over_the_heading(window: Window, qtbot: QtBot) -> None:
    window.session.go_to(SCORES)
    before, panel = places(window), window.stage.stage.panels[-1]
    window.notice.show_message("A sentence that says what is wrong and what would be right. " * 4, "Details.")
    qtbot.waitUntil(window.notice.isVisible)
    assert places(window) == before
    assert window.stage.stage.panels[-1] is panel
    assert window.notice.width() == window.stage.width()
    assert window.notice.text.height() >= window.notice.text.heightForWidth(window.notice.text.width())
    low = window.notice.height()
    assert low < panel.y, "the cells can still be seen and clicked"
    window.notice.unfold.click()
    assert window.notice.height() > low
    qtbot.mouseClick(window.notice.text, Qt.MouseButton.LeftButton)
    assert window.session.pinned is None
    window.resize(900, 700)
    qtbot.waitUntil(lambda: window.notice.width() == window.stage.width() < 700)


@pytest.mark.parametrize("model", ["sentence-guide", "digits", "writer"])
def test_options_that_fit_have_no_scroll_bar(window: Window, qtbot: QtBot, compute: Compute, model: str) -> None:
    compute(window, model, find(model).example)
    page = window.input.page
    qtbot.mouseClick(page.options, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(page.options.popup.isVisible)
    scroll = page.options.popup.findChild(QScrollArea)
    assert scroll is not None
    settle()
    assert scroll.verticalScrollBar().maximum() == 0
    page.options.popup.close()


def test_pointing_lights_up_and_explains(window: Window, qtbot: QtBot) -> None:
    window.session.go_to(SCORES)
    assert HINT in window.explanation.toPlainText()
    panel = window.stage.stage.panels[0]
    qtbot.mouseMove(window.stage.viewport(), QPoint(round(panel.x + 5), round(panel.y + 5)))
    assert "query[head 0, [CLS], 0] = 0.1" in window.explanation.toPlainText()
    point_at(qtbot, window, (0, 2, 4))
    pointed = window.session.cell
    assert pointed == (0, 2, 4)
    text = window.explanation.toPlainText()
    assert "scores[head 0, cat, .] = 0.8×0.1 + 0.3×0.1 + (−0.5)×0.2 = 0.01" in text
    before = window.stage.viewport().grab().toImage()
    qtbot.mouseMove(window.stage.viewport(), QPoint(2, 2))
    assert window.session.cell is None
    assert window.stage.viewport().grab().toImage() != before
    assert HINT in window.explanation.toPlainText()


def test_of_what_was_pointed_at_before_nothing_is_told(window: Window, qtbot: QtBot, compute: Compute) -> None:
    """Another head is shown under a pointer that rests, or the number is another one."""
    compute(window, "digits", find("digits").example)
    window.session.go_to("encoder.1.attention.weights")
    point_at(qtbot, window, (0, 2, 4))
    assert window.explanation.toPlainText().startswith("weights[head 0, C, E] = ")
    press(qtbot, window, Key.Key_Down)
    assert window.explanation.toPlainText().startswith(HINT)
    point_at(qtbot, window, (1, 2, 5))
    assert window.explanation.toPlainText().startswith("weights[head 1, C, F] = ")
    with qtbot.waitSignal(window.session.trace_changed):
        window.editing.put("encoder.1.attention.weights=0")
    assert window.explanation.toPlainText().startswith(HINT)


def test_the_row_of_a_pinned_cell_is_told_from_step_to_step(window: Window, qtbot: QtBot, compute: Compute) -> None:
    """Of the token that is followed; what the pointer passes over says nothing, so that the words do not jump."""
    compute(window, "vit-guide-2x2", find("vit-guide-2x2").example)
    window.session.go_to(SCORES)
    point_at(qtbot, window, (0, 5, 8))
    assert "Patch E fits best" not in window.explanation.toPlainText()
    point_at(qtbot, window, (0, 5, 8), click=True)
    assert "Patch E fits best with patch H (0.208)" in window.explanation.toPlainText()
    point_at(qtbot, window, (0, 2, 4))
    assert "Patch E fits best" in window.explanation.toPlainText()
    window.session.go_to("embed.projection")
    qtbot.waitUntil(lambda: "Patch E is highest in feature 1 (0.13)" in window.explanation.toPlainText())
    window.area.take_focus()
    press(qtbot, window, Key.Key_Escape)
    assert "Patch E is highest" not in window.explanation.toPlainText()


def test_a_click_pins_and_another_lets_go(window: Window, qtbot: QtBot) -> None:
    window.session.go_to(SCORES)
    point_at(qtbot, window, (0, 2, 4), click=True)
    qtbot.mouseMove(window.stage.viewport(), QPoint(2, 2))
    assert window.session.cell == (0, 2, 4)
    assert "pinned" in window.explanation.toPlainText()
    press(qtbot, window, Key.Key_Escape)
    assert window.session.cell is None


def test_a_token_is_followed_until_esc(window: Window, qtbot: QtBot) -> None:
    """Its row is framed, with the arithmetic of a cell of it, and the plot marks it, too; back, all is as it was."""
    weights = "encoder.0.attention.weights"
    window.session.go_to(weights)
    before = window.stage.viewport().grab().toImage()
    point_at(qtbot, window, (0, 2, 4), click=True)
    qtbot.mouseMove(window.stage.viewport(), QPoint(2, 2))
    pinned, words = window.stage.viewport().grab().toImage(), window.explanation.toPlainText()
    assert pinned != before
    assert "pinned · following “cat” · Esc lets go" in words
    press(qtbot, window, Key.Key_Right)
    text = window.explanation.toPlainText()
    assert text.startswith("context[head 0, cat, 0] = ")
    assert "following “cat” · Esc lets go" in text
    assert "pinned" not in text
    frame, *_ = framed(window)
    panel = window.stage.stage.panels[0]
    assert frame.y == pytest.approx(panel.y + 2 * panel.cell_height)
    assert window.plots is not None
    said = {label.accessibleName(): label.text() for label in window.plots.findChildren(QLabel)}
    assert said["The weight under the pointer"].startswith("“cat” looks most at")
    press(qtbot, window, Key.Key_Left)
    assert window.explanation.toPlainText() == words
    assert window.stage.viewport().grab().toImage() == pinned
    press(qtbot, window, Key.Key_Escape)
    assert window.stage.viewport().grab().toImage() == before
    press(qtbot, window, Key.Key_Right)
    assert framed(window) == []


def framed(window: Window) -> list[Box]:
    """The rows that are marked, as they are painted and copied."""
    colour = window.theme.accent
    return [mark for mark in window.stage.figure_shown().flat() if isinstance(mark, Box) and mark.stroke == colour]


def test_cells_by_keyboard(window: Window, qtbot: QtBot) -> None:
    window.session.go_to(SCORES)
    for key in (Key.Key_Down, Key.Key_Down, Key.Key_Right, Key.Key_Right):
        press(qtbot, window, key, modifier=Qt.KeyboardModifier.ControlModifier)
    assert window.session.cell == (0, 1, 2)
    assert "scores[head 0, The, cat]" in window.explanation.toPlainText()
    assert "scores[head 0, The, cat]" in window.stage.accessibleDescription()


def test_a_double_click_goes_to_the_step_that_made_an_input(window: Window, qtbot: QtBot) -> None:
    window.session.go_to(SCORES)
    panel = window.stage.stage.panels[0]
    spot = QPoint(round(panel.x + 5), round(panel.y + 5))
    qtbot.mouseDClick(window.stage.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert window.session.step.name == "encoder.0.attention.query"


def test_heads_by_key_and_slider(window: Window, qtbot: QtBot, compute: Compute) -> None:
    compute(window, "digits", find("digits").example)
    window.session.go_to("encoder.1.attention.weights")
    press(qtbot, window, Key.Key_Down, Key.Key_Down)
    assert window.session.place == (2,)
    slider = window.stage_bar.findChild(QAbstractSlider, "head")
    assert slider is not None
    assert slider.value() == 2
    slider.setValue(3)
    assert window.stage.stage.panels[-1].grid.place == (3,)


def test_the_words_name_these_tokens_and_the_replay(window: Window) -> None:
    window.session.go_to("encoder.0.attention.weights")
    text = window.explanation.toPlainText()
    assert "“cat”" in text
    assert "✓ replayed" in text
    share = window.session.step.value[0, 2, 2]
    assert f"{share:.0%}".replace("%", " %") in text


@pytest.mark.parametrize("right", [True, False])
def test_a_large_step_is_replayed_off_the_gui_thread(window: Window, qtbot: QtBot, right: bool) -> None:
    """Its picture does not wait for that."""
    run = Run({})
    scores = run.given("scores", np.random.default_rng(0).normal(size=(400, 400)), axes="query key")
    weights = run(ops.softmax, "weights", scores, axes="query key")
    recorded = weights if right else replace(weights, value=weights.value * 2)
    window.session.show_trace(Trace([scores, recorded], {"model": "large", "input": "", "options": {}}, recorded), None)
    window.session.go_to("weights")
    assert "replaying" in window.explanation.toPlainText()
    said = "✓ replayed" if right else "✗ replayed: weights: cell"
    qtbot.waitUntil(lambda: said in window.explanation.toPlainText(), timeout=60_000)


def test_a_guides_print_is_judged(window: Window, compute: Compute) -> None:
    findings = [entry for entry in txviz.audit() if not entry.printed.agrees]
    compute(window, findings[0].model, find(findings[0].model).example)
    window.session.go_to(findings[0].step)
    assert "✗" in window.explanation.toPlainText()


def test_play_and_pause(window: Window, qtbot: QtBot) -> None:
    window.timeline.speed.setCurrentText("20 steps/s")
    press(qtbot, window, Key.Key_Space)
    assert window.timeline.playing
    qtbot.waitUntil(lambda: window.session.position >= 3)
    press(qtbot, window, Key.Key_Space)
    here = window.session.position
    qtbot.wait(150)
    assert window.session.position == here
    press(qtbot, window, Key.Key_Space)
    qtbot.waitUntil(lambda: not window.timeline.playing)
    assert window.session.position == 20


def test_the_scrubber(window: Window, qtbot: QtBot) -> None:
    scrubber = window.timeline.scrubber
    qtbot.mouseClick(scrubber, Qt.MouseButton.LeftButton, pos=QPoint(scrubber.width() - 2, 10))
    assert window.session.position == 20
    assert scrubber.hint(0) == f"input: step 1\n1. tokens: {window.session.trace[0].text}"
    qtbot.mouseClick(scrubber, Qt.MouseButton.LeftButton, pos=QPoint(1, 10))
    assert window.session.position == 0


def test_the_timeline_by_keyboard(window: Window, qtbot: QtBot) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    scrubber = window.timeline.scrubber
    scrubber.setFocus()
    for key, position in ((Key.Key_Right, 1), (Key.Key_End, 20), (Key.Key_Left, 19)):
        qtbot.keyClick(scrubber, key)
        assert window.session.position == position


def test_a_slow_computation_shows_and_can_be_cancelled(window: Window, qtbot: QtBot) -> None:
    before = window.session.trace
    text = "the old man with the red hat reads a long book in the garden of the small house"
    window.computing.compute(Request("translator", text, {"strategy": "beam", "beam_width": 64, "max_steps": 38}))
    qtbot.waitUntil(window.busy.isVisible)
    window.busy.cancel.click()
    qtbot.waitUntil(lambda: not window.computing.background.busy)
    assert not window.busy.isVisible()
    assert window.session.trace is before
    assert window.input.request().source == "The cat sat."


def test_the_tree_shows_and_asks(window: Window, qtbot: QtBot) -> None:
    window.session.go_to(SCORES)
    tree = window.steps.tree
    assert tree.currentIndex().data() == "scores"
    assert tree.visualRect(tree.currentIndex()).intersects(tree.viewport().rect())
    tree.setFocus()
    qtbot.keyClick(tree, Key.Key_Down)
    assert window.session.step.name == "encoder.0.attention.weights"
    qtbot.mouseClick(
        tree.viewport(), Qt.MouseButton.LeftButton, pos=tree.visualRect(tree.currentIndex().siblingAtColumn(0)).center()
    )
    assert window.session.step.name == "encoder.0.attention.weights"


def test_the_filter(window: Window, qtbot: QtBot) -> None:
    window.activateWindow()
    window.actions_by_key["find"].trigger()
    assert window.steps.filter.hasFocus()
    qtbot.keyClicks(window.steps.filter, "norm")
    model = window.steps.tree.model()
    assert model.rowCount() == 1
    qtbot.keyClick(window.steps.filter, Key.Key_Return)
    assert window.session.step.name == "encoder.0.norm_2"
    qtbot.keyClicks(window.steps.filter, "zzz")
    assert model.rowCount() == 0


def test_zoom_and_pan(window: Window, qtbot: QtBot, compute: Compute) -> None:
    compute(window, "translator", "The house is big")
    window.session.go_to("encoder.0.norm_1")
    stage = window.stage
    before = stage.stage.panels[-1].cell_width
    centre = QPointF(stage.viewport().rect().center())
    turn = QWheelEvent(
        centre,
        stage.viewport().mapToGlobal(centre),
        QPoint(),
        QPoint(0, 240),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.ControlModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(stage.viewport(), turn)
    assert stage.stage.panels[-1].cell_width == pytest.approx(before * 1.44)
    assert window.stage_bar.zoom.text() == "144%"
    assert stage.horizontalScrollBar().maximum() > 0
    here = stage.horizontalScrollBar().value()
    view = stage.viewport()
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=QPoint(300, 200))
    qtbot.mouseMove(view, QPoint(260, 200))
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=QPoint(260, 200))
    assert stage.horizontalScrollBar().value() == here + 40
    press(qtbot, window, Key.Key_0, modifier=Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: stage.stage.panels[-1].cell_width == before)


def test_scales(window: Window) -> None:
    window.session.go_to("embed.sum")
    first = window.stage.stage.figure
    window.stage_bar.scale.setCurrentText("shared by all")
    assert window.stage.stage.figure == first, "all of it is added"
    window.stage_bar.scale.setCurrentText("each tensor")
    assert window.stage.stage.figure != first
    window.stage_bar.scale.setCurrentText("fixed")
    assert window.stage_bar.limit.isVisible()
    window.stage_bar.limit.setValue(2.5)
    assert window.stage.style_shown.scale == Span(-2.5, 2.5)


def test_themes(window: Window) -> None:
    window.choose_theme("dark")
    assert window.stage.stage.figure.background == window.theme.panel == "#1b1f25"
    corner = window.stage.viewport().grab().toImage().pixelColor(3, 3).name()
    assert corner == "#1b1f25"
    window.choose_theme("light")
    assert window.stage.viewport().grab().toImage().pixelColor(3, 3).name() == "#ffffff"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_handle_of_a_slider_stands_out(window: Window, compute: Compute, theme: str) -> None:
    """3 to 1, as for all that is no text; at the beginning nothing is filled in beside it."""
    compute(window, "digits", find("digits").example)
    window.session.go_to("encoder.1.attention.weights")
    window.choose_theme(theme)
    slider = window.stage_bar.findChild(QAbstractSlider, "head")
    assert slider is not None
    assert slider.value() == 0
    image = slider.grab().toImage()
    painted = [image.pixelColor(x, y).name() for x in range(image.height()) for y in range(image.height())]
    light = luminance(np.array([rgb(colour) for colour in painted]))
    around = float(luminance(np.array(rgb(window.theme.window))))
    assert max(light.max() + 0.05, around + 0.05) / min(light.min() + 0.05, around + 0.05) >= 3


def test_resizing_lays_out_again(window: Window, qtbot: QtBot) -> None:
    window.session.go_to(SCORES)
    window.resize(1600, 1000)
    qtbot.waitUntil(lambda: window.stage.viewport().width() > 700)
    assert window.stage.stage.figure.width == window.stage.viewport().width()
    window.resize(800, 500)
    qtbot.waitUntil(lambda: window.width() < 1200)
    assert window.stage.stage.panels


def test_copy_gives_picture_and_text(window: Window, qtbot: QtBot) -> None:
    window.session.go_to(SCORES)
    window.session.pin((0, 2, 4))
    press(qtbot, window, Key.Key_C, modifier=Qt.KeyboardModifier.ControlModifier)
    data = QGuiApplication.clipboard().mimeData()
    assert data.text() == "scores[head 0, cat, .] = 0.8×0.1 + 0.3×0.1 + (−0.5)×0.2 = 0.01"
    assert data.hasImage()
    assert b"<svg" in data.data("image/svg+xml").data()
    image = QGuiApplication.clipboard().image()
    assert image.width() == round(window.stage.stage.figure.width * 2)


def test_words_that_are_marked_are_copied(window: Window, qtbot: QtBot) -> None:
    """With the pointer, which leaves the keys with the stage; at the next step nothing is marked."""
    window.session.go_to(SCORES)
    page = window.explanation.viewport()
    qtbot.mouseDClick(page, Qt.MouseButton.LeftButton, pos=window.explanation.cursorRect().center())
    press(qtbot, window, Key.Key_C, modifier=Qt.KeyboardModifier.ControlModifier)
    data = QGuiApplication.clipboard().mimeData()
    assert (data.text(), data.hasImage()) == ("Point", False)
    press(qtbot, window, Key.Key_Right)
    press(qtbot, window, Key.Key_C, modifier=Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().mimeData().hasImage()


def test_copy_gives_the_picture_of_the_level_that_is_shown(window: Window, qtbot: QtBot) -> None:
    window.session.go_to(SCORES)
    window.session.pin((0, 2, 4))
    window.session.go_out()
    press(qtbot, window, Key.Key_C, modifier=Qt.KeyboardModifier.ControlModifier)
    data, node = QGuiApplication.clipboard().mimeData(), window.session.node
    assert data.text() == f"encoder · layer 0 · attention: {node.why.text}"
    assert b"attention" in data.data("image/svg+xml").data()
    assert window.toast.text() == "Copied the figure."


def test_undo_shows_and_computes_the_input_before(window: Window, qtbot: QtBot, compute: Compute) -> None:
    compute(window, "sentence-guide", "A dog")
    assert window.actions_by_key["undo"].isEnabled()
    with qtbot.waitSignal(window.session.trace_changed):
        window.actions_by_key["undo"].trigger()
    assert window.session.trace.about["input"] == "The cat sat."
    assert window.input.request().source == "The cat sat."
    with qtbot.waitSignal(window.session.trace_changed):
        window.actions_by_key["redo"].trigger()
    assert window.session.trace.about["input"] == "A dog"


def test_undo_of_another_model_is_back_at_the_step_that_was_open(
    window: Window, qtbot: QtBot, compute: Compute
) -> None:
    """The other one has no step of this name: the first was shown."""
    undo, redo, control = Key.Key_Z, Key.Key_Y, Qt.KeyboardModifier.ControlModifier
    compute(window, "translator", "I love you")
    window.session.go_to("encoder.1.attention.weights")
    translating = window.windowTitle()
    compute(window, "masked-attention-guide", find("masked-attention-guide").example)
    press(qtbot, window, Key.Key_End)
    masked = window.windowTitle()
    assert "(6/6)" in masked
    for key, title in ((undo, translating), (redo, masked), (undo, translating)):
        with qtbot.waitSignal(window.session.trace_changed):
            press(qtbot, window, key, modifier=control)
        assert window.windowTitle() == title
    press(qtbot, window, Key.Key_Right)
    compute(window, "translator", "I love my cat")
    further = window.windowTitle()
    with qtbot.waitSignal(window.session.trace_changed):
        press(qtbot, window, undo, modifier=control)
    assert window.windowTitle().partition(" (")[0] == further.partition(" (")[0], "the same model: one stays"


def choose_model(window: Window, name: str) -> None:
    """As a choice from the list does it."""
    window.input.models.show_model(name)
    window.input.models.chosen.emit(name)


def test_panel_and_stage_show_the_same_model_where_its_text_is_too_long(
    window: Window, qtbot: QtBot, compute: Compute
) -> None:
    compute(window, "sentence", "the cat sleeps | the dog sleeps")
    editor = window.input.page.editor
    assert isinstance(editor, PairEditor)
    too_long = " ".join(["cat"] * 60)
    editor.first.field.replace_text(too_long)
    qtbot.waitUntil(window.notice.isVisible)
    with qtbot.waitSignal(window.session.trace_changed):
        choose_model(window, "sentence-guide")
    with qtbot.waitSignal(window.session.trace_changed):
        choose_model(window, "sentence")
    assert window.session.trace.about["model"] == window.input.models.name == "sentence"
    assert window.session.trace.about["input"] == "the cat sleeps | the dog sleeps", "the last that could be read"
    assert editor.first.field.text() == too_long, "nothing that was typed is lost"
    assert window.notice.text.text().startswith("The sentence has 60 words")
    assert window.notice.text.text().endswith("another input is shown.")
    with qtbot.waitSignal(window.session.trace_changed):
        editor.first.field.replace_text("a bird sings")
    assert not window.notice.isVisible()


def test_panel_and_stage_show_the_same_model_where_one_does_not_run(
    window: Window, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise TxvizError("the weights are gone")

    monkeypatch.setattr(Digits, "prepare", fail)
    choose_model(window, "digits")
    qtbot.waitUntil(window.notice.isVisible)
    assert window.notice.text.text() == "The weights are gone."
    assert window.session.trace.about["model"] == window.input.models.name == "sentence-guide"
    assert window.input.request() == window.session.request


def test_an_undo_that_fails_leaves_panel_stage_and_history_as_they_were(
    window: Window, qtbot: QtBot, tmp_path: Path, compute: Compute
) -> None:
    path = tmp_path / "drawing.png"
    QImage(6, 6, QImage.Format.Format_Grayscale8).save(str(path))
    compute(window, "digits", str(path))
    compute(window, "sentence-guide", "A dog")
    path.unlink()
    window.actions_by_key["undo"].trigger()
    qtbot.waitUntil(window.notice.isVisible)
    assert "There is no file" in window.notice.text.text()
    assert window.session.trace.about["input"] == "A dog"
    assert window.input.request() == window.session.request == Request("sentence-guide", "A dog")
    assert not window.actions_by_key["redo"].isEnabled()


def test_a_cancelled_undo_leaves_all_as_it_was(window: Window, qtbot: QtBot, compute: Compute) -> None:
    slow = Request("translator", "The house is big", {"strategy": "beam", "beam_width": 8, "max_steps": 12})
    with qtbot.waitSignal(window.session.trace_changed):
        window.computing.compute(slow)
    compute(window, "sentence-guide", "A dog")
    window.actions_by_key["undo"].trigger()
    window.busy.cancel.click()
    qtbot.waitUntil(lambda: not window.computing.background.busy)
    assert window.input.request() == window.session.request == Request("sentence-guide", "A dog")
    assert window.session.trace.about["input"] == "A dog"
    assert not window.actions_by_key["redo"].isEnabled()


def test_save_and_open(window: Window, qtbot: QtBot, tmp_path: Path, compute: Compute) -> None:
    compute(window, "masked-attention-guide", "YOUR CAT IS A LOVELY CAT")
    path = tmp_path / "cat.safetensors"
    window.files.save(path)
    qtbot.waitUntil(path.exists)
    compute(window, "sentence-guide", "A dog")
    with qtbot.waitSignal(window.session.trace_changed):
        window.computing.open(path)
    assert window.session.trace.about["model"] == "masked-attention-guide"
    assert window.input.request().source == "YOUR CAT IS A LOVELY CAT"
    window.files.menu.aboutToShow.emit()
    assert [action.text() for action in window.files.menu.actions()] == [str(path)]


def drop(window: Window, path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    event = QDropEvent(
        QPointF(5, 5), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    window.dropEvent(event)


def test_a_broken_file_is_refused_in_a_sentence(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "broken.safetensors"
    path.write_bytes(b"nonsense")
    before = window.session.trace
    drop(window, path)
    qtbot.waitUntil(window.notice.isVisible)
    assert "broken.safetensors" in window.notice.text.text()
    assert window.session.trace is before
    assert window.files.recent == []


def test_a_broken_file_takes_nothing_away_from_what_is_being_computed(
    window: Window, qtbot: QtBot, tmp_path: Path
) -> None:
    """The panel shows another model already: it comes out, and the message about the file stays."""
    window.input.show_request(Request("translator", "The house is big"))
    window.computing.compute(window.input.request())
    drop(window, tmp_path / "none.safetensors")
    qtbot.waitUntil(window.notice.isVisible)
    assert window.notice.text.text().startswith("There is no file")
    assert window.session.trace.about["model"] == "translator"
    assert window.input.request() == window.session.request
    assert window.actions_by_key["undo"].isEnabled()


def test_a_picture_is_for_the_board_wherever_it_is_dropped(
    window: Window, qtbot: QtBot, tmp_path: Path, compute: Compute
) -> None:
    compute(window, "digits", find("digits").example)
    before = window.input.request()
    path = tmp_path / "broken.png"
    path.write_bytes(b"nonsense")
    with qtbot.waitSignal(window.input.refused):
        drop(window, path)
    assert "is not an image that can be read" in window.notice.text.text()
    assert window.notice.text.text().endswith(".")
    assert window.input.request() == before


def test_drop_a_trace(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "dog.safetensors"
    txviz.trace("sentence-guide", "A dog").save(path)
    with qtbot.waitSignal(window.session.trace_changed):
        drop(window, path)
    assert window.session.trace.about["input"] == "A dog"


def test_drop_a_folder_with_a_checkpoint(window: Window, qtbot: QtBot) -> None:
    with qtbot.waitSignal(window.session.trace_changed):
        drop(window, Path(checkpoint("bert-masked")))
    assert window.input.request().source == "The cat [MASK] on the mat."
    assert window.windowTitle() == "txviz — tokens (1/52)"


def test_a_folder_without_a_model_is_refused_in_a_sentence(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    before = window.input.request()
    drop(window, tmp_path)
    qtbot.waitUntil(window.notice.isVisible)
    assert window.notice.text.text().startswith(f"{tmp_path} is a folder without a model; one has config.json")
    assert window.input.request() == before


def test_everything_has_a_name_for_a_screen_reader(window: Window) -> None:
    kinds = (QAbstractButton, QComboBox, QLineEdit, QAbstractSlider)
    nameless = [
        widget
        for kind in kinds
        for widget in window.findChildren(kind)
        if not (widget.accessibleName() or (isinstance(widget, QAbstractButton) and widget.text()))
        and not widget.objectName().startswith("qt_")
        and not isinstance(widget.parent(), QComboBox)
        and widget.isVisible()
    ]
    assert [(type(widget).__name__, widget.objectName()) for widget in nameless] == []


def test_reset_brings_docks_back(window: Window) -> None:
    window.docks["Steps"].close()
    window.docks["Plots"].setFloating(True)
    window.actions_by_key["reset"].trigger()
    assert window.docks["Steps"].isVisible()
    assert not window.docks["Plots"].isFloating()


def test_plots_follow_and_lead(window: Window, compute: Compute) -> None:
    compute(window, "digits", find("digits").example)
    window.session.go_to("encoder.0.attention.weights")
    assert window.plots is not None
    window.plots.place_requested.emit((2,))
    assert window.session.place == (2,)
    window.plots.cell_requested.emit((2, 1, 3))
    assert window.session.cell == (2, 1, 3)
    window.plots.step_requested.emit("embed.sum")
    assert window.session.step.name == "embed.sum"


# --- memory ---


def test_the_next_start_is_where_the_last_one_ended(start: Callable[..., Window], compute: Compute) -> None:
    first = start()
    compute(first, "digits", find("digits").examples[3])
    first.session.go_to("encoder.1.attention.weights")
    first.session.choose_place((2,))
    first.choose_theme("dark")
    first.close()
    second = start()
    assert second.windowTitle() == first.windowTitle()
    assert second.session.place == (2,)
    assert second.theme.name == "dark"
    assert second.input.request() == first.input.request()
    assert np.array_equal(second.session.trace[0].value, first.session.trace[0].value)


def test_a_level_and_its_picture_outlive_a_crash(window: Window, state_path: Path, qtbot: QtBot) -> None:
    """Each is saved by itself, although the step stays the same."""

    def saved() -> tuple[str, str]:
        known = json.loads(state_path.read_text()) if state_path.exists() else {"node": "", "picture": ""}
        return known["node"], known["picture"]

    window.session.go_to(SCORES)
    press(qtbot, window, Key.Key_Backspace)
    qtbot.waitUntil(lambda: saved() == ("encoder.0.attention", window.session.picture))
    press(qtbot, window, Key.Key_M)
    qtbot.waitUntil(lambda: saved() == ("", "map"))
    press(qtbot, window, Key.Key_V)
    assert window.session.picture != "map"
    qtbot.waitUntil(lambda: saved() == ("", window.session.picture))


def test_killed_without_closing_the_state_is_there(
    start: Callable[..., Window], state_path: Path, qtbot: QtBot
) -> None:
    window = start()
    window.session.go_to(SCORES)
    qtbot.waitUntil(lambda: state_path.exists() and json.loads(state_path.read_text())["step"] == SCORES)


def test_a_state_that_can_not_be_written_is_told_once(
    start: Callable[..., Window], state_path: Path, qtbot: QtBot
) -> None:
    state_path.parent.write_text("a file in the place of the folder")
    window = start()
    qtbot.waitUntil(lambda: window.toast.isVisible() and "can't be remembered" in window.toast.text())
    window.toast.hide()
    window.session.move(1)
    qtbot.wait(600)
    assert not window.toast.isVisible()


@pytest.mark.parametrize("content", ["", "{", "[1]", '{"version": 99}', "\x00\xff"])
def test_a_broken_state_is_set_aside(start: Callable[..., Window], state_path: Path, content: str) -> None:
    state_path.parent.mkdir(parents=True)
    state_path.write_text(content, encoding="latin-1")
    window = start()
    assert window.windowTitle() == "txviz — tokens (1/21)"
    assert "starts afresh" in window.notice.text.text()
    assert state_path.with_suffix(".broken.json").read_text(encoding="latin-1") == content


def test_a_state_that_makes_no_sense_is_no_trouble(start: Callable[..., Window], state_path: Path) -> None:
    state_path.parent.mkdir(parents=True)
    nonsense = {
        "version": 1, "request": {"model": "nobody", "source": "x", "options": {}}, "step": 7, "place": ["a"],
        "theme": "pink", "colours": -1, "text_size": "huge", "speed": "warp", "recent": [1], "geometry": 5,
        "layout": "!!", "sizes": "no", "plot": None,
    }  # fmt: skip
    state_path.write_text(json.dumps(nonsense))
    window = start()
    assert window.windowTitle() == "txviz — tokens (1/21)"
    assert window.notice.text.text().startswith("The last input can't be shown again")


def test_remembered_edits_are_made_again(start: Callable[..., Window], state_path: Path) -> None:
    state_path.parent.mkdir(parents=True)
    request = Request("sentence-guide", "A dog", edits=("pool.mean=0",))
    state_path.write_text(json.dumps({"version": 1, "request": request.as_json()}))
    window = start()
    assert not window.session.trace["pool.mean"].value.any()
    assert window.input.request() == window.session.request == request
    assert window.input.page.edits.text() == "Edits · 1"


def test_remembered_edits_that_do_not_fit_are_told(start: Callable[..., Window], state_path: Path) -> None:
    state_path.parent.mkdir(parents=True)
    request = Request("sentence-guide", "A dog", edits=("pool.maen=0",))
    state_path.write_text(json.dumps({"version": 1, "request": request.as_json()}))
    window = start()
    assert 'no step or parameter is called "pool.maen", so it can\'t be changed' in window.notice.text.text()
    assert window.input.request() == window.session.request
    assert window.input.page.edits.isHidden()


def test_every_step_of_every_model_in_both_themes(window: Window, qtbot: QtBot, compute: Compute) -> None:
    for model in txviz.models():
        compute(window, model, find(model).example)
        for theme in ("light", "dark"):
            window.choose_theme(theme)
            stride = max(1, len(window.session.trace) // 90)
            for position in range(0, len(window.session.trace), stride):
                window.session.go_to(position)
                QApplication.processEvents()
                assert window.stage.stage.step is window.session.step
    assert not window.notice.isVisible()


def test_all_controls_can_be_reached_by_tab(window: Window, qtbot: QtBot) -> None:
    window.activateWindow()
    window.stage.setFocus()
    reached: set[QWidget] = set()
    for _ in range(80):
        field = QApplication.focusWidget()
        if field is None or field in reached:
            break
        reached.add(field)
        window.focusNextChild()
    wanted = {window.stage, window.steps.filter, window.steps.tree, window.timeline.scrubber, window.input.models}
    assert wanted <= reached
