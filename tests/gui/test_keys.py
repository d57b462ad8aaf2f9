"""Who has the keys after a click, and after Tab: real clicks and keys on the window, for everything that is in it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollBar,
    QTabBar,
    QTextEdit,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Compute, settle
from txviz.gui.inputs.drawing_editor import DrawingEditor
from txviz.gui.inputs.fields import NumberField
from txviz.gui.inputs.menu_button import MenuButton
from txviz.gui.inputs.sentence import SentenceEditor
from txviz.gui.window import Window
from txviz.models import find

Key = Qt.Key
LEFT = Qt.MouseButton.LeftButton
KINDS = (QComboBox, QAbstractButton, QAbstractSlider, QAbstractItemView, QTabBar, QLabel, QTextEdit)


def click(widget: QWidget, spot: QPoint | None = None) -> None:
    """With the pointer, at the place where the widget is seen; the window finds out what is there."""
    handle = widget.window().windowHandle()
    QTest.mouseClick(handle, LEFT, pos=widget.mapTo(widget.window(), spot or widget.rect().center()))


def type_keys(window: Window, *keys: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """To whatever has the focus in the window, or to the list that is open."""
    if QApplication.activePopupWidget() is None:
        window.activateWindow()  # as window managers do when a list is closed; this platform does not
        settle()
    for key in keys:
        QTest.keyClick(window.windowHandle(), key, modifier)


def choose(box: QComboBox, item: int) -> None:
    """From its list, with the pointer."""
    click(box)
    view = box.view()
    assert view.isVisible()
    click(view.viewport(), view.visualRect(view.model().index(item, 0)).center())


def steps_with_the_keys(window: Window) -> bool:
    """Whether → and ← step, and Space plays and pauses."""
    here = window.session.position
    type_keys(window, Key.Key_Right)
    on = window.session.position
    type_keys(window, Key.Key_Left)
    back = window.session.position
    type_keys(window, Key.Key_Space)
    playing = window.timeline.playing
    type_keys(window, Key.Key_Space)
    return (on, back, playing, window.timeline.playing) == (here + 1, here, True, False)


@pytest.fixture
def large(window: Window, qtbot: QtBot) -> Window:
    """With room for all that is in it."""
    window.resize(1300, 1500)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    return window


def show(window: Window, compute: Compute, model: str, step: str) -> None:
    compute(window, model, find(model).example)
    window.session.go_to(step)
    settle()


def controls(window: Window) -> Iterator[QWidget]:
    """All that can be seen and clicked and is no field to write in; what opens a dialog is left out."""
    for kind in KINDS:
        for widget in window.findChildren(kind):
            inside = widget.parentWidget()
            menu = widget.menu() if isinstance(widget, QPushButton | QToolButton) else None
            opens = menu is not None or isinstance(widget, MenuButton)
            part = isinstance(widget, QScrollBar) or isinstance(inside, QComboBox | QLineEdit | QTabBar)
            written = isinstance(widget, QTextEdit) and not widget.isReadOnly()
            if widget.isVisible() and not (opens or part or written) and widget.window() is window:
                yield widget


@pytest.mark.parametrize(
    ("model", "step", "plot"),
    [
        ("sentence-guide", "encoder.0.attention.weights", "Softmax"),
        ("digits", "encoder.0.attention.weights", "Attention"),
        ("translator", "encoder.0.attention.weights", "Values"),
        ("sentence", "first.encoder.0.attention.weights", "Tokens"),
    ],
)
def test_a_click_leaves_the_keys_with_the_stage(
    large: Window, compute: Compute, model: str, step: str, plot: str
) -> None:
    """Every list, button, switch, slider, tab, tree, label and text to read that the window has with this model."""
    show(large, compute, model, step)
    assert large.plots is not None
    large.plots.choose(plot)
    settle()
    tried = []
    for widget in list(controls(large)):
        if not widget.isVisible():  # what was clicked before may have hidden it
            continue
        click(widget)
        if isinstance(widget, QComboBox):
            type_keys(large, Key.Key_Escape)  # its list has the keys while it is open
        large.timeline.play(False)
        large.session.go_to(step)
        tried.append((type(widget).__name__, widget.accessibleName(), steps_with_the_keys(large)))
    assert {"Model", "Colour scale", "Speed of playing", "Steps"} <= {name for _, name, _ in tried}
    assert [which for which in tried if not which[-1]] == []


@pytest.mark.parametrize("by", ["click", "enter"])
def test_after_choosing_from_a_list_the_keys_step(large: Window, qtbot: QtBot, compute: Compute, by: str) -> None:
    show(large, compute, "translator", "encoder.0.attention.weights")
    page = large.input.page
    options = [box for box in page.form.findChildren(QComboBox) if box.isEnabled()]
    assert len(options) >= 2
    for box in (large.timeline.speed, large.stage_bar.scale, *options):
        last = box.count() - 1
        if box in options:
            click(page.options)
        if by == "click":
            choose(box, last)
        else:
            click(box)
            QTest.keyClick(box.view().window().windowHandle(), Key.Key_End)
            QTest.keyClick(box.view().window().windowHandle(), Key.Key_Return)
        assert box.currentIndex() == last
        if box in options:
            QTest.keyClick(page.options.popup.windowHandle(), Key.Key_Escape)
            assert not page.options.popup.isVisible()
        qtbot.waitUntil(lambda: not large.computing.background.busy)
        large.session.go_to("encoder.0.attention.weights")
        place = large.session.place
        assert steps_with_the_keys(large), box.accessibleName()
        type_keys(large, Key.Key_Down)
        assert (large.session.place, box.currentIndex()) == ((place[0] + 1,), last), box.accessibleName()
        large.session.choose_place((0,))


def test_after_choosing_a_model_the_keys_step_through_it(large: Window, qtbot: QtBot) -> None:
    with qtbot.waitSignal(large.session.trace_changed):
        choose(large.input.models, large.input.models.findData("digits"))
    type_keys(large, Key.Key_Down, Key.Key_Space, Key.Key_Space, Key.Key_Right)
    assert large.input.models.name == "digits"
    assert not large.input.models.view().isVisible()
    assert large.session.step.name == large.session.trace[1].name


def test_a_menu_of_examples_gives_the_keys_back(large: Window, qtbot: QtBot, compute: Compute) -> None:
    show(large, compute, "digits", "encoder.0.attention.weights")
    click(large.input.page.examples)
    menu = large.input.page.examples.menu()
    assert QApplication.activePopupWidget() is menu
    with qtbot.waitSignal(large.session.trace_changed):
        click(menu, menu.actionGeometry(menu.actions()[-1]).center())
    large.session.go_to(3)
    assert steps_with_the_keys(large)


def test_at_the_start_the_stage_has_the_keys(large: Window) -> None:
    type_keys(large, Key.Key_Down, Key.Key_Right)
    assert large.windowTitle() == "txviz — embed.tokens (2/21)"


def test_a_text_that_is_edited_has_its_keys(large: Window, compute: Compute) -> None:
    """And loses them to a click beside it."""
    show(large, compute, "translator", "encoder.0.attention.weights")
    editor = large.input.page.editor
    assert isinstance(editor, SentenceEditor)
    for field in (editor.sentence.field, large.steps.filter):
        click(field)
        here = large.session.position
        type_keys(large, Key.Key_Home, Key.Key_Right, Key.Key_Left, Key.Key_Down, Key.Key_Up, Key.Key_End)
        type_keys(large, Key.Key_Left, modifier=Qt.KeyboardModifier.ShiftModifier)
        assert (large.session.position, large.session.place) == (here, (0,))
        assert QApplication.focusWidget() is field
        click(large.timeline.count)
        assert steps_with_the_keys(large), field.accessibleName()


def test_enter_ends_the_input_and_the_keys_step_again(large: Window, compute: Compute) -> None:
    """Who has typed a sentence presses Enter, and goes on with the arrows."""
    show(large, compute, "translator", "encoder.0.attention.weights")
    editor = large.input.page.editor
    assert isinstance(editor, SentenceEditor)
    before = editor.sentence.field.text()
    click(editor.sentence.field)
    type_keys(large, Key.Key_Return)
    assert editor.sentence.field.text() == before
    assert steps_with_the_keys(large)


def test_a_number_has_the_keys_where_it_is_written_and_not_at_its_arrows(large: Window, compute: Compute) -> None:
    show(large, compute, "translator", "encoder.0.attention.weights")
    choose(large.stage_bar.scale, large.stage_bar.scale.findText("fixed"))
    box = large.stage_bar.limit
    here, value = large.session.position, box.value()
    click(box, box.lineEdit().geometry().center())
    type_keys(large, Key.Key_Right, Key.Key_Home, Key.Key_Up)
    assert (large.session.position, box.value()) == (here, value + box.singleStep())
    click(box, QPoint(box.width() - 6, box.height() - 5))
    assert box.value() == value, "the arrow was hit"
    assert steps_with_the_keys(large)
    type_keys(large, Key.Key_Down)
    assert (large.session.place, box.value()) == ((1,), value)


def test_options_have_the_keys_while_they_are_open(large: Window, qtbot: QtBot, compute: Compute) -> None:
    """And the fields in them that are written in have all of theirs."""
    show(large, compute, "translator", "encoder.0.attention.weights")
    page, here = large.input.page, large.session.position
    click(page.options)
    qtbot.waitUntil(page.options.popup.isVisible)
    most, target = page.form.fields["max_steps"], page.form.fields["target"]
    assert isinstance(most, NumberField)
    value = most.value()
    for field in (most, target):
        click(field)
        for key in (Key.Key_Right, Key.Key_Left, Key.Key_Home, Key.Key_Up, Key.Key_Space):
            QTest.keyClick(page.options.popup.windowHandle(), key)
        assert large.session.position == here
        assert not large.timeline.playing
    assert most.value() == value + 1
    QTest.keyClick(page.options.popup.windowHandle(), Key.Key_Escape)
    qtbot.waitUntil(lambda: not large.computing.background.busy)
    large.session.go_to(here)
    assert steps_with_the_keys(large)


def test_after_drawing_the_keys_step_and_with_tab_they_draw(large: Window, qtbot: QtBot, compute: Compute) -> None:
    show(large, compute, "digits", "encoder.0.attention.weights")
    editor = large.input.page.editor
    assert isinstance(editor, DrawingEditor)
    board = editor.board
    large.session.go_to(3)
    click(editor.clear)
    click(board, board.cell_rect(2, 2).center())
    assert board.pixels[2, 2] == 1
    drawn = board.pixels.copy()
    assert steps_with_the_keys(large)
    type_keys(large, Key.Key_Down, Key.Key_5, Key.Key_Delete, Key.Key_Return)
    assert (board.pixels == drawn).all()
    seen = board.grab().toImage()

    type_keys(large, Key.Key_I, modifier=Qt.KeyboardModifier.ControlModifier)
    assert board.grab().toImage() != seen, "a cursor is drawn where the keys are"
    here = large.session.position
    type_keys(large, Key.Key_Right, Key.Key_Space)
    assert (board.pixels[2, 3], large.session.position) == (1, here)

    click(board, board.cell_rect(4, 4).center())
    assert steps_with_the_keys(large)
    type_keys(large, Key.Key_Z, modifier=Qt.KeyboardModifier.ControlModifier)
    assert board.pixels[4, 4] == 0
    assert board.pixels[2, 3] == 1, "one stroke is taken back"


def test_what_tab_has_reached_has_the_keys_that_it_uses(large: Window, compute: Compute) -> None:
    """Every stop of a round with Tab: a list chooses, a slider moves, a tab changes; nothing steps by accident."""
    show(large, compute, "sentence-guide", "encoder.0.attention.weights")
    large.stage.setFocus()
    seen: list[QWidget] = []
    while True:
        type_keys(large, Key.Key_Tab)
        field = QApplication.focusWidget()
        assert field is not None
        if field is large.stage:
            break
        seen.append(field)
        assert len(seen) < 80
        here = large.session.step.name, large.session.place
        if isinstance(field, QComboBox):
            chosen = field.currentIndex()
            type_keys(large, *([Key.Key_Up] if chosen else [Key.Key_Down]))
            assert field.currentIndex() != chosen
        elif isinstance(field, QAbstractSlider):
            value = field.value()
            type_keys(large, Key.Key_Left if value > field.minimum() else Key.Key_Right)
            assert field.value() != value
        elif isinstance(field, QTabBar):
            type_keys(large, Key.Key_Right)
            assert field.currentIndex() == 1
        if isinstance(field, QComboBox | QAbstractSlider | QTabBar):
            assert (large.session.step.name, large.session.place) == here, field.accessibleName()
    assert {large.input.models, large.stage_bar.scale, large.timeline.speed, large.steps.tree} <= set(seen)


def test_a_panel_that_was_torn_off_leaves_the_keys_with_the_stage(
    large: Window, qtbot: QtBot, compute: Compute
) -> None:
    compute(large, "digits", find("digits").example)
    dock = large.docks["Steps"]
    dock.setFloating(True)
    dock.activateWindow()
    qtbot.waitUntil(dock.isActiveWindow)
    editor = large.input.page.editor
    assert isinstance(editor, DrawingEditor)
    for step, widget in enumerate((None, editor.invert, editor.shade, editor.shifts[0]), start=1):
        if widget is not None:
            click(widget)
        QTest.keyClick(dock.windowHandle(), Key.Key_Right)
        assert large.session.position == step
    click(large.steps.filter)
    QTest.keyClick(dock.windowHandle(), Key.Key_Left)
    assert large.session.position == step


def test_a_branch_that_is_clicked_shows_its_picture(large: Window) -> None:
    tree = large.steps.tree
    click(tree.viewport(), tree.visualRect(tree.model().index(1, 0, tree.model().index(0, 0))).center())
    assert large.session.node.name == "embed"
    assert steps_with_the_keys(large)
