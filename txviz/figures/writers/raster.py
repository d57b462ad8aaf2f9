"""A figure as an image in memory, painted by Qt without a screen."""

from __future__ import annotations

from functools import cache
from math import ceil

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage, QPainter

from txviz.errors import TxvizError
from txviz.figures.marks import Figure
from txviz.figures.painter import paint
from txviz.figures.presets import check_pixels


def ready() -> None:
    """Qt writes text only in an application: makes one that needs no screen, unless there is one, like the window's."""
    if QCoreApplication.instance() is None:
        _application()


@cache
def _application() -> QGuiApplication:
    return QGuiApplication(["txviz", "-platform", "offscreen"])


def image(figure: Figure, scale: float, transparent: bool = False) -> QImage:
    """The figure in ``scale`` times as many pixels, on its background or on none."""
    check_pixels(figure.width, figure.height, scale)
    ready()
    width, height = ceil(figure.width * scale), ceil(figure.height * scale)
    kind = QImage.Format.Format_ARGB32_Premultiplied if transparent else QImage.Format.Format_RGB32
    made = QImage(width, height, kind)
    if made.isNull():
        raise TxvizError(f"there is no memory for a picture of {width:,} × {height:,} pixels; a smaller one would fit")
    made.fill(Qt.GlobalColor.transparent if transparent else QColor(figure.background))
    painter = QPainter(made)
    painter.scale(scale, scale)
    paint(painter, figure.marks)
    painter.end()
    return made
