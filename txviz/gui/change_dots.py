"""How much a step differs from the run without edits, as a dot: the larger, the more."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QSize, Qt
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from txviz.gui.changes import EDITED, LARGEST, SHARE, radius

AnyIndex = QModelIndex | QPersistentModelIndex


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
