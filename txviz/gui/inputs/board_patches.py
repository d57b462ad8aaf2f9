"""The patches of a drawing: what is painted of them on the board, and which one a pixel is in."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtGui import QPainter

from txviz.figures.area import Area
from txviz.figures.painter import paint
from txviz.figures.patches import BORDER, HALO, Drawing, patch_letters, patch_lines
from txviz.gui.inputs.drawing import Cell

_WIDTH, _FINE = 2.0, 1.0
"""Of the borders, and of those between small pixels, which would hide what is drawn; those of pixels are grey."""

SMALL = 12
"""Of a pixel on the board: below that, lines between pixels are pale."""

_LETTERED, _LETTER = 24, 0.28
"""From which size of a pixel on patches have letters, and how large these are by that size."""


def draw_patches(painter: QPainter, drawing: Drawing, board: QRect) -> None:
    """Their borders, and their letters where the numbers leave room for them."""
    area = Area(board.x(), board.y(), board.width(), board.height())
    pixel = area.height / drawing.pixels.shape[0]
    letters = patch_letters(drawing, area, pixel * _LETTER) if pixel >= _LETTERED else []
    width = _WIDTH if pixel >= SMALL else _FINE
    halo = patch_lines(drawing, area, HALO, width + 2 * _FINE) if drawing.coloured else []
    paint(painter, [*halo, *patch_lines(drawing, area, BORDER, width), *letters])


def pixel_in_words(drawing: Drawing | None, cell: Cell, value: str) -> str:
    """``patch E, row 1, column 1, middle centre  ·  pixel (2, 3) = 0.5``."""
    label = None if drawing is None else drawing.patch_at(*cell)
    patch = "" if drawing is None or label is None else f"{drawing.name(label)}  ·  "
    return f"{patch}pixel ({cell[0]}, {cell[1]}) = {value}"
