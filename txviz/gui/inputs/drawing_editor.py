"""The drawing board of greys with its tools."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QFrame, QSlider

from txviz.errors import TxvizError
from txviz.figures.theme import LIGHT, greys
from txviz.gui.inputs.board_editor import BoardEditor
from txviz.gui.inputs.board_tools import tool_button
from txviz.gui.inputs.drawing import inverted
from txviz.gui.inputs.fields import keep_wheel
from txviz.gui.inputs.grey_board import GreyBoard, value_text
from txviz.gui.inputs.pictures import PicturePreview, pixmap
from txviz.gui.plain import plain_label
from txviz.models.images import image_text, read_image
from txviz.models.model import Model
from txviz.ops import Array


class DrawingEditor(BoardEditor):
    """Draws with a shade of grey; a picture is looked at before it is taken."""

    def __init__(self, model: Model) -> None:
        self._size = model.takes.size
        self.board = GreyBoard(read_image(model.example, self._size), LIGHT)
        super().__init__(self.board, "black")
        self.shade = QSlider(Qt.Orientation.Horizontal)
        self._shade_text, self._swatch = plain_label(), plain_label()
        self.invert = tool_button("Invert", "White for black", lambda: self.board.change(inverted(self.board.pixels)))
        label = plain_label("Shade")
        label.setBuddy(self.shade)
        self._arrange([self.invert], [*self.shifts, label, self.shade, self._shade_text, self._swatch])
        self._set_up_shade()
        self._show_shade(self.board.shade)

    def source(self) -> str:
        return image_text(self.board.pixels)

    def show_source(self, text: str) -> None:
        self.board.show_pixels(read_image(text, self._size))

    def _ask(self, pixels: Array) -> None:
        self.source_requested.emit(image_text(pixels))

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

    def _set_up_shade(self) -> None:
        self._swatch.setFrameShape(QFrame.Shape.Box)
        self._swatch.setFixedSize(18, 18)
        self._shade_text.setMinimumWidth(self.fontMetrics().horizontalAdvance("0.00 "))
        self._shade_text.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.shade.setMinimumWidth(20)
        self.shade.setRange(0, 100)
        self.shade.setSingleStep(5)
        self.shade.setToolTip("What the left button and Space paint with: 0 is black, 1 is white")
        self.shade.setAccessibleName("Shade")
        keep_wheel(self.shade)
        self.shade.valueChanged.connect(lambda value: self._show_shade(value / 100))
        self.board.shade_requested.connect(self._show_shade)
