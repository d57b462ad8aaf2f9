"""The few controls of the plots, in the theme's colours and named for a screen reader."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QLayout, QToolButton, QVBoxLayout, QWidget

from txviz.figures.theme import Theme
from txviz.gui.plain import plain_label


def toggle(text: str, name: str) -> QToolButton:
    """A button that stays pressed; ``name`` says what it does when read out."""
    button = QToolButton()
    button.setText(text)
    button.setCheckable(True)
    button.setAccessibleName(name)
    return button


def caption(name: str) -> QLabel:
    """A line of text, or two where it is long."""
    label = plain_label()
    label.setAccessibleName(name)
    label.setWordWrap(True)
    return label


def stack(plot: QWidget, *parts: QWidget | QLayout, grows: int) -> None:
    """Puts the parts of a plot below each other; the one at place ``grows`` takes the room that is left."""
    column = QVBoxLayout(plot)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(6)
    for i, part in enumerate(parts):
        if isinstance(part, QLayout):
            column.addLayout(part, 1 if i == grows else 0)
        else:
            column.addWidget(part, 1 if i == grows else 0)


def apply_theme(widget: QWidget, theme: Theme) -> None:
    """Gives the buttons in it the theme's colours; all else has them from the application's palette."""
    for button in widget.findChildren(QToolButton):
        button.setStyleSheet(_button_style(theme))


def _button_style(theme: Theme) -> str:
    """A button that is pressed must look it, in both themes."""
    return (
        f"QToolButton {{ color: {theme.text}; background: {theme.panel}; border: 1px solid {theme.line};"
        " border-radius: 4px; padding: 3px 8px; }"
        f"QToolButton:focus {{ border-color: {theme.accent}; }}"
        f"QToolButton:checked {{ color: {theme.panel}; background: {theme.accent}; }}"
        f"QToolButton:checked:focus {{ border-color: {theme.text}; }}"
        f"QToolButton:disabled {{ color: {theme.muted}; background: {theme.window}; }}"
    )
