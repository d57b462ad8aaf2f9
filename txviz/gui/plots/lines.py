"""A head as lines from token to token: queries on the left, keys on the right, the stronger the weight the bolder."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from txviz.gui.plots.canvas import MARGIN, elided, see_through, stride
from txviz.gui.plots.head import Head, HeadView

MOST_LINES = 400
"""Of a long text only the strongest are drawn: more could not be told apart."""

WIDEST = 5.0
FAINT = 0.12
"""How much of a line is left while another token is pointed at."""

LARGEST_PITCH = 40.0
GAP = 8.0


class LinesView(HeadView):
    def __init__(self) -> None:
        super().__init__("Attention lines: from each query, left, to the keys it looks at, right")

    def pair_at(self, point: QPointF) -> tuple[int, int] | None:
        """Left of the middle the nearest query and what it looks at most, right of it the nearest key and its fan."""
        if self.head is None:
            return None
        weights = self.head.weights
        side = 0 if point.x() < self.width() / 2 else 1
        top, pitch = self._column(weights.shape[side])
        place = int((point.y() - top) // pitch)
        if not 0 <= place < weights.shape[side]:
            return None
        if side == 0:
            return place, int(weights[place].argmax())
        return int(weights[:, place].argmax()), place

    def strongest(self, head: Head) -> Iterator[tuple[int, int]]:
        """The lines that are drawn, the strongest last, so that it lies on top."""
        flat = head.weights.ravel()
        order = np.argsort(flat, kind="stable")[-MOST_LINES:]
        for i in order[flat[order] > 0]:
            query, key = divmod(int(i), head.weights.shape[1])
            yield query, key

    def ends(self) -> tuple[float, float]:
        """Where the lines start and end, across."""
        if self.head is None:
            return 0.0, float(self.width())
        metrics = QFontMetricsF(self.small)
        room = self.width() * 0.3
        left, right = (
            min(max(map(metrics.horizontalAdvance, labels)), room) for labels in (self.head.queries, self.head.keys)
        )
        return MARGIN + left + GAP, self.width() - MARGIN - right - GAP

    def _column(self, count: int) -> tuple[float, float]:
        """The top of the first place, and how far the places are apart; the shorter column is centred on the longer."""
        longest = max(self.head.weights.shape) if self.head else count
        start = QFontMetricsF(self.small).height() + MARGIN + GAP / 2
        room = min(self.height() - start - MARGIN, longest * LARGEST_PITCH)
        pitch = min(room / count, room / longest * 2)
        return start + (room - pitch * count) / 2, pitch

    def _middle(self, side: int, place: int, count: int) -> QPointF:
        top, pitch = self._column(count)
        return QPointF(self.ends()[side], top + (place + 0.5) * pitch)

    def draw(self, painter: QPainter) -> None:
        if self.head is None:
            return
        rows, columns = self.head.weights.shape
        for query, key in self.strongest(self.head):
            strength = float(self.head.weights[query, key]) / self.head.limit
            shown = 1.0 if self._belongs(query, key) else FAINT
            pen = QPen(see_through(self.theme.scale[5], (0.1 + 0.9 * strength) * shown), max(0.6, WIDEST * strength))
            painter.setPen(pen)
            painter.drawLine(self._middle(0, query, rows), self._middle(1, key, columns))
        self._draw_labels(painter, 0, self.head.queries)
        self._draw_labels(painter, 1, self.head.keys)

    def _belongs(self, query: int, key: int) -> bool:
        wanted = self.pair
        return wanted == (None, None) or query == wanted[0] or (wanted[0] is None and key == wanted[1])

    def _draw_labels(self, painter: QPainter, side: int, labels: tuple[str, ...]) -> None:
        metrics = QFontMetricsF(painter.font())
        line, edge = metrics.height(), self.ends()[side]
        width = edge - GAP - MARGIN if side == 0 else self.width() - MARGIN - edge - GAP
        left = MARGIN if side == 0 else edge + GAP
        where = Qt.AlignmentFlag.AlignRight if side == 0 else Qt.AlignmentFlag.AlignLeft
        for i in range(0, len(labels), stride(self._column(len(labels))[1], line)):
            middle = self._middle(side, i, len(labels)).y()
            painter.setPen(QColor(self.theme.highlight if i == self.pair[side] else self.theme.text))
            box = QRectF(left, middle - line / 2, width, line)
            painter.drawText(box, where | Qt.AlignmentFlag.AlignVCenter, elided(metrics, labels[i], width))
        painter.setPen(QColor(self.theme.muted))
        name = "query" if side == 0 else "key"
        wide = max(width, metrics.horizontalAdvance(name))
        box = QRectF(left if side else edge - GAP - wide, MARGIN, wide, line)
        painter.drawText(box, where | Qt.AlignmentFlag.AlignVCenter, name)
