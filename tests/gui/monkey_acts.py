"""What a user does who has all keys and buttons and no aim: each act is a few events at a ``Monkey``'s window.

A new thing that can be done is a function here, and a row in ``ACTS`` that says how often it is done.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QPoint, QRect, Qt, QUrl
from PySide6.QtGui import QColor, QDropEvent, QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QMenu, QSlider, QWidget
from shiboken6 import isValid

from tests.models.checkpoints.reference import ALL
from txviz.gui.appearance import THEME_CHOICES
from txviz.gui.inputs.drawing_editor import DrawingEditor
from txviz.gui.menus import COMMANDS

if TYPE_CHECKING:
    from tests.gui.monkey import Monkey

LEFT, RIGHT, MIDDLE = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton
NOTHING, SHIFT, CTRL = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
)
TEXTS = (
    "The cat sat.", "a", " ", "", "The house is big", "I love you very much", "0,8", "1.5", "-1e9", "nan", "3" * 30,
    "猫が座った 🐈", "Ünïcödé", "<b>&amp;", "| |", "a | b", "zzz qqq " * 8, "{}", "\\input{x}", "=1+1", "%s",
    "weights",
)  # fmt: skip
NUMBERS = ("0", "1.5", "-2", "1e300", "nan", "inf", "0,8", "1 2 3", "x", "", "-")
_K = Qt.Key
ANSWERS = [
    _K.Key_Left, _K.Key_Right, _K.Key_Up, _K.Key_Down, _K.Key_Home, _K.Key_End, _K.Key_Return, _K.Key_Escape,
    _K.Key_Tab, _K.Key_Space,
]  # fmt: skip
"""What one presses in a menu or dialog."""
KEYS = [
    *ANSWERS, _K.Key_PageUp, _K.Key_PageDown, _K.Key_Enter, _K.Key_Backtab, _K.Key_Backspace, _K.Key_Delete,
    _K.Key_Insert, _K.Key_Menu, _K.Key_F1, _K.Key_F2, _K.Key_F5, _K.Key_F6, _K.Key_F11, _K.Key_A, _K.Key_C, _K.Key_M,
    _K.Key_V, _K.Key_X, _K.Key_Y, _K.Key_Z, _K.Key_Plus, _K.Key_Minus, _K.Key_Equal, _K.Key_0, _K.Key_5, _K.Key_Period,
    _K.Key_Comma,
]  # fmt: skip
ARROWS = (_K.Key_Left, _K.Key_Right, _K.Key_Up, _K.Key_Down)
SHORTCUTS = {key: command.key for command in COMMANDS for key in command.keys if command.key != "quit"}

# --- keys and texts ---


def press_key(monkey: Monkey) -> None:
    modifiers = monkey.random.choice((NOTHING, NOTHING, NOTHING, SHIFT, CTRL, CTRL | SHIFT))
    monkey.key(monkey.random.choice(KEYS), modifiers)


def press_shortcut(monkey: Monkey) -> None:
    monkey.shortcut(monkey.random.choice(list(SHORTCUTS)))


def walk(monkey: Monkey) -> None:
    key = monkey.random.choice((_K.Key_Right, _K.Key_Left, _K.Key_Down))
    monkey.key(_K.Key_Escape)
    for _ in range(monkey.random.randint(1, 8)):
        monkey.key(key)


def type_text(monkey: Monkey) -> None:
    monkey.write(monkey.random.choice(TEXTS))


def type_input(monkey: Monkey) -> None:
    monkey.key(_K.Key_I, CTRL)
    if monkey.random.random() < 0.5:
        monkey.key(_K.Key_A, CTRL)
    type_text(monkey)


def undo(monkey: Monkey) -> None:
    for _ in range(monkey.random.randint(1, 4)):
        monkey.key(_K.Key_Z, monkey.random.choice((CTRL, CTRL, CTRL | SHIFT)))


def close_dialog(monkey: Monkey) -> None:
    monkey.key(_K.Key_Escape)


def find_word(monkey: Monkey) -> None:
    monkey.shortcut(monkey.random.choice(("Ctrl+Shift+F", "Ctrl+F")))
    monkey.write(monkey.random.choice(("the", "ti", "cat", "zzz", "weights", "")))
    monkey.key(monkey.random.choice((_K.Key_Return, _K.Key_Down, _K.Key_Escape)))


# --- the pointer ---


def click(monkey: Monkey) -> None:
    handle = monkey.handle()
    button = monkey.random.choice((LEFT, LEFT, LEFT, LEFT, RIGHT, MIDDLE))
    monkey.press(handle, monkey.spot(handle), button, double=monkey.random.random() < 0.15)


def click_button(monkey: Monkey) -> None:
    _click_one_of(monkey, monkey.widgets(QAbstractButton))


def click_widget(monkey: Monkey) -> None:
    _click_one_of(monkey, monkey.widgets(QWidget))


def _click_one_of(monkey: Monkey, widgets: Sequence[QWidget]) -> None:
    chosen = monkey.random.choice(widgets) if widgets else None
    if chosen is not None and isValid(chosen):  # the garbage collector may have come for a list that has closed
        handle = monkey.handle_of(chosen)
        monkey.press(handle, monkey.spot(handle, chosen))


def choose(monkey: Monkey) -> None:
    """From a list that folds out, by pointer and keys."""
    _choose_from(monkey, monkey.widgets(QComboBox))


def switch_model(monkey: Monkey) -> None:
    if monkey.free:
        _choose_from(monkey, [monkey.window.input.models])


def _choose_from(monkey: Monkey, boxes: Sequence[QComboBox]) -> None:
    if not boxes:
        return
    _click_one_of(monkey, [monkey.random.choice(boxes)])
    _go_down(monkey, 7, (_K.Key_Down, _K.Key_Down, _K.Key_Up))
    monkey.key(monkey.random.choice((_K.Key_Return, _K.Key_Return, _K.Key_Escape)))


def _go_down(monkey: Monkey, most: int, keys: Sequence[Qt.Key] = (_K.Key_Down,)) -> None:
    for _ in range(monkey.random.randint(0, most)):
        monkey.key(monkey.random.choice(keys))


def use_menu(monkey: Monkey) -> None:
    bar = monkey.window.menuBar()
    menus = [action for action in bar.actions() if isinstance(action.menu(), QMenu)]
    at = bar.mapTo(monkey.window, bar.actionGeometry(monkey.random.choice(menus)).center())
    monkey.press(monkey.window.windowHandle(), at)
    _go_down(monkey, 9, (_K.Key_Down, _K.Key_Down, _K.Key_Right))
    chosen = QApplication.activePopupWidget()
    quits = isinstance(chosen, QMenu) and chosen.activeAction() is monkey.window.actions_by_key["quit"]
    seldom = quits and monkey.random.random() < 0.8  # a start takes as long as a hundred events
    monkey.key(_K.Key_Escape if seldom else _K.Key_Return)


def drag(monkey: Monkey) -> None:
    handle = monkey.handle()
    path = [monkey.spot(handle) for _ in range(monkey.random.randint(2, 5))]
    monkey.pull(handle, path, monkey.random.choice((LEFT, LEFT, RIGHT)))


def drag_slider(monkey: Monkey) -> None:
    """Of a head, of a decoding board."""
    sliders = monkey.widgets(QSlider)
    if sliders:
        slider = monkey.random.choice(sliders)
        handle = monkey.handle_of(slider)
        monkey.pull(handle, [monkey.spot(handle, slider) for _ in range(monkey.random.randint(2, 6))])


def draw(monkey: Monkey) -> None:
    editor = monkey.window.input.page.editor
    if isinstance(editor, DrawingEditor) and editor.board.isVisible() and monkey.free:
        handle = monkey.window.windowHandle()
        path = [monkey.spot(handle, editor.board) for _ in range(monkey.random.randint(2, 5))]
        monkey.pull(handle, path, monkey.random.choice((LEFT, LEFT, RIGHT)))


def point(monkey: Monkey) -> None:
    handle = monkey.handle()
    at = monkey.spot(handle, monkey.window.stage.viewport() if monkey.random.random() < 0.5 else None)
    monkey.point(handle, at)


def turn_wheel(monkey: Monkey) -> None:
    handle = monkey.handle()
    turned, modifiers = monkey.random.choice((-240, -120, 120, 360)), monkey.random.choice((NOTHING, CTRL, SHIFT))
    monkey.wheel(handle, monkey.spot(handle), turned, modifiers)


# --- numbers that are changed ---


def change_cell(monkey: Monkey) -> None:
    """Chosen by keys; then typed, dragged, from its menu, or pasted."""
    monkey.key(_K.Key_Escape)
    for _ in range(monkey.random.randint(1, 4)):
        monkey.key(monkey.random.choice(ARROWS), CTRL)
    if monkey.random.random() < 0.3:
        monkey.key(_K.Key_O)
    monkey.random.choice((_type_number, _drag_cell, _cell_menu, _paste_numbers))(monkey)


def _type_number(monkey: Monkey) -> None:
    if monkey.random.random() < 0.5:
        monkey.key(_K.Key_E)
    monkey.write(monkey.random.choice(NUMBERS))
    monkey.key(monkey.random.choice((_K.Key_Return, _K.Key_Return, _K.Key_Escape)))


def _drag_cell(monkey: Monkey) -> None:
    stage, shown = monkey.window.stage, monkey.window.stage.rect_of(monkey.window.stage.target)
    seen = shown.intersected(stage.viewport().rect()) if shown else QRect()
    if monkey.free and stage.isVisible() and not seen.isEmpty():
        handle = monkey.handle_of(stage)
        at = stage.viewport().mapTo(stage.window(), seen.center())
        path = [at, *(at + QPoint(0, monkey.random.randint(-150, 150)) for _ in range(monkey.random.randint(1, 5)))]
        monkey.pull(handle, path)


def _cell_menu(monkey: Monkey) -> None:
    monkey.key(_K.Key_Menu)
    _go_down(monkey, 6, (_K.Key_Down, _K.Key_Down, _K.Key_Right))
    monkey.key(_K.Key_Return)


def _paste_numbers(monkey: Monkey) -> None:
    QGuiApplication.clipboard().setText(monkey.random.choice(("1 2 3", "0.5", "1\t2\n3\t4", "nan", "abc")))
    monkey.key(_K.Key_V, CTRL)


def what_if(monkey: Monkey) -> None:
    monkey.key(_K.Key_Escape)
    monkey.key(_K.Key_I)
    for _ in range(monkey.random.randint(1, 3)):
        _go_down(monkey, 5, (_K.Key_Tab, _K.Key_Down))
        monkey.key(_K.Key_Space)
    monkey.key(_K.Key_Escape)


def use_edits_list(monkey: Monkey) -> None:
    button = monkey.window.input.page.edits
    if monkey.free and button.isVisible():
        _click_one_of(monkey, [button])
        for _ in range(monkey.random.randint(1, 3)):
            opened = QApplication.activePopupWidget()
            _click_one_of(monkey, opened.findChildren(QAbstractButton) if opened is not None else [])
        monkey.key(_K.Key_Escape)


# --- pictures ---


def go_levels(monkey: Monkey) -> None:
    """The map, out and in, another picture of it."""
    monkey.key(_K.Key_Escape)
    for _ in range(monkey.random.randint(1, 5)):
        monkey.key(monkey.random.choice((_K.Key_M, _K.Key_Backspace, _K.Key_Backspace, _K.Key_Return, _K.Key_V)))


def click_picture(monkey: Monkey) -> None:
    """A box of the map, a candidate of a board, a word of a tree: whatever can be gone to, forced or folded."""
    presentation = monkey.window.overlays.presentation
    area = monkey.window.area if presentation is None else presentation.area
    view = area.picture
    if monkey.free and view.isVisible() and view.picture.spots:
        edits = [spot for spot in view.picture.spots if spot.edit]
        spot = monkey.random.choice(edits if edits and monkey.random.random() < 0.5 else view.picture.spots)
        at = QPoint(round(spot.area.centre[0]), round(spot.area.centre[1])) - view.offset
        if view.viewport().rect().contains(at):
            monkey.press(monkey.handle_of(view), view.viewport().mapTo(view.window(), at))


def show_decoding(monkey: Monkey) -> None:
    """The board or the tree of a model that writes, and a way of searching."""
    if not monkey.free:
        return
    session, form = monkey.window.session, monkey.window.input.page.form
    if session.trace.outline.get("time") is not None:
        monkey.note("looks at decoding")
        session.show_node("time")
    if "strategy" in form.fields and monkey.random.random() < 0.5:
        chosen = monkey.random.choice(("greedy", "beam", "sample"))
        monkey.note(f"strategy {chosen}")
        form.choose("strategy", chosen)


def compare(monkey: Monkey) -> None:
    """Begins and ends it, by keys; or one that is ready made, from the menu of the button."""
    if monkey.random.random() < 0.4 and monkey.free and monkey.window.comparing.button.isVisible():
        _choose_ready(monkey)
    else:
        monkey.shortcut("Ctrl+B")
    for _ in range(monkey.random.randint(0, 3)):
        monkey.key(_K.Key_X)
    if monkey.random.random() < 0.3 and monkey.free:
        monkey.note("swaps A and B")
        monkey.window.actions_by_key["swap"].trigger()


def _choose_ready(monkey: Monkey) -> None:
    button = monkey.window.comparing.button
    _click_one_of(monkey, [button])
    if QApplication.activePopupWidget() is None:
        menu = button.menu()
        menu.popup(button.mapToGlobal(QPoint(0, button.height())))
    _go_down(monkey, 8)
    monkey.key(_K.Key_Return)


# --- windows of their own ---


def present(monkey: Monkey) -> None:
    """The whole screen, with its own keys."""
    if monkey.window.overlays.presentation is None:
        monkey.key(_K.Key_Escape)
        monkey.shortcut("F5")
    keys = (*ARROWS, _K.Key_Space, _K.Key_B, _K.Key_PageDown, _K.Key_M, _K.Key_V, _K.Key_X, _K.Key_I, _K.Key_Backspace)
    for _ in range(monkey.random.randint(1, 8)):
        monkey.key(monkey.random.choice(keys))
    if monkey.random.random() < 0.7:
        monkey.key(_K.Key_Escape)  # what if, or black
        monkey.key(_K.Key_Escape)


def train(monkey: Monkey) -> None:
    """Opens the panel, presses its buttons, one step and ten among them; or closes it."""
    if not monkey.free:
        return
    dock = monkey.window.tools.training
    if dock is None or not dock.isVisible():
        monkey.shortcut("Ctrl+T")
    dock = monkey.window.tools.training
    if dock is not None and dock.isVisible():
        buttons = [each for each in dock.panel.findChildren(QAbstractButton) if each.isVisible() and each.isEnabled()]
        for _ in range(monkey.random.randint(1, 3)):
            _click_one_of(monkey, [each for each in buttons if each.isEnabled()])
            wait(monkey)
    if dock is not None and monkey.random.random() < 0.2:
        monkey.note("closes the training")
        dock.close()


def export(monkey: Monkey) -> None:
    """The dialog, with some of its fields changed, and sometimes OK: then a file is named."""
    if monkey.free:
        monkey.shortcut("Ctrl+E")
        for _ in range(monkey.random.randint(0, 3)):
            choose(monkey)
        monkey.key(monkey.random.choice((_K.Key_Return, _K.Key_Escape)))


def record(monkey: Monkey) -> None:
    monkey.shortcut("Ctrl+Shift+R")


# --- from outside ---


def copy_something(monkey: Monkey) -> None:
    """Somebody copies in another program, and comes back."""
    data = QMimeData()
    if monkey.random.random() < 0.3:
        image = QImage(9, 7, QImage.Format.Format_RGB32)
        image.fill(QColor(90, 120, 200))
        data.setImageData(image)
    else:
        data.setText(monkey.random.choice((*TEXTS, "0 1 0 1 0 1\n" * 6)))
    monkey.note(f"copies {data.formats()}")
    QGuiApplication.clipboard().setMimeData(data)
    monkey.key(_K.Key_V, CTRL)


def drop(monkey: Monkey) -> None:
    """A trace, a checkpoint's folder, a photograph, or nothing of the kind."""
    if not monkey.free:
        return
    names = ("a.safetensors", "nothing.safetensors", "e.png", "trace-version-2.safetensors", "checkpoints/gpt2.json")
    of_models = [f"checkpoints/{name}" for name in (*ALL, *["photograph.png"] * 3)]
    path = monkey.folder / monkey.random.choice((*names, *of_models))
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    monkey.note(f"drops {path.name}")
    at = monkey.spot(monkey.window.windowHandle()).toPointF()
    monkey.window.dropEvent(QDropEvent(at, Qt.DropAction.CopyAction, data, LEFT, NOTHING))


