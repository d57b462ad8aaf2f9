"""Numbers that are typed: a point in every language of the desktop, as in the formulas; a comma is understood."""

from __future__ import annotations

from PySide6.QtCore import QLocale
from PySide6.QtGui import QValidator
from PySide6.QtWidgets import QDoubleSpinBox


def with_point(typed: str) -> str:
    """
    >>> with_point("0,8")
    '0.8'
    """
    return typed.replace(",", ".")


class NumberBox(QDoubleSpinBox):
    """Qt's own field takes a point for the end of the thousands where a comma is usual, and 1.5 becomes 15."""

    def __init__(self, lowest: float, highest: float, *, step: float = 1.0, decimals: int = 2) -> None:
        super().__init__(minimum=lowest, maximum=highest, singleStep=step, decimals=decimals)
        self.setLocale(QLocale.c())

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        return super().validate(with_point(text), position)

    def valueFromText(self, text: str) -> float:
        return super().valueFromText(with_point(text))
