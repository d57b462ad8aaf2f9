"""Out and in through the levels of a run: what is shown in the middle, in the list and in the title agree."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Compute, settle
from tests.gui.shown import Checker
from txviz.figures.levels.picture import Spot
from txviz.figures.marks import Heat
from txviz.gui.session import Session
from txviz.gui.window import Window
from txviz.models import find
from txviz.models.request import Request
from txviz.models.request import compute as computed

Key = Qt.Key


def press(qtbot: QtBot, window: Window, *keys: Key) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.area.take_focus()
    for key in keys:
        qtbot.keyClick(window.area.shown, key)


def pixels(widget: QWidget) -> np.ndarray:
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    return np.frombuffer(bytes(image.constBits()), np.uint8).reshape(image.height(), image.width(), 4).copy()


def marked(window: Window) -> list[str]:
    return [index.data() for index in window.steps.tree.selectionModel().selectedIndexes()]


def click(qtbot: QtBot, window: Window, wanted: Callable[[Spot], bool]) -> None:
    """On a spot of the picture, as somebody with a mouse does."""
    view = window.area.picture
    spot = next(spot for spot in view.picture.spots if wanted(spot))
    at = QPoint(round(spot.area.x + min(8, spot.area.width / 2)), round(spot.area.y + spot.area.height - 3))
    at = QPoint(*(round(n) for n in spot.area.centre)) if spot.fold else at
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)


def test_out_and_in(window: Window, qtbot: QtBot) -> None:
    """Backspace goes out a level at a time up to the run, and Enter back in to the step that was open."""
    window.session.go_to("encoder.0.attention.scores")
    seen = []
    for key in (*[Key.Key_Backspace] * 5, *[Key.Key_Return] * 5):
        press(qtbot, window, key)
        seen.append((window.session.node.name, marked(window)[0], window.windowTitle().removeprefix("txviz — ")))
    step = "encoder.0.attention.scores (11/21)"
    outwards = [
        ("encoder.0.attention", "attention", f"encoder.0.attention · {step}"),
        ("encoder.0", "layer 0", f"encoder.0 · {step}"),
        ("encoder", "encoder", f"encoder · {step}"),
        ("", "map · Guide: a sentence as a vector", f"map · {step}"),
    ]
    inwards = [*outwards[-2::-1], ("encoder.0.attention.scores", "scores", step)]
    assert seen == [*outwards, outwards[-1], *inwards, inwards[-1]]
    assert window.area.currentWidget() is window.stage


def test_m_goes_to_the_map_and_back(window: Window, qtbot: QtBot) -> None:
    window.session.go_to("encoder.0.attention.scores")
    press(qtbot, window, Key.Key_M)
    assert window.session.node is window.session.trace.outline
    assert window.area.picture.isVisible()
    press(qtbot, window, Key.Key_M)
    assert window.session.shows_step
    assert window.stage.isVisible()


def test_the_letter_m_can_be_typed(window: Window, qtbot: QtBot) -> None:
    window.steps.filter.setFocus()
    qtbot.keyClicks(window.steps.filter, "merged")
    assert window.steps.filter.text() == "merged"
    assert window.session.shows_step


def test_the_light_is_painted_where_the_step_is(window: Window, qtbot: QtBot) -> None:
    """On the map the arrow keys move the light: the boxes of the step before and of the step now look different."""
    window.session.go_to("embed.sum")
    press(qtbot, window, Key.Key_M)
    view = window.area.picture
    areas = {spot.node: spot.area for spot in view.picture.spots}
    before = pixels(view.viewport())
    press(qtbot, window, Key.Key_Right)
    after = pixels(view.viewport())
    assert window.session.step.name == "encoder.0.attention.query_projection"
    for name in ("embed", "encoder.0.attention"):
        x, y, width, height = (round(n) for n in areas[name])
        assert (before[y : y + height, x : x + width] != after[y : y + height, x : x + width]).any(), name
    x, y, width, height = (round(n) for n in areas["pool"])
    assert (before[y : y + height, x : x + width] == after[y : y + height, x : x + width]).all()


def test_a_click_on_the_map_goes_there(window: Window, qtbot: QtBot) -> None:
    press(qtbot, window, Key.Key_M)
    click(qtbot, window, lambda spot: spot.node == "encoder.0.norm_2")
    assert window.session.step.name == "encoder.0.norm_2"
    assert window.session.shows_step
    assert window.stage.hasFocus()
    press(qtbot, window, Key.Key_M)
    click(qtbot, window, lambda spot: spot.node == "encoder.0.attention" and not spot.fold)
    assert window.session.node.name == "encoder.0.attention"
    assert marked(window) == ["attention"]


def test_a_box_with_one_step_is_that_step(window: Window, qtbot: QtBot) -> None:
    """A click on it goes to the step, and Backspace from there to the level around both; stepping shows it, too."""
    press(qtbot, window, Key.Key_M)
    click(qtbot, window, lambda spot: spot.node == "pool" and not spot.fold)
    assert window.area.currentWidget() is window.stage
    assert window.windowTitle() == "txviz — pool.mean (21/21)"
    assert marked(window) == ["mean"]
    press(qtbot, window, Key.Key_Backspace)
    assert window.session.node is window.session.trace.outline
    press(qtbot, window, Key.Key_Return)
    assert window.windowTitle() == "txviz — pool.mean (21/21)"
    press(qtbot, window, Key.Key_Left)
    assert window.windowTitle() == "txviz — encoder.0.norm_2 (20/21)"


def test_a_box_of_the_map_unfolds_and_folds(window: Window, qtbot: QtBot) -> None:
    press(qtbot, window, Key.Key_M)
    view = window.area.picture
    assert "encoder.0.attention.scores" not in {spot.node for spot in view.picture.spots}
    for there in (True, False):
        click(qtbot, window, lambda spot: spot.node == "encoder.0.attention" and spot.fold)
        assert ("encoder.0.attention.scores" in {spot.node for spot in view.picture.spots}) is there
    assert window.session.node is window.session.trace.outline


def test_pointing_at_a_picture_tells_the_cell(window: Window, qtbot: QtBot) -> None:
    said: list[str] = []
    window.area.pointed.connect(said.append)
    press(qtbot, window, Key.Key_M)
    view = window.area.picture
    spot = next(
        spot for spot in view.picture.spots if spot.panel and spot.panel.grid.name == "encoder.0.attention.weights"
    )
    qtbot.mouseMove(view.viewport(), QPoint(*(round(n) for n in spot.area.centre)))
    qtbot.waitUntil(lambda: bool(said))
    assert said[-1] == "weights[head 0, cat, cat] = 0.37425"


def test_a_pointer_that_rests_tells_what_is_there_now(window: Window, qtbot: QtBot) -> None:
    """Another picture, or another input, has come under it."""
    said = window.explanation.toPlainText
    window.session.go_to("encoder.0.attention.output")
    window.session.show_node("encoder.0.attention")
    view = window.area.picture
    spot = next(spot for spot in view.picture.spots if spot.panel and spot.panel.grid.name.endswith(".weights"))
    assert spot.panel is not None
    x, y, width, height = spot.panel.box([(2, 2)])
    qtbot.mouseMove(view.viewport(), QPoint(round(x + width / 2), round(y + height / 2)))
    qtbot.waitUntil(lambda: said().startswith("weights[head 0, cat, cat] = 0.37425"))
    with qtbot.waitSignal(window.session.trace_changed):
        window.editing.put("encoder.0.attention.weights=uniform")
    qtbot.waitUntil(lambda: said().splitlines()[0].endswith("] = 0.2"))  # the button of edits has moved the picture
    press(qtbot, window, Key.Key_M)
    qtbot.waitUntil(lambda: not said().startswith("weights["))


def test_what_keys_have_chosen_is_told_no_longer_in_another_picture(
    window: Window, qtbot: QtBot, compute: Compute
) -> None:
    compute(window, "translator", "I love you")
    window.session.show_node("time")
    window.session.go_to(len(window.session.trace) - 1)
    settle()
    press(qtbot, window)
    qtbot.keyClick(window.area.shown, Key.Key_Down, Qt.KeyboardModifier.ControlModifier)
    assert "Enter forces this token" in window.explanation.toPlainText()
    press(qtbot, window, Key.Key_V)
    settle()
    assert "Enter forces" not in window.explanation.toPlainText()


def test_another_input_keeps_the_level(window: Window, qtbot: QtBot, compute: Compute) -> None:
    """The map stays the map, whatever the model; a block stays where the new run has it."""
    press(qtbot, window, Key.Key_M)
    compute(window, "translator", "I love you")
    assert window.session.node is window.session.trace.outline
    assert marked(window) == ["map · Translator: English to Italian and French"]
    window.session.show_node("encoder.1.attention")
    compute(window, "translator", "The house is big")
    assert window.session.node.name == "encoder.1.attention"


@pytest.mark.parametrize("model", ["translator", "digits", "sentence", "masked-attention-guide"])
def test_every_step_has_a_way_out(model: str) -> None:
    """From each step, out to the run and in again ends at the same step; each level holds the one before."""
    request = Request(model, find(model).example)
    session = Session(computed(request), request)
    for i in range(0, len(session.trace), 7):
        session.go_to(i)
        inner = session.node
        while session.node.name:
            session.go_out()
            lone = [child for node in session.node.children if len(node.steps) == 1 for child in node.children]
            assert inner in (*session.node.children, *lone), "a level with one step is passed over"
            inner = session.node
        while not session.shows_step:
            session.go_in()
        assert session.node.name == session.trace[i].name


def test_stepping_at_a_level_keeps_the_level(window: Window, qtbot: QtBot) -> None:
    """Within a block the block stays; at its end the next block is shown, or a step that stands in none."""
    window.session.show_node("encoder.0.attention")
    seen = []
    for _ in range(16):
        seen.append(window.session.node.name)
        press(qtbot, window, Key.Key_Right)
    assert seen == ["encoder.0.attention"] * 10 + ["encoder.0.ffn"] * 4 + ["encoder.0.residual_2", "encoder.0.norm_2"]


def test_head_keys_work_in_a_block(window: Window, qtbot: QtBot, compute: Compute) -> None:
    compute(window, "translator", "I love you")
    window.session.show_node("encoder.0.attention")
    before = pixels(window.area.picture.viewport())
    press(qtbot, window, Key.Key_Down)
    assert window.session.shown_place == (1,)
    assert (before != pixels(window.area.picture.viewport())).any()


def test_a_level_with_several_pictures_has_a_button_for_each(window: Window, qtbot: QtBot) -> None:
    """What is painted changes with the button and with V; the next block is shown in the same way, M is the map."""
    window.session.go_to("encoder.0.attention.scores")
    buttons = window.stage_bar.pictures
    assert not buttons.isVisible()
    press(qtbot, window, Key.Key_Backspace)
    assert buttons.isVisible()
    assert list(buttons.buttons) == ["Attention", "Map"]
    block = pixels(window.area.picture)
    qtbot.mouseClick(buttons.buttons["Map"], Qt.MouseButton.LeftButton)
    assert window.area.picture.hasFocus()
    assert buttons.buttons["Map"].isChecked()
    as_map = pixels(window.area.picture)
    assert (as_map != block).any()
    press(qtbot, window, Key.Key_V)
    assert buttons.buttons["Attention"].isChecked()
    assert (pixels(window.area.picture) == block).all()
    press(qtbot, window, Key.Key_V, Key.Key_M)
    assert window.session.node.name == ""
    assert buttons.titles == ["Map", "Cost"]
    assert buttons.buttons["Map"].isChecked()
    press(qtbot, window, Key.Key_M)
    assert buttons.buttons["Map"].isChecked()
    assert (pixels(window.area.picture) == as_map).all()


def test_many_pictures_are_in_a_list(window: Window, qtbot: QtBot, compute: Compute) -> None:
    """Chosen there with the pointer, the keys stay with the picture."""
    compute(window, "digits", find("digits").example)
    press(qtbot, window, Key.Key_M, Key.Key_End)
    pictures = window.stage_bar.pictures
    titles = [pictures.list.itemText(i) for i in range(pictures.list.count())]
    assert titles == pictures.titles == ["Map", "Layer by layer", "All heads", "On the image", "Cost", "Who brought it"]
    before = pixels(window.area.picture)
    pictures.list.setCurrentIndex(3)
    pictures.list.activated.emit(3)
    assert window.session.picture == "seeing"
    assert (pixels(window.area.picture) != before).any()
    press(qtbot, window, Key.Key_V)
    assert pictures.list.currentText() == "Cost"


def test_a_training_step_is_shown_on_one_page(window: Window, qtbot: QtBot, compute: Compute) -> None:
    """Out to the run, V: the training picture is painted, pale where the reader has not been; a click goes there."""
    compute(window, "translator", "I love you", target="ti amo")
    window.session.go_to("loss.mean")
    press(qtbot, window, *[Key.Key_Backspace] * 3)
    pictures = window.stage_bar.pictures
    assert pictures.titles == ["Map", "Training", "Layer by layer", "All heads", "Cost"]
    press(qtbot, window, Key.Key_V)
    assert pictures.list.currentText() == "Training"
    assert window.windowTitle().startswith("txviz — training · loss.mean (")
    assert Checker().disagreements(window) == []
    half, view = pixels(window.area.picture.viewport()), window.area.picture
    areas = {spot.node: [round(n) for n in spot.area] for spot in view.picture.spots}
    press(qtbot, window, Key.Key_End)
    assert window.session.step.name == "after.loss"
    assert window.session.picture == "training"
    whole = pixels(view.viewport())
    for name, changed in (("labels", False), ("backward.decoder.1", True), ("after.loss", True)):
        x, y, width, height = areas[name]
        assert (half[y : y + height, x : x + width] != whole[y : y + height, x : x + width]).any() == changed, name
    click(qtbot, window, lambda spot: spot.node == "backward.decoder.1")
    assert window.session.node.name == "backward.decoder.1"


def test_the_mask_has_a_picture_of_its_own(window: Window, qtbot: QtBot, compute: Compute) -> None:
    """V at a block with a mask; the head that is chosen is the one that is painted."""
    compute(window, "writer", "the keys on the table", max_steps=2)
    window.session.go_to("time.1.decoder.0.self_attention.weights")
    press(qtbot, window, Key.Key_Backspace)
    assert list(window.stage_bar.pictures.buttons) == ["Attention", "Mask", "Map"]
    press(qtbot, window, Key.Key_V)
    assert Checker().disagreements(window) == []
    first = pixels(window.area.picture.viewport())
    press(qtbot, window, Key.Key_Down)
    assert (pixels(window.area.picture.viewport()) != first).any()
    assert Checker().disagreements(window) == []
    click(qtbot, window, lambda spot: spot.node == "time.1.mask.causal")
    assert window.session.step.name == "time.1.mask.causal"
    assert window.session.shows_step


def test_why_opens_by_key_and_by_link_and_stays_open(window: Window, qtbot: QtBot) -> None:
    """The page is that of what is shown: of the step, then of the block around it."""
    window.session.go_to("encoder.0.attention.scores")
    shown = window.explanation.toPlainText
    assert "Why is this here?" in shown()
    page = window.session.node.why
    assert page.text not in shown()
    window.resize(900, 600)
    press(qtbot, window, Key.Key_W)
    assert page.text in shown()
    seen, first = window.explanation.viewport().rect(), window.explanation.document().find(page.text[:20])
    assert seen.contains(window.explanation.cursorRect(first)), "it is brought into sight"
    press(qtbot, window, Key.Key_Backspace)
    assert window.session.node.why.text in shown()
    assert window.session.node.why.text != page.text
    window.explanation.anchorClicked.emit("why")
    assert window.session.node.why.text not in shown()


def test_the_page_that_opens_is_seen(window: Window, qtbot: QtBot) -> None:
    """In a window that is no larger than a notebook's screen it stood below all that could be seen."""
    window.resize(1280, 760)
    words = window.explanation

    def in_sight() -> str:
        settle()
        inside = words.viewport().rect()
        begin, end = (words.cursorForPosition(at).position() for at in (inside.topLeft(), inside.bottomRight()))
        return words.toPlainText()[begin:end]

    window.session.go_to("encoder.0.attention.scores")
    press(qtbot, window, Key.Key_W)
    assert in_sight().splitlines()[1].startswith(window.session.node.why.text[:40])
    press(qtbot, window, Key.Key_Right)
    assert in_sight().splitlines()[1].startswith(window.session.node.why.text[:40])
    window.session.hover((0, 1, 1))
    assert in_sight().startswith(window.session.arithmetic[:20])
    window.explanation.show_pointed("query[0, 1] = 0.5")
    window.session.hover(None)
    assert in_sight().startswith("query[0, 1] = 0.5")
    window.explanation.show_pointed("")
    assert in_sight().splitlines()[1].startswith(window.session.node.why.text[:40])


