"""A slider for a softmax's temperature, from 0.1 to 5: 1 is what the model computes with."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSlider, QToolButton, QWidget

from txviz.gui.plain import plain_label

COLDEST, HOTTEST = 0.1, 5.0
STEPS = 100
"""Of the slider, for each factor of 10."""


class TemperatureSlider(QWidget):
    changed = Signal(float)

    def __init__(self) -> None:
        super().__init__()
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(-STEPS, round(0.7 * STEPS))
        self.slider.setPageStep(10)
        self.slider.setAccessibleName("Temperature")
        self.shown = plain_label()
        self.shown.setMinimumWidth(self.shown.fontMetrics().horizontalAdvance("T = 0.00 "))
        self.reset = QToolButton()
        self.reset.setText("Reset")
        self.reset.setAccessibleName("Set the temperature back to 1")
        self.reset.clicked.connect(self.start_anew)
        self.slider.valueChanged.connect(self._moved)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        for widget in (self.shown, self.slider, self.reset):
            row.addWidget(widget)
        self._moved()

    @property
    def temperature(self) -> float:
        return min(HOTTEST, max(COLDEST, float(10 ** (self.slider.value() / STEPS))))

    def start_anew(self) -> None:
        self.slider.setValue(0)

    def _moved(self) -> None:
        self.shown.setText(f"T = {self.temperature:.2f}")
        self.reset.setEnabled(self.slider.value() != 0)
        self.changed.emit(self.temperature)
