"""Choosing a model: what people call it, and one line about each."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QPainter
from PySide6.QtWidgets import (
    QComboBox,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from txviz.errors import TxvizError
from txviz.gui.elided_choice import ElidedChoice
from txviz.gui.inputs.fields import keep_wheel
from txviz.gui.notice import sentence
from txviz.gui.plain import tip
from txviz.models import check_files, find, models, title
from txviz.models.registry import SHIPPED

NAME = Qt.ItemDataRole.UserRole
SUMMARY = Qt.ItemDataRole.UserRole + 1
DAMAGE = Qt.ItemDataRole.UserRole + 2
_PADDING = 6


class ModelChooser(ElidedChoice):
    """Shows titles, and tells of a choice by name: names are for scripts."""

    chosen = Signal(str)

    def __init__(self, name: str = "") -> None:
        super().__init__()
        for known in models():
            self._add(known)
        if name:
            self.show_model(name)
        self.setAccessibleName("Model")
        self.setToolTip("The model that is stepped through")
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)
        self.setMaxVisibleItems(12)
        self._rows = _Rows(self)
        self.view().setItemDelegate(self._rows)
        keep_wheel(self)
        self.activated.connect(lambda: self.chosen.emit(self.name))

    @property
    def name(self) -> str:
        return str(self.currentData(NAME))

    def show_model(self, name: str) -> None:
        """Shows it and tells nobody; one in a folder becomes one of those to choose from."""
        if self.findData(name, NAME) < 0:
            self._add(name)
        self.setCurrentIndex(self.findData(name, NAME))

    def mark_damaged(self) -> None:
        """Looks at the files of all models: some milliseconds, so not before somebody wants to see the list."""
        for row in range(self.count()):
            wrong = _damage(str(self.itemData(row, NAME)))
            self.setItemData(row, wrong, DAMAGE)
            self.setItemData(row, tip(wrong) if wrong else None, Qt.ItemDataRole.ToolTipRole)
            said = f"{self.itemText(row)}: {wrong or self.itemData(row, SUMMARY)}"
            self.setItemData(row, said, Qt.ItemDataRole.AccessibleTextRole)

    def showPopup(self) -> None:
        self.mark_damaged()
        self.view().setMinimumWidth(self._rows.widest())
        super().showPopup()

    def sizeHint(self) -> QSize:
        return QSize(self.fontMetrics().averageCharWidth() * 30, super().sizeHint().height())

    def _add(self, name: str) -> None:
        summary = _summary(name)
        self.addItem(title(name), name)
        last = self.count() - 1
        self.setItemData(last, summary, SUMMARY)
        self.setItemData(last, f"{title(name)}: {summary}", Qt.ItemDataRole.AccessibleTextRole)


def _summary(name: str) -> str:
    """One of another package is not loaded for it; one in a folder was, by whoever chose it."""
    if name in SHIPPED:
        return SHIPPED[name].summary
    return name if name in models() else find(name).summary


def _damage(name: str) -> str:
    try:
        check_files(name)
    except TxvizError as error:
        return str(error)
    return ""


class _Rows(QStyledItemDelegate):
    """A title, and below it the one line about it."""

    def __init__(self, chooser: ModelChooser) -> None:
        super().__init__(chooser)
        self._chooser = chooser

    def widest(self) -> int:
        lines = (self._chooser.itemData(i, SUMMARY) for i in range(self._chooser.count()))
        return max(map(self._chooser.fontMetrics().horizontalAdvance, lines), default=0) + 8 * _PADDING

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        palette, place = option.palette, option.rect
        painter.save()
        painter.fillRect(place, palette.highlight() if chosen else palette.base())
        inside = place.adjusted(2 * _PADDING, _PADDING, -_PADDING, -_PADDING)
        half = inside.height() // 2
        bold = QFont(self._chooser.font())
        bold.setWeight(QFont.Weight.DemiBold)
        painter.setFont(bold)
        painter.setPen((palette.highlightedText() if chosen else palette.text()).color())
        mark = " (damaged)" if index.data(DAMAGE) else ""
        painter.drawText(QRect(inside.topLeft(), QSize(inside.width(), half)), 0, f"{index.data()}{mark}")
        painter.setFont(self._chooser.font())
        painter.setPen((palette.highlightedText() if chosen else palette.placeholderText()).color())
        painter.drawText(inside.adjusted(0, half, 0, 0), 0, sentence(index.data(SUMMARY)))
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(self.widest(), 2 * self._chooser.fontMetrics().lineSpacing() + 2 * _PADDING)
