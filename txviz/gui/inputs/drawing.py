"""A small drawing, in greys or in colours, and its history. No Qt here."""

from __future__ import annotations

from math import floor
from typing import TypeAlias

import numpy as np

from txviz.ops import Array

Cell: TypeAlias = tuple[int, int]
"""Row and column."""

MOST_UNDONE = 200
"""So many strokes can be taken back."""


class Drawing:
    """Pixels that can be changed, and changed back: greys from 0 (black) to 1 (white), or colours from 0 to 255.

    What happens between ``begin`` and the next ``begin`` is one step to undo, so that a stroke is one step.
    """

    def __init__(self, pixels: Array) -> None:  # (rows,columns[,3])
        self.pixels = pixels
        self._past: list[Array] = []
        self._future: list[Array] = []

    @property
    def can_undo(self) -> bool:
        return any((past != self.pixels).any() for past in self._past)

    @property
    def can_redo(self) -> bool:
        return bool(self._future)

    def begin(self) -> None:
        """What is there now is where undo comes back to."""
        if not self._past or (self._past[-1] != self.pixels).any():
            self._past = [*self._past, self.pixels][-MOST_UNDONE:]

    def change(self, pixels: Array) -> bool:
        """Puts other pixels in; whether anything is different."""
        if (pixels == self.pixels).all():
            return False
        self.pixels = pixels
        self._future.clear()
        return True

    def paint(self, cells: list[Cell], ink: float | Array) -> bool:
        """The same shade or colour in some cells; those outside are left out. Whether anything is different."""
        rows, columns = self.pixels.shape[:2]
        pixels = self.pixels.copy()
        for row, column in cells:
            if 0 <= row < rows and 0 <= column < columns:
                pixels[row, column] = ink
        return self.change(pixels)

    def undo(self) -> None:
        if not self.can_undo:
            return
        before = self.pixels
        while self._past and (self.pixels == before).all():
            self.pixels = self._past.pop()
        self._future.append(before)

    def redo(self) -> None:
        if not self.can_redo:
            return
        self._past.append(self.pixels)
        self.pixels = self._future.pop()


def region(pixels: Array, start: Cell) -> list[Cell]:  # (rows,columns[,3])
    """The cells of one colour around a cell: those that touch it by an edge, and those that touch these.

    >>> region(np.array([[1, 1, 0], [0, 1, 0]]), (0, 0))
    [(0, 0), (0, 1), (1, 1)]
    """
    rows, columns = pixels.shape[:2]
    alike = (pixels == pixels[start]).reshape(rows, columns, -1).all(axis=-1)
    found, ahead = {start}, [start]
    while ahead:
        row, column = ahead.pop()
        for near in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if near not in found and 0 <= near[0] < rows and 0 <= near[1] < columns and alike[near]:
                found.add(near)
                ahead.append(near)
    return sorted(found)


def shifted(pixels: Array, down: int, right: int, blank: float | Array = 0.0) -> Array:  # -> as it was
    """Moved by some pixels; what leaves the board is lost, and blank pixels come in."""
    rows, columns = pixels.shape[:2]
    moved = np.full_like(pixels, blank)
    moved[max(down, 0) : rows + min(down, 0), max(right, 0) : columns + min(right, 0)] = pixels[
        max(-down, 0) : rows + min(-down, 0), max(-right, 0) : columns + min(-right, 0)
    ]
    return moved


def inverted(pixels: Array) -> Array:  # (rows,columns) -> (rows,columns)
    """Black for white; decimals stay as short as they were."""
    return np.asarray((1 - pixels).round(10))


def line(start: Cell, end: Cell) -> list[Cell]:
    """The cells of a straight line, each touching the one before it.

    >>> line((0, 0), (3, 1))
    [(0, 0), (1, 0), (2, 1), (3, 1)]
    """
    down, right = end[0] - start[0], end[1] - start[1]
    count = max(abs(down), abs(right), 1)
    return [
        (start[0] + floor(down * i / count + 0.5), start[1] + floor(right * i / count + 0.5)) for i in range(count + 1)
    ]
