"""The menu of a cell: what can be changed in it, in its row, its column and its head."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from PySide6.QtWidgets import QMenu, QWidget

from txviz.figures.selection import Selection, Target, selections
from txviz.gui.plain import without_keys
from txviz.ops.arithmetic import number

Do = Callable[[Selection], object]


class CellActions(NamedTuple):
    """What the menu can ask for, and for which parts of a tensor."""

    set: Do
    put: Callable[[str], object]
    scale: Do
    reset: Do
    matter: Callable[[], object]
    can_freeze: Callable[[Selection], bool]
    guide: Callable[[Selection], str]
    """What the guide calls what it prints there; nothing where it prints nothing else than the model gives."""

    can_reset: Callable[[Selection], bool]
    any_edits: bool


def cell_menu(target: Target, actions: CellActions, parent: QWidget) -> QMenu:
    """The cell's own first, then one menu inside the menu for each larger part."""
    menu = QMenu(parent)
    menu.setAccessibleName("Change by hand")
    cell, *larger = selections(target)
    title = menu.addAction(without_keys(f"{cell.words} = {number(target.value, 6)}"))
    title.setEnabled(False)
    _fill(menu, cell, actions)
    menu.addSeparator()
    for each in larger:
        inside = menu.addMenu(without_keys(f"{each.words[0].upper()}{each.words[1:]}"))
        inside.setAccessibleName(each.words)
        _fill(inside, each, actions)
    menu.addSeparator()
    menu.addAction("&Where does it first matter?", actions.matter).setEnabled(actions.any_edits)
    return menu


def _fill(menu: QMenu, selection: Selection, actions: CellActions) -> None:
    numbers = selection.source.value.dtype.kind == "f"
    menu.addAction("&Set…", partial(actions.set, selection))
    if numbers:
        menu.addAction("&Zero", partial(actions.put, selection.set_to("0")))
        menu.addAction("S&cale…", partial(actions.scale, selection))
    if actions.can_freeze(selection):
        menu.addAction("&Freeze as it is without edits", partial(actions.put, selection.set_to("untouched")))
    guide = actions.guide(selection)
    if guide:
        menu.addAction(without_keys(f"Use the guide’s {guide}"), partial(actions.put, selection.set_to("guide")))
    menu.addAction("&Reset", partial(actions.reset, selection)).setEnabled(actions.can_reset(selection))
