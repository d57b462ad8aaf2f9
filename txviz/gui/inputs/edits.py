"""What was changed by hand in the run of an input: the list of it, and the button that says how many there are."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import Signal

from txviz.gui.inputs.menu_button import MenuButton
from txviz.gui.plain import tip


class Listed(NamedTuple):
    """One line of the list."""

    text: str
    on: bool = True
    """One that is switched off is not asked for, and kept."""


class EditsButton(MenuButton):
    """Says how many edits there are; there is none to be seen where there are none. A click opens their list."""

    edited = Signal()
    """By a click or a key, wherever."""

    shown = Signal()
    """The list is another one now, whoever changed it."""

    def __init__(self) -> None:
        super().__init__()
        self.listed: tuple[Listed, ...] = ()
        self._known: dict[tuple[str, ...], tuple[Listed, ...]] = {}
        """By the edits that were on: the whole list, where some were off, for undo and redo to find them."""

        self._show(())

    @property
    def edits(self) -> tuple[str, ...]:
        """Those that are on, in the order in which they are made."""
        return tuple(each.text for each in self.listed if each.on)

    def show_edits(self, edits: tuple[str, ...]) -> None:
        """Shows these, with those that were off beside them, and asks for nothing."""
        if edits != self.edits:
            self._show(self._known.get(edits) or tuple(map(Listed, edits)))

    def put(self, edit: str) -> None:
        """Makes an edit, in place of those of the same cells; a factor comes after the numbers that it is for."""
        self._change(self.with_edit(edit))

    def with_edit(self, edit: str) -> tuple[Listed, ...]:
        """The list as it would be."""
        kept = (each for each in self.listed if each.text != edit and not (each.on and _replaces(edit, each.text)))
        return (*kept, Listed(edit))

    def make_or_undo(self, edit: str) -> None:
        """Makes an edit, or takes it back where it is there already."""
        if edit in self.edits:
            self.remove(edit)
        else:
            self.put(edit)

    def make_or_undo_all(self, *edits: str) -> None:
        """Makes these edits at once, or takes them back where all of them are there already."""
        if set(edits) <= set(self.edits):
            self.remove(*edits)
        else:
            changed = {cells(edit) for edit in edits}
            self._change((*(each for each in self.listed if cells(each.text) not in changed), *map(Listed, edits)))

    def remove(self, *edits: str) -> None:
        self._change(tuple(each for each in self.listed if each.text not in edits))

    def switch(self, edit: str, on: bool) -> None:
        self._change(tuple(each._replace(on=on) if each.text == edit else each for each in self.listed))

    def show_list(self, listed: tuple[Listed, ...]) -> None:
        """Shows it, and asks for nothing."""
        if listed != self.listed:
            self._show(listed)

    def _change(self, listed: tuple[Listed, ...]) -> None:
        if listed != self.listed:
            before = self.edits
            self._show(listed)
            if self.edits != before:
                self.edited.emit()

    def _show(self, listed: tuple[Listed, ...]) -> None:
        self.listed = listed
        self._known.pop(self.edits, None)
        if len(self.edits) < len(listed):
            self._known[self.edits] = listed
        total, on = len(listed), len(self.edits)
        count = f"{on}" if on == total else f"{on} of {total}"
        self.setHidden(not listed)
        self.setText(f"Edits · {count}")
        made = "; ".join(self.edits) or "nothing, all is switched off"
        self.setToolTip(tip(f"Changed by hand: {made}. A click opens the list."))
        self.setAccessibleName(f"Edits, {count}; open the list")
        self.shown.emit()


def cells(edit: str) -> str:
    """Which cells an edit is for, as it writes them.

    >>> cells("pool.cls[1]*=0.5"), cells("pool.cls [1, 2]=3")
    ('pool.cls[1]', 'pool.cls[1,2]')
    """
    return "".join(edit.partition("=")[0].removesuffix("*").split())


def _replaces(new: str, old: str) -> bool:
    """Whether nothing is left of an edit after a new one: numbers take the place of all, a factor that of a factor."""
    return cells(new) == cells(old) and (_is_factor(old) or not _is_factor(new))


def _is_factor(edit: str) -> bool:
    return edit.partition("=")[0].endswith("*")
