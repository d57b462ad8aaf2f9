"""A table of bars: one row for each entry, one column for each stage of a computation, numbers on the bars."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPen

from txviz.figures.theme import Theme
from txviz.gui.plots.canvas import MARGIN, Canvas, decimal, elided, see_through
from txviz.ops import Array

GAP = 5.0
PADDING = 2.0
LARGEST_PITCH = 30.0
BAR = 0.4
"""How opaque a bar is: the number on it must be easy to read."""


@dataclass(frozen=True)
class Column:
    """A stage: a number for each entry, and the ends of its bars. Bars start at 0."""

    head: str
    values: Array  # (entries,)
    low: float
    high: float
    decimals: int
    foot: str = ""
    """Below the column, such as its sum."""

    rest: str = ""
    """For all the entries that are left out."""

    ticks: Array | None = None
    """Other values to compare with, each marked on its bar."""


@dataclass(frozen=True)
class Table:
    labels: tuple[str, ...]
    columns: tuple[Column, ...]
    left_out: int = 0
    """How many entries are not shown."""

    foot: str = ""
    """What the numbers below the columns are."""


class BarTable(Canvas):
    pointed = Signal(object)
    """The row under the pointer, or None."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.table = Table((), ())
        self.marked: int | None = None
        self._longest = 0.0
        self._under: int | None = None
        self.setMinimumHeight(4 * 16)

    def show_table(self, table: Table, theme: Theme) -> None:
        self.table, self.theme = table, theme
        self._longest = max(map(QFontMetricsF(self.small).horizontalAdvance, (*table.labels, table.foot)))
        self.update()

    def mark(self, row: int | None) -> None:
        self.marked = row
        self.update()

    def cell(self, row: int, column: int) -> QRectF:
        """Where a number stands; row −1 is the head of the column."""
        left = MARGIN + min(self._longest + 1, self.width() * 0.22) + GAP
        wide = (self.width() - left - MARGIN + GAP) / max(1, len(self.table.columns))
        return QRectF(left + column * wide, MARGIN + (row + 1) * self._pitch, wide - GAP, self._pitch)

    def bar(self, row: int, column: int) -> QRectF:
        """The bar of a number: from 0 to it, on the scale of its column. An infinite number has none."""
        entry, box = self.table.columns[column], self.cell(row, column)
        value = float(entry.values[row])
        ends = sorted((self._across(entry, box, 0.0), self._across(entry, box, value if np.isfinite(value) else 0.0)))
        return QRectF(ends[0], box.top() + 2, ends[1] - ends[0], box.height() - 4)

    def _across(self, column: Column, box: QRectF, value: float) -> float:
        share = (value - column.low) / ((column.high - column.low) or 1.0)
        return box.left() + min(1.0, max(0.0, share)) * box.width()

    @property
    def room(self) -> int:
        """How many entries fit, with a head, a foot, and a line for those that are left out."""
        return max(1, int((self.height() - 2 * MARGIN) // QFontMetricsF(self.small).height()) - 3)

    @property
    def _pitch(self) -> float:
        lines = len(self.table.labels) + (1 if self.table.left_out else 0) + 2
        return min(LARGEST_PITCH, (self.height() - 2 * MARGIN) / lines)

    def draw(self, painter: QPainter) -> None:
        for j, column in enumerate(self.table.columns):
            self._draw_column(painter, j, column)
        for i, label in enumerate(self.table.labels):
            self._draw_label(painter, i, label, self.theme.highlight if i == self.marked else self.theme.text)
        count, more = len(self.table.labels), self.table.left_out
        if more:
            self._draw_label(painter, count, f"… {more:,} more", self.theme.muted)
        self._draw_label(painter, count + (1 if more else 0), self.table.foot, self.theme.muted)

    def _draw_column(self, painter: QPainter, j: int, column: Column) -> None:
        count = len(self.table.labels)
        self._write(painter, self.cell(-1, j), column.head, self.theme.muted)
        for i in range(count):
            self._draw_bar(painter, i, j, column)
        self._write(painter, self.cell(count, j), column.rest, self.theme.muted)
        last = self.cell(count + (1 if self.table.left_out else 0), j)
        if column.foot:
            painter.setPen(QPen(QColor(self.theme.line), 1))
            painter.drawLine(last.topLeft() + QPointF(0, 1), last.topRight() + QPointF(0, 1))
        self._write(painter, last, column.foot, self.theme.muted)

    def _draw_bar(self, painter: QPainter, i: int, j: int, column: Column) -> None:
        value, box = float(column.values[i]), self.cell(i, j)
        painter.fillRect(self.bar(i, j), see_through(self.theme.scale[5 if value > 0 else 1], BAR))
        if column.low < 0:
            self._draw_tick(painter, box, self._across(column, box, 0.0), self.theme.line)
        if column.ticks is not None:
            self._draw_tick(painter, box, self._across(column, box, float(column.ticks[i])), self.theme.accent)
        self._write(painter, box, decimal(value, column.decimals), self.theme.text)

    def _draw_tick(self, painter: QPainter, box: QRectF, x: float, colour: str) -> None:
        painter.setPen(QPen(QColor(colour), 1.5))
        painter.drawLine(QPointF(x, box.top() + 1), QPointF(x, box.bottom() - 1))

    def _draw_label(self, painter: QPainter, row: int, label: str, colour: str) -> None:
        cell = self.cell(row, 0)
        width = cell.left() - GAP - MARGIN if row < len(self.table.labels) else self.width() / 2
        box = QRectF(MARGIN, cell.top(), width, cell.height())
        painter.setPen(QColor(colour))
        text = elided(QFontMetricsF(painter.font()), label, box.width())
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)

    def _write(self, painter: QPainter, box: QRectF, text: str, colour: str) -> None:
        painter.setPen(QColor(colour))
        inner = box.adjusted(PADDING, 0, -PADDING, 0)
        shown = elided(QFontMetricsF(painter.font()), text, inner.width() + 1)
        painter.drawText(inner, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, shown)

    def row_at(self, point: QPointF) -> int | None:
        row = int((point.y() - MARGIN) // self._pitch) - 1
        return row if 0 <= row < len(self.table.labels) else None

    def _point(self, row: int | None) -> None:
        """Tells which row the pointer is on, once for each."""
        if row != self._under:
            self._under = row
            self.pointed.emit(row)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point(self.row_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        self._point(None)
