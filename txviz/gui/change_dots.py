"""How much a step differs from the run without edits, as a dot: the larger, the more."""

from __future__ import annotations

from math import sqrt

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QSize, Qt
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

SMALLEST, LARGEST = 1.5, 4.5
"""Radius of a dot, in pixels."""

SHARE = Qt.ItemDataRole.UserRole + 1
"""Of a row: how much of it changed, from 0 to 1."""

EDITED = Qt.ItemDataRole.UserRole + 2
"""Whether something in it was edited."""

AnyIndex = QModelIndex | QPersistentModelIndex


def radius(share: float) -> float:
    """Of the dot for a change; what is seen as twice as much has twice the area."""
    return SMALLEST + (LARGEST - SMALLEST) * sqrt(share)


def in_words(share: float) -> str:
    """
    >>> in_words(0.25), in_words(0.0001)
    ('changed by 25 %', 'changed by less than 1 %')
    """
    return f"changed by {share:.0%}".replace("%", " %") if share >= 0.01 else "changed by less than 1 %"


class ChangeDots(QStyledItemDelegate):
    """Paints a dot at the right end of a row that changed, and a ring around that of a step that was edited."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        super().paint(painter, option, index)
        share = index.data(SHARE) or 0.0
        if not share:
            return
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        role = QPalette.ColorRole.HighlightedText if chosen else QPalette.ColorRole.Text
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(option.palette.color(role))
        middle = QPointF(option.rect.right() - 2 * LARGEST, option.rect.center().y() + 0.5)
        if index.data(EDITED):
            painter.drawEllipse(middle, LARGEST + 1.5, LARGEST + 1.5)
        painter.setBrush(option.palette.color(role))
        painter.drawEllipse(middle, radius(share), radius(share))
        painter.restore()

    def initStyleOption(self, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """The text ends before the dot."""
        super().initStyleOption(option, index)
        if index.data(SHARE):
            room = option.rect.width() - round(5 * LARGEST)
            option.text = option.fontMetrics.elidedText(option.text, Qt.TextElideMode.ElideRight, room)

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return super().sizeHint(option, index) + QSize(4 * round(LARGEST), 0)
