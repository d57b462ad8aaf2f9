"""The drawing board: a grid of grey cells for the mouse and for the keyboard."""

from __future__ import annotations

from dataclasses import replace
from math import floor

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from txviz.figures.patches import Drawing as PatchedImage
from txviz.figures.theme import Theme, greys, is_dark
from txviz.gui.guard import guarded
from txviz.gui.inputs.board_patches import draw_patches, pixel_in_words
from txviz.gui.inputs.drawing import Cell, Drawing, line
from txviz.gui.numbers import with_point
from txviz.ops import Array

_LARGEST_CELL, _EDGE = 64, 2
_NUMBERED = 18
"""Pixels of a cell that has room for its number."""

_TINIEST, _ROOM = 6, 220
"""Pixels of the smallest cell that can be hit, and how wide a board may want to be at least."""

_MOVES = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_ERASE = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)


def value_text(value: float) -> str:
    """A pixel's number as short as it is seen: 0, 0.5, 0.35, 1.

    >>> value_text(0.333), value_text(0.5), value_text(1.0)
    ('0.33', '0.5', '1')
    """
    return f"{round(value, 2):g}"


class Board(QWidget):
    """Left paints, right erases, the wheel changes the shade; arrow keys move a cursor that types and paints."""

    has_keys_by_click = True

    pixels_requested = Signal(object)
    """The pixels after an edit, live."""
    drawing_changed = Signal()
    """What is shown is different, whoever changed it."""
    shade_requested = Signal(float)
    paste_requested = Signal()
    refused = Signal(str)
    pointed = Signal(str)
    """The pixel under the pointer or the cursor, and its patch, in words."""

    def __init__(self, pixels: Array, theme: Theme) -> None:  # (rows,columns)
        super().__init__()
        self.shade = 1.0
        self._drawing = Drawing(pixels)
        self._theme = theme
        self._patched: PatchedImage | None = None
        """How the model cuts the drawing into patches, where that is known."""
        self._cursor: Cell = (0, 0)
        self._typed: str | None = None
        """What is being typed into the cell under the cursor."""
        self._has_keys = True
        """Not after drawing with the pointer: then the keys that move and paint still step through the model."""
        self._stroke: tuple[float, Cell] | None = None
        """The shade of the stroke under the pointer, and the last cell it reached."""
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.CrossCursor)
        self.setAccessibleName(f"Drawing board, {pixels.shape[0]} rows of {pixels.shape[1]} pixels")
        self.setToolTip(
            "Left button paints, right button erases, wheel changes the shade. After Ctrl+I the arrow keys choose a "
            "pixel: type its value, Space paints, Delete erases."
        )
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._describe()

    @property
    def pixels(self) -> Array:  # -> (rows,columns)
        return self._drawing.pixels

    @property
    def can_undo(self) -> bool:
        return self._drawing.can_undo

    @property
    def can_redo(self) -> bool:
        return self._drawing.can_redo

    def show_pixels(self, pixels: Array) -> None:
        """Shows a drawing and asks for nothing; the one before can be brought back."""
        if (pixels != self.pixels).any():
            self._drawing.begin()
            self._drawing.change(pixels)
            self._changed()

    def change(self, pixels: Array) -> None:
        """Another drawing, as one edit."""
        self._drawing.begin()
        if self._drawing.change(pixels):
            self._edited()

    def undo(self) -> None:
        if self.can_undo:
            self._drawing.undo()
            self._edited()

    def redo(self) -> None:
        if self.can_redo:
            self._drawing.redo()
            self._edited()

    def show_patches(self, drawing: PatchedImage | None) -> None:
        """The borders and letters of the patches of another image of this size."""
        fits = drawing is not None and drawing.pixels.shape == self.pixels.shape
        self._patched = drawing if fits else None
        self._describe()
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def cell_rect(self, row: int, column: int) -> QRect:
        """Where a cell is drawn."""
        side, left = self._side, self._left
        return QRect(left + column * side, _EDGE + row * side, side, side)

    @property
    def _whole(self) -> QRect:
        """Where all cells are."""
        (rows, columns), side = self.pixels.shape, self._side
        return QRect(self._left, _EDGE, columns * side, rows * side)

    @property
    def _side(self) -> int:
        """Of a cell: as large as there is room both ways."""
        rows, columns = self.pixels.shape
        room = min((self.width() - 2 * _EDGE) // columns, (self.height() - 2 * _EDGE) // rows)
        return int(max(self._smallest, min(_LARGEST_CELL, room)))

    @property
    def _smallest(self) -> int:
        """Of a cell: a board of many is not wider than the panel that it stands in."""
        return int(max(_TINIEST, min(_NUMBERED, _ROOM // max(self.pixels.shape))))

    @property
    def _left(self) -> int:
        """Of the first column; the board stands in the middle."""
        return int(max(_EDGE, (self.width() - self._side * self.pixels.shape[1]) // 2))

    def _cell_at(self, place: QPointF) -> Cell:
        """The cell under a place; outside the board it goes on."""
        return floor((place.y() - _EDGE) / self._side), floor((place.x() - self._left) / self._side)

    def _holds(self, cell: Cell) -> bool:
        return all(0 <= at < size for at, size in zip(cell, self.pixels.shape, strict=True))

    def _edited(self) -> None:
        self._changed()
        self.pixels_requested.emit(self.pixels)

    def _changed(self) -> None:
        self._describe()
        self.update()
        self.drawing_changed.emit()

    def _describe(self) -> None:
        row, column = self._cursor
        value = value_text(self.pixels[row, column]) if self._typed is None else f"typing {self._typed}"
        label = self._patched and self._patched.patch_at(row, column)
        patch = f", in patch {label}" if label else ""
        self.setAccessibleDescription(f"row {row + 1}, column {column + 1}: {value}{patch}")

    def _tell(self, cell: Cell | None) -> None:
        """Says which pixel this is, after the name of its patch."""
        if cell is None or not self._holds(cell):
            self.pointed.emit("")
        else:
            self.pointed.emit(pixel_in_words(self._patched, cell, value_text(self.pixels[cell])))

    def _paint_cells(self, cells: list[Cell], shade: float) -> None:
        if self._drawing.paint(cells, shade):
            self._edited()

    def _paint_cursor(self, shade: float) -> None:
        self._drawing.begin()
        self._paint_cells([self._cursor], shade)

    def _move_cursor(self, down: int, right: int) -> None:
        self._take_typed()
        rows, columns = self.pixels.shape
        self._cursor = (
            min(max(self._cursor[0] + down, 0), rows - 1),
            min(max(self._cursor[1] + right, 0), columns - 1),
        )
        self._describe()
        self._tell(self._cursor)
        self.update()

    def _type(self, text: str | None) -> None:
        self._typed = text
        self._describe()
        self.update()

    def _take_typed(self) -> None:
        """Puts the typed value into the cell, if it is one."""
        typed, self._typed = self._typed, None
        if typed:
            try:
                value = float(typed)
            except ValueError:
                value = -1.0
            if 0 <= value <= 1:
                self._paint_cursor(value)
            else:
                self.refused.emit(f"a pixel is a number from 0 (black) to 1 (white), not {typed}")
        self._describe()
        self.update()

    def _typing_key(self, event: QKeyEvent) -> bool:
        """Keys that write a value; whether this was one."""
        sign = with_point(event.text())
        if len(sign) == 1 and sign in "0123456789.":
            self._type(((self._typed or "") + sign)[:8])
        elif event.key() in _ENTER and self._typed is None:
            self._type(value_text(self.pixels[self._cursor]))
        elif event.key() in _ENTER:
            self._take_typed()
        elif self._typed is not None and event.key() == Qt.Key.Key_Backspace:
            self._type(self._typed[:-1])
        elif self._typed is not None and event.key() == Qt.Key.Key_Escape:
            self._type(None)
        else:
            return False
        return True

    def _drawing_key(self, event: QKeyEvent) -> bool:
        """Keys that move and paint; whether this was one."""
        key = Qt.Key(event.key())
        if event.matches(QKeySequence.StandardKey.Undo):
            self.undo()
        elif event.matches(QKeySequence.StandardKey.Redo):
            self.redo()
        elif event.matches(QKeySequence.StandardKey.Paste):
            self.paste_requested.emit()
        elif event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return False
        elif key in _MOVES:
            self._move_cursor(*_MOVES[key])
        elif key == Qt.Key.Key_Space:
            self._type(None)
            self._paint_cursor(self.shade)
        elif key in _ERASE:
            self._type(None)
            self._paint_cursor(0.0)
        else:
            return False
        return True

    def _is_own(self, event: QKeyEvent) -> bool:
        """Whether a key is for the board, even where the window has a shortcut with it."""
        keys = QKeySequence.StandardKey
        if any(event.matches(key) for key in (keys.Undo, keys.Redo, keys.Paste)):
            return True
        plain = self._has_keys and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        own = event.key() in (*_MOVES, *_ENTER, *_ERASE, Qt.Key.Key_Space) or event.text() in tuple("0123456789.,")
        return plain and (own or (self._typed is not None and event.key() == Qt.Key.Key_Escape))

    def _draw_cell(self, painter: QPainter, cell: Cell, place: QRect, colour: Array, dark: bool) -> None:
        value = float(self.pixels[cell])
        painter.fillRect(place, QColor(*colour.tolist()))
        if self._side < _NUMBERED and (cell != self._cursor or self._typed is None):
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

    def _draw_grid(self, painter: QPainter) -> None:
        painter.setPen(QPen(QColor("#808080"), 1))
        (rows, columns), whole, side = self.pixels.shape, self._whole, self._side
        for column in range(columns + 1):
            x = min(whole.left() + column * side, whole.right())
            painter.drawLine(x, whole.top(), x, whole.bottom())
        for row in range(rows + 1):
            y = min(whole.top() + row * side, whole.bottom())
            painter.drawLine(whole.left(), y, whole.right(), y)

    def _draw_patches(self, painter: QPainter) -> None:
        if self._patched is not None:
            draw_patches(painter, replace(self._patched, pixels=self.pixels), self._whole)

    def _draw_cursor(self, painter: QPainter) -> None:
        """Two rings, so that one of them is seen on any shade."""
        place = self.cell_rect(*self._cursor)
        painter.setPen(QPen(QColor(self._theme.panel), 1))
        painter.drawRect(place.adjusted(3, 3, -3, -3))
        painter.setPen(QPen(QColor(self._theme.accent), 3))
        painter.drawRect(place.adjusted(1, 1, -1, -1))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._is_own(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not (self._is_own(event) and (self._typing_key(event) or self._drawing_key(event))):
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._has_keys = False
        buttons = {Qt.MouseButton.LeftButton: self.shade, Qt.MouseButton.RightButton: 0.0}
        cell = self._cell_at(event.position())
        if self._stroke is None and event.button() in buttons and self._holds(cell):
            self._take_typed()
            self._stroke = (buttons[event.button()], cell)
            self._cursor = cell
            self._drawing.begin()
            self._paint_cells([cell], self._stroke[0])
            self._describe()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._stroke is None:
            self._tell(self._cell_at(event.position()))
        else:
            shade, last = self._stroke
            cell = self._cell_at(event.position())
            self._stroke = (shade, cell)
            self._cursor = cell if self._holds(cell) else self._cursor
            self._paint_cells(line(last, cell), shade)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if not event.buttons():
            self._stroke = None
            self._describe()
            self._tell(self._cell_at(event.position()))
            self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._tell(None)
        super().leaveEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Only where the board has been chosen: a panel that scrolls under the pointer must not change the shade."""
        turned = event.angleDelta().y()
        if not self.hasFocus() or not turned:
            event.ignore()
            return
        self.shade_requested.emit(round(min(1.0, max(0.0, self.shade + (0.05 if turned > 0 else -0.05))), 2))
        event.accept()

    def focusInEvent(self, event: QFocusEvent) -> None:
        if event.reason() not in (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason):
            self._has_keys = event.reason() != Qt.FocusReason.MouseFocusReason
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._take_typed()
        self._tell(None)
        super().focusOutEvent(event)
        self.update()

    def sizeHint(self) -> QSize:
        side = max(self._smallest, min(40, 2 * _ROOM // max(self.pixels.shape)))
        return QSize(side * self.pixels.shape[1] + 2 * _EDGE, side * self.pixels.shape[0] + 2 * _EDGE)

    def minimumSizeHint(self) -> QSize:
        rows, columns = self.pixels.shape
        return QSize(self._smallest * columns + 2 * _EDGE, self._smallest * rows + 2 * _EDGE)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            font = self.font()
            font.setPixelSize(max(9, min(16, self._side * 3 // 10)))
            painter.setFont(font)
            colours, first, side = greys(self.pixels), self.cell_rect(0, 0), self._side
            for (row, column), dark in np.ndenumerate(is_dark(colours)):
                place = first.translated(column * side, row * side)
                self._draw_cell(painter, (row, column), place, colours[row, column], bool(dark))
            self._draw_grid(painter)
            self._draw_patches(painter)
            if self.hasFocus() and self._has_keys:
                self._draw_cursor(painter)
