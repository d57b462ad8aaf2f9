"""A field for where colours end: a scale by name, or two numbers."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QWidget

from txviz.figures.colour_scale import SCALES, Span, read_scale
from txviz.gui.numbers import NumberBox

TITLES = {"auto": "Automatic", "shared": "Shared by all", "each": "Each tensor its own", "": "Given ends"}


class ScaleField(QWidget):
    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.kind, self.low, self.high = QComboBox(), NumberBox(-1e6, 1e6, step=0.5), NumberBox(-1e6, 1e6, step=0.5)
        for place, (name, title) in enumerate(TITLES.items()):
            self.kind.addItem(title, name)
            self.kind.setItemData(place, SCALES.get(name, "from one number to another"), Qt.ItemDataRole.ToolTipRole)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.kind, 1)
        for box, value, name in ((self.low, -1.0, "Lowest"), (self.high, 1.0, "Highest")):
            box.setValue(value)
            box.setAccessibleName(f"{name} number of the colour scale")
            box.valueChanged.connect(self.changed)
            row.addWidget(box)
        self.setFocusProxy(self.kind)
        self.kind.setAccessibleName("Colour scale")
        self.kind.currentIndexChanged.connect(self._choose)
        self._show_ends()

    @property
    def text(self) -> str:
        """As on the command line; the numbers may not make sense."""
        return str(self.kind.currentData()) or Span(self.low.value(), self.high.value()).text

    def show_text(self, text: str) -> None:
        scale = read_scale(text)
        blocked = [QSignalBlocker(widget) for widget in (self.kind, self.low, self.high)]
        if isinstance(scale, Span):
            self.low.setValue(scale.low)
            self.high.setValue(scale.high)
        self.kind.setCurrentIndex(self.kind.findData("" if isinstance(scale, Span) else scale))
        del blocked
        self._show_ends()

    def _choose(self) -> None:
        self._show_ends()
        self.changed.emit()

    def _show_ends(self) -> None:
        for box in (self.low, self.high):
            box.setVisible(not self.kind.currentData())
