"""A head on the image: where one query looks, as heat over the patches of a grey drawing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QMouseEvent, QPainter, QPen

from txviz.figures.theme import Theme, greys
from txviz.gui.plots.canvas import MARGIN, elided, image_of, see_through
from txviz.gui.plots.head import Head, HeadView
from txviz.ops import Array
from txviz.trace import Step, Trace

LARGEST = 420.0
GAP = 6.0
HEAT = 0.85
"""How opaque the largest weight is: the drawing stays visible below it."""


class Drawing(NamedTuple):
    """The image that a model read, and the patches it was cut into."""

    pixels: Array  # (rows,columns[,colours])
    patch: tuple[int, int]
    places: dict[str, int]
    """The label of each patch, and its place: row by row."""

    @property
    def grid(self) -> tuple[int, int]:
        return self.pixels.shape[0] // self.patch[0], self.pixels.shape[1] // self.patch[1]


def find_drawing(trace: Trace) -> Drawing | None:
    """What was cut into patches, in the trace of an image model."""
    cut = next((step for step in trace if step.op == "patchify"), None)
    if cut is None or not isinstance(cut.sources[0], Step) or cut.axes != ("token", "pixel"):
        return None
    labels = cut.labels[cut.axes.index("token")]
    patch = tuple(cut.params["patch"])
    return Drawing(cut.sources[0].value, (patch[0], patch[1]), {label: i for i, label in enumerate(labels)})


class PictureView(HeadView):
    """The patches lie on the drawing; tokens that are no patch, such as [CLS], stand above it.

    A click makes a patch the query; until then it is [CLS], or the first.
    """

    query_chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__("Attention of one query on the image; click a patch to make it the query")
        self.query = 0
        self._drawing: Drawing | None = None
        self._image = QImage()

    def show_drawing(self, drawing: Drawing | None) -> None:
        self._drawing = drawing
        if drawing is not None:
            colourful = drawing.pixels.ndim == 3
            shown = np.clip(drawing.pixels, 0, 1) * 255 if colourful else greys(drawing.pixels)
            self._image = image_of(shown)
        self.update()

    def show_head(self, head: Head, theme: Theme) -> None:
        self.query = self.query if self.query < len(head.queries) else 0
        super().show_head(head, theme)

    def show_pair(self, pair: tuple[int | None, int | None]) -> None:
        self.query = self.query if pair[0] is None else pair[0]
        super().show_pair(pair)

    def box(self, key: int) -> QRectF | None:
        """Where this token is shown: its patch, or its place above the drawing."""
        if self.head is None or self._drawing is None:
            return None
        area, (rows, columns) = self._area(), self._drawing.grid
        place = self._drawing.places.get(self.head.keys[key])
        if place is None:
            loose = [k for k, label in enumerate(self.head.keys) if label not in self._drawing.places]
            wide = min(72.0, area.width() / max(1, len(loose)))
            return QRectF(area.left() + loose.index(key) * wide, MARGIN, wide - 2, self._line + 4)
        down, over = divmod(place, columns)
        wide, high = area.width() / columns, area.height() / rows
        return QRectF(area.left() + over * wide, area.top() + down * high, wide, high)

    def opacity(self, key: int) -> float:
        """How opaque the heat over this token is: 0 for no weight, the most for the largest weight of the head."""
        if self.head is None:
            return 0.0
        return HEAT * float(self.head.weights[self.query, key]) / (float(self.head.weights[self.query].max()) or 1.0)

    def pair_at(self, point: QPointF) -> tuple[int, int] | None:
        for key in range(len(self.head.keys) if self.head else 0):
            box = self.box(key)
            if box is not None and box.contains(point):
                return self.query, key
        return None

    @property
    def _line(self) -> float:
        return QFontMetricsF(self.small).height()

    def _area(self) -> QRectF:
        top = MARGIN + self._line + 4 + GAP
        rows, columns = (1, 1) if self._drawing is None else self._drawing.pixels.shape[:2]
        room_wide, room_high = self.width() - 2 * MARGIN, self.height() - top - MARGIN
        pixel = max(1.0, min(room_wide / columns, room_high / rows, LARGEST / columns))
        wide = pixel * columns
        return QRectF((self.width() - wide) / 2, top, wide, pixel * rows)

    def draw(self, painter: QPainter) -> None:
        if self.head is None or self._drawing is None:
            return
        painter.drawImage(self._area(), self._image)
        painter.setPen(QPen(QColor(self.theme.line), 1))
        painter.drawRect(self._area())
        for key, label in enumerate(self.head.keys):
            self._draw_token(painter, key, label)
        self._draw_frames(painter, self.head)

    def _draw_token(self, painter: QPainter, key: int, label: str) -> None:
        box = self.box(key)
        if box is None:
            return
        painter.fillRect(box, see_through(self.theme.scale[5], self.opacity(key)))
        if box.top() < self._area().top():
            painter.setPen(QColor(self.theme.text))
            text = elided(QFontMetricsF(painter.font()), label, box.width() - 4)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
            painter.setPen(QPen(QColor(self.theme.line), 1))
            painter.drawRect(box)

    def _draw_frames(self, painter: QPainter, head: Head) -> None:
        """The query in the accent colour, the token pointed at in the highlight."""
        wanted = (self._key_of(head, self.query), self.theme.accent), (self.pair[1], self.theme.highlight)
        for key, colour in wanted:
            box = None if key is None else self.box(key)
            if box is not None:
                painter.setPen(QPen(QColor(colour), 2.5))
                painter.drawRect(box.adjusted(1, 1, -1, -1))

    def _key_of(self, head: Head, query: int) -> int | None:
        """The query's own place among the keys, where it has one."""
        return head.keys.index(head.queries[query]) if head.queries[query] in head.keys else None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        pair = self.pair_at(event.position())
        if pair is not None and self.head is not None and self.head.keys[pair[1]] in self.head.queries:
            self.query_chosen.emit(self.head.queries.index(self.head.keys[pair[1]]))
