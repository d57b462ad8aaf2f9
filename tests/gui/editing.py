"""What somebody does who changes a run by hand: points, clicks, drags and types at the cells of the stage."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from txviz.figures.marks import Box
from txviz.figures.panels import Panel
from txviz.gui.window import Window
from txviz.ops import Index

LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
NOTHING = Qt.KeyboardModifier.NoModifier
LONG = 30_000
"""Milliseconds to wait for, on a machine that has a lot to do."""


def go(window: Window, step: str) -> None:
    window.session.go_to(step)
    window.session.show_node(step)


def panel(window: Window, name: str = "") -> Panel:
    """Of the result, or of an operand by its name."""
    wanted = (each for each in window.stage.stage.panels if (each.grid.name == name if name else each.grid.output))
    return next(wanted)


def spot(window: Window, cell: Index, name: str = "") -> QPoint:
    """The middle of a cell, on the viewport."""
    shown = panel(window, name)
    place = shown.grid.find(cell)
    assert place is not None
    return _middle(window, shown, place)


def _middle(window: Window, shown: Panel, place: tuple[int, int]) -> QPoint:
    x, y, width, height = shown.box([place])
    return QPoint(round(x + width / 2), round(y + height / 2)) - window.stage.offset


def click(qtbot: QtBot, window: Window, cell: Index, name: str = "") -> None:
    qtbot.mouseClick(window.stage.viewport(), LEFT, NOTHING, spot(window, cell, name))


def open_menu(window: Window, cell: Index, name: str = "") -> QMenu:
    """By the right button."""
    return _menu_at(window, spot(window, cell, name))


def menu_at(window: Window, shown: Panel, place: tuple[int, int]) -> QMenu:
    """The same at a row and a column."""
    return _menu_at(window, _middle(window, shown, place))


def _menu_at(window: Window, at: QPoint) -> QMenu:
    view = window.stage.viewport()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, view.mapToGlobal(at), NOTHING)
    QApplication.sendEvent(view, event)
    return shown_menu()


def shown_menu() -> QMenu:
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def texts(menu: QMenu) -> list[str]:
    """What can be chosen, without the signs for keys."""
    return [each.text().replace("&", "") for each in menu.actions() if each.text() and each.isEnabled()]


def inside(menu: QMenu, word: str) -> QMenu:
    """The menu behind an entry. Not by the entry's own ``menu()``, which PySide6 6.8 deletes with the entry."""
    return next(each for each in menu.findChildren(QMenu) if each.title().replace("&", "") == word)


def choose(qtbot: QtBot, window: Window, menu: QMenu, *words: str) -> None:
    """An entry of a menu, through those around it, and waits for what comes of it."""
    for word in words[:-1]:
        menu = inside(menu, word)
    action = next(each for each in menu.actions() if each.text().replace("&", "").startswith(words[-1]))
    assert action.isEnabled()
    action.trigger()
    close_menus()
    settle(qtbot, window)


def close_menus() -> None:
    while isinstance(menu := QApplication.activePopupWidget(), QMenu):
        menu.close()


def settle(qtbot: QtBot, window: Window) -> None:
    """Until what is shown is what the panel asks for, and is compared with the run without edits."""

    def is_done() -> bool:
        request, changes = window.session.request, window.session.changes
        same = request is not None and request.edits == window.input.request().edits
        made = edits_shown(window) == window.input.request().edits
        compared = changes.untouched is not None and not window.editing.untouched.waiting
        return same and made and (compared if window.input.request().edits else changes.untouched is None)

    qtbot.waitUntil(is_done, timeout=LONG)


def edits_shown(window: Window) -> tuple[str, ...]:
    """Those of the run that is shown."""
    return tuple(window.session.trace.about.get("edits", ()))


def move(window: Window, at: QPoint, held: Qt.MouseButton = LEFT) -> None:
    """With a button held."""
    view, place = window.stage.viewport(), QPointF(at)
    event = QMouseEvent(QEvent.Type.MouseMove, place, view.mapToGlobal(place), held, held, NOTHING)
    QApplication.sendEvent(view, event)


def frames(window: Window) -> list[Box]:
    """Around what was changed by hand, as they are painted on the stage."""
    marks = window.stage.figure_shown().flat()
    return [mark for mark in marks if isinstance(mark, Box) and mark.stroke_width == 4]
