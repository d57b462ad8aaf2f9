"""The tree of steps as it is painted."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QPaintEvent, QRegion
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Compute, press, settle
from tests.gui.shown import Checker, marked_rows, rows_in_view
from txviz.gui.window import Window
from txviz.models import find


class Painted(QObject):
    """Where a widget was painted since the last time somebody asked."""

    def __init__(self) -> None:
        super().__init__()
        self.region = QRegion()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QPaintEvent):
            self.region = self.region.united(event.region())
        return False


def test_the_marked_step_is_painted_where_it_is_now(window: Window, qtbot: QtBot) -> None:
    """Step by step with the keys: the row that was marked and the row that is marked now are both painted anew."""
    tree, painted = window.steps.tree, Painted()
    press(qtbot, window, Qt.Key.Key_Right)  # into the first branch, which opens
    settle()
    tree.viewport().installEventFilter(painted)
    for _ in range(2):
        before, painted.region = tree.visualRect(tree.currentIndex()), QRegion()
        press(qtbot, window, Qt.Key.Key_Right)
        after = tree.visualRect(tree.currentIndex())
        assert after != before
        qtbot.waitUntil(partial(_repainted, painted, before, after))
    assert tree.currentIndex().data() == window.session.step.site.leaf


def test_the_list_scrolls_now_and_then_and_not_at_each_step(window: Window, qtbot: QtBot, compute: Compute) -> None:
    """What comes next is in sight; the step itself always is. A list that scrolls is painted whole."""
    compute(window, "digits", find("digits").example)
    window.resize(1280, 800)
    tree, bar = window.steps.tree, window.steps.tree.verticalScrollBar()
    press(qtbot, window, Qt.Key.Key_End, Qt.Key.Key_Home)
    tree.expandAll()
    settle()
    seen = [bar.value()]
    for _ in range(len(window.session.trace) - 1):
        press(qtbot, window, Qt.Key.Key_Right)
        row = tree.visualRect(tree.currentIndex())
        assert not row.isEmpty()
        assert tree.viewport().rect().contains(row.center())
        seen.append(bar.value())
    assert seen[-1] > seen[0], "it is longer than the room for it"
    moved = sum(a != b for a, b in pairwise(seen))
    assert moved <= 12, "half the rows that are in sight"


def test_a_step_leaves_the_layout_as_it_is(window: Window, qtbot: QtBot, compute: Compute) -> None:
    """The number of the step has the room of the longest, at every size of text."""
    compute(window, "translator", "I love you very much")
    settle()
    asked = Asked()
    window.timeline.installEventFilter(asked)
    wide = window.timeline.count.width()
    for step in (8, 9, 98, 99, 100):
        window.session.go_to(step)
        settle()
    assert asked.count == 0
    assert window.timeline.count.width() == wide
    letters = window.timeline.count.fontMetrics()
    for _ in range(3):
        window.actions_by_key["larger_text"].trigger()
        settle()
    assert window.timeline.count.fontMetrics().height() > letters.height()
    text = window.timeline.count.text()
    assert window.timeline.count.width() >= window.timeline.count.fontMetrics().horizontalAdvance(text)


class Asked(QObject):
    """How often a widget was asked to lay out what is in it."""

    count = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.LayoutRequest
        return False


@pytest.mark.parametrize("way", ["key", "pointer"])
def test_a_chosen_branch_is_shown_and_marked(window: Window, qtbot: QtBot, way: str) -> None:
    """A branch is a level: its picture is shown, and the branch alone is marked."""
    tree = window.steps.tree
    tree.setFocus()
    if way == "key":
        qtbot.keyClick(tree, Qt.Key.Key_Down)
    else:
        branch = tree.visualRect(tree.model().index(1, 0, tree.model().index(0, 0))).center()
        qtbot.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=branch)
    assert window.session.node.name == "embed"
    assert window.session.step.name == "embed.tokens"
    assert window.area.currentWidget() is window.area.picture
    assert window.windowTitle() == "txviz — embed · embed.tokens (2/21)"
    marked = tree.selectionModel().selectedIndexes()
    assert [index.data() for index in marked] == ["embed"]
    assert marked == [tree.currentIndex()]


def test_the_up_key_goes_through_the_levels(window: Window, qtbot: QtBot) -> None:
    tree = window.steps.tree
    tree.setFocus()
    window.session.go_to("embed.positions")
    seen = []
    for _ in range(4):
        qtbot.keyClick(tree, Qt.Key.Key_Up)
        seen.append((tree.currentIndex().data(), window.session.node.name, window.session.step.name))
    assert seen == [
        ("tokens", "embed.tokens", "embed.tokens"),
        ("embed", "embed", "embed.tokens"),
        ("tokens", "tokens", "tokens"),
        ("map · Guide: a sentence as a vector", "", "tokens"),
    ]


def test_ctrl_and_the_right_button_mark_nothing_else(window: Window, qtbot: QtBot) -> None:
    """A click with Ctrl takes Qt's mark away, and a right button that is let go over a row gives it to that row."""
    tree, left, right = window.steps.tree, Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
    window.session.go_to("embed.sum")
    here = tree.visualRect(tree.currentIndex()).center()
    for _ in range(2):
        qtbot.mouseClick(tree.viewport(), left, Qt.KeyboardModifier.ControlModifier, pos=here)
        settle()
        assert marked_rows(window) == [("map · Guide: a sentence as a vector", "embed", "sum")]
    below = tree.visualRect(tree.model().index(tree.model().rowCount() - 1, 0)).bottomLeft() + QPoint(5, 8)
    qtbot.mousePress(tree.viewport(), right, pos=below)
    qtbot.mouseRelease(tree.viewport(), right, pos=tree.visualRect(tree.model().index(0, 0)).center())
    settle()
    assert Checker().disagreements(window) == []
    qtbot.mouseClick(
        tree.viewport(), Qt.MouseButton.MiddleButton, pos=tree.visualRect(tree.model().index(0, 0)).center()
    )
    settle()
    assert Checker().disagreements(window) == []


