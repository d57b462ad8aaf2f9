"""A widget that paints marks: what the painted plots share."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QColor, QFontInfo, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from txviz.figures.marks import Mark
from txviz.figures.painter import paint
from txviz.figures.style import Style
from txviz.figures.theme import LIGHT
from txviz.figures.views.page import Area
from txviz.gui.guard import guarded

MARGIN = 8.0
"""Around whatever is painted, in pixels."""

SMALL = 0.9
"""Labels are a little smaller than the application's font."""


class Canvas(QWidget):
    """Paints its marks on the theme's panel colour. It follows the pointer without a pressed button."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.theme = LIGHT
        self.setAccessibleName(name)
        self.setMouseTracking(True)

    def marks(self) -> Sequence[Mark]:
        """What is to be seen now."""
        raise NotImplementedError

    @property
    def style_shown(self) -> Style:
        """Without numbers in cells: those are on the stage, right beside it."""
        return Style(theme=self.theme, size=self.text_size, numbers=False)

    @property
    def text_size(self) -> float:
        """Whole pixels, which Qt is quickest with."""
        return round(SMALL * QFontInfo(self.font()).pixelSize())

    @property
    def area(self) -> Area:
        """Where the marks go."""
        return Area(0, 0, self.width(), self.height()).grown(-MARGIN)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(self.theme.panel))
            paint(painter, self.marks())


class PointedCanvas(Canvas):
    """Says what the pointer is on, once for each thing. Subclasses know where their things are."""

    pointed = Signal(object)
    """What is under the pointer, or None."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._under: object = None

    def thing_at(self, x: float, y: float) -> object:
        """What is drawn there, or None."""
        raise NotImplementedError

    def let_go(self) -> None:
        """What the pointer is on is said again when it moves."""
        self._under = None

    def _point(self, thing: object) -> None:
        if thing != self._under:
            self._under = thing
            self.pointed.emit(thing)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        self._point(self.thing_at(at.x(), at.y()))

    def leaveEvent(self, event: QEvent) -> None:
        self._point(None)
