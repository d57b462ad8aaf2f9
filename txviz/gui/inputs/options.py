"""The options of a model as a form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFormLayout, QLabel, QPushButton, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from txviz.gui.inputs.fields import Field, field_of
from txviz.models.options import ABOUT, Option, differences, matters, read_options

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
        self.heading = self._heading()
        self._form = QWidget()
        rows = QFormLayout(self._form)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        rows.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for name, option in options.items():
            self._add(rows, name, option)
        self.reset = QPushButton("Defaults")
        self.reset.setToolTip("Set all options back")
        self.reset.setAccessibleName("Set all options back to their defaults")
        self.reset.clicked.connect(self._reset)
        rows.addRow(self.reset)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.heading)
        column.addWidget(self._form)
        self.heading.setChecked(len(options) <= _FEW)
        self._fold(self.heading.isChecked())
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

    def _heading(self) -> QToolButton:
        heading = QToolButton()
        heading.setCheckable(True)
        heading.setAutoRaise(True)
        heading.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        heading.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        heading.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        heading.toggled.connect(self._fold)
        return heading

    def _fold(self, opened: bool) -> None:
        self._form.setVisible(opened)
        self.heading.setArrowType(Qt.ArrowType.DownArrow if opened else Qt.ArrowType.RightArrow)
        self.heading.setToolTip("Hide the options" if opened else "Show the options")

    def _add(self, rows: QFormLayout, name: str, option: Option) -> None:
        about, field = ABOUT[name], field_of(option)
        tip = f"{about.text[0].upper()}{about.text[1:]}"
        label = QLabel(about.label)
        for widget in (label, field):
            widget.setToolTip(tip)
        field.setAccessibleName(about.label)
        field.setAccessibleDescription(tip)
        field.edited.connect(self._edited)
        label.setBuddy(field)
        self.fields[name] = field
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
            field.setEnabled(matters(name, chosen))
        changed = len(self.chosen())
        self.heading.setText(f"Options · {changed} changed" if changed else "Options")
        self.reset.setEnabled(changed > 0)
