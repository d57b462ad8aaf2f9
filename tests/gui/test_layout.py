"""How the window shares its room, at the sizes that people have, and what stays in sight."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise, product
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QSplitterHandle, QToolButton, QWidget
from pytestqt.qtbot import QtBot

import txviz
from tests.gui.conftest import Compute, press, settle
from tests.gui.inputs.test_sentence import ink
from txviz.gui import saved_state
from txviz.gui.arrangement import first_size
from txviz.gui.elided_label import ElidedLabel
from txviz.gui.inputs.drawing_editor import DrawingEditor
from txviz.gui.inputs.panel import HINTS
from txviz.gui.window import Window
from txviz.models import find

KEY = Qt.Key

AT_REST = 10
"""Looks in a row that find the same, with all events that have come handled between one and the next."""

SIZES = ((640, 480), (900, 600), (1280, 720), (1280, 760), (1920, 1080))


def resize(window: Window, qtbot: QtBot, width: int, height: int) -> None:
    window.resize(width, height)
    qtbot.waitUntil(lambda: window.size() == QSize(width, height))
    settle()


def seen(window: Window, widget: QWidget) -> QRect:
    """What is seen of a widget, in the window."""
    place = QRect(widget.mapTo(window, QPoint()), widget.size())
    return place & window.rect()


def controls(window: Window) -> list[QWidget]:
    found = [*window.findChildren(QAbstractButton), *window.findChildren(QComboBox)]
    return [each for each in found if each.isVisible() and each.window() is window and not is_part(each)]


def is_part(control: QWidget) -> bool:
    """Of a scroll bar, a tab bar or another control."""
    return control.objectName().startswith(("qt_", "Scroll")) or isinstance(control.parent(), QComboBox)


def test_nothing_is_cut_off(window: Window, qtbot: QtBot, compute: Compute) -> None:
    for model in txviz.models():
        compute(window, model, find(model).example)
        for size in SIZES:
            resize(window, qtbot, *size)
            for control in controls(window):
                where = f"{control.accessibleName() or control.objectName()} of {model} at {size}"
                assert seen(window, control).size() == control.size(), f"{where} is cut off"
                assert control.width() >= min(control.minimumSizeHint().width(), 60), f"{where} is too narrow"
            assert seen(window, window.badge).width() >= 100
            assert seen(window, window.timeline.scrubber).width() >= 80
            assert seen(window, window.explanation).height() >= 60


def test_the_picture_has_the_room(window: Window, qtbot: QtBot) -> None:
    for width, height in SIZES:
        resize(window, qtbot, width, height)
        stage = seen(window, window.stage)
        assert stage.width() >= min(440, width * 0.5)
        assert stage.height() >= height * 0.5
        assert seen(window, window.explanation).top() - stage.bottom() <= 8, "the words stand directly below"
        assert seen(window, window.timeline).bottom() <= height - 1


def test_a_window_that_was_small_for_a_while_is_as_before(window: Window, qtbot: QtBot) -> None:
    window.session.go_to("embed.sum")
    resize(window, qtbot, 1280, 760)

    def places() -> dict[str, QRect]:
        parts = {**window.docks, "words": window.explanation, "stage": window.stage}
        return {name: seen(window, part) for name, part in parts.items()}

    before = places()
    for width, height in ((640, 480), (900, 600), (700, 720), (1280, 760)):
        resize(window, qtbot, width, height)
    assert places() == before
    assert not window.docks["Plots"].isHidden()


def drag(qtbot: QtBot, widget: QWidget, start: QPoint, by: QPoint) -> None:
    """Also of a widget that moves along, as the handle of a splitter does."""
    begin = widget.mapToGlobal(start)
    qtbot.mousePress(widget, Qt.MouseButton.LeftButton, pos=start)
    for part in (0.5, 1):
        qtbot.mouseMove(widget, widget.mapFromGlobal(begin + by * part))
        settle()
    qtbot.mouseRelease(widget, Qt.MouseButton.LeftButton, pos=widget.mapFromGlobal(begin + by))
    settle()


def test_a_panel_that_was_made_wider_stays_so(start: Callable[..., Window], qtbot: QtBot, compute: Compute) -> None:
    window = start()
    compute(window, "digits", find("digits").example)
    resize(window, qtbot, 1280, 760)
    steps = seen(window, window.docks["Steps"])
    drag(qtbot, window, QPoint(steps.right() + 1, steps.center().y()), QPoint(60, 0))
    wide = window.docks["Steps"].width()
    assert wide == pytest.approx(steps.width() + 60, abs=4)
    for splitter, below, up in ((window.centre, window.explanation, -30), (window.left, window.steps, -40)):
        handle = splitter.findChildren(QSplitterHandle)[-1]
        high = below.height()
        drag(qtbot, handle, QPoint(20, 0), QPoint(0, up))
        assert below.height() == pytest.approx(high - up, abs=6)
    places = [part.size() for part in (window.explanation, window.steps, window.docks["Steps"])]
    resize(window, qtbot, 640, 480)
    resize(window, qtbot, 1280, 760)
    assert [part.size() for part in (window.explanation, window.steps, window.docks["Steps"])] == places
    window.close()
    again = start()
    resize(again, qtbot, 1280, 760)
    assert [part.size() for part in (again.explanation, again.steps, again.docks["Steps"])] == places


def test_plots_fold_in_a_narrow_window_and_come_back(start: Callable[..., Window], qtbot: QtBot) -> None:
    window = start()
    window.session.go_to("embed.sum")
    resize(window, qtbot, 900, 600)
    assert window.docks["Plots"].isHidden()
    window.close()
    again = start()
    assert again.docks["Plots"].isHidden()
    resize(again, qtbot, 1280, 760)
    assert again.docks["Plots"].isVisible()


def test_plots_that_were_closed_do_not_come_back_by_themselves(window: Window, qtbot: QtBot) -> None:
    window.session.go_to("embed.sum")
    resize(window, qtbot, 1280, 760)
    window.docks["Plots"].close()
    for width in (800, 1280):
        resize(window, qtbot, width, 760)
    assert window.docks["Plots"].isHidden()


def test_plots_that_are_wanted_in_a_narrow_window_stay(window: Window, qtbot: QtBot) -> None:
    window.session.go_to("embed.sum")
    resize(window, qtbot, 900, 600)
    (button,) = [each for each in window.stage_bar.findChildren(QToolButton) if each.text() == "Plots"]
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert window.docks["Plots"].isVisible()
    resize(window, qtbot, 880, 600)
    assert window.docks["Plots"].isVisible()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert window.docks["Plots"].isHidden()


@pytest.mark.parametrize(
    ("screen", "size"), [((1280, 800), (1280, 760)), ((1280, 720), (1280, 680)), ((3840, 2160), (1280, 800))]
)
def test_the_first_window_fits_the_screen_with_its_title(screen: tuple[int, int], size: tuple[int, int]) -> None:
    assert first_size(QSize(*screen)) == QSize(*size)


def test_the_board_is_large_enough_to_draw_in(window: Window, qtbot: QtBot, compute: Compute) -> None:
    compute(window, "digits", find("digits").example)
    resize(window, qtbot, 1280, 720)
    editor = window.input.page.editor
    assert isinstance(editor, DrawingEditor)
    board = editor.board
    assert min(board.width(), board.height()) >= 200
    assert seen(window, board).bottom() < seen(window, window.steps.filter).top()
    assert window.steps.tree.height() >= 90
    compute(window, "writer", "the keys")
    assert not board.isVisible()
    assert seen(window, window.steps.filter).top() < 160


def test_an_old_layout_is_not_restored_and_the_rest_is(
    start: Callable[..., Window], state_path: Path, qtbot: QtBot
) -> None:
    window = start()
    window.session.go_to("embed.sum")
    window.docks["Plots"].close()
    window.choose_theme("dark")
    window.close()
    content = json.loads(state_path.read_text())
    state_path.write_text(json.dumps({**content, "layout": saved_state._sealed(window.saveState(0).data())}))
    again = start()
    assert again.theme.name == "dark"
    assert again.docks["Plots"].isVisible()


# --- the answer ---


def test_the_badge_grows_word_by_word(window: Window, compute: Compute) -> None:
    compute(window, "translator", "I love you very much")
    pictures = []
    for step in ("tokens", "time.2.head.probabilities", "time.2.choice.token", "time.4.choice.token"):
        window.session.go_to(step)
        pictures.append(window.badge.grab().toImage())
    assert all(a != b for a, b in pairwise(pictures))
    assert window.badge.accessibleDescription() == "answer: ti amo molto"


def test_the_badge_shows_the_answer_in_both_themes(window: Window, compute: Compute) -> None:
    for model, theme in product(txviz.models(), ("light", "dark")):
        compute(window, model, find(model).example)
        window.choose_theme(theme)
        window.session.go_to(len(window.session.trace) - 1)
        there = window.badge.grab().toImage()
        inside = there.copy(8, 4, there.width() - 16, there.height() - 8)
        assert ink(inside) > 100
        window.session.go_to(0)
        assert window.badge.grab().toImage() != there, "what is yet to come is faint"


def test_a_click_on_the_badge_goes_to_the_step_that_it_comes_from(
    window: Window, qtbot: QtBot, compute: Compute
) -> None:
    compute(window, "vit-guide-2x2", find("vit-guide-2x2").example)
    qtbot.mouseClick(window.badge, Qt.MouseButton.LeftButton)
    assert window.session.step.name == "head.probabilities"


def test_a_passing_message_lies_over_the_picture_and_goes(window: Window, qtbot: QtBot) -> None:
    high = window.stage.height()
    window.toast.show_message("Copied <b>it</b>", 50)
    assert window.toast.isVisible()
    assert window.stage.height() == high
    assert window.stage.rect().contains(window.toast.geometry())
    qtbot.waitUntil(lambda: not window.toast.isVisible())


def test_where_there_is_nothing_to_plot_the_picture_has_the_room(window: Window, qtbot: QtBot) -> None:
    """The numbers of tokens: the plots fold, come back by themselves, and never say that there is nothing."""
    resize(window, qtbot, 1280, 760)
    window.session.go_to("tokens")
    qtbot.waitUntil(lambda: window.docks["Plots"].isHidden())
    alone = seen(window, window.stage).width()
    press(qtbot, window, Qt.Key.Key_Right)
    qtbot.waitUntil(lambda: window.docks["Plots"].isVisible())
    assert alone - seen(window, window.stage).width() >= 250
    assert window.plots is not None
    assert window.plots.plot is not None
    press(qtbot, window, Qt.Key.Key_Left)
    qtbot.waitUntil(lambda: seen(window, window.stage).width() == alone)


def test_plots_that_were_closed_stay_closed(window: Window, qtbot: QtBot) -> None:
    window.session.go_to("embed.sum")
    window.docks["Plots"].close()
    for name in ("tokens", "embed.sum"):
        window.session.go_to(name)
        settle()
        assert window.docks["Plots"].isHidden()


def test_plots_that_were_folded_come_back_after_another_start(start: Callable[..., Window], qtbot: QtBot) -> None:
    first = start()
    first.session.go_to("tokens")
    qtbot.waitUntil(lambda: first.docks["Plots"].isHidden())
    first.close()
    again = start()
    assert again.session.step.name == "tokens"
    assert again.docks["Plots"].isHidden()
    press(qtbot, again, Qt.Key.Key_Right)
    qtbot.waitUntil(lambda: again.docks["Plots"].isVisible())


# --- the size of text ---


def heights(window: Window) -> dict[str, int]:
    """Of what is written everywhere, as tall as it is painted."""
    widgets = {
        "menu": window.menuBar(), "model": window.input.models, "list": window.steps.tree, "bar": window.stage_bar.zoom,
        "words": window.explanation, "speed": window.timeline.speed, "answer": window.badge,
    }  # fmt: skip
    found = {name: widget.fontMetrics().height() for name, widget in widgets.items()}
    assert window.plots is not None
    row = window.steps.tree.visualRect(window.steps.tree.currentIndex()).height()
    return {**found, "plots": window.plots.tabs.fontMetrics().height(), "row": row, "strip": window.badge.height()}


def heights_at_rest(window: Window, qtbot: QtBot) -> dict[str, int]:
    """Once they stay: one layout asks for another, and the timeline may be in its place before the strip is."""
    looks: list[tuple[dict[str, int], QRect]] = []

    def at_rest() -> bool:
        looks.append((heights(window), seen(window, window.timeline)))
        return len(looks) > AT_REST and all(look == looks[-1] for look in looks[-AT_REST:])

    qtbot.waitUntil(at_rest)
    return looks[-1][0]


def test_text_size_is_that_of_the_whole_window_and_remembered(start: Callable[..., Window], qtbot: QtBot) -> None:
    window = start()
    resize(window, qtbot, 1280, 760)
    before, places = heights_at_rest(window, qtbot), seen(window, window.timeline)
    for _ in range(4):
        window.actions_by_key["larger_text"].trigger()
    larger = heights_at_rest(window, qtbot)
    assert all(larger[name] > 1.25 * before[name] for name in before), (before, larger)
    assert window.stage.style_shown.size == 18
    assert seen(window, window.timeline).bottom() == window.height() - 1
    window.close()
    again = start()
    resize(again, qtbot, 1280, 760)
    assert heights_at_rest(again, qtbot) == pytest.approx(larger, abs=1)
    for _ in range(4):
        again.actions_by_key["smaller_text"].trigger()
    assert heights_at_rest(again, qtbot) == pytest.approx(before, abs=1)
    assert seen(again, again.timeline) == places


# --- by keyboard ---


@pytest.mark.parametrize("model", ["translator", "digits"])
def test_tab_goes_from_the_input_over_the_steps_and_the_picture_to_the_timeline(
    window: Window, qtbot: QtBot, compute: Compute, model: str
) -> None:
    """Also with a model that was not there when the window was built."""
    compute(window, model, find(model).example)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.input.models.setFocus()
    reached: list[QWidget] = []
    while (here := QApplication.focusWidget()) is not None and here not in reached:
        reached.append(here)
        window.focusNextChild()
    page, editor = window.input.page, window.input.page.editor
    first: list[QWidget] = [editor.begin, page.examples, page.options]
    first = [*first[1:], first[0]] if page.draws else first
    wanted = [
        window.input.models, *first, window.badge, window.steps.filter, window.steps.tree, window.stage_bar.scale,
        window.stage, window.explanation, window.timeline.speed, window.timeline.scrubber,
    ]  # fmt: skip
    assert [widget for widget in reached if widget in wanted] == wanted


def test_no_control_above_the_picture_is_cut_off(window: Window, qtbot: QtBot) -> None:
    """Whatever the size of the text, and however many pictures a level has: words go before a button is squeezed."""
    resize(window, qtbot, 1280, 760)
    window.session.show_node("encoder.0.attention")
    for _ in range(5):
        bar = window.stage_bar
        for button in (*bar.pictures.buttons.values(), bar.handle, bar.scale, bar.zoom):
            if button.isVisible():
                assert button.width() >= button.sizeHint().width(), (button.accessibleName(), bar.width())
        window.actions_by_key["larger_text"].trigger()
        settle()


def test_the_buttons_for_pictures_keep_their_words(window: Window, qtbot: QtBot, compute: Compute) -> None:
    """From level to level, with others at each; what can be told without words gives way."""
    compute(window, "translator", "The house is big")
    resize(window, qtbot, 1280, 800)
    press(qtbot, window, KEY.Key_Right, KEY.Key_Backspace, KEY.Key_Backspace)
    for key in (None, KEY.Key_Return, KEY.Key_Return, KEY.Key_Backspace, KEY.Key_M, KEY.Key_End, KEY.Key_Backspace):
        if key is not None:
            qtbot.keyClick(window.area.shown, key)
        settle()
        check_pictures(window)


def check_pictures(window: Window) -> None:
    """All words of all buttons can be read; where there is too little room for them there is a list instead."""
    pictures, bar = window.stage_bar.pictures, window.stage_bar
    visible = [button for button in pictures.buttons.values() if button.isVisible()]
    assert pictures.isVisible() == (len(pictures.titles) > 1)
    assert not (visible and pictures.list.isVisible())
    for button in visible:
        assert button.width() >= button.sizeHint().width(), (button.text(), bar.width())
    if visible:
        assert [button.text() for button in visible] == pictures.titles


def test_in_a_small_window_the_pictures_are_a_list(window: Window, qtbot: QtBot, compute: Compute) -> None:
    compute(window, "translator", "The house is big")
    press(qtbot, window, KEY.Key_M)
    bar = window.stage_bar
    resize(window, qtbot, 1600, 800)
    check_pictures(window)
    assert not bar.pictures.list.isVisible()
    resize(window, qtbot, 640, 480)
    bar.resize(330, bar.height())
    settle()
    check_pictures(window)
    assert bar.pictures.list.isVisible()
    shown = bar.pictures.list.shown()
    assert shown == bar.pictures.list.currentText() or shown.endswith("…")
    bar.pictures.list.setFocus()
    qtbot.keyClick(bar.pictures.list, KEY.Key_End)
    settle()
    assert window.session.picture == "cost"
    resize(window, qtbot, 1600, 800)
    check_pictures(window)
    assert bar.pictures.buttons["Cost"].isChecked()


def test_what_the_strip_says_about_drawing_ends_in_dots_where_it_is_cut(
    window: Window, qtbot: QtBot, compute: Compute
) -> None:
    compute(window, "digits", find("digits").example)
    (hint,) = (each for each in window.findChildren(ElidedLabel) if each.text() == HINTS["image"] and each.isVisible())
    for width in (1280, 640):
        resize(window, qtbot, width, 600)
        lines, letters = hint.shown(), hint.fontMetrics()
        assert len(lines) > 1
        assert len(lines) * letters.lineSpacing() <= hint.height()
        assert max(map(letters.horizontalAdvance, lines)) <= hint.width()
        assert (" ".join(lines) == HINTS["image"]) == (width == 1280)
    assert lines[-1].endswith("…")
    assert HINTS["image"].startswith(" ".join(lines).removesuffix("…"))
    assert "dropped on it." in hint.toolTip()


def test_a_message_is_as_high_as_its_own_text(window: Window) -> None:
    """Also after one that needed more lines."""
    heights = []
    for text in ("Copied.", "All of this is said. " * 30, "Copied."):
        window.toast.show_message(text)
        heights.append(window.toast.height())
        assert window.area.rect().contains(window.toast.geometry())
    assert heights[0] == heights[2] < heights[1]
