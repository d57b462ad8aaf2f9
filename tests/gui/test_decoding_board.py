"""The board of decoding: a click forces a token, a slider reshapes the bars, and both can be undone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractSlider, QTextEdit
from pytestqt.qtbot import QtBot

from tests.figures.levels.checks import texts_of, words
from tests.gui.conftest import Compute, settle
from tests.gui.shown import Checker, pixels
from tests.gui.test_picture_controls import drag, slider
from txviz.figures.levels import LEVELS
from txviz.figures.levels.picture import NodeScene, Picture, Spot
from txviz.gui.menus import all_keys
from txviz.gui.window import Window
from txviz.models.request import Request
from txviz.models.request import compute as computed

LEFT = Qt.MouseButton.LeftButton
LOVE = "I love you very much"


@pytest.fixture
def board(window: Window, compute: Compute) -> Window:
    """At the end of the sentence, so that all of it has been computed."""
    window.resize(1280, 800)
    compute(window, "translator", LOVE)
    window.session.show_node("time")
    window.session.go_to(len(window.session.trace) - 1)
    return window


def picture(window: Window) -> Picture:
    return window.area.picture.picture


def click(qtbot: QtBot, window: Window, spot: Spot) -> None:
    at = QPoint(round(spot.area.x + 4), round(spot.area.centre[1]))
    qtbot.mouseClick(window.area.picture.viewport(), LEFT, pos=at)


def candidates(window: Window, time: int) -> list[Spot]:
    """The bars of a column that can be forced, the likeliest first."""
    return [spot for spot in picture(window).spots if spot.edit.startswith(f"time.{time}.choice.token=")]


def force(qtbot: QtBot, window: Window, time: int) -> str:
    """Clicks at the next best token of a time step, waits for the run, and says which word it is."""
    spot = candidates(window, time)[0]
    word = spot.hint.split("”")[0].removeprefix("“")
    with qtbot.waitSignal(window.session.trace_changed):
        click(qtbot, window, spot)
    return word


def drawn(window: Window, request: Request) -> Picture:
    """The board of a run that nobody but this test has computed."""
    trace, session, view = computed(request), window.session, window.area.picture
    size, style = view.maximumViewportSize(), replace(view.style_shown, zoom=1.0)
    current = trace[session.step.name]
    node = trace.outline.find("time")
    scene = NodeScene(trace, node, session.shown_place, current, size.width(), size.height(), style)
    return LEVELS["decoding"].draw(scene._replace(beside=session.beside))


def test_another_head_can_be_chosen_at_any_step(board: Window, qtbot: QtBot) -> None:
    """The mask is the first of its steps with an axis of heads, and has only one."""
    slider = board.stage_bar.findChild(QAbstractSlider, "head")
    assert slider is not None
    assert slider.isVisible()
    before = pixels(board.area.picture.viewport())
    board.activateWindow()
    qtbot.waitUntil(board.isActiveWindow)
    board.area.take_focus()
    qtbot.keyClick(board.area.shown, Qt.Key.Key_Down)
    settle()
    assert slider.value() == 1
    assert any("cross-attention of the last layer, head 1" in said for said in words(picture(board)))
    assert (before != pixels(board.area.picture.viewport())).any()


def test_a_click_on_a_candidate_goes_on_from_there(board: Window, qtbot: QtBot) -> None:
    before = pixels(board.area.picture.viewport())
    word = force(qtbot, board, 2)
    assert board.session.trace["time.3.decoder.tokens"].labels[-1] == ("<SOS>", "ti", word)
    assert texts_of(picture(board), "time.3.decoder.tokens") == ["<SOS>", "ti", word]
    assert "forced" in texts_of(picture(board), "title of time.2")
    assert (before != pixels(board.area.picture.viewport())).any()
    assert board.input.page.edits.isVisible()
    assert board.input.request() == board.session.request
    assert picture(board).figure == drawn(board, board.input.request()).figure
    assert board.session.node.name == "time"
    assert Checker().disagreements(board) == []


CTRL = Qt.KeyboardModifier.ControlModifier


def test_a_candidate_is_forced_by_keyboard(board: Window, qtbot: QtBot) -> None:
    """Ctrl and the arrow keys choose it, which is framed and said; Enter forces it, and once more takes it back."""
    board.activateWindow()
    qtbot.waitUntil(board.isActiveWindow)
    board.area.take_focus()
    before = pixels(board.area.picture.viewport())
    keys = (Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Down)
    for key in keys:
        qtbot.keyClick(board.area.shown, key, CTRL)
    second = candidates(board, 2)
    wanted = second[1]
    area = wanted.area
    assert (before != pixels(board.area.picture.viewport())).any(), "it is framed"
    assert board.area.picture.chosen == wanted
    assert "Enter forces this token" in board.explanation.toPlainText()
    assert "Enter forces this token" in board.area.picture.accessibleDescription()
    with qtbot.waitSignal(board.session.trace_changed):
        qtbot.keyClick(board.area.shown, Qt.Key.Key_Return)
    assert board.input.request().edits == (wanted.edit,)
    assert board.session.node.name == "time"
    with qtbot.waitSignal(board.session.trace_changed):
        qtbot.keyClick(board.area.shown, Qt.Key.Key_Return)
    assert board.input.request().edits == ()
    qtbot.keyClick(board.area.shown, Qt.Key.Key_Escape)
    assert "Enter forces" not in board.explanation.toPlainText()
    settle()
    x, y = round(area.x + area.width / 2), round(area.y)
    assert (before[y - 3 : y + 3, x] == pixels(board.area.picture.viewport())[y - 3 : y + 3, x]).all(), "no frame"
    qtbot.keyClick(board.area.shown, Qt.Key.Key_Return)
    assert board.session.node.name != "time", "without a candidate, Enter goes in"


def test_what_is_cut_off_can_be_forced(board: Window, qtbot: QtBot, compute: Compute) -> None:
    compute(board, "translator", LOVE, strategy="sample", top_k=2, seed=1)
    board.session.go_to(len(board.session.trace) - 1)
    spot = next(spot for spot in candidates(board, 2) if "cut off" in spot.hint)
    word = spot.hint.split("”")[0].removeprefix("“")
    with qtbot.waitSignal(board.session.trace_changed):
        click(qtbot, board, spot)
    assert board.session.trace["time.3.decoder.tokens"].labels[-1][2] == word
    assert "forced" in texts_of(picture(board), "title of time.2")


def test_the_list_of_keys_says_how_a_token_is_forced() -> None:
    said = [(key, text) for group, key, text in all_keys() if group == "Decoding"]
    assert any("Ctrl+arrow keys" in key and "force" in text for key, text in said)
    assert any("cut off" in key and "force" in text for key, text in said)


def test_the_same_click_takes_it_back(board: Window, qtbot: QtBot) -> None:
    word = force(qtbot, board, 2)
    spot = next(spot for spot in candidates(board, 2) if word in spot.hint)
    with qtbot.waitSignal(board.session.trace_changed):
        click(qtbot, board, spot)
    assert board.session.trace.output == "ti amo molto"
    assert board.input.request().edits == ()
    assert "forced" not in words(picture(board))


def test_undo_and_the_button_take_it_back(board: Window, qtbot: QtBot) -> None:
    force(qtbot, board, 2)
    forced = board.session.trace.output
    with qtbot.waitSignal(board.session.trace_changed):
        board.actions_by_key["undo"].trigger()
    assert board.session.trace.output == "ti amo molto"
    with qtbot.waitSignal(board.session.trace_changed):
        board.actions_by_key["redo"].trigger()
    assert board.session.trace.output == forced
    qtbot.mouseClick(board.input.page.edits, LEFT)
    assert board.cells.list is not None
    with qtbot.waitSignal(board.session.trace_changed):
        qtbot.mouseClick(board.cells.list.remove_all, LEFT)
    assert board.session.trace.output == "ti amo molto"
    assert board.input.page.edits.isHidden()
    assert not board.cells.list.isVisible()


def test_another_token_of_the_same_time_step_takes_its_place(board: Window, qtbot: QtBot) -> None:
    force(qtbot, board, 2)
    first = board.input.request().edits
    others = [spot for spot in candidates(board, 2) if spot.edit not in first]
    with qtbot.waitSignal(board.session.trace_changed):
        click(qtbot, board, others[-1])
    assert board.input.request().edits == (others[-1].edit,)


def test_a_forced_token_belongs_to_its_sentence(board: Window, qtbot: QtBot) -> None:
    """Another text lets the model choose again, and says so; undo brings both back."""
    force(qtbot, board, 2)
    forced = board.session.request
    assert forced is not None
    line = board.input.page.editor.begin
    assert isinstance(line, QTextEdit)
    line.selectAll()
    with qtbot.waitSignal(board.computing.dropped):
        qtbot.keyClicks(line, "The house is big")
    qtbot.waitUntil(lambda: board.session.request == board.input.request())
    assert board.session.trace.output == "la casa è grande"
    assert board.input.request().edits == ()
    assert "Taken back" in board.toast.text()
    with qtbot.waitSignal(board.session.trace_changed):
        board.actions_by_key["undo"].trigger()
    assert board.session.request == board.input.request() == forced


def test_an_option_that_has_no_such_step_takes_it_back(board: Window, qtbot: QtBot) -> None:
    force(qtbot, board, 2)
    with qtbot.waitSignal(board.computing.dropped):
        board.input.page.form.choose("strategy", "beam")
    assert board.input.request().edits == ()
    assert board.session.request == board.input.request()
    assert (board.session.node.name, board.session.picture) == ("time", "decoding")  # though a beam has a tree first


def test_a_slider_reshapes_the_bars_while_it_is_held(board: Window, qtbot: QtBot, compute: Compute) -> None:
    compute(board, "translator", LOVE, strategy="sample", seed=1)
    board.session.go_to(len(board.session.trace) - 1)
    before, bars = pixels(board.area.picture.viewport()), picture(board).figure
    with qtbot.waitSignal(board.session.trace_changed):
        drag(qtbot, board, "temperature", 40)
    request = board.input.request()
    qtbot.waitUntil(lambda: board.session.request == request)
    assert request.options["temperature"] == slider(board, "temperature").chosen() > 1
    assert (before != pixels(board.area.picture.viewport())).any()
    assert picture(board).figure != bars
    assert picture(board).figure == drawn(board, request).figure
    qtbot.mouseRelease(slider(board, "temperature").slider, LEFT)
    with qtbot.waitSignal(board.session.trace_changed):
        board.actions_by_key["undo"].trigger()
    assert "temperature" not in board.input.request().options


@pytest.mark.parametrize(
    ("shown", "goes_to"),
    [
        ("chosen", "time.2.head.probabilities"),
        ("where amo looked", "time.2.decoder.1.cross_attention.weights"),
        ("time 2", "time.2"),
    ],
)
def test_a_click_goes_to_what_is_shown(board: Window, qtbot: QtBot, shown: str, goes_to: str) -> None:
    spot = next(s for s in picture(board).spots if shown in s.hint and s.node == goes_to)
    click(qtbot, board, spot._replace(area=spot.area._replace(height=6)) if goes_to == "time.2" else spot)
    assert board.session.node.name == goes_to


def listed(window: Window) -> list[str]:
    runs = [spot for spot in picture(window).spots if spot.run is not None]
    return [spot.hint.split(":")[0] for spot in runs]


def test_other_runs_come_after_the_board_and_can_be_switched_to(board: Window, qtbot: QtBot) -> None:
    board.resize(1600, 1000)
    qtbot.waitUntil(lambda: len(listed(board)) == 5)
    assert listed(board) == ["greedy", "beam of 4", "sample, seed 0", "sample, seed 1", "sample, seed 2"]
    spot = next(spot for spot in picture(board).spots if "seed 1" in spot.hint)
    with qtbot.waitSignal(board.session.trace_changed):
        click(qtbot, board, spot)
    assert board.input.request() == Request("translator", LOVE, {"strategy": "sample", "seed": 1})
    assert f": {board.session.trace.output}," in spot.hint
    assert next(spot.hint for spot in picture(board).spots if "is shown" in spot.hint).startswith("sample, seed 1")
    assert board.session.node.name == "time"


def test_a_forced_branch_stays_in_the_list(board: Window, qtbot: QtBot) -> None:
    board.resize(1600, 1000)
    word = force(qtbot, board, 2)
    forced = board.session.trace.output
    qtbot.waitUntil(lambda: len(listed(board)) == 6)
    assert listed(board)[-1] == "forced"
    assert f"forced: {word}: {forced}," in picture(board).spots[-1].hint
    with qtbot.waitSignal(board.session.trace_changed):
        board.actions_by_key["undo"].trigger()
    qtbot.waitUntil(lambda: len(listed(board)) == 6)
    spot = next(spot for spot in picture(board).spots if spot.run is not None and "forced" in spot.hint)
    with qtbot.waitSignal(board.session.trace_changed):
        click(qtbot, board, spot)
    assert board.session.trace.output == forced
    assert board.input.request().edits != ()


def test_the_list_follows_the_options(board: Window, qtbot: QtBot) -> None:
    """Samples at another temperature are other runs; until they are there, those of before are not shown."""
    board.resize(1600, 1000)
    qtbot.waitUntil(lambda: len(listed(board)) == 5)
    with qtbot.waitSignal(board.session.trace_changed):
        board.input.page.form.choose("temperature", 3.0)
    assert listed(board) == ["greedy", "beam of 4"]
    qtbot.waitUntil(lambda: len(listed(board)) == 5)
    request = Request("translator", LOVE, {"strategy": "sample", "seed": 2, "temperature": 3.0})
    hint = next(spot.hint for spot in picture(board).spots if "seed 2" in spot.hint)
    assert f": {computed(request).output}," in hint
