"""The cost calculator: a vision transformer of any size, its numbers worked out live, as a figure for a slide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from PySide6.QtCore import QLocale, Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from txviz.analysis.cost import PRESETS, Design
from txviz.figures.calculator import calculator
from txviz.figures.marks import Figure, Mark
from txviz.figures.style import Style
from txviz.figures.theme import Theme
from txviz.gui.figure_buttons import FigureButtons
from txviz.gui.plots.canvas import Canvas

FIELDS = {
    "image": ("Image, pixels across", 1, 4096),
    "patch": ("Patch, pixels across", 1, 4096),
    "colours": ("Channels (1 grey, 3 colour)", 1, 64),
    "d": ("Features d", 1, 65_536),
    "heads": ("Heads", 1, 1024),
    "layers": ("Layers", 1, 1000),
    "hidden": ("Hidden features", 1, 1_000_000),
    "classes": ("Classes", 1, 1_000_000),
}
"""What can be chosen of a design: how it is called, and from where to where it goes."""

OWN = "your own"


class DesignPage(Canvas):
    def __init__(self, theme: Theme) -> None:
        super().__init__("What the model would cost")
        self.theme, self.design = theme, Design()
        self.setMinimumSize(640, 420)

    def figure(self) -> Figure:
        return calculator(self.design, self.width(), self.height(), Style(theme=self.theme, size=self.text_size))

    def marks(self) -> Sequence[Mark]:
        return self.figure().marks

    def show_design(self, design: Design) -> None:
        self.design = design
        self.setAccessibleDescription(design.problem() or f"{design.cost.parameters:,} parameters")
        self.update()


class Calculator(QDialog):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Cost calculator")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.page = DesignPage(theme)
        self.presets = QComboBox()
        self.presets.addItems([*PRESETS, OWN])
        self.presets.setAccessibleName("Preset")
        self.fields = {name: _field(*about) for name, about in FIELDS.items()}
        self.cls = QCheckBox("with a [CLS] token")
        self._build()
        self.presets.currentTextChanged.connect(self._take_preset)
        for field in self.fields.values():
            field.valueChanged.connect(self._show_own)
        self.cls.toggled.connect(self._show_own)
        self.presets.setCurrentText(next(name for name, design in PRESETS.items() if design == Design()))
        self._take_preset()
        self.resize(1180, 640)

    def _build(self) -> None:
        form = QFormLayout()
        form.addRow("Preset", self.presets)
        for name, field in self.fields.items():
            form.addRow(FIELDS[name][0], field)
        form.addRow("", self.cls)
        row = QHBoxLayout()
        row.addLayout(form)
        row.addWidget(self.page, stretch=1)
        self.buttons = FigureButtons(self.page.figure, "cost", self.reject)
        layout = QVBoxLayout(self)
        layout.addLayout(row, stretch=1)
        layout.addWidget(self.buttons)

    @property
    def design(self) -> Design:
        """As the fields say."""
        return Design(**{name: field.value() for name, field in self.fields.items()}, cls=self.cls.isChecked())

    def _take_preset(self) -> None:
        design = PRESETS.get(self.presets.currentText())
        if design is None:
            return
        for widget in (*self.fields.values(), self.cls):
            widget.blockSignals(True)
        for name, field in self.fields.items():
            field.setValue(asdict(design)[name])
        self.cls.setChecked(design.cls)
        for widget in (*self.fields.values(), self.cls):
            widget.blockSignals(False)
        self.page.show_design(self.design)

    def _show_own(self) -> None:
        """What is chosen by hand; where that is a preset, it is named."""
        design = self.design
        name = next((name for name, each in PRESETS.items() if each == design), OWN)
        self.presets.blockSignals(True)
        self.presets.setCurrentText(name)
        self.presets.blockSignals(False)
        self.page.show_design(design)


def _field(label: str, lowest: int, highest: int) -> QSpinBox:
    field = QSpinBox(minimum=lowest, maximum=highest)
    field.setAccessibleName(label)
    field.setLocale(QLocale.c())
    return field
