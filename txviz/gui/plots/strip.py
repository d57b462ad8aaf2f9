"""All heads of an attention step as small pictures, one of them framed; a click asks for another."""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QMouseEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy

from txviz.figures.theme import Theme, colours
from txviz.gui.plots.canvas import MARGIN, Canvas, image_of, shrunk
from txviz.ops import Array

MOST_ACROSS = 6
SMALLEST, LARGEST = 24.0, 64.0
GAP = 8.0


class HeadStrip(Canvas):
    chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__("Heads; click one to see it large")
        self.current = 0
        self._labels: tuple[str, ...] = ()
        self._images: list[QImage] = []
        self._scaled: list[QImage] = []
        self._shape = (1, 1)
        self._room = LARGEST
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_heads(self, weights: Array, labels: tuple[str, ...], limit: float, theme: Theme) -> None:
        """``weights`` (heads,queries,keys)."""
        self.theme, self._labels = theme, labels
        self._shape = (weights.shape[1], weights.shape[2])
        self._images = [image_of(colours(theme, head, limit)) for head in weights]
        self._fit()
        self.update()

    def give_room(self, height: float) -> None:
        """How high a row of pictures may be."""
        self._room = min(LARGEST, max(SMALLEST, height))
        self._fit()

    def show_current(self, head: int) -> None:
        self.current = head
        self.update()

    def box(self, head: int) -> QRectF:
        """Where the picture of this head is."""
        down, over = divmod(head, self._across)
        wide, high = self._size
        row = high + self._line + GAP
        start = (self.width() - self._across * (wide + GAP) + GAP) / 2
        return QRectF(start + over * (wide + GAP), MARGIN + down * row, wide, high)

    @property
    def _across(self) -> int:
        return max(1, min(len(self._images), MOST_ACROSS))

    @property
    def _line(self) -> float:
        return QFontMetricsF(self.small).height()

    @property
    def _size(self) -> tuple[float, float]:
        room = self.width() - 2 * MARGIN - (self._across - 1) * GAP
        ratio = min(1.0, max(0.4, self._shape[0] / self._shape[1]))
        wide = max(8.0, min(LARGEST, room / self._across, self._room / ratio))
        return wide, wide * ratio

    def _fit(self) -> None:
        self._scaled = [shrunk(image, self._size) for image in self._images]
        down = ceil(len(self._images) / self._across)
        self.setFixedHeight(int(MARGIN + down * (self._size[1] + self._line + GAP)))

    def draw(self, painter: QPainter) -> None:
        for head, image in enumerate(self._scaled):
            box = self.box(head)
            painter.drawImage(box, image)
            mine = head == self.current
            painter.setPen(QPen(QColor(self.theme.accent if mine else self.theme.line), 2 if mine else 1))
            painter.drawRect(box.adjusted(-1.5, -1.5, 1.5, 1.5) if mine else box)
            painter.setPen(QColor(self.theme.accent if mine else self.theme.muted))
            below = QRectF(box.left() - GAP, box.bottom() + 2, box.width() + 2 * GAP, self._line)
            text = f"head {self._labels[head]}" if box.width() > 40 else self._labels[head]
            painter.drawText(below, Qt.AlignmentFlag.AlignCenter, text)

    def head_at(self, point: QPointF) -> int | None:
        reach = QRectF(-GAP / 2, -GAP / 2, GAP, GAP + self._line)
        for head in range(len(self._images)):
            box = self.box(head)
            if box.adjusted(reach.left(), reach.top(), reach.right(), reach.bottom()).contains(point):
                return head
        return None

    def sizeHint(self) -> QSize:
        return QSize(280, self.height())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        head = self.head_at(event.position())
        if head is not None:
            self.chosen.emit(head)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit()
