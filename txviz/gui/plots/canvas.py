"""What the painted plots share: a themed canvas, colours and images for Qt, and short texts for numbers."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from txviz.figures.marks import Colour
from txviz.figures.theme import LIGHT
from txviz.ops import Array

MARGIN = 8.0
"""Around whatever is painted, in pixels."""


class Canvas(QWidget):
    """A widget that paints itself on the theme's panel colour. It follows the pointer without a pressed button."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.theme = LIGHT
        self.setAccessibleName(name)
        self.setMouseTracking(True)

    def draw(self, painter: QPainter) -> None:
        """Paints everything but the background."""
        raise NotImplementedError

    @property
    def small(self) -> QFont:
        """The application's font, a little smaller: for labels."""
        font = QFont(self.font())
        font.setPointSizeF(self.font().pointSizeF() * 0.9)
        return font

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self.theme.panel))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self.small)
        self.draw(painter)
        painter.end()


def see_through(colour: Colour, opacity: float) -> QColor:
    """The colour, so opaque: 0 is not seen, 1 hides what is behind."""
    result = QColor(colour)
    result.setAlphaF(min(1.0, max(0.0, opacity)))
    return result


def image_of(colours: Array) -> QImage:  # (rows,columns,3)
    """An image with one pixel for each colour, rows from the top."""
    pixels = np.ascontiguousarray(colours, dtype=np.uint8)
    rows, columns = pixels.shape[:2]
    return QImage(pixels.tobytes(), columns, rows, 3 * columns, QImage.Format.Format_RGB888).copy()


def shrunk(image: QImage, size: tuple[float, float]) -> QImage:
    """The image averaged to fit, where it has more pixels than there is room for; else as it is, with sharp cells."""
    wide, high = (max(1, round(length)) for length in size)
    if image.width() <= wide and image.height() <= high:
        return image
    way = Qt.TransformationMode.SmoothTransformation
    return image.scaled(wide, high, Qt.AspectRatioMode.IgnoreAspectRatio, way)


def elided(metrics: QFontMetricsF, text: str, width: float) -> str:
    return metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)


def stride(pitch: float, needed: float) -> int:
    """Every how many places a label fits, where places are ``pitch`` apart and a label needs ``needed``."""
    return max(1, int(np.ceil(needed / max(pitch, 1e-6))))


def percent(part: float) -> str:
    """
    >>> percent(0.374), percent(0.0371), percent(0.0000012), percent(0)
    ('37 %', '3.7 %', '< 0.01 %', '0 %')
    """
    share = 100 * float(part)
    if share == 0 or share >= 9.95:
        return f"{share:.0f} %"
    return "< 0.01 %" if share < 0.01 else f"{share:.1f} %" if share >= 1 else f"{share:.2f} %"


def decimal(x: float, places: int) -> str:
    """A number in little room: so many decimals, a real minus sign, and −∞ as such.

    >>> decimal(-1.234, 2), decimal(0.00001, 3), decimal(0, 3), decimal(float("-inf"), 2)
    ('−1.23', '<0.001', '0', '−∞')
    """
    if not np.isfinite(x):
        return "∞" if x > 0 else "−∞" if x < 0 else "NaN"
    smallest = 10.0**-places
    if 0 < abs(x) < smallest / 2:
        return f"<{smallest:.{places}f}" if x > 0 else "−0"
    return "0" if x == 0 else f"{x:.{places}f}".replace("-", "−")