def resize(monkey: Monkey) -> None:
    size = monkey.random.randint(300, 1900), monkey.random.randint(200, 1100)
    monkey.note(f"resizes to {size}")
    monkey.window.resize(*size)


def change_screen(monkey: Monkey) -> None:
    """The window is moved to a screen with larger pixels, and back."""
    screen = monkey.random.choice(QGuiApplication.screens())
    monkey.note(f"moves to {screen.name()}, ×{screen.devicePixelRatio():g}")
    monkey.window.move(screen.availableGeometry().topLeft() + QPoint(monkey.random.randint(0, 400), 40))


def change_looks(monkey: Monkey) -> None:
    """The theme, here or of the whole desktop, and the size of text."""
    chosen = monkey.random.choice((*THEME_CHOICES, "desktop dark", "desktop light", "larger", "smaller"))
    monkey.note(f"looks: {chosen}")
    if chosen in THEME_CHOICES:
        monkey.window.choose_theme(chosen)
    elif chosen.startswith("desktop"):
        scheme = Qt.ColorScheme.Dark if chosen.endswith("dark") else Qt.ColorScheme.Light
        QGuiApplication.styleHints().setColorScheme(scheme)
    else:
        monkey.window.resize_text(1 if chosen == "larger" else -1)


def wait(monkey: Monkey) -> None:
    monkey.note("waits")
    QTest.qWait(monkey.random.choice((0, 5, 60)))


ACTS: dict[Callable[[Monkey], None], int] = {
    press_key: 10,
    press_shortcut: 10,
    walk: 8,
    type_text: 5,
    type_input: 4,
    click: 10,
    click_button: 8,
    click_widget: 8,
    choose: 5,
    switch_model: 4,
    use_menu: 4,
    drag: 5,
    drag_slider: 4,
    draw: 5,
    point: 8,
    turn_wheel: 5,
    change_cell: 8,
    what_if: 2,
    use_edits_list: 3,
    go_levels: 6,
    click_picture: 6,
    show_decoding: 2,
    compare: 3,
    present: 2,
    train: 2,
    export: 2,
    record: 1,
    find_word: 2,
    resize: 3,
    change_screen: 2,
    change_looks: 2,
    undo: 5,
    copy_something: 2,
    drop: 3,
    wait: 5,
    close_dialog: 5,
}
"""How often each is done, of all."""