def test_the_colour_scale_is_that_of_pictures_too(window: Window, qtbot: QtBot) -> None:
    """Chosen by keys in the bar, and left again with Tab."""
    window.session.show_node("encoder.0.attention")
    scale, view = window.stage_bar.scale, window.area.picture.viewport()
    before = pixels(view)
    for key, there in ((Key.Key_Down, True), (Key.Key_Up, False)):
        scale.setFocus()
        qtbot.keyClick(scale, key)
        assert (pixels(view) != before).any() == there, scale.currentText()


def test_the_zoom_that_is_told_is_that_of_what_is_shown(window: Window, qtbot: QtBot) -> None:
    window.session.show_node("encoder.0.attention")
    for _ in range(2):
        window.actions_by_key["zoom_in"].trigger()
    zoomed = window.stage_bar.zoom.text()
    assert zoomed == f"{window.area.picture.style_shown.zoom:.0%}" != "100%"
    press(qtbot, window, Key.Key_Return)
    assert window.session.shows_step
    assert window.stage_bar.zoom.text() == "100%"
    press(qtbot, window, Key.Key_Backspace)
    window.actions_by_key["zoom_in"].trigger()
    qtbot.mouseClick(window.stage_bar.zoom, Qt.MouseButton.LeftButton)
    assert window.area.picture.style_shown.zoom == 1.0
    assert window.stage_bar.zoom.text() == "100%"


