"""What the editors with a drawing board have in common: the board, its history, shifting, and taking pictures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtWidgets import QMenu, QToolButton, QVBoxLayout, QWidget

from txviz.figures.patches import Drawing
from txviz.figures.theme import Theme
from txviz.gui.inputs.board import Board
from txviz.gui.inputs.board_tools import tool_button, tool_row
from txviz.gui.inputs.drawing import shifted
from txviz.gui.inputs.picture_taker import PictureTaker
from txviz.ops import Array

_SHIFTS = (("←", "left", 0, -1), ("↑", "up", -1, 0), ("↓", "down", 1, 0), ("→", "right", 0, 1))


class BoardEditor(PictureTaker):
    """Draws an image, or takes one from the clipboard, from a drop or from a file."""

    def __init__(self, board: Board, ground: str) -> None:
        """``ground`` is what an empty board is called: black, or white."""
        super().__init__()
        self._board = self.begin = board
        self.undo = tool_button("↶", "Take the last stroke back (Ctrl+Z)", board.undo)
        self.redo = tool_button("↷", "Bring the stroke back (Ctrl+Shift+Z)", board.redo)
        self.undo.setAccessibleName("Undo")
        self.redo.setAccessibleName("Redo")
        self.clear = tool_button("Clear", f"Make all pixels {ground}", self._clear)
        self.shifts = [self._shift_button(*shift) for shift in _SHIFTS]
        self.picture = self._picture_button()
        board.pixels_requested.connect(self._ask)
        board.drawing_changed.connect(self._show_history)
        board.paste_requested.connect(self.paste)
        board.refused.connect(self.refused)
        board.pointed.connect(self.pointed)
        self._show_history()

    def show_patches(self, drawing: Drawing | None) -> None:
        self._board.show_patches(drawing)

    def set_theme(self, theme: Theme) -> None:
        self._board.set_theme(theme)

    def _ask(self, pixels: Array) -> None:
        """The drawing was changed by hand."""
        raise NotImplementedError

    def _clear(self) -> None:
        self._board.change(np.full_like(self._board.pixels, self._board.blank))

    def _show_history(self) -> None:
        self.undo.setEnabled(self._board.can_undo)
        self.redo.setEnabled(self._board.can_redo)

    def _shift_button(self, sign: str, where: str, down: int, right: int) -> QToolButton:
        def shift() -> None:
            self._board.change(shifted(self._board.pixels, down, right, self._board.blank))

        button = tool_button(sign, f"Shift the drawing one pixel {where}", shift)
        button.setAccessibleName(f"Shift {where}")
        return button

    def _picture_button(self) -> QToolButton:
        about = "Take a picture from the clipboard or from a file; it can be dropped on the board, too"
        button = tool_button("Picture ▾", about, lambda: None)
        button.setAccessibleName("Picture")
        button.setStyleSheet("QToolButton::menu-indicator { image: none; }")  # which is drawn over the text
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(button)
        menu.addAction("Paste", self.paste)
        menu.addAction("Open a file…", self.open_picture)
        button.setMenu(menu)
        return button

    def _arrange(self, tools: Sequence[QWidget], *below: Sequence[QWidget]) -> None:
        """The board, below it what changes all of it, and then a row of each of the others."""
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self._board, 1)
        first = tool_row(self.undo, self.redo, self.clear, *tools)
        first.addStretch(1)
        first.addWidget(self.picture)
        column.addLayout(first)
        for widgets in below:
            column.addLayout(tool_row(*widgets))
