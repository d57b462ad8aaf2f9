"""Everything that can be done, in one table: menus, shortcuts and the list of keys (F1) are made from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QActionGroup, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu


class Command(NamedTuple):
    key: str
    """How the code calls it."""

    menu: str
    text: str
    keys: tuple[str, ...] = ()
    checkable: bool = False


COMMANDS = (
    Command("start", "File", "S&tart page", ("Ctrl+N",)),
    Command("open", "File", "&Open…", ("Ctrl+O",)),
    Command("open_folder", "File", "Open a &model folder…", ("Ctrl+Shift+O",)),
    Command("save", "File", "&Save trace…", ("Ctrl+S",)),
    Command("export", "File", "&Export figures…", ("Ctrl+E",)),
    Command("lecture", "File", "Export a &lecture…"),
    Command("record", "File", "&Record a film…", ("Ctrl+Shift+R",), checkable=True),
    Command("copy", "File", "&Copy figure and cell", ("Ctrl+C",)),
    Command("quit", "File", "&Quit", ("Ctrl+Q",)),
    Command("undo", "Edit", "&Undo", ("Ctrl+Z",)),
    Command("redo", "Edit", "&Redo", ("Ctrl+Shift+Z", "Ctrl+Y")),
    Command("edit_cell", "Edit", "&Change the chosen cell…", ("E",)),
    Command("cell_menu", "Edit", "&Menu of the chosen cell", ("Menu", "Shift+F10")),
    Command("next_tensor", "Edit", "Choose a cell of the next &operand", ("O",)),
    Command("paste", "Edit", "&Paste numbers into the chosen row", ("Ctrl+V",)),
    Command("matter", "Edit", "Where does it first m&atter?", ("Ctrl+M",)),
    Command("what_if", "Edit", "W&hat if…", ("I",)),
    Command("find", "Edit", "&Find a step", ("Ctrl+F",)),
    Command("find_word", "Edit", "Find a &word in the vocabulary", ("Ctrl+Shift+F",)),
    Command("input", "Edit", "Edit the &input", ("Ctrl+I",)),
    Command("first", "Go", "&First step", ("Home",)),
    Command("previous", "Go", "&Previous step", ("Left",)),
    Command("play", "Go", "Pl&ay", ("Space",), checkable=True),
    Command("next", "Go", "&Next step", ("Right",)),
    Command("last", "Go", "&Last step", ("End",)),
    Command("key_steps", "Go", "&Key steps only", ("K",), checkable=True),
    Command("previous_stage", "Go", "Previous &stage", ("Shift+Left",)),
    Command("next_stage", "Go", "Next s&tage", ("Shift+Right",)),
    Command("previous_time", "Go", "The same step, one time step &back", ("PgUp",)),
    Command("next_time", "Go", "The same step, one time step o&n", ("PgDown",)),
    Command("out", "Go", "&Out one level", ("Backspace",)),
    Command("in", "Go", "&In one level", ("Return", "Enter")),
    Command("map", "Go", "&Map of the model", ("M",)),
    Command("next_picture", "Go", "Another pict&ure of it", ("V",)),
    Command("previous_place", "Go", "Previous &head", ("Up",)),
    Command("next_place", "Go", "Next h&ead", ("Down",)),
    Command("cell_up", "Go", "Cell up", ("Ctrl+Up",)),
    Command("cell_down", "Go", "Cell down", ("Ctrl+Down",)),
    Command("cell_left", "Go", "Cell left", ("Ctrl+Left",)),
    Command("cell_right", "Go", "Cell right", ("Ctrl+Right",)),
    Command("release", "Go", "Cancel, let the cell go, close the message, end comparing, back to the stage", ("Esc",)),
    Command("zoom_in", "View", "Zoom &in", ("Ctrl+=", "Ctrl++")),
    Command("zoom_out", "View", "Zoom &out", ("Ctrl+-",)),
    Command("zoom_fit", "View", "&Fit the window", ("Ctrl+0",)),
    Command("larger_text", "View", "&Larger text", ("Ctrl+Shift+Up", "Ctrl+Shift+=")),
    Command("smaller_text", "View", "&Smaller text", ("Ctrl+Shift+Down", "Ctrl+Shift+-")),
    Command("why", "View", "&Why is this here?", ("W",)),
    Command("compare", "View", "Comp&are runs", ("Ctrl+B",), checkable=True),
    Command("swap", "View", "Swap A an&d B"),
    Command("next_side", "View", "A, B or the difference: the ne&xt", ("X",)),
    Command("train", "View", "&Train a model…", ("Ctrl+T",)),
    Command("meaning", "View", "Co&mpare sentences…", ("Ctrl+L",)),
    Command("calculator", "View", "Cost &calculator…", ("Ctrl+K",)),
    Command("present", "View", "&Present", ("F5",)),
    Command("full_screen", "View", "F&ull screen", ("F11",), checkable=True),
    Command("reset", "View", "&Reset the layout"),
    Command("keys", "Help", "&Keys", ("F1",)),
    Command("card", "Help", "About this &model"),
    Command("about", "Help", "&About txviz"),
)
_COMES_AS = {"Ctrl+Shift+=": "Ctrl+*"}
"""Where + is Shift and =, this key comes as Ctrl++, and whoever zooms in asks ``shift_is_held``: with a shortcut of its
own Qt would find two for it, and take none. Where + has a key of its own, Shift makes it a *."""

MENUS = ("File", "Edit", "Go", "View", "Help")

_MOUSE = (
    ("Stage", "Point at a cell of the result", "its arithmetic, and the cells it was made from"),
    ("Stage", "Click", "pin the cell, and follow its token from step to step until Esc"),
    ("Stage", "Double-click an input", "go to the step that made it"),
    ("Stage", "Right-click a cell", "set, zero, scale or reset it, its row, its column, its head"),
    ("Stage", "Drag the chosen cell up or down", "change it, and all after it; finer with Shift, Esc takes it back"),
    ("Stage", "Type a number", "put it into the chosen cell"),
    ("Plots", "Click a bar of a softmax", "go to its column on the stage, and pin it"),
    ("Decoding", "Click a candidate, also one that is cut off", "force it, and go on from there; again takes it back"),
    ("Decoding", "Ctrl+arrow keys, then Enter", "choose a candidate, and force it; Esc lets it go"),
    ("Pictures", "Ctrl+arrow keys, then Enter", "choose a word or a head, and go there; Esc lets it go"),
    ("Map", "Click a box", "go there"),
    ("Map", "Click ▸ or ▾", "show or hide what is inside a box"),
    ("Stage", "Ctrl+wheel, drag", "zoom, pan"),
    ("Board", "Left button, right button, wheel", "paint, erase, shade"),
    ("Board", "Ctrl+I or Tab, then arrow keys, digits, Space, Delete", "choose a pixel, type its value, paint, erase"),
    ("Board in colour", "the same", "digits and the wheel choose a colour"),
)


def make_actions(window: QMainWindow, handlers: dict[str, Callable[[], object]]) -> dict[str, QAction]:
    """An action for each command; ``handlers`` says what it does."""
    actions = {}
    for command in COMMANDS:
        action = QAction(command.text, window)
        action.setCheckable(command.checkable)
        action.setShortcuts([QKeySequence(_COMES_AS.get(key, key)) for key in command.keys])
        plain = command.text.replace("&", "").rstrip("…")
        action.setToolTip(f"{plain} ({command.keys[0]})" if command.keys else plain)
        action.triggered.connect(lambda _=False, run=handlers[command.key]: run())
        window.addAction(action)
        actions[command.key] = action
    return actions


def shift_is_held() -> bool:
    """Whether Ctrl++ was Ctrl+Shift+=, as on a US keyboard."""
    return bool(QGuiApplication.keyboardModifiers() & Qt.KeyboardModifier.ShiftModifier)


def make_menus(window: QMainWindow, actions: dict[str, QAction]) -> dict[str, QMenu]:
    menus = {name: window.menuBar().addMenu(f"&{name}") for name in MENUS}
    for command in COMMANDS:
        menus[command.menu].addAction(actions[command.key])
    return menus


def add_choices(menu: QMenu, title: str, choices: Iterable[str], chosen: str, take: Callable[[str], object]) -> None:
    """A menu inside a menu, of which one is chosen."""
    inside = menu.addMenu(title)
    group = QActionGroup(inside)
    for name in choices:
        action = QAction(f"&{name.capitalize()}", group, checkable=True, checked=name == chosen)
        action.triggered.connect(lambda _=False, name=name: take(name))
        inside.addAction(action)


def all_keys() -> list[tuple[str, str, str]]:
    """Group, key and what it does, for the list of keys."""
    order = ("Go", "Edit", "File", "View", "Help")
    keys = [
        (command.menu, " or ".join(_shown(key) for key in command.keys), command.text.replace("&", "").rstrip("…"))
        for command in sorted(COMMANDS, key=lambda command: order.index(command.menu))
        if command.keys
    ]
    return [*keys, *_MOUSE]


def _shown(key: str) -> str:
    arrows = {"Left": "←", "Right": "→", "Up": "↑", "Down": "↓", "PgDown": "PgDn"}
    return "+".join(arrows.get(part, part) for part in key.split("+")) if not key.endswith("++") else key
