"""What was changed by hand in the run of an input, and the button that takes it back."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton

from txviz.gui.plain import tip


class EditsButton(QPushButton):
    """Says how many edits there are; there is none to be seen where there are none."""

    edited = Signal()
    """By a click, here or on a picture."""

    def __init__(self) -> None:
        super().__init__()
        self.edits: tuple[str, ...] = ()
        self.show_edits(())
        self.clicked.connect(lambda: self._change(()))

    def show_edits(self, edits: tuple[str, ...]) -> None:
        """Shows these, and asks for nothing."""
        self.edits = edits
        self.setHidden(not edits)
        self.setText(f"Edits · {len(edits)}")
        self.setToolTip(tip(f"Changed by hand: {'; '.join(edits)}. A click takes it back."))
        self.setAccessibleName(f"Edits, {len(edits)}; take them back")

    def make_or_undo(self, edit: str) -> None:
        """Makes an edit, in place of one of the same cells, or takes it back where it is there already."""
        cells = edit.partition("=")[0]
        others = tuple(each for each in self.edits if each.partition("=")[0] != cells)
        self._change(others if edit in self.edits else (*others, edit))

    def _change(self, edits: tuple[str, ...]) -> None:
        self.show_edits(edits)
        self.edited.emit()
