"""The drawing board of colours: a brush, an eraser, and areas that are filled."""

from __future__ import annotations

from typing import Literal

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtGui import QKeyEvent, QPainter, QWheelEvent

from txviz.gui.inputs.board import Board
from txviz.gui.inputs.drawing import Cell, region
from txviz.gui.inputs.palette import PAPER, colour_name
from txviz.gui.inputs.pictures import pixmap
from txviz.ops import Array

Tool = Literal["brush", "fill", "eraser"]
_DIGITS = tuple("1234567890")


class ColourBoard(Board):
    """Digits and the wheel change the colour; what the left button and Space do depends on the tool."""

    place_requested = Signal(int)
    """Of the colours in the palette, by its place."""
    turned = Signal(int)
    """The next colour, or the one before it."""

    about = (
        "Left button paints or fills, right button erases, wheel changes the colour. After Ctrl+I the arrow keys "
        "choose a pixel: digits choose a colour, Space paints or fills, Delete erases."
    )
    colour: Array = np.zeros(3, np.uint8)
    tool: Tool = "brush"

    @property
    def blank(self) -> Array:  # -> (3,)
        return PAPER

    def value_said(self, cell: Cell) -> str:
        return colour_name(self.pixels[cell])

    def _ink(self) -> Array:  # -> (3,)
        return self.blank if self.tool == "eraser" else self.colour

    def _brightness(self) -> Array:  # -> (rows,columns,3)
        return np.asarray(self.pixels / 255)

    def _touch(self, cells: list[Cell], erases: bool) -> None:
        fills = self.tool == "fill" and not erases
        super()._touch(region(self.pixels, cells[0]) if fills else cells, erases)

    def _go_on(self, last: Cell, cell: Cell, erases: bool) -> None:
        """A hand that trembles fills no second area."""
        if self.tool != "fill" or erases:
            super()._go_on(last, cell, erases)

    def _own_key(self, event: QKeyEvent) -> bool:
        return event.text() in _DIGITS

    def _press_own(self, event: QKeyEvent) -> bool:
        if event.text() not in _DIGITS:
            return False
        self.place_requested.emit(_DIGITS.index(event.text()))
        return True

    def _draw_pixels(self, painter: QPainter) -> None:
        whole = self._whole
        painter.drawPixmap(whole.topLeft(), pixmap(self.pixels, max(whole.width(), whole.height()), smooth=False))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Only where the board has been chosen, as for the shade of grey."""
        angle = event.angleDelta().y()
        if not self.hasFocus() or not angle:
            event.ignore()
            return
        self.turned.emit(-1 if angle > 0 else 1)
        event.accept()
