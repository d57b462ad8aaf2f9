"""Draws marks with Qt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import groupby
from threading import local
from unicodedata import category

from PySide6.QtCore import QLineF, QLoggingCategory, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontMetricsF, QImage, QPainter, QPainterPath, QPen

from txviz.figures import fonts
from txviz.figures.marks import (
    HATCH_WIDTH,
    TEXT_DROP,
    Arrow,
    Box,
    Group,
    Heat,
    Line,
    Mark,
    Outline,
    Shape,
    Text,
    hatch_lines,
)


@cache
def load_fonts() -> None:
    """Makes the fonts that ship known to Qt; once, after the application is there.

    Without their paths: the order of fonts in a PDF would depend on the folder that txviz is installed in.
    """
    QLoggingCategory.setFilterRules("qt.text.font.db=false")  # or else a line for every font that lacks a script
    for path in fonts.files():
        QFontDatabase.addApplicationFontFromData(path.read_bytes())


def _font(pixels: int, bold: bool, mono: bool) -> QFont:
    load_fonts()
    made = QFont([fonts.MONO if mono else fonts.SANS, fonts.SYMBOLS])
    made.setPixelSize(pixels)
    made.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    made.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    made.setFeature(QFont.Tag("liga"), 0)  # or else nobody who looks for "first" in a PDF finds the word with its ﬁ
    made.setStyleStrategy(QFont.StyleStrategy.NoSubpixelAntialias)  # its coloured edges look wrong on another screen
    return made


def text_font() -> QFont:
    """For all widgets: in points, so that it follows the resolution of the screen."""
    load_fonts()
    made = QFont([fonts.SANS, fonts.SYMBOLS])
    made.setPointSizeF(10)
    return made


class _Faces(local):
    """Fonts, and how wide texts are in them. Each thread has its own, since threads can't share a font of Qt."""

    def __init__(self) -> None:
        self.font = lru_cache(maxsize=200)(_font)
        self.advance = lru_cache(maxsize=20_000)(self._advance)

    def _advance(self, text: str, pixels: int, bold: bool, mono: bool) -> float:
        return QFontMetricsF(self.font(pixels, bold, mono)).horizontalAdvance(text)


_faces = _Faces()


def legible(text: str) -> str:
    """The text with the code point (U+12345) of what no font has a sign for, neither one that ships nor the system's.
    Of several in a row it is the first one's."""
    if text.isascii() or all(map(_has_sign, text)):
        return text
    runs = groupby(text, _has_sign)
    return "".join("".join(run) if known else _code_points("".join(run)) for known, run in runs)


def _code_points(signs: str) -> str:
    return f"U+{ord(signs[0]):04X}{fonts.ELLIPSIS if len(signs) > 1 else ''}"


@lru_cache(maxsize=20_000)
def _has_sign(sign: str) -> bool:
    """What is never seen (a blank, a joiner, a variation selector) needs none."""
    unseen = category(sign) in ("Cc", "Cf", "Cs", "Zs", "Zl", "Zp") or "\ufe00" <= sign <= "\ufe0f"
    return unseen or QFontMetricsF(_faces.font(12, False, False)).inFontUcs4(ord(sign))


LEAST_SCALE = 0.5
"""A code point is wider than the sign was thought to be, so it is written smaller; down to this."""


_HINTS = QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing
_NO_PEN, _NO_BRUSH = Qt.PenStyle.NoPen, Qt.BrushStyle.NoBrush
_RGB888, _RGB32 = QImage.Format.Format_RGB888, QImage.Format.Format_RGB32
"""Qt's names, looked up once: each takes longer than what it is for."""


