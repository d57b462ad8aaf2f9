"""The canvas of a table of bars; it says which row the pointer is on, and which is clicked."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent

from txviz.figures.marks import Mark
from txviz.figures.theme import Theme
from txviz.figures.views.bars import Bars, Table, rows_that_fit
from txviz.gui.plots.canvas import PointedCanvas


class BarTable(PointedCanvas):
    row_chosen = Signal(int)
    """By a click."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.table = Table((), ())
        self.marked: int | None = None
        self._drawn: Bars | None = None
        self.setMinimumHeight(4 * 16)

    def show_table(self, table: Table, theme: Theme) -> None:
        self.table, self.theme, self._drawn = table, theme, None
        self.update()

    def mark(self, row: int | None) -> None:
        self.marked = row
        self.update()

    @property
    def bars(self) -> Bars:
        """What is drawn."""
        if self._drawn is None:
            self._drawn = Bars(self.table, self.area, self.style_shown)
        return self._drawn

    @property
    def room(self) -> int:
        """How many entries fit."""
        return rows_that_fit(self.area.height, self.text_size)

    def marks(self) -> Sequence[Mark]:
        return self.bars.marks(self.marked)

    def thing_at(self, x: float, y: float) -> int | None:
        """The row."""
        return self.bars.row_at(y)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = self.bars.row_at(event.position().y())
        if row is not None and event.button() == Qt.MouseButton.LeftButton:
            self.row_chosen.emit(row)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._drawn = None
