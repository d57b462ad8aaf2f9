"""A head as a matrix: queries down, keys across, one coloured cell for each weight."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPen

from txviz.figures.theme import Theme, colours
from txviz.gui.plots.canvas import MARGIN, elided, image_of, shrunk, stride
from txviz.gui.plots.head import Head, HeadView
from txviz.ops import Array

LARGEST_CELL = 56.0
GAP = 5.0
"""Between the labels and the cells."""


class Layout(NamedTuple):
    grid: QRectF
    left: float
    """The width of the queries' labels."""
    top: float
    """The height of the keys' labels."""
    upright: bool
    """Whether the keys' labels are turned, because a cell is too narrow for them."""


class MatrixView(HeadView):
    """Labels on both sides: shortened where long, turned where cells are narrow, every second where they are small."""

    def __init__(self) -> None:
        super().__init__("Attention matrix: queries down, keys across")
        self.pixels: Array = np.zeros((1, 1, 3), dtype=np.uint8)
        """The colour of each cell, as drawn."""
        self._image = QImage()

    def show_head(self, head: Head, theme: Theme) -> None:
        self.pixels = colours(theme, head.weights, head.limit)
        self._image = image_of(self.pixels)
        super().show_head(head, theme)

    def layout_of(self, head: Head) -> Layout:
        """Where the cells are: as large as they can be, square, and centred across together with their labels."""
        metrics = QFontMetricsF(self.small)
        line, (rows, columns) = metrics.height(), head.weights.shape
        left = min(max(map(metrics.horizontalAdvance, head.queries)), self.width() * 0.3)
        longest = max(map(metrics.horizontalAdvance, head.keys))
        wide = self.width() - 2 * MARGIN - left - line - 2 * GAP
        high = self.height() - 2 * MARGIN - line - GAP
        upright = longest + 4 > min(wide / columns, (high - line) / rows, LARGEST_CELL)
        top = min(longest, max(line, high * 0.25)) if upright else line
        side = max(1.0, min(wide / columns, (high - top) / rows, LARGEST_CELL))
        side = float(np.floor(side)) if side >= 4 else side
        start = MARGIN + line + left + 2 * GAP + max(0.0, (wide - side * columns) / 2)
        return Layout(QRectF(start, MARGIN + line + top + GAP, side * columns, side * rows), left, top, upright)

    def pair_at(self, point: QPointF) -> tuple[int, int] | None:
        if self.head is None:
            return None
        grid, (rows, columns) = self.layout_of(self.head).grid, self.head.weights.shape
        query = int((point.y() - grid.top()) // (grid.height() / rows))
        key = int((point.x() - grid.left()) // (grid.width() / columns))
        return (query, key) if 0 <= query < rows and 0 <= key < columns else None

    def draw(self, painter: QPainter) -> None:
        if self.head is None:
            return
        layout = self.layout_of(self.head)
        grid, half = layout.grid, QFontMetricsF(painter.font()).height() / 2
        painter.drawImage(grid, shrunk(self._image, (grid.width(), grid.height())))
        painter.setPen(QPen(QColor(self.theme.line), 1))
        painter.drawRect(grid)
        self._draw_queries(painter, self.head, layout)
        self._draw_keys(painter, self.head, layout)
        painter.setPen(QColor(self.theme.muted))
        _write(painter, QPointF(grid.left() - 2 * GAP - layout.left - half, grid.center().y()), "query", -90)
        _write(painter, QPointF(grid.center().x(), grid.top() - GAP - layout.top - half), "key", 0)
        self._draw_mark(painter, self.head, grid)

    def _ink(self, painter: QPainter, marked: bool) -> None:
        painter.setPen(QColor(self.theme.highlight if marked else self.theme.text))

    def _draw_queries(self, painter: QPainter, head: Head, layout: Layout) -> None:
        metrics, grid = QFontMetricsF(painter.font()), layout.grid
        pitch, line = grid.height() / len(head.queries), metrics.height()
        for i in range(0, len(head.queries), stride(pitch, line)):
            self._ink(painter, i == self.pair[0])
            left = grid.left() - GAP - layout.left
            box = QRectF(left - 1, grid.top() + (i + 0.5) * pitch - line / 2, layout.left + 1, line)
            text = elided(metrics, head.queries[i], layout.left + 1)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    def _draw_keys(self, painter: QPainter, head: Head, layout: Layout) -> None:
        metrics, grid = QFontMetricsF(painter.font()), layout.grid
        pitch, line = grid.width() / len(head.keys), metrics.height()
        for j in range(0, len(head.keys), stride(pitch, line if layout.upright else 0)):
            self._ink(painter, j == self.pair[1])
            middle = grid.left() + (j + 0.5) * pitch
            if layout.upright:
                text = elided(metrics, head.keys[j], layout.top + 1)
                _write(painter, QPointF(middle, grid.top() - GAP), text, -90, start=True)
            else:
                _write(painter, QPointF(middle, grid.top() - GAP - line / 2), head.keys[j], 0)

    def _draw_mark(self, painter: QPainter, head: Head, grid: QRectF) -> None:
        (query, key), (rows, columns) = self.pair, head.weights.shape
        if query is None and key is None:
            return
        high, wide = grid.height() / rows, grid.width() / columns
        top = grid.top() + (query or 0) * high
        left = grid.left() + (key or 0) * wide
        box = QRectF(left, top, grid.width() if key is None else wide, grid.height() if query is None else high)
        painter.setPen(QPen(QColor(self.theme.highlight), 2))
        painter.drawRect(box)


def _write(painter: QPainter, at: QPointF, text: str, turn: float, start: bool = False) -> None:
    """The text about a point, or from it on, turned by so many degrees."""
    metrics = QFontMetricsF(painter.font())
    wide, high = metrics.horizontalAdvance(text) + 2, metrics.height()
    painter.save()
    painter.translate(at)
    painter.rotate(turn)
    painter.drawText(QRectF(0 if start else -wide / 2, -high / 2, wide, high), Qt.AlignmentFlag.AlignCenter, text)
    painter.restore()
