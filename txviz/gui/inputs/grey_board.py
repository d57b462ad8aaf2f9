"""The drawing board of greys, whose numbers are seen and can be typed."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QWheelEvent

from txviz.figures.theme import greys, is_dark
from txviz.gui.inputs.board import NUMBERED, Board
from txviz.gui.inputs.drawing import Cell
from txviz.gui.numbers import with_point
from txviz.ops import Array

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


def value_text(value: float) -> str:
    """A pixel's number as short as it is seen: 0, 0.5, 0.35, 1.

    >>> value_text(0.333), value_text(0.5), value_text(1.0)
    ('0.33', '0.5', '1')
    """
    return f"{round(value, 2):g}"


class GreyBoard(Board):
    """The wheel changes the shade; the cursor types numbers from 0 (black) to 1 (white)."""

    shade_requested = Signal(float)

    about = (
        "Left button paints, right button erases, wheel changes the shade. After Ctrl+I the arrow keys choose a "
        "pixel: type its value, Space paints, Delete erases."
    )
    shade = 1.0
    _typed: str | None = None
    """What is being typed into the cell under the cursor."""

    def value_said(self, cell: Cell) -> str:
        return value_text(self.pixels[cell])

    def _cursor_said(self) -> str:
        return super()._cursor_said() if self._typed is None else f"typing {self._typed}"

    @property
    def blank(self) -> float:
        return 0.0

    def _ink(self) -> float:
        return self.shade

    def _brightness(self) -> Array:  # -> (rows,columns)
        return self.pixels

    def _type(self, text: str | None) -> None:
        self._typed = text
        self._describe()
        self.update()

    def _leave_cell(self) -> None:
        """Puts the typed value into the cell, if it is one."""
        typed, self._typed = self._typed, None
        if typed:
            try:
                value = float(typed)
            except ValueError:
                value = -1.0
            if 0 <= value <= 1:
                self._put(value)
            else:
                self.refused.emit(f"a pixel is a number from 0 (black) to 1 (white), not {typed}")
        self._describe()
        self.update()

    def _put(self, value: float) -> None:
        self._drawing.begin()
        if self._drawing.paint([self._cursor], value):
            self._edited()

    def _touch_cursor(self, erases: bool) -> None:
        self._type(None)
        super()._touch_cursor(erases)

    def _own_key(self, event: QKeyEvent) -> bool:
        typing = self._typed is not None and event.key() == Qt.Key.Key_Escape
        return typing or event.key() in _ENTER or event.text() in tuple("0123456789.,")

    def _press_own(self, event: QKeyEvent) -> bool:
        """Keys that write a value."""
        sign = with_point(event.text())
        if len(sign) == 1 and sign in "0123456789.":
            self._type(((self._typed or "") + sign)[:8])
        elif event.key() in _ENTER and self._typed is None:
            self._type(value_text(self.pixels[self._cursor]))
        elif event.key() in _ENTER:
            self._leave_cell()
        elif self._typed is not None and event.key() == Qt.Key.Key_Backspace:
            self._type(self._typed[:-1])
        elif self._typed is not None and event.key() == Qt.Key.Key_Escape:
            self._type(None)
        else:
            return False
        return True

    def _draw_pixels(self, painter: QPainter) -> None:
        font = self.font()
        font.setPixelSize(max(9, min(16, self._side * 3 // 10)))
        painter.setFont(font)
        colours, first, side = greys(self.pixels), self.cell_rect(0, 0), self._side
        for (row, column), dark in np.ndenumerate(is_dark(colours)):
            place = first.translated(column * side, row * side)
            self._draw_cell(painter, (row, column), place, colours[row, column], bool(dark))

    def _draw_cell(self, painter: QPainter, cell: Cell, place: QRect, colour: Array, dark: bool) -> None:
        value = float(self.pixels[cell])
        painter.fillRect(place, QColor(*colour.tolist()))
        if self._side < NUMBERED and (cell != self._cursor or self._typed is None):
            return
        text = value_text(value)
        if cell == self._cursor and self._typed is not None:
            painter.fillRect(place, QColor(self._theme.panel))
            painter.setPen(QColor(self._theme.text))
            text = f"{self._typed}▏"
        else:
            painter.setPen(QColor("#ffffff" if dark else "#000000"))
            painter.setOpacity(1.0 if 0 < value < 1 else 0.6)
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)
        painter.setOpacity(1.0)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Only where the board has been chosen: a panel that scrolls under the pointer must not change the shade."""
        turned = event.angleDelta().y()
        if not self.hasFocus() or not turned:
            event.ignore()
            return
        self.shade_requested.emit(round(min(1.0, max(0.0, self.shade + (0.05 if turned > 0 else -0.05))), 2))
        event.accept()