def paint(painter: QPainter, marks: Iterable[Mark]) -> None:
    """Draws the marks in order."""
    painter.setRenderHints(_HINTS)
    for mark in marks:
        if isinstance(mark, Heat):
            _heat(painter, mark)
        elif isinstance(mark, Text):
            _text(painter, mark)
        elif isinstance(mark, Box):
            _box(painter, mark)
        elif isinstance(mark, Group):
            paint(painter, mark.marks)
        elif isinstance(mark, Arrow):
            paint(painter, mark.parts)
        elif isinstance(mark, Line):
            painter.setPen(_pen(mark.colour, mark.width))
            painter.drawLine(QPointF(mark.x1, mark.y1), QPointF(mark.x2, mark.y2))
        else:
            _shape(painter, mark)


_colour = lru_cache(maxsize=1000)(QColor)


@lru_cache(maxsize=1000)
def _pen(colour: str, width: float) -> QPen:
    """Lines end where they end, and corners are sharp, as in every other program that shows a figure."""
    return QPen(QColor(colour), width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap, Qt.PenJoinStyle.MiterJoin)


_SHARES = {"start": 0.0, "middle": 0.5, "end": 1.0}
"""How much of a text is before its anchor."""


def _text(painter: QPainter, mark: Text) -> None:
    text, pixels = legible(mark.text), _pixels(mark.size)
    scale = mark.size / pixels * _narrower(text, mark)
    painter.setFont(_faces.font(pixels, mark.bold, mark.mono))
    painter.setPen(_colour(mark.colour))
    share = _SHARES[mark.anchor]
    back = share * _faces.advance(text, pixels, mark.bold, mark.mono) if share else 0.0
    if scale == 1 and not mark.turn:  # most texts, and much quicker
        painter.drawText(QPointF(mark.x - back, mark.y), text)
        return
    before = painter.transform()
    painter.translate(mark.x, mark.y)
    painter.scale(scale, scale)
    painter.rotate(-mark.turn)
    painter.drawText(QPointF(-back, 0), text)
    painter.setTransform(before)


def _narrower(text: str, mark: Text) -> float:
    """By how much a text with code points is made smaller, so that it keeps to the room of the text that it is for."""
    if text == mark.text:
        return 1.0
    room, needed = (fonts.width(each, mark.size, bold=mark.bold, mono=mark.mono) for each in (mark.text, text))
    return min(1.0, max(LEAST_SCALE, room / needed))


def _pixels(size: float) -> int:
    """The nearest size that Qt has a font in: whole pixels. The rest is done by scaling."""
    return max(round(size), 1)


def _box(painter: QPainter, mark: Box) -> None:
    area = QRectF(mark.x, mark.y, mark.width, mark.height)
    painter.setPen(_pen(mark.stroke, mark.stroke_width) if mark.stroke else _NO_PEN)
    painter.setBrush(_colour(mark.fill) if mark.fill else _NO_BRUSH)
    painter.drawRoundedRect(area, mark.radius, mark.radius) if mark.radius else painter.drawRect(area)
    if mark.hatch:
        _hatch(painter, area, mark.hatch)


def _hatch(painter: QPainter, area: QRectF, colour: str) -> None:
    lines = hatch_lines(area.left(), area.top(), area.right(), area.bottom())
    painter.setPen(_pen(colour, HATCH_WIDTH))
    painter.drawLines([QLineF(*low, *high) for low, high in lines])


def _heat(painter: QPainter, mark: Heat) -> None:
    painter.drawImage(QRectF(mark.x, mark.y, mark.width, mark.height), _image(painter, mark))
    if mark.infinite:
        _hatched_cells(painter, mark)
    if mark.texts:
        _numbers(painter, mark)


def _hatched_cells(painter: QPainter, mark: Heat) -> None:
    """The lines of the whole grid, seen through the cells that are hatched."""
    across, down, through = mark.cell_width, mark.cell_height, QPainterPath()
    for row, column, rows, columns in mark.hatched_areas:
        through.addRect(mark.x + column * across, mark.y + row * down, columns * across, rows * down)
    painter.save()
    painter.setClipPath(through, Qt.ClipOperation.IntersectClip)
    _hatch(painter, QRectF(mark.x, mark.y, mark.width, mark.height), mark.hatch)
    painter.restore()


