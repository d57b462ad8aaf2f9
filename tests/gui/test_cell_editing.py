"""Changing a run by hand at the stage, with the pointer and with keys, and what is shown of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

import txviz
from tests.gui.conftest import Compute, press
from tests.gui.editing import (
    LEFT,
    NOTHING,
    choose,
    click,
    close_menus,
    edits_shown,
    frames,
    go,
    inside,
    menu_at,
    move,
    open_menu,
    panel,
    settle,
    shown_menu,
    spot,
    texts,
)
from tests.gui.shown import pixels, words
from txviz.figures.theme import DARK, LIGHT, Theme, rgb
from txviz.gui.window import Window
from txviz.models import find
from txviz.models.request import Request, compute

KEY = Qt.Key
WEIGHTS, SCORES, KEYS = "encoder.0.attention.weights", "encoder.0.attention.scores", "encoder.0.attention.key"
CAT = (0, 2, 2)
GUIDE = "vit-guide-2x2"


def type_text(qtbot: QtBot, window: Window, text: str) -> None:
    """At whatever has the keys."""
    for letter in text:
        qtbot.keyClicks(window.focusWidget(), letter)


def test_a_number_is_typed_into_the_pinned_cell(window: Window, qtbot: QtBot) -> None:
    go(window, WEIGHTS)
    click(qtbot, window, CAT)
    press(qtbot, window)
    before = pixels(window.stage)
    type_text(qtbot, window, "0.9")
    field = window.cells.field
    assert field.field.text() == "0.9"
    assert field.field.hasFocus()
    assert field.field.accessibleName() == "weights[head 0, cat, cat]"
    assert window.stage.viewport().rect().contains(field.geometry())
    assert (pixels(window.stage) != before).any(axis=2).sum() > 1000, "the field is painted"
    qtbot.keyClick(field.field, KEY.Key_Return)
    settle(qtbot, window)
    assert window.session.step.value[CAT] == 0.9
    assert window.input.request().edits == (f"{WEIGHTS}[0,2,2]=0.9",)
    assert field.isHidden()
    assert window.stage.hasFocus()
    assert "= 0.9" in window.explanation.toPlainText()


def test_nonsense_gets_a_sentence_at_the_field_and_nothing_is_lost(window: Window, qtbot: QtBot) -> None:
    go(window, WEIGHTS)
    click(qtbot, window, CAT)
    press(qtbot, window, KEY.Key_E)
    field, trace = window.cells.field, window.session.trace
    assert field.field.text() == str(float(window.session.step.value[CAT])), "filled with the exact number"
    field.field.selectAll()
    type_text(qtbot, window, "0.x9")
    qtbot.keyClick(field.field, KEY.Key_Return)
    assert field.problem.isVisible()
    assert field.problem.text().startswith('"0.x9" is no number')
    assert field.field.text() == "0.x9"
    assert window.session.trace is trace
    field.field.selectAll()
    type_text(qtbot, window, "1, 2")
    assert not field.problem.isVisible(), "gone as soon as somebody mends it"
    qtbot.keyClick(field.field, KEY.Key_Return)
    assert field.problem.text() == "2 values for 1 cells; give 1 or 1."
    qtbot.keyClick(field.field, KEY.Key_Escape)
    assert field.isHidden()
    assert window.stage.hasFocus()
    assert window.session.pinned == CAT, "Esc closes the field, and lets go of nothing"
    assert window.session.trace is trace


def test_enter_opens_the_chosen_cell_and_at_a_level_goes_in(window: Window, qtbot: QtBot) -> None:
    go(window, WEIGHTS)
    press(qtbot, window, KEY.Key_Return)
    assert window.cells.field.isHidden(), "nothing is chosen"
    click(qtbot, window, CAT)
    press(qtbot, window, KEY.Key_Return)
    assert window.cells.field.isVisible()
    qtbot.keyClick(window.cells.field.field, KEY.Key_Escape)
    press(qtbot, window, KEY.Key_Backspace)
    assert window.session.node.name == "encoder.0.attention"
    qtbot.keyClick(window.area.shown, KEY.Key_Return)
    assert window.session.node.name == WEIGHTS
    assert window.cells.field.isHidden()


def test_the_menu_of_a_cell_of_the_result(window: Window, qtbot: QtBot) -> None:
    go(window, WEIGHTS)
    menu = open_menu(window, CAT)
    assert menu.actions()[0].text() == "weights[head 0, cat, cat] = 0.37425"
    assert texts(menu) == [
        "Set…",
        "Zero",
        "Scale…",
        "Use the guide’s weights",
        "Row “cat”",
        "Column “cat”",
        "All of weights",
    ]
    choose(qtbot, window, menu, "Row “cat”", "Zero")
    assert window.input.request().edits == (f"{WEIGHTS}[0,2]=0",)
    assert (window.session.step.value[0, 2] == 0).all()
    assert texts(open_menu(window, CAT))[-1] == "Where does it first matter?"
    close_menus()
    assert "Reset" in texts(inside(open_menu(window, CAT), "Row “cat”")), "the row was edited"
    assert "Reset" not in texts(shown_menu()), "and the cell by itself was not"
    choose(qtbot, window, shown_menu(), "Row “cat”", "Reset")
    assert window.input.request().edits == ()
    assert np.array_equal(window.session.step.value, txviz.trace("sentence-guide", "The cat sat.")[WEIGHTS].value)


def test_columns_and_factors(window: Window, qtbot: QtBot) -> None:
    go(window, WEIGHTS)
    before = window.session.step.value
    choose(qtbot, window, open_menu(window, CAT), "Column “cat”", "Scale")
    assert window.cells.field.field.text() == "0.5"
    window.cells.field.field.selectAll()
    type_text(qtbot, window, "-2")
    qtbot.keyClick(window.cells.field.field, KEY.Key_Return)
    settle(qtbot, window)
    assert np.array_equal(window.session.step.value[0, :, 2], before[0, :, 2] * -2)
    assert np.array_equal(window.session.step.value[0, :, 1], before[0, :, 1])


def test_a_head(window: Window, qtbot: QtBot, compute: Compute) -> None:
    compute(window, "digits", find("digits").example)
    go(window, WEIGHTS)
    window.session.choose_place((1,))
    choose(qtbot, window, open_menu(window, (1, 0, 0)), "Head 1", "Zero")
    assert window.input.request().edits == (f"{WEIGHTS}[1]=0",)
    assert (window.session.step.value[1] == 0).all()
    assert (window.session.step.value[0] != 0).any()


@pytest.mark.parametrize("part", ["row", "column"])
def test_rows_and_columns_of_a_turned_matrix_are_those_that_are_seen(window: Window, qtbot: QtBot, part: str) -> None:
    go(window, SCORES)
    grid = panel(window, KEYS).grid
    assert grid.turned
    row, column = 2, 3
    cell = grid.index(row, column)
    menu = open_menu(window, cell, KEYS)
    assert menu.actions()[0].text().startswith("key[head 0, sat, 2] = ")
    wanted = "Row feature 2" if part == "row" else "Column “sat”"
    choose(qtbot, window, menu, wanted, "Zero")
    seen = panel(window, KEYS).grid.values
    zero = seen[row] if part == "row" else seen[:, column]
    assert (zero == 0).all()
    assert np.count_nonzero(seen == 0) < zero.size + 4, "and nothing else"
    value = window.session.trace[KEYS].value[0]
    assert (value[:, 2] == 0).all() if part == "row" else (value[3] == 0).all()


def test_the_cells_of_a_vocabulary_that_is_cut_short(window: Window, qtbot: QtBot, compute: Compute) -> None:
    compute(window, "translator", "I love you")
    go(window, "time.1.head.logits")
    weight = window.session.step.inputs[1]
    grid = panel(window, weight).grid
    assert grid.values.shape[1] < 100, "an excerpt"
    assert grid.turned
    row, column = 4, 3
    cell = grid.index(row, column)
    word = panel(window).grid.column_labels[column]
    choose(qtbot, window, open_menu(window, cell, weight), "Set")
    window.cells.field.field.selectAll()
    type_text(qtbot, window, "7.5")
    qtbot.keyClick(window.cells.field.field, KEY.Key_Return)
    settle(qtbot, window)
    step = window.session.step
    assert step.labels[-1][cell[0]] == word
    assert cell[1] == row
    assert step.sources[1].value[cell] == 7.5
    assert step.sources[1].edited == (cell,)


def test_a_weight_is_edited_like_all_else(window: Window, qtbot: QtBot) -> None:
    go(window, "encoder.0.ffn.output")
    step = window.session.step
    weight = next(name for name in step.inputs if name.endswith("weight"))
    choose(qtbot, window, open_menu(window, (0, 1), weight), "Zero")
    assert window.input.request().edits == (f"{weight}[0,1]=0",)
    source = window.session.step.sources[1]
    assert source.value[0, 1] == 0
    assert len(frames(window)) == 1
    assert not np.array_equal(window.session.step.value, step.value)


def test_an_operand_is_chosen_with_the_keyboard_alone(window: Window, qtbot: QtBot) -> None:
    go(window, "encoder.0.ffn.output")
    press(qtbot, window, KEY.Key_O, KEY.Key_O)
    assert window.stage.operand is not None
    weight = window.stage.operand[0]
    assert weight.endswith("weight")
    press(qtbot, window, KEY.Key_Right, KEY.Key_Down, modifier=Qt.KeyboardModifier.ControlModifier)
    target = window.stage.target
    assert target is not None
    assert target.cell == (1, 1)
    assert f"Chosen: {weight}[1, 1] = " in window.stage.accessibleDescription()
    press(qtbot, window, KEY.Key_Menu)
    qtbot.waitUntil(lambda: bool(shown_menu().actions()))
    assert shown_menu().actions()[0].text().startswith(f"{weight}[1, 1] = ")
    close_menus()
    press(qtbot, window, KEY.Key_5)
    qtbot.keyClick(window.cells.field.field, KEY.Key_Return)
    settle(qtbot, window)
    assert window.input.request().edits == (f"{weight}[1,1]=5",)
    press(qtbot, window, KEY.Key_Escape)
    assert window.stage.operand is None


# --- dragging ---


def test_a_drag_changes_the_cell_live_and_is_undone_as_one(window: Window, qtbot: QtBot) -> None:
    go(window, WEIGHTS)
    click(qtbot, window, CAT)
    at, view = spot(window, CAT), window.stage.viewport()
    qtbot.mouseMove(view, at)
    qtbot.waitUntil(lambda: view.cursor().shape() == Qt.CursorShape.SizeVerCursor)
    before, answer = window.session.step.value[CAT], window.badge.accessibleDescription()
    qtbot.mousePress(view, LEFT, NOTHING, at)
    seen = []
    for up in (20, 40, 60):
        move(window, at - QPoint(0, up))
        assert len(window.input.request().edits) == 1
        qtbot.waitUntil(lambda: edits_shown(window) == window.input.request().edits, timeout=30_000)
        seen.append(window.session.step.value[CAT])
    assert before < seen[0] < seen[1] < seen[2]
    assert window.badge.accessibleDescription() != answer, "what follows from it, follows"
    qtbot.mouseRelease(view, LEFT, NOTHING, at - QPoint(0, 60))
    settle(qtbot, window)
    assert window.session.step.value[CAT] == seen[2]
    assert window.session.pinned == CAT
    with qtbot.waitSignal(window.session.trace_changed):
        window.actions_by_key["undo"].trigger()
    settle(qtbot, window)
    assert window.session.step.value[CAT] == before
    assert not window.actions_by_key["undo"].isEnabled(), "all of the drag was one"
    with qtbot.waitSignal(window.session.trace_changed):
        window.actions_by_key["redo"].trigger()
    settle(qtbot, window)
    assert window.session.step.value[CAT] == seen[2]


def test_a_cell_that_is_gone_when_the_pointer_moves_is_not_dragged(
    window: Window, qtbot: QtBot, compute: Compute
) -> None:
    go(window, WEIGHTS)
    click(qtbot, window, CAT)
    at, view = spot(window, CAT), window.stage.viewport()
    qtbot.mousePress(view, LEFT, NOTHING, at)
    compute(window, "translator", "I love you")
    for up in (30, 60):
        move(window, at - QPoint(0, up))
    qtbot.mouseRelease(view, LEFT, NOTHING, at - QPoint(0, 60))
    assert window.input.request().edits == ()
    assert not window.cells.scrubbing.active


def test_words_follow_a_drag_whose_last_run_was_cancelled(window: Window, qtbot: QtBot) -> None:
    """The stage shows what was dragged; all else is told of it a little later, whatever becomes of the last run."""
    go(window, WEIGHTS)
    click(qtbot, window, CAT)
    at, view, before = spot(window, CAT), window.stage.viewport(), window.session.step.value[CAT]
    qtbot.mousePress(view, LEFT, NOTHING, at)
    move(window, at - QPoint(0, 30))
    qtbot.waitUntil(lambda: window.session.step.value[CAT] != before, timeout=30_000)
    qtbot.mouseRelease(view, LEFT, NOTHING, at - QPoint(0, 30))
    window.computing.background.cancel()
    qtbot.waitUntil(lambda: not window.cells.scrubbing.owing)
    assert "put in by hand" in window.explanation.toPlainText()


def test_esc_takes_a_drag_back(window: Window, qtbot: QtBot) -> None:
    go(window, WEIGHTS)
    click(qtbot, window, CAT)
    press(qtbot, window)
    at, view, before = spot(window, CAT), window.stage.viewport(), window.session.step.value[CAT]
    qtbot.mousePress(view, LEFT, NOTHING, at)
    move(window, at - QPoint(0, 30))
    qtbot.waitUntil(lambda: window.session.step.value[CAT] != before, timeout=30_000)
    qtbot.keyClick(window.stage, KEY.Key_Escape)
    qtbot.waitUntil(lambda: window.session.step.value[CAT] == before, timeout=30_000)
    move(window, at - QPoint(0, 50))
    qtbot.mouseRelease(view, LEFT, NOTHING, at - QPoint(0, 50))
    settle(qtbot, window)
    assert window.session.step.value[CAT] == before
    assert window.input.request().edits == ()
    assert window.session.pinned == CAT
    assert not window.actions_by_key["undo"].isEnabled()


def test_a_drag_elsewhere_pans_and_a_click_on_the_chosen_cell_lets_it_go(window: Window, qtbot: QtBot) -> None:
    go(window, WEIGHTS)
    window.area.zoom(6)
    window.stage.grab()
    click(qtbot, window, (0, 0, 0))
    other, view = spot(window, (0, 0, 1)), window.stage.viewport()
    at = window.stage.offset
    qtbot.mousePress(view, LEFT, NOTHING, other)
    move(window, other - QPoint(40, 30))
    qtbot.mouseRelease(view, LEFT, NOTHING, other - QPoint(40, 30))
    assert window.stage.offset == at + QPoint(40, 30)
    assert window.input.request().edits == ()
    click(qtbot, window, (0, 0, 0))
    assert window.session.pinned is None


def test_zoom_and_place_stay_while_a_cell_is_changed(window: Window, qtbot: QtBot) -> None:
    go(window, WEIGHTS)
    window.area.zoom(4)
    window.stage.grab()
    click(qtbot, window, (0, 0, 0))
    offset = window.stage.offset
    press(qtbot, window, KEY.Key_1)
    qtbot.keyClick(window.cells.field.field, KEY.Key_Return)
    settle(qtbot, window)
    assert window.stage.style_shown.zoom == 4
    assert window.stage.offset == offset


# --- pasting ---


@pytest.mark.parametrize("text", ["1\t2\t3\t4\t5", "1,2,3,4,5", "1 2 3 4 5\n", "1;2;3;4;5"])
def test_a_row_is_pasted(window: Window, qtbot: QtBot, text: str) -> None:
    go(window, WEIGHTS)
    click(qtbot, window, CAT)
    QGuiApplication.clipboard().setText(text)
    press(qtbot, window, KEY.Key_V, modifier=Qt.KeyboardModifier.ControlModifier)
    settle(qtbot, window)
    assert window.input.request().edits == (f"{WEIGHTS}[0,2]=1,2,3,4,5",)
    assert window.session.step.value[0, 2].tolist() == [1, 2, 3, 4, 5]


def test_a_column_and_a_wrong_count(window: Window, qtbot: QtBot) -> None:
    go(window, WEIGHTS)
    control = Qt.KeyboardModifier.ControlModifier
    QGuiApplication.clipboard().setText("1\n2\n3\n4\n5\n")
    press(qtbot, window, KEY.Key_V, modifier=control)
    assert window.toast.text() == "Choose a cell first: click on one, or press Ctrl and an arrow key."
    click(qtbot, window, CAT)
    press(qtbot, window, KEY.Key_V, modifier=control)
    settle(qtbot, window)
    assert window.session.step.value[0, :, 2].tolist() == [1, 2, 3, 4, 5]
    trace = window.session.trace
    QGuiApplication.clipboard().setText("0,5\t0,25")
    press(qtbot, window, KEY.Key_V, modifier=control)
    said = "The clipboard has 2 numbers; the cell takes 1, row “cat” 5, column “cat” 5, all of weights 25."
    assert window.toast.text() == said
    assert window.session.trace is trace


# --- what is marked ---


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_what_was_changed_is_framed_and_what_became_of_it_has_corners(
    window: Window, qtbot: QtBot, theme: Theme
) -> None:
    window.choose_theme(theme.name)
    go(window, WEIGHTS)
    assert frames(window) == []
    plain = pixels(window.stage.viewport())
    choose(qtbot, window, open_menu(window, CAT), "Set")
    window.cells.field.field.setText("0.37425")
    qtbot.keyClick(window.cells.field.field, KEY.Key_Return)
    settle(qtbot, window)
    place = panel(window)
    (frame,) = frames(window)
    assert (frame.x, frame.y, frame.width, frame.height) == place.box([(2, 2)])
    painted = pixels(window.stage.viewport())
    edge = painted[round(frame.y) - 2 : round(frame.y) + 2, round(frame.x + frame.width / 2)]
    assert rgb(theme.text) in {tuple(each) for each in edge.tolist()}
    assert (plain != painted).any()
    go(window, "encoder.0.attention.context")
    untouched = txviz.trace("sentence-guide", "The cat sat.")["encoder.0.attention.context"].value
    differs = untouched != window.session.step.value
    assert differs.any()
    assert not differs.all()
    grid, painted = panel(window), pixels(window.stage.viewport())
    for cell in np.ndindex(differs.shape):
        row, column = grid.grid.find(cell) or (0, 0)
        x, y, width, _ = grid.box([(row, column)])
        corner = painted[round(y) + 2, round(x + width) - 3]
        assert (tuple(corner.tolist()) == rgb(theme.highlight)) == bool(differs[cell]), cell


def test_how_much_each_step_changed_is_in_the_list_on_the_timeline_and_on_the_map(window: Window, qtbot: QtBot) -> None:
    bar, tree = window.timeline.scrubber, window.steps.tree
    go(window, "tokens")
    ticks, dots = pixels(bar), pixels(tree.viewport())
    window.editing.put(f"{WEIGHTS}[0,2,2]=5")
    settle(qtbot, window)
    names = list(window.session.names)
    trace = window.session.trace
    plain = txviz.trace("sentence-guide", "The cat sat.")
    changed = {each.name for each in plain.diff(trace)}
    assert WEIGHTS in changed
    for i, name in enumerate(names):
        tick = bar.tick_rect(i)
        x, y = round(tick.center().x()), round(tick.bottom()) - 2
        assert ((pixels(bar)[y, x] != ticks[y, x]).any()) == (name in changed), name
    tall = {name: bar.tick_rect(i).height() for i, name in enumerate(names)}
    assert tall["pool.mean"] < tall["encoder.0.attention.context"] <= tall[WEIGHTS]
    assert (pixels(tree.viewport()) != dots).any()
    model = tree.model()
    said = model.data(window.steps._model.index_of(WEIGHTS), Qt.ItemDataRole.AccessibleTextRole)
    assert said == "weights, changed by 93 %"
    assert model.data(window.steps._model.index_of(SCORES), Qt.ItemDataRole.AccessibleTextRole) == "scores"
    assert "Changed by 93 %" in bar.hint(names.index(WEIGHTS))
    window.session.show_node("")
    marked = pixels(window.area.picture.viewport())
    with qtbot.waitSignal(window.session.trace_changed):
        window.input.page.edits.remove(*window.input.request().edits)
    settle(qtbot, window)
    window.session.go_to("tokens")
    assert not window.area.picture.over()
    assert (pixels(window.area.picture.viewport()) != marked).any()
    assert (pixels(bar) == ticks).all(), "no marks without edits"


def test_a_box_of_the_map_has_a_dot_by_how_much_it_changed(window: Window, qtbot: QtBot, compute: Compute) -> None:
    compute(window, GUIDE, find(GUIDE).example)
    window.editing.put("pool.cls=guide")
    settle(qtbot, window)
    window.session.show_node("")
    boxes = {spot.node: spot.area for spot in reversed(window.area.picture.picture.spots) if not spot.fold}
    image = pixels(window.area.picture.viewport())
    for node in ("pool", "head", "embed"):
        area = boxes[node]
        centre = image[round(area.y), round(area.right)]
        assert (tuple(centre.tolist()) == rgb(window.theme.text)) == (node != "embed"), node
    dots = window.area.figure_shown().marks[len(window.area.picture.figure().marks) :]
    assert len(dots) >= 4
    press(qtbot, window, Qt.Key.Key_B, modifier=Qt.KeyboardModifier.ControlModifier)
    window.editing.put("encoder.0.attention.weights=uniform")
    settle(qtbot, window)
    assert window.session.compared.pair is not None
    assert window.area.figure_shown() == window.area.picture.figure(), "of two runs it is told how they differ"


def test_the_run_without_edits_is_computed_where_it_was_not_shown(window: Window, qtbot: QtBot) -> None:
    request = Request("sentence-guide", "A dog ran.", {}, ("pool.mean=1,2,3",))
    window.input.show_request(request)
    with qtbot.waitSignal(window.session.trace_changed):
        window.computing.compute(request)
    settle(qtbot, window)
    untouched = window.session.changes.untouched
    assert untouched is not None
    assert untouched.about["input"] == "A dog ran."
    assert window.session.changes.of("pool.mean") > 0
    assert "edits" not in untouched.about


# --- the list of edits ---


def test_the_list_of_edits_switches_removes_and_goes(window: Window, qtbot: QtBot) -> None:
    first, second = f"{WEIGHTS}[0,2,2]=0.5", "pool.mean=1,2,3"
    for edit in (first, second):
        window.editing.put(edit)
        settle(qtbot, window)
    button = window.input.page.edits
    assert button.text() == "Edits · 2"
    qtbot.mouseClick(button, LEFT)
    listed = window.cells.list
    assert listed is not None
    assert listed.isVisible()
    assert [row.words for row in listed.rows] == [
        "query “cat”, key “cat” of encoder 0 attention weights = 0.5",
        "pool mean = 1, 2, 3",
    ]
    qtbot.mouseClick(listed.rows[0].switch, LEFT, NOTHING, QPoint(8, listed.rows[0].switch.height() // 2))
    settle(qtbot, window)
    assert window.input.request().edits == (second,)
    assert button.text() == "Edits · 1 of 2"
    assert not listed.rows[0].switch.isChecked()
    assert [row.listed.text for row in listed.rows] == [first, second], "the list keeps it"
    listed.close()
    for key, edits in (("undo", (first, second)), ("redo", (second,))):
        with qtbot.waitSignal(window.session.trace_changed):
            window.actions_by_key[key].trigger()
        settle(qtbot, window)
        assert window.input.request().edits == edits
        assert [each.text for each in button.listed] == [first, second]
    qtbot.mouseClick(button, LEFT)
    go(window, "tokens")
    qtbot.mouseClick(listed.rows[0].go, LEFT)
    assert window.session.step.name == WEIGHTS
    assert not listed.isVisible()
    qtbot.mouseClick(button, LEFT)
    qtbot.mouseClick(listed.rows[1].remove, LEFT)
    settle(qtbot, window)
    assert window.input.request().edits == ()
    assert button.isVisible(), "the one that is off is still there"
    qtbot.mouseClick(listed.rows[0].switch, LEFT, NOTHING, QPoint(8, listed.rows[0].switch.height() // 2))
    settle(qtbot, window)
    assert window.input.request().edits == (first,)
    assert np.array_equal(window.session.step.value[CAT], 0.5)
    qtbot.mouseClick(listed.remove_all, LEFT)
    settle(qtbot, window)
    assert button.isHidden()
    assert not listed.isVisible()


def test_where_it_first_matters(window: Window, qtbot: QtBot, compute: Compute) -> None:
    compute(window, GUIDE, find(GUIDE).example)
    window.editing.put("encoder.0.norm_2[0]=-9,9,-9,9")
    settle(qtbot, window)
    press(qtbot, window, KEY.Key_M, modifier=Qt.KeyboardModifier.ControlModifier)
    assert window.session.step.name == "pool.cls"
    assert "The answer first changes at head · prediction" in window.toast.text()
    press(qtbot, window, KEY.Key_M, modifier=Qt.KeyboardModifier.ControlModifier)
    assert window.session.step.name == "head.prediction"
    assert window.toast.text() == f"Here the answer first changes: {window.session.step.chosen}."
    qtbot.mouseClick(window.input.page.edits, LEFT)
    listed = window.cells.list
    assert listed is not None
    qtbot.mouseClick(listed.rows[0].matter, LEFT)
    assert window.session.step.name == "pool.cls"


def test_an_answer_of_numbers_changes_or_stays(window: Window, qtbot: QtBot, compute: Compute) -> None:
    """A vector is chosen nowhere, and is an answer all the same."""
    ctrl = Qt.KeyboardModifier.ControlModifier
    window.editing.put(f"{WEIGHTS}[0,2,2]=0.9")
    settle(qtbot, window)
    press(qtbot, window, KEY.Key_M, modifier=ctrl)
    assert window.session.step.name == "encoder.0.attention.context"
    assert window.toast.text().endswith("The answer changes at pool · mean: ask once more to go there.")
    press(qtbot, window, KEY.Key_M, modifier=ctrl)
    assert window.session.step.name == "pool.mean"
    assert window.toast.text() == "Here the answer changes."
    compute(window, "sentence-guide", "The cat sat.", pooling="cls")
    window.editing.put("encoder.0.residual_2[2]=1")
    settle(qtbot, window)
    press(qtbot, window, KEY.Key_M, modifier=ctrl)
    assert window.session.step.name == "encoder.0.norm_2"
    assert window.toast.text().endswith("The answer stays the same.")


# --- the guide's numbers ---


def test_one_click_puts_the_guides_cls_in(window: Window, qtbot: QtBot, compute: Compute) -> None:
    compute(window, GUIDE, find(GUIDE).example)
    go(window, "pool.cls")
    assert "Use the guide’s [CLS]" in window.explanation.toPlainText()
    window.explanation.anchorClicked.emit(QUrl("guide:pool.cls"))
    settle(qtbot, window)
    assert window.session.step.value.tolist() == [2.3, -1.1, 3.2, 1.4]
    assert [f"{x:.2f}" for x in window.session.trace["head.logits"].value] == ["1.82", "-0.24", "3.19"]
    likely = window.session.trace["head.probabilities"].value
    assert f"{likely[2]:.1%}" == "77.7%"
    window.session.go_to("head.prediction")
    assert "bird" in window.badge.accessibleDescription()
    go(window, "pool.cls")
    assert "Use the guide’s" not in window.explanation.toPlainText(), "they are the guide's now"


def test_the_guides_numbers_are_in_the_menu_and_at_the_levels_above(
    window: Window, qtbot: QtBot, compute: Compute
) -> None:
    compute(window, GUIDE, find(GUIDE).example)
    go(window, "pool.cls")
    choose(qtbot, window, open_menu(window, (1,)), "All of cls", "Use the guide’s [CLS]")
    assert window.input.request().edits == ("pool.cls=guide",)
    window.session.show_node("encoder.0.attention")
    assert "Use the guide’s scores · weights · merged" in window.explanation.toPlainText()
    compute(window, GUIDE, find("digits").example)
    go(window, "pool.cls")
    assert "Use the guide’s" not in window.explanation.toPlainText(), "it is not the guide's image"


def test_freezing_is_offered_after_something_before_was_changed(window: Window, qtbot: QtBot) -> None:
    go(window, WEIGHTS)
    freeze = "Freeze as it is without edits"
    assert freeze not in texts(open_menu(window, CAT))
    close_menus()
    window.editing.put("embed.sum*=2")
    settle(qtbot, window)
    frozen = txviz.trace("sentence-guide", "The cat sat.")[WEIGHTS].value
    assert not np.array_equal(window.session.step.value, frozen)
    choose(qtbot, window, open_menu(window, CAT), "All of weights", freeze)
    assert np.array_equal(window.session.step.value, frozen)


def test_an_edited_run_is_what_an_override_gives(window: Window, qtbot: QtBot) -> None:
    go(window, WEIGHTS)
    choose(qtbot, window, open_menu(window, CAT), "Row “cat”", "Zero")
    wanted = txviz.trace("sentence-guide", "The cat sat.", overrides={WEIGHTS: window.session.step.value})
    request = window.session.request
    assert request is not None
    for trace in (window.session.trace, compute(replace(request))):
        assert all(np.array_equal(step.value, wanted[step.name].value, equal_nan=True) for step in trace)


def test_a_step_that_the_run_without_edits_has_not_is_marked_all_over(
    window: Window, qtbot: QtBot, compute: Compute
) -> None:
    compute(window, "translator", "I love you very much")
    assert window.session.trace.get("time.5.choice.token") is None
    window.editing.put("time.4.choice.token=molto")
    settle(qtbot, window)
    go(window, "time.5.decoder.0.self_attention.weights")
    assert window.session.changes.of(window.session.step.name) == 1
    grid, painted = panel(window), pixels(window.stage.viewport())
    for row, column in np.ndindex(grid.grid.values.shape):
        x, y, width, _ = grid.box([(row, column)])
        assert tuple(painted[round(y) + 2, round(x + width) - 3].tolist()) == rgb(window.theme.highlight)


def test_a_drag_whose_end_nobody_has_told_ends_with_the_next_move(window: Window, qtbot: QtBot) -> None:
    go(window, WEIGHTS)
    click(qtbot, window, CAT)
    at, view = spot(window, CAT), window.stage.viewport()
    qtbot.mousePress(view, LEFT, NOTHING, at)
    move(window, at - QPoint(0, 30))
    edits = window.input.request().edits
    assert edits
    move(window, at - QPoint(0, 60), held=Qt.MouseButton.NoButton)
    qtbot.waitUntil(lambda: not window.cells.scrubbing.active)
    settle(qtbot, window)
    assert window.input.request().edits == edits
    qtbot.mouseRelease(view, LEFT, NOTHING, at)


def test_a_new_edit_takes_the_place_of_one_of_the_same_cells_and_keeps_what_is_off(
    window: Window, qtbot: QtBot
) -> None:
    button = window.input.page.edits
    for edit in ("pool.mean=1", "pool.mean*=2", "pool.mean*=3"):
        window.editing.put(edit)
    assert window.input.request().edits == ("pool.mean=1", "pool.mean*=3")
    settle(qtbot, window)
    assert window.session.trace["pool.mean"].value.tolist() == [3, 3, 3]
    button.switch("pool.mean*=3", False)
    window.editing.put("pool.mean=5")
    assert [each.text for each in button.listed] == ["pool.mean*=3", "pool.mean=5"]
    assert window.input.request().edits == ("pool.mean=5",)
    settle(qtbot, window)
    assert window.session.trace["pool.mean"].value.tolist() == [5, 5, 5]


def test_of_two_runs_beside_each_other_the_second_is_changed(window: Window, qtbot: QtBot) -> None:
    go(window, WEIGHTS)
    window.actions_by_key["compare"].trigger()
    qtbot.waitUntil(lambda: window.session.compared.pair is not None)
    window.stage.grab()
    sides = {each.grid.caption: each for each in window.stage.stage.panels}
    for side, changes in (("A", False), ("B", True)):
        x, y, width, height = sides[side].box([(2, 2)])
        target = window.stage.target_at(QPointF(x + width / 2, y + height / 2))
        assert (target is not None) == changes
    kept = window.session.trace
    choose(qtbot, window, menu_at(window, sides["B"], (2, 2)), "Zero")
    assert window.session.step.value[CAT] == 0
    assert kept[WEIGHTS].value[CAT] != 0
    shown = next(each for each in window.stage.stage.panels if each.grid.caption == "B")
    x, y, width, height = shown.box([(2, 2)])
    at, view = QPoint(round(x + width / 2), round(y + height / 2)), window.stage.viewport()
    qtbot.mouseClick(view, LEFT, NOTHING, at)
    assert window.session.pinned == CAT
    qtbot.mousePress(view, LEFT, NOTHING, at)
    move(window, at - QPoint(0, 40))
    qtbot.waitUntil(lambda: window.session.step.value[CAT] > 0, timeout=30_000)
    qtbot.mouseRelease(view, LEFT, NOTHING, at - QPoint(0, 40))
    settle(qtbot, window)
    assert window.session.step.value[CAT] > 0
    assert window.session.compared.pair is not None
    assert window.session.compared.pair.a[WEIGHTS].value[CAT] == kept[WEIGHTS].value[CAT]


def test_weights_that_no_longer_sum_to_1_are_still_weights(window: Window, qtbot: QtBot) -> None:
    go(window, WEIGHTS)
    click(qtbot, window, CAT)
    assert "each row sums to 1." in words(window)
    assert "looks most at" in words(window)
    press(qtbot, window)
    type_text(qtbot, window, "0.9")
    qtbot.keyClick(window.focusWidget(), KEY.Key_Return)
    settle(qtbot, window)
    total = window.session.step.value[0, 2].sum()
    assert "its rows do not all sum to 1." in words(window)
    assert f"The weights of “cat” sum to {total:.3g}, not to 1." in words(window)
    assert "“cat” looks most at itself (0.9), then" in words(window)
