"""The options of a model as a form, and the button that opens it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFormLayout, QLabel, QPushButton, QWidget

from txviz.gui.inputs.fields import Field, field_of
from txviz.gui.inputs.menu_button import MenuButton
from txviz.gui.plain import plain_label, tip, without_keys
from txviz.gui.popup import Popup
from txviz.models.options import Option, Text, about, differences, matters, read_options


class OptionsForm(QWidget):
    """A field for each option; those that change nothing beside the others are greyed."""

    options_requested = Signal(object)
    """What differs from the defaults, after every edit."""
    changes_shown = Signal(int)
    """How many differ from the defaults, whoever changed them."""

    def __init__(self, options: Mapping[str, Option]) -> None:
        super().__init__()
        self._known = options
        self.fields: dict[str, Field] = {}
        self._labels: dict[str, QLabel] = {}
        self.reset = QPushButton("Reset")
        self.reset.setToolTip("Set all options back to their defaults")
        self.reset.clicked.connect(self._reset)
        rows = QFormLayout(self)
        rows.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for name, option in options.items():
            self._add(rows, name, option)
        rows.addRow(self.reset)
        self._refresh()

    def chosen(self) -> dict[str, Any]:
        """What differs from the defaults."""
        return differences(self._known, {name: field.chosen() for name, field in self.fields.items()})

    def show_options(self, options: Mapping[str, Any]) -> None:
        """Shows these, and the defaults for all others; emits nothing that asks for a computation."""
        for name, value in read_options("the model", self._known, options).items():
            self.fields[name].show_choice(value)
        self._refresh()

    def choose(self, name: str, value: Any) -> None:
        """As if somebody had set this field."""
        self.fields[name].show_choice(value)
        self._edited()

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
        self.reset.setEnabled(changed > 0)
        self.changes_shown.emit(changed)


class OptionsButton(MenuButton):
    """Opens the options, and says how many of them are not as they were at first."""

    def __init__(self, form: OptionsForm) -> None:
        super().__init__()
        self._form, self.popup = form, Popup(form, self)
        self.setHidden(not form.fields)
        self.clicked.connect(self._open)
        form.changes_shown.connect(self._show_changes)
        self._show_changes(len(form.chosen()))

    def _open(self) -> None:
        fields = self._form.fields.values()
        self.popup.open_below(self, next((field for field in fields if field.isEnabled()), None))

    def _show_changes(self, changed: int) -> None:
        self.setText(f"Options · {changed}" if changed else "Options")
        told = f"{changed} changed" if changed else "as they are at first"
        self.setToolTip(f"How the model reads and writes; {told}")
        self.setAccessibleName(f"Options, {told}")
