"""The list of models, in which those whose files are damaged are marked."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QMargins, QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtWidgets import QComboBox, QStyledItemDelegate, QStyleOptionViewItem

from txviz.errors import TxvizError
from txviz.gui.inputs.fields import keep_wheel
from txviz.models import check_files, models

_DAMAGED = Qt.ItemDataRole.UserRole


class ModelList(QComboBox):
    """The texts are the models' names, as others know them; the mark is painted behind, and read by a screen reader."""

    def __init__(self) -> None:
        super().__init__()
        self.addItems(models())
        self.setItemDelegate(_Marked(self))
        self.setAccessibleName("Model")
        self.setToolTip("The model that is stepped through")
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        keep_wheel(self)

    def mark_damaged(self) -> None:
        """Looks at the files of all models: some milliseconds, so not before somebody wants to see the list."""
        for row in range(self.count()):
            name = self.itemText(row)
            wrong = _damage(name)
            self.setItemData(row, bool(wrong), _DAMAGED)
            self.setItemData(row, f"<p>{escape(wrong)}</p>" if wrong else None, Qt.ItemDataRole.ToolTipRole)
            self.setItemData(row, f"{name}, damaged" if wrong else None, Qt.ItemDataRole.AccessibleTextRole)

    def showPopup(self) -> None:
        self.mark_damaged()
        super().showPopup()


def _damage(name: str) -> str:
    try:
        check_files(name)
    except TxvizError as error:
        return str(error)
    return ""


class _Marked(QStyledItemDelegate):
    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        super().initStyleOption(option, index)
        if index.data(_DAMAGED):
            option.text += " (damaged)"

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return super().sizeHint(option, index).grownBy(QMargins(4, 4, 4, 4))  # as high as in other lists
