"""The drawing board with its tools."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QMenu,
    QSlider,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from txviz.errors import TxvizError
from txviz.figures.patches import Drawing
from txviz.figures.theme import LIGHT, Theme, greys
from txviz.gui.inputs.board import Board, value_text
from txviz.gui.inputs.drawing import inverted, shifted
from txviz.gui.inputs.fields import keep_wheel
from txviz.gui.inputs.picture_taker import PictureTaker
from txviz.gui.inputs.pictures import PicturePreview, pixmap
from txviz.gui.plain import plain_label
from txviz.models.images import image_text, read_image
from txviz.models.model import Model

_SHIFTS = (("←", "left", 0, -1), ("↑", "up", -1, 0), ("↓", "down", 1, 0), ("→", "right", 0, 1))


class DrawingEditor(PictureTaker):
    """Draws an image, or takes one from the clipboard, from a drop or from a file."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        self._size = model.takes.size
        self.board = Board(read_image(model.example, self._size), LIGHT)
        self.shade = QSlider(Qt.Orientation.Horizontal)
        self._shade_text, self._swatch = plain_label(), plain_label()
        self.undo = _button("↶", "Take the last stroke back (Ctrl+Z)", self.board.undo)
        self.redo = _button("↷", "Bring the stroke back (Ctrl+Shift+Z)", self.board.redo)
        self.undo.setAccessibleName("Undo")
        self.redo.setAccessibleName("Redo")
        self.clear = _button("Clear", "Make all pixels black", lambda: self.board.change(np.zeros(self._size)))
        self.invert = _button("Invert", "White for black", lambda: self.board.change(inverted(self.board.pixels)))
        self.shifts = [self._shift_button(*shift) for shift in _SHIFTS]
        self.picture = self._picture_button()
        self._arrange()
        self._connect()
        self.begin = self.board
        self._show_shade(self.board.shade)
        self._show_history()

    def source(self) -> str:
        return image_text(self.board.pixels)

    def show_source(self, text: str) -> None:
        self.board.show_pixels(read_image(text, self._size))

    def show_patches(self, drawing: Drawing | None) -> None:
        self.board.show_patches(drawing)

    def set_theme(self, theme: Theme) -> None:
        self.board.set_theme(theme)

    def _take_text(self, text: str) -> None:
        """Rows of numbers."""
        try:
            self.board.change(read_image(text, self._size))
        except TxvizError as error:
            self.refused.emit(str(error))

    def _take_read(self, read: object) -> None:
        if not self.isVisible():  # by now another model is shown, or the window is closed
            return
        preview = PicturePreview(np.asarray(read), self._size, self)
        preview.accepted.connect(lambda: self.board.change(preview.pixels))
        preview.open()

    def _show_shade(self, shade: float) -> None:
        self.board.shade = shade
        with QSignalBlocker(self.shade):
            self.shade.setValue(round(shade * 100))
        self._shade_text.setText(value_text(shade))
        self._swatch.setPixmap(pixmap(greys(np.array([[shade]])), 16, smooth=False))

    def _show_history(self) -> None:
        self.undo.setEnabled(self.board.can_undo)
        self.redo.setEnabled(self.board.can_redo)

    def _shift_button(self, sign: str, where: str, down: int, right: int) -> QToolButton:
        button = _button(
            sign,
            f"Shift the drawing one pixel {where}",
            lambda: self.board.change(shifted(self.board.pixels, down, right)),
        )
        button.setAccessibleName(f"Shift {where}")
        return button

    def _picture_button(self) -> QToolButton:
        about = "Take a picture from the clipboard or from a file; it can be dropped on the board, too"
        button = _button("Picture ▾", about, lambda: None)
        button.setAccessibleName("Picture")
        button.setStyleSheet("QToolButton::menu-indicator { image: none; }")  # which is drawn over the text
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(button)
        menu.addAction("Paste", self.paste)
        menu.addAction("Open a file…", self.open_picture)
        button.setMenu(menu)
        return button

    def _arrange(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.board, 1)
        tools = _row(self.undo, self.redo, self.clear, self.invert)
        tools.addStretch(1)
        tools.addWidget(self.picture)
        column.addLayout(tools)
        label = plain_label("Shade")
        label.setBuddy(self.shade)
        column.addLayout(_row(*self.shifts, label, self.shade, self._shade_text, self._swatch))
        self._swatch.setFrameShape(QFrame.Shape.Box)
        self._swatch.setFixedSize(18, 18)
        self.shade.setMinimumWidth(20)
        self._shade_text.setMinimumWidth(self.fontMetrics().horizontalAdvance("0.00 "))
        self._shade_text.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)

    def _connect(self) -> None:
        self.shade.setRange(0, 100)
        self.shade.setSingleStep(5)
        self.shade.setToolTip("What the left button and Space paint with: 0 is black, 1 is white")
        self.shade.setAccessibleName("Shade")
        keep_wheel(self.shade)
        self.shade.valueChanged.connect(lambda value: self._show_shade(value / 100))
        self.board.shade_requested.connect(self._show_shade)
        self.board.pixels_requested.connect(lambda pixels: self.source_requested.emit(image_text(pixels)))
        self.board.drawing_changed.connect(self._show_history)
        self.board.paste_requested.connect(self.paste)
        self.board.refused.connect(self.refused)
        self.board.pointed.connect(self.pointed)


def _button(text: str, about: str, action: Callable[[], None]) -> QToolButton:
    button = QToolButton(autoRaise=True)
    button.setText(text)
    button.setToolTip(about)
    button.setAccessibleName(text)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    button.clicked.connect(lambda: action())
    return button


def _row(*widgets: QWidget) -> QBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(2)
    for widget in widgets:
        row.addWidget(widget)
    return row
