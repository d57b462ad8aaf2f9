"""What drawing boards have in common: a grid of pixels for mouse and keyboard, and strokes that can be undone."""

from __future__ import annotations

from dataclasses import replace
from math import floor

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
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from txviz.figures.patches import Drawing as PatchedImage
from txviz.figures.theme import Theme
from txviz.gui.guard import guarded
from txviz.gui.inputs.board_patches import SMALL, draw_patches, pixel_in_words
from txviz.gui.inputs.drawing import Cell, Drawing, line
from txviz.ops import Array

_LARGEST_CELL, _EDGE = 64, 2
NUMBERED = 18
"""Pixels of a cell that has room for its number."""

_PALE = 110
"""How opaque lines are between small pixels."""

_TINIEST, _ROOM = 6, 220
"""Pixels of the smallest cell that can be hit, and how wide a board may want to be at least."""

_MOVES = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}
_ERASE = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)


class Board(QWidget):
    """Left paints, right erases; arrow keys move a cursor that paints with Space and erases with Delete.

    What a pixel is (a shade or a colour), how it is said and how it is drawn is told by each kind of board.
    """

    has_keys_by_click = True

    about: str
    """What can be done with it, for its tool tip."""

    pixels_requested = Signal(object)
    """The pixels after an edit, live."""
    drawing_changed = Signal()
    """What is shown is different, whoever changed it."""
    paste_requested = Signal()
    refused = Signal(str)
    pointed = Signal(str)
    """The pixel under the pointer or the cursor, and its patch, in words."""

    def __init__(self, pixels: Array, theme: Theme) -> None:  # (rows,columns[,3])
        super().__init__()
        self._drawing = Drawing(pixels)
        self._theme = theme
        self._patched: PatchedImage | None = None
        """How the model cuts the drawing into patches, where that is known."""
        self._cursor: Cell = (0, 0)
        self._has_keys = True
        """Not after drawing with the pointer: then the keys that move and paint still step through the model."""
        self._stroke: tuple[bool, Cell] | None = None
        """Whether the stroke under the pointer erases, and the last cell it reached."""
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.CrossCursor)
        self.setAccessibleName(f"Drawing board, {pixels.shape[0]} rows of {pixels.shape[1]} pixels")
        self.setToolTip(self.about)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._describe()

    @property
    def pixels(self) -> Array:  # -> (rows,columns[,3])
        return self._drawing.pixels

    @property
    def size_drawn(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, columns = self.pixels.shape[:2]
        return rows, columns

    def value_said(self, cell: Cell) -> str:
        """What a pixel is, in words."""
        raise NotImplementedError

    @property
    def blank(self) -> float | Array:
        """What an empty pixel is; the right button and Delete put it there."""
        raise NotImplementedError

    def _ink(self) -> float | Array:
        """What the left button and Space put into a pixel."""
        raise NotImplementedError

    def _brightness(self) -> Array:  # -> (rows,columns[,3])
        """The pixels from 0 to 1, for what is written over them."""
        raise NotImplementedError

    def _draw_pixels(self, painter: QPainter) -> None:
        raise NotImplementedError

    def _own_key(self, event: QKeyEvent) -> bool:
        """Whether a key that is pressed alone is for this kind of board."""
        raise NotImplementedError

    def _press_own(self, event: QKeyEvent) -> bool:
        """Does what such a key says; whether there was anything to do."""
        raise NotImplementedError

    def _leave_cell(self) -> None:
        """The cursor goes elsewhere."""

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
        (rows, columns), side = self.size_drawn, self._side
        return QRect(self._left, _EDGE, columns * side, rows * side)

    @property
    def _side(self) -> int:
        """Of a cell: as large as there is room both ways."""
        rows, columns = self.size_drawn
        room = min((self.width() - 2 * _EDGE) // columns, (self.height() - 2 * _EDGE) // rows)
        return int(max(self._smallest, min(_LARGEST_CELL, room)))

    @property
    def _smallest(self) -> int:
        """Of a cell: a board of many is not wider than the panel that it stands in."""
        return int(max(_TINIEST, min(NUMBERED, _ROOM // max(self.size_drawn))))

    @property
    def _left(self) -> int:
        """Of the first column; the board stands in the middle."""
        return int(max(_EDGE, (self.width() - self._side * self.size_drawn[1]) // 2))

    def _cell_at(self, place: QPointF) -> Cell:
        """The cell under a place; outside the board it goes on."""
        return floor((place.y() - _EDGE) / self._side), floor((place.x() - self._left) / self._side)

    def _holds(self, cell: Cell) -> bool:
        return all(0 <= at < size for at, size in zip(cell, self.size_drawn, strict=True))

    def _edited(self) -> None:
        self._changed()
        self.pixels_requested.emit(self.pixels)

    def _changed(self) -> None:
        self._describe()
        self.update()
        self.drawing_changed.emit()

    def _describe(self) -> None:
        row, column = self._cursor
        label = self._patched and self._patched.patch_at(row, column)
        patch = f", in patch {label}" if label else ""
        self.setAccessibleDescription(f"row {row + 1}, column {column + 1}: {self._cursor_said()}{patch}")

    def _cursor_said(self) -> str:
        return self.value_said(self._cursor)

    def _tell(self, cell: Cell | None) -> None:
        """Says which pixel this is, after the name of its patch."""
        if cell is None or not self._holds(cell):
            self.pointed.emit("")
        else:
            self.pointed.emit(pixel_in_words(self._patched, cell, self.value_said(cell)))

    def _touch(self, cells: list[Cell], erases: bool) -> None:
        """A stroke goes over some cells."""
        if self._drawing.paint(cells, self.blank if erases else self._ink()):
            self._edited()

    def _go_on(self, last: Cell, cell: Cell, erases: bool) -> None:
        """The stroke under the pointer has come from one cell to another."""
        self._touch(line(last, cell), erases)

    def _touch_cursor(self, erases: bool) -> None:
        self._drawing.begin()
        self._touch([self._cursor], erases)
        self._tell(self._cursor)

    def _move_cursor(self, down: int, right: int) -> None:
        self._leave_cell()
        rows, columns = self.size_drawn
        self._cursor = (
            min(max(self._cursor[0] + down, 0), rows - 1),
            min(max(self._cursor[1] + right, 0), columns - 1),
        )
        self._describe()
        self._tell(self._cursor)
        self.update()

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
            self._touch_cursor(erases=False)
        elif key in _ERASE:
            self._touch_cursor(erases=True)
        else:
            return False
        return True

    def _is_own(self, event: QKeyEvent) -> bool:
        """Whether a key is for the board, even where the window has a shortcut with it."""
        keys = QKeySequence.StandardKey
        if any(event.matches(key) for key in (keys.Undo, keys.Redo, keys.Paste)):
            return True
        plain = self._has_keys and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        return plain and (event.key() in (*_MOVES, *_ERASE, Qt.Key.Key_Space) or self._own_key(event))

    def _draw_grid(self, painter: QPainter) -> None:
        painter.setPen(QPen(QColor(128, 128, 128, 255 if self._side >= SMALL else _PALE), 1))
        (rows, columns), whole, side = self.size_drawn, self._whole, self._side
        for column in range(columns + 1):
            x = min(whole.left() + column * side, whole.right())
            painter.drawLine(x, whole.top(), x, whole.bottom())
        for row in range(rows + 1):
            y = min(whole.top() + row * side, whole.bottom())
            painter.drawLine(whole.left(), y, whole.right(), y)

    def _draw_patches(self, painter: QPainter) -> None:
        if self._patched is not None:
            draw_patches(painter, replace(self._patched, pixels=self._brightness()), self._whole)

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
        if not (self._is_own(event) and (self._press_own(event) or self._drawing_key(event))):
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._has_keys = False
        erases = {Qt.MouseButton.LeftButton: False, Qt.MouseButton.RightButton: True}.get(event.button())
        cell = self._cell_at(event.position())
        if self._stroke is None and erases is not None and self._holds(cell):
            self._leave_cell()
            self._stroke = (erases, cell)
            self._cursor = cell
            self._drawing.begin()
            self._touch([cell], erases)
            self._describe()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._stroke is None:
            self._tell(self._cell_at(event.position()))
        else:
            erases, last = self._stroke
            cell = self._cell_at(event.position())
            self._stroke = (erases, cell)
            self._cursor = cell if self._holds(cell) else self._cursor
            self._go_on(last, cell, erases)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if not event.buttons():
            self._stroke = None
            self._describe()
            self._tell(self._cell_at(event.position()))
            self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._tell(None)
        super().leaveEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        if event.reason() not in (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason):
            self._has_keys = event.reason() != Qt.FocusReason.MouseFocusReason
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._leave_cell()
        self._tell(None)
        super().focusOutEvent(event)
        self.update()

    def sizeHint(self) -> QSize:
        side = max(self._smallest, min(40, 2 * _ROOM // max(self.size_drawn)))
        return QSize(side * self.size_drawn[1] + 2 * _EDGE, side * self.size_drawn[0] + 2 * _EDGE)

    def minimumSizeHint(self) -> QSize:
        rows, columns = self.size_drawn
        return QSize(self._smallest * columns + 2 * _EDGE, self._smallest * rows + 2 * _EDGE)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            self._draw_pixels(painter)
            self._draw_grid(painter)
            self._draw_patches(painter)
            if self.hasFocus() and self._has_keys:
                self._draw_cursor(painter)
