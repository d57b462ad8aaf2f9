"""Buttons below a drawing board."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QToolButton, QWidget


def tool_button(text: str, about: str, action: Callable[[], None]) -> QToolButton:
    button = QToolButton(autoRaise=True)
    button.setText(text)
    button.setToolTip(about)
    button.setAccessibleName(text)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    button.clicked.connect(lambda: action())
    return button


def tool_row(*widgets: QWidget) -> QBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(2)
    for widget in widgets:
        row.addWidget(widget)
    return row
