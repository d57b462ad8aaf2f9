"""Draws marks with Qt."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontDatabase, QFontMetricsF, QImage, QPainter, QPainterPath, QPen

from txviz.figures import fonts
from txviz.figures.marks import Box, Group, Heat, Line, Mark, Outline, Shape, Text


@cache
def load_fonts() -> None:
    """Makes the fonts that ship known to Qt; once, after the application is there."""
    for path in fonts.files():
        QFontDatabase.addApplicationFont(str(path))


@lru_cache(maxsize=200)
def font(size: float, bold: bool = False, mono: bool = False) -> QFont:
    load_fonts()
    made = QFont([fonts.MONO if mono else fonts.SANS, fonts.SYMBOLS])
    made.setPixelSize(max(round(size), 1))
    made.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    made.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return made


def text_font() -> QFont:
    """For all widgets: in points, so that it follows the resolution of the screen."""
    load_fonts()
    made = QFont([fonts.SANS, fonts.SYMBOLS])
    made.setPointSizeF(10)
    return made


@lru_cache(maxsize=200)
def _metrics(size: float, bold: bool, mono: bool) -> QFontMetricsF:
    return QFontMetricsF(font(size, bold, mono))


@lru_cache(maxsize=20_000)
def _advance(text: str, size: float, bold: bool, mono: bool) -> float:
    return _metrics(size, bold, mono).horizontalAdvance(text)


def paint(painter: QPainter, marks: Iterable[Mark]) -> None:
    """Draws the marks in order."""
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
    for mark in marks:
        if isinstance(mark, Heat):
            _heat(painter, mark)
        elif isinstance(mark, Text):
            _text(painter, mark)
        elif isinstance(mark, Box):
            _box(painter, mark)
        elif isinstance(mark, Group):
            paint(painter, mark.marks)
        elif isinstance(mark, Line):
            painter.setPen(QPen(QColor(mark.colour), mark.width))
            painter.drawLine(QPointF(mark.x1, mark.y1), QPointF(mark.x2, mark.y2))
        else:
            _shape(painter, mark)


def _text(painter: QPainter, mark: Text) -> None:
    painter.setFont(font(mark.size, mark.bold, mark.mono))
    painter.setPen(QColor(mark.colour))
    share = {"start": 0.0, "middle": 0.5, "end": 1.0}[mark.anchor]
    back = share * _advance(mark.text, mark.size, mark.bold, mark.mono) if share else 0.0
    if not mark.turn:
        painter.drawText(QPointF(mark.x - back, mark.y), mark.text)
        return
    painter.save()
    painter.translate(mark.x, mark.y)
    painter.rotate(-mark.turn)
    painter.drawText(QPointF(-back, 0), mark.text)
    painter.restore()


def _box(painter: QPainter, mark: Box) -> None:
    area = QRectF(mark.x, mark.y, mark.width, mark.height)
    painter.setPen(QPen(QColor(mark.stroke), mark.stroke_width) if mark.stroke else Qt.PenStyle.NoPen)
    painter.setBrush(QColor(mark.fill) if mark.fill else Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(area, mark.radius, mark.radius) if mark.radius else painter.drawRect(area)
    if mark.hatch:
        painter.fillRect(area, QBrush(QColor(mark.hatch), Qt.BrushStyle.BDiagPattern))


def _heat(painter: QPainter, mark: Heat) -> None:
    image = QImage(mark.colours, mark.columns, mark.rows, 3 * mark.columns, QImage.Format.Format_RGB888)
    painter.drawImage(QRectF(mark.x, mark.y, mark.width, mark.height), _averaged(painter, image, mark))
    hatch = QBrush(QColor(mark.hatch), Qt.BrushStyle.BDiagPattern)
    for cell in mark.hatched:
        row, column = divmod(cell, mark.columns)
        x, y = mark.x + column * mark.cell_width, mark.y + row * mark.cell_height
        painter.fillRect(QRectF(x, y, mark.cell_width, mark.cell_height), hatch)
    if mark.texts:
        _numbers(painter, mark)


def _averaged(painter: QPainter, image: QImage, mark: Heat) -> QImage:
    """The image as it is, with sharp cells; averaged where it has more cells than there are pixels for them."""
    seen = painter.deviceTransform().mapRect(QRectF(0, 0, mark.width, mark.height))
    wide, high = max(1, round(seen.width())), max(1, round(seen.height()))
    if mark.columns <= wide and mark.rows <= high:
        return image
    way = Qt.TransformationMode.SmoothTransformation
    return image.scaled(min(mark.columns, wide), min(mark.rows, high), Qt.AspectRatioMode.IgnoreAspectRatio, way)


def _numbers(painter: QPainter, mark: Heat) -> None:
    painter.setFont(font(mark.text_size))
    inks = QColor(mark.dark_ink), QColor(mark.light_ink)
    down = mark.cell_height / 2 + 0.36 * mark.text_size
    for ink in (0, 1):
        painter.setPen(inks[ink])
        for cell, text in enumerate(mark.texts):
            if mark.inks[cell] == ink:
                row, column = divmod(cell, mark.columns)
                middle = mark.x + (column + 0.5) * mark.cell_width
                x = middle - _advance(text, mark.text_size, False, False) / 2
                painter.drawText(QPointF(x, mark.y + row * mark.cell_height + down), text)


def _shape(painter: QPainter, mark: Shape) -> None:
    painter.save()
    painter.translate(mark.x, mark.y)
    painter.scale(mark.scale, mark.scale)
    painter.fillPath(_path(mark.outline), QColor(mark.colour))
    painter.restore()


@lru_cache(maxsize=500)
def _path(outline: Outline) -> QPainterPath:
    path = QPainterPath()
    path.setFillRule(Qt.FillRule.WindingFill)
    for kind, n in outline:
        if kind == "M":
            path.moveTo(*n)
        elif kind == "L":
            path.lineTo(*n)
        elif kind == "Q":
            path.quadTo(*n)
        elif kind == "C":
            path.cubicTo(*n)
        else:
            path.closeSubpath()
    return path
