"""A head as lines from token to token: queries on the left, keys on the right, the stronger the weight the bolder."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from txviz.gui.plots.canvas import MARGIN, elided, see_through, stride
from txviz.gui.plots.head import NOTHING, Head, HeadView
from txviz.ops import Array

MOST_LINES = 200
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

    def lines(self, head: Head) -> Iterator[tuple[int, int]]:
        """The (query, key) of each line that is drawn; what is pointed at comes last, so that it lies on top."""
        yield from _strongest(head.weights)
        if self.pair != NOTHING:
            own = np.zeros_like(head.weights)
            at = (slice(None), self.pair[1]) if self.pair[0] is None else (self.pair[0], slice(None))
            own[at] = head.weights[at]
            yield from _strongest(own)

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

    def _heights(self, count: int) -> Array:  # -> (count,)
        """How far down the middle of each place is."""
        top, pitch = self._column(count)
        return top + (np.arange(count) + 0.5) * pitch

    def draw(self, painter: QPainter) -> None:
        if self.head is None:
            return
        (left, right), (rows, columns) = self.ends(), self.head.weights.shape
        starts, stops = self._heights(rows).tolist(), self._heights(columns).tolist()
        for query, key in self.lines(self.head):
            strength = float(self.head.weights[query, key]) / self.head.limit
            shown = 1.0 if self._belongs(query, key) else FAINT
            painter.setPen(QPen(see_through(self.theme.scale[5], shown * strength**0.5), max(0.6, WIDEST * strength)))
            painter.drawLine(QPointF(left, starts[query]), QPointF(right, stops[key]))
        self._draw_labels(painter, 0, self.head.queries, left)
        self._draw_labels(painter, 1, self.head.keys, right)

    def _belongs(self, query: int, key: int) -> bool:
        wanted = self.pair
        return wanted == NOTHING or query == wanted[0] or (wanted[0] is None and key == wanted[1])

    def _draw_labels(self, painter: QPainter, side: int, labels: tuple[str, ...], edge: float) -> None:
        metrics = QFontMetricsF(painter.font())
        line = metrics.height()
        width = edge - GAP - MARGIN if side == 0 else self.width() - MARGIN - edge - GAP
        left = MARGIN if side == 0 else edge + GAP
        where = Qt.AlignmentFlag.AlignRight if side == 0 else Qt.AlignmentFlag.AlignLeft
        heights = self._heights(len(labels)).tolist()
        for i in range(0, len(labels), stride(self._column(len(labels))[1], line)):
            painter.setPen(QColor(self.theme.highlight if i == self.pair[side] else self.theme.text))
            box = QRectF(left - 1, heights[i] - line / 2, width + 2, line)
            painter.drawText(box, where | Qt.AlignmentFlag.AlignVCenter, elided(metrics, labels[i], width + 1))
        painter.setPen(QColor(self.theme.muted))
        name = "query" if side == 0 else "key"
        wide = max(width, metrics.horizontalAdvance(name))
        box = QRectF(left if side else edge - GAP - wide, MARGIN, wide, line)
        painter.drawText(box, where | Qt.AlignmentFlag.AlignVCenter, name)


def _strongest(weights: Array) -> Iterator[tuple[int, int]]:
    """The places of the largest weights, the largest last."""
    flat = weights.ravel()
    order = np.argsort(flat, kind="stable")[-MOST_LINES:]
    for place in order[flat[order] > 0].tolist():
        query, key = divmod(place, weights.shape[1])
        yield query, key