def _image(painter: QPainter, mark: Heat) -> QImage:
    """One pixel for each cell; averaged where there are more cells than pixels for them on the screen or page."""
    seen = painter.deviceTransform().mapRect(QRectF(0, 0, mark.width, mark.height))
    wide, high = max(1, round(seen.width())), max(1, round(seen.height()))
    if mark.columns <= wide and mark.rows <= high:
        make = _sharp if len(mark.colours) > SMALL else _small
        return make(mark.colours, mark.columns, mark.rows)
    return _averaged(mark.colours, mark.columns, mark.rows, min(mark.columns, wide), min(mark.rows, high))


def _sharp(colours: bytes, columns: int, rows: int) -> QImage:
    """With 32 bits for each pixel, which Qt enlarges five times as quickly as 24."""
    return QImage(colours, columns, rows, 3 * columns, _RGB888).convertToFormat(_RGB32)


SMALL = 600
"""Bytes of a picture that is kept: that of a patch stands beside each of its rows, at every step."""

_small = lru_cache(maxsize=1000)(_sharp)


@lru_cache(maxsize=24)  # as large as the screen, some of them
def _averaged(colours: bytes, columns: int, rows: int, wide: int, high: int) -> QImage:
    way = Qt.TransformationMode.SmoothTransformation
    return _sharp(colours, columns, rows).scaled(wide, high, Qt.AspectRatioMode.IgnoreAspectRatio, way)


def _numbers(painter: QPainter, mark: Heat) -> None:
    pixels = _pixels(mark.text_size)
    scale = mark.text_size / pixels
    painter.save()
    painter.translate(mark.x, mark.y)
    painter.scale(scale, scale)
    painter.setFont(_faces.font(pixels, False, False))
    inks = QColor(mark.dark_ink), QColor(mark.light_ink)
    across, down, advance = mark.cell_width / scale, mark.cell_height / scale, _faces.advance
    for ink in (0, 1):
        painter.setPen(inks[ink])
        for cell, text in enumerate(mark.texts):
            if mark.inks[cell] == ink:
                row, column = divmod(cell, mark.columns)
                x = (column + 0.5) * across - advance(text, pixels, False, False) / 2
                painter.drawText(QPointF(x, (row + 0.5) * down + TEXT_DROP * pixels), text)
    painter.restore()


OUTLINE_SIZE = 100
"""Pixels of the letters that ``text_outline`` gives."""


@lru_cache(maxsize=2000)
def text_outline(text: str, bold: bool, mono: bool) -> tuple[Outline, float]:
    """The letters of a text as a shape that begins at 0, and how wide it is; needs an application."""
    path = QPainterPath()
    path.addText(QPointF(0, 0), _faces.font(OUTLINE_SIZE, bold, mono), text)
    return tuple(_segments(path)), _faces.advance(text, OUTLINE_SIZE, bold, mono)


def _segments(path: QPainterPath) -> Iterator[tuple[str, tuple[float, ...]]]:
    """A curve of Qt is three elements: two handles and its end."""
    kinds, count, i = QPainterPath.ElementType, path.elementCount(), 0
    while i < count:
        kind = path.elementAt(i).type
        length = 3 if kind == kinds.CurveToElement else 1
        points = [path.elementAt(j) for j in range(i, i + length)]
        if kind == kinds.MoveToElement and i:
            yield "Z", ()
        letter = "C" if length == 3 else "M" if kind == kinds.MoveToElement else "L"
        yield letter, tuple(n for point in points for n in (point.x, point.y))
        i += length
    if count:
        yield "Z", ()


def _shape(painter: QPainter, mark: Shape) -> None:
    painter.save()
    painter.translate(mark.x, mark.y)
    painter.scale(mark.scale, mark.scale)
    painter.fillPath(_path(mark.outline), _colour(mark.colour))
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
