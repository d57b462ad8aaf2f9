"""A button that opens something below it, and looks like it."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton, QStyleOptionButton


class MenuButton(QPushButton):
    def initStyleOption(self, option: QStyleOptionButton) -> None:
        """With an arrow, as a button has that opens a menu."""
        super().initStyleOption(option)
        option.features |= QStyleOptionButton.ButtonFeature.HasMenu
