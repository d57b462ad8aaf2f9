"""One widget for each kind of option. All of them show a value, say what is chosen, and tell of edits by the user."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QWidget

from txviz.gui.numbers import NumberBox
from txviz.models.options import CHOICE_LABELS, Choice, Number, Option, Switch

DECIMALS = 9
"""Of a number that may be very small."""


class _WheelKeeper(QObject):
    """Lets the wheel through to the panel, unless the widget under the pointer has the focus."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Wheel and isinstance(watched, QWidget) and not watched.hasFocus():
            event.ignore()
            return True
        return False


def keep_wheel(widget: QWidget) -> None:
    """A panel that scrolls must not change the values that pass under the pointer."""
    widget.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    widget.installEventFilter(_WheelKeeper(widget))


class ChoiceField(QComboBox):
    """One of a few."""

    edited = Signal()

    def __init__(self, option: Choice) -> None:
        super().__init__()
        for choice in option.choices:
            self.addItem(CHOICE_LABELS.get(choice, choice.capitalize()), choice)
        keep_wheel(self)
        self.activated.connect(lambda: self.edited.emit())

    def chosen(self) -> str:
        return str(self.currentData())

    def show_choice(self, value: Any) -> None:
        self.setCurrentIndex(self.findData(value))


class NumberField(NumberBox):
    """A number, whole where the default is; as wide as its range, which QSpinBox is not."""

    edited = Signal()

    def __init__(self, option: Number) -> None:
        self._whole = isinstance(option.default, int)
        small = option.default < 0.01 and not self._whole  # a learning rate
        decimals = 0 if self._whole else DECIMALS if small else 4
        super().__init__(option.lowest, option.highest, step=1 if self._whole else 0.1, decimals=decimals)
        if small:
            self.setStepType(NumberBox.StepType.AdaptiveDecimalStepType)
        self.setValue(option.default)
        self._default, self._default_shown = option.default, self.value()
        self.setMinimumWidth(80)
        keep_wheel(self)
        self.valueChanged.connect(lambda: self.edited.emit())

    def chosen(self) -> float:
        if self.value() == self._default_shown:  # with fewer digits than the default itself may have
            return self._default
        return int(self.value()) if self._whole else self.value()

    def show_choice(self, value: Any) -> None:
        with QSignalBlocker(self):
            self.setValue(value)

    def textFromValue(self, value: float) -> str:
        return f"{value:.0f}" if self._whole else f"{value:.{DECIMALS}f}".rstrip("0").rstrip(".")


class SwitchField(QCheckBox):
    """On or off."""

    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.clicked.connect(lambda: self.edited.emit())

    def chosen(self) -> bool:
        return self.isChecked()

    def show_choice(self, value: Any) -> None:
        self.setChecked(value)


class TextField(QLineEdit):
    """A text, or none."""

    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setClearButtonEnabled(True)
        self.textEdited.connect(lambda: self.edited.emit())

    def chosen(self) -> str | None:
        return self.text() if self.text().strip() else None

    def show_choice(self, value: Any) -> None:
        if value != self.chosen():
            self.setText("" if value is None else str(value))


Field = ChoiceField | NumberField | SwitchField | TextField


def field_of(option: Option) -> Field:
    match option:
        case Choice():
            return ChoiceField(option)
        case Number():
            return NumberField(option)
        case Switch():
            return SwitchField()
        case _:
            return TextField()