def test_a_block_is_not_squeezed_into_a_small_window(window: Window, qtbot: QtBot, compute: Compute) -> None:
    """It is drawn on a page that can be read, and scrolled."""
    compute(window, "translator", "I love you")
    window.resize(800, 500)
    window.session.show_node("time.2.decoder.0.cross_attention")
    view = window.area.picture
    qtbot.waitUntil(lambda: view.viewport().height() < 300)
    rows = [mark for mark in view.picture.figure.flat() if isinstance(mark, Heat) and mark.rows > 1]
    assert min(mark.cell_height * mark.rows for mark in rows) > 8
    qtbot.waitUntil(view.verticalScrollBar().isVisible)


@pytest.mark.parametrize("button", [Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton])
def test_a_button_that_is_held_while_a_step_comes_is_let_go_in_peace(
    window: Window, qtbot: QtBot, button: Qt.MouseButton
) -> None:
    """A comparison from the menu, or whatever is computed, may come while one drags on the map."""
    window.session.show_node("")
    settle()
    view = window.area.picture.viewport()
    qtbot.mousePress(view, button, pos=QPoint(200, 200))
    window.session.show_node("encoder.0.attention.scores")
    shown = window.windowTitle()
    qtbot.mouseMove(view, QPoint(240, 220))
    qtbot.mouseRelease(view, button, pos=QPoint(200, 200))
    assert window.windowTitle() == shown
