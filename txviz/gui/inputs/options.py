"""The options of a model as a form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from txviz.gui.inputs.fields import Field, field_of
from txviz.gui.plain import plain_label, tip, without_keys
from txviz.models.options import Option, Text, about, differences, matters, read_options

_FEW = 3
"""So many options are always seen; more can be folded away."""


class OptionsForm(QWidget):
    """A field for each option; those that change nothing beside the others are greyed."""

    options_requested = Signal(object)
    """What differs from the defaults, after every edit."""

    def __init__(self, options: Mapping[str, Option]) -> None:
        super().__init__()
        self._known = options
        self.fields: dict[str, Field] = {}
        self._labels: dict[str, QLabel] = {}
        self.heading = self._button("", "", self._fold)
        self.reset = self._button("Reset", "Set all options back to their defaults", self._reset)
        self.body = QWidget()
        rows = QFormLayout(self.body)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for name, option in options.items():
            self._add(rows, name, option)
        self._arrange()
        self._opened = len(options) <= _FEW
        self.setVisible(bool(options))
        self._refresh()

    def chosen(self) -> dict[str, Any]:
        """What differs from the defaults."""
        return differences(self._known, {name: field.chosen() for name, field in self.fields.items()})

    def show_options(self, options: Mapping[str, Any]) -> None:
        """Shows these, and the defaults for all others; emits nothing."""
        for name, value in read_options("the model", self._known, options).items():
            self.fields[name].show_choice(value)
        self._refresh()

    def _button(self, text: str, about: str, action: Callable[[], None]) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setToolTip(about)
        button.setAutoRaise(True)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.clicked.connect(lambda: action())
        return button

    def _arrange(self) -> None:
        font = QFont(self.font())
        font.setWeight(QFont.Weight.DemiBold)
        self.heading.setFont(font)
        top = QHBoxLayout()
        top.addWidget(self.heading)
        top.addStretch(1)
        top.addWidget(self.reset)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(top)
        column.addWidget(self.body)

    def _fold(self) -> None:
        self._opened = not self._opened
        self._refresh()

    def _add(self, rows: QFormLayout, name: str, option: Option) -> None:
        words, field = about(name), field_of(option)
        what = f"{words.text[0].upper()}{words.text[1:]}"
        label = plain_label(without_keys(words.label))
        for widget in (label, field):
            widget.setToolTip(tip(what))
        field.setAccessibleName(words.label)
        field.setAccessibleDescription(what)
        field.edited.connect(self._edited)
        label.setBuddy(field)
        self.fields[name], self._labels[name] = field, label
        if isinstance(option, Text):  # which needs the whole width
            rows.addRow(label)
            rows.addRow(field)
        else:
            rows.addRow(label, field)

    def _edited(self) -> None:
        self._refresh()
        self.options_requested.emit(self.chosen())

    def _reset(self) -> None:
        self.show_options({})
        self.options_requested.emit({})

    def _refresh(self) -> None:
        chosen = {name: field.chosen() for name, field in self.fields.items()}
        for name, field in self.fields.items():
            for widget in (field, self._labels[name]):
                widget.setEnabled(matters(name, chosen))
        changed = len(self.chosen())
        self.heading.setText(f"Options · {changed} changed" if changed else "Options")
        self.heading.setArrowType(Qt.ArrowType.DownArrow if self._opened else Qt.ArrowType.RightArrow)
        self.heading.setToolTip("Hide the options" if self._opened else "Show the options")
        self.heading.setAccessibleName(f"{self.heading.text()}: {self.heading.toolTip().lower()}")
        self.reset.setVisible(changed > 0)
        self.body.setVisible(self._opened)