def test_a_branch_in_a_list_of_its_own_window(window: Window, qtbot: QtBot) -> None:
    """Where a click does not give that window the keys, a branch is chosen all the same."""
    window.docks["Steps"].setFloating(True)
    window.activateWindow()
    tree, model = window.steps.tree, window.steps.tree.model()
    embed = model.index(1, 0, model.index(0, 0))
    qtbot.waitUntil(lambda: tree.visualRect(embed).isValid())
    handle = window.docks["Steps"].windowHandle()
    branch = tree.viewport().mapTo(window.docks["Steps"], tree.visualRect(embed).center())
    QTest.mouseClick(handle, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, branch)
    settle()
    assert Checker().disagreements(window) == []
    assert window.windowTitle() == "txviz — embed · embed.tokens (2/21)"


def _repainted(painted: Painted, *rows: QRect) -> bool:
    return all(not row.isEmpty() and painted.region.contains(row.center()) for row in rows)


def test_a_filter_that_nothing_matches_says_so(window: Window, qtbot: QtBot) -> None:
    assert not window.steps.nothing.isVisible()
    qtbot.keyClicks(window.steps.filter, "wheights")
    assert window.steps.nothing.isVisible()
    assert window.steps.nothing.text() == "No step has all of these words in its name."
    window.steps.filter.clear()
    assert not window.steps.nothing.isVisible()


def marked(window: Window) -> list[str]:
    return [index.data() for index in window.steps.tree.selectionModel().selectedIndexes()]


def test_esc_empties_the_filter_and_then_leaves_it(window: Window, qtbot: QtBot) -> None:
    steps = window.steps
    press(qtbot, window, Qt.Key.Key_Right, Qt.Key.Key_Right)
    shown = marked(window)
    press(qtbot, window, Qt.Key.Key_F, modifier=Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(steps.filter, "xx")
    assert steps.nothing.isVisible()
    qtbot.keyClick(steps.filter, Qt.Key.Key_Escape)
    assert (steps.filter.text(), steps.nothing.isVisible()) == ("", False)
    assert marked(window) == shown != []
    assert steps.filter.hasFocus()
    qtbot.keyClick(steps.filter, Qt.Key.Key_Escape)
    assert window.stage.hasFocus()


def test_going_on_to_a_step_that_the_filter_hides_clears_it(window: Window, qtbot: QtBot) -> None:
    steps = window.steps
    press(qtbot, window, Qt.Key.Key_F, modifier=Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(steps.filter, "scores")
    qtbot.keyClick(steps.filter, Qt.Key.Key_Return)
    assert marked(window) == ["scores"]
    window.session.tell_trace()  # as when a model learns
    assert steps.filter.text() == "scores"
    qtbot.keyClick(steps.tree, Qt.Key.Key_Right)
    assert window.session.step.site.leaf == "weights"
    assert (marked(window), steps.filter.text()) == (["weights"], "")
    row = steps.tree.visualRect(steps.tree.currentIndex())
    assert steps.tree.viewport().rect().contains(row.center())


def test_a_filter_that_is_being_written_stays_while_the_run_goes_on(window: Window, qtbot: QtBot) -> None:
    press(qtbot, window, Qt.Key.Key_F, modifier=Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(window.steps.filter, "norm")
    window.session.move(1)  # as the film does
    assert window.steps.filter.text() == "norm"


def test_a_filter_does_not_hide_all_of_another_model(window: Window, qtbot: QtBot, compute: Compute) -> None:
    """It stays where it finds something."""
    steps = window.steps
    qtbot.keyClicks(steps.filter, "pool")
    compute(window, "digits", find("digits").example)
    assert steps.filter.text() == "pool"
    compute(window, "translator", "The house is big")
    assert steps.filter.text() == ""
    (marked,) = marked_rows(window)
    assert marked[0] == "map · Translator: English to Italian and French"
    assert marked[-1] == window.session.node.title


def test_another_run_of_the_same_steps_leaves_branches_open(window: Window, compute: Compute) -> None:
    """While a slider is dragged or a word is typed, what somebody has unfolded stays so."""
    compute(window, "translator", "I love you")
    tree = window.steps.tree
    run = tree.model().index(0, 0)
    branches = (tree.model().index(row, 0, run) for row in range(tree.model().rowCount(run)))
    tree.expand(next(index for index in branches if index.data() == "encoder"))
    before = rows_in_view(window)
    assert before[-1][-1] == "decoding"
    assert any(path[-1] == "layer 1" for path in before)
    compute(window, "translator", "I see you")
    assert rows_in_view(window) == before
    compute(window, "translator", "I love you very much")
    assert not any(path[-1] == "layer 1" for path in rows_in_view(window))
