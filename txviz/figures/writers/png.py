"""PNG: the figure in pixels."""

from __future__ import annotations

from PySide6.QtCore import QBuffer, QIODevice

from txviz.figures.marks import Figure
from txviz.figures.writers.raster import PIXELS_PER_INCH, image

METRES_PER_INCH = 0.0254


def png(figure: Figure, scale: float = 2.0, transparent: bool = False) -> bytes:
    """The figure in ``scale`` times as many pixels; the file says so, and keeps its size in print."""
    made = image(figure, scale, transparent)
    density = round(PIXELS_PER_INCH * scale / METRES_PER_INCH)
    made.setDotsPerMeterX(density)
    made.setDotsPerMeterY(density)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    made.save(buffer, "PNG")
    return bytes(buffer.data().data())


def scale_for(dpi: float) -> float:
    """The scale that makes so many dots per inch."""
    return dpi / PIXELS_PER_INCH
