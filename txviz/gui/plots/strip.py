"""All heads of an attention step as small pictures, one of them framed; a click asks for another."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy

from txviz.figures.marks import Mark
from txviz.figures.theme import Theme
from txviz.figures.views.strip import LARGEST, SMALLEST, Strip
from txviz.gui.plots.canvas import MARGIN, Canvas
from txviz.ops import Array


class HeadStrip(Canvas):
    chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__("Heads; click one to see it large")
        self.current = 0
        self.strip: Strip | None = None
        self._heads: tuple[Array, tuple[str, ...], float] | None = None
        self._room = LARGEST
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_heads(self, weights: Array, labels: tuple[str, ...], limit: float, theme: Theme) -> None:
        """``weights`` (heads,queries,keys)."""
        self.theme, self._heads = theme, (weights, labels, limit)
        self._fit()

    def give_room(self, height: float) -> None:
        """How high a row of pictures may be."""
        self._room = min(LARGEST, max(SMALLEST, height))
        self._fit()

    def show_current(self, head: int) -> None:
        if head != self.current:
            self.current = head
            self.update()

    def marks(self) -> Sequence[Mark]:
        return () if self.strip is None else self.strip.marks(self.current)

    def _fit(self) -> None:
        """The heads at the widget's width; it is as high as they need."""
        if self._heads is not None:
            self.strip = Strip(*self._heads, self.area, self.style_shown, self._room)
            self.setFixedHeight(ceil(MARGIN + self.strip.height))
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(280, self.height())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        head = None if self.strip is None else self.strip.head_at(at.x(), at.y())
        if head is not None:
            self.chosen.emit(head)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit()
