"""A softmax opened up: one row of scores on its way to probabilities, at any temperature."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout

from txviz import ops
from txviz.figures.theme import LIGHT, Theme
from txviz.gui.plots.bars import BarTable, Column, Table
from txviz.gui.plots.canvas import decimal
from txviz.gui.plots.controls import caption, stack
from txviz.gui.plots.plot import Plot, full_place
from txviz.gui.plots.temperature import TemperatureSlider
from txviz.ops import Array, Index
from txviz.trace import Step, Trace, names

MOST = 12
"""This many entries are shown, where there is room for them."""

PASSES_ON = ("scale", "mask", "select", "top_k", "top_p")
"""Operations that scores go through on their way to a softmax."""


def find_softmax(trace: Trace, step: Step) -> Step | None:
    """The step itself, or the first softmax that its scores come to."""
    if step.op == "softmax":
        return step
    reached = {step.name}
    for later in trace[trace.steps.index(step) + 1 :]:
        if later.sources and later.sources[0].name in reached:
            if later.op == "softmax":
                return later
            if later.op in PASSES_ON:
                reached.add(later.name)
    return None


class Row(NamedTuple):
    """One row of a softmax at one temperature, made by the same operation as the step itself."""

    labels: tuple[str, ...]
    scores: Array
    parts: dict[str, Array]
    temperature: float
    most: int
    """Of more entries than this, the most probable are shown."""

    @property
    def order(self) -> Array:
        """The entries that are shown: all in their order, or the most probable first."""
        count = len(self.scores)
        if count <= self.most:
            return np.arange(count)
        return np.argsort(-self.parts["probabilities"], kind="stable")[: self.most]

    def table(self, recorded: Array) -> Table:
        """``recorded``: the row as the model computed it, to compare with."""
        order, changed = self.order, self.temperature != 1
        scores, shifted, exponentials, p = (
            part[order]
            for part in (self.scores, self.parts["shifted"], self.parts["exponentials"], self.parts["probabilities"])
        )
        hidden, total = len(self.scores) - len(order), float(self.parts["sum"][0])
        more = decimal(max(0.0, total - float(exponentials.sum())), 3) if hidden else ""
        rest = decimal(max(0.0, 1 - float(p.sum())), 3) if hidden else ""
        columns = (
            Column("x÷T" if changed else "x", scores, *_ends(scores), 2, decimal(self.maximum, 2)),
            Column("x−max", shifted, *_ends(shifted), 2),
            Column("exp", exponentials, 0.0, 1.0, 3, decimal(total, 2 if total >= 10 else 3), more),
            Column("p", p, 0.0, 1.0, 3, "1" if p.any() else "0", rest, recorded[order] if changed else None),
        )
        return Table(tuple(self.labels[i] for i in order), columns, hidden, "max, sum")

    @property
    def maximum(self) -> float:
        return float(self.parts["maximum"][0])


def _ends(values: Array) -> tuple[float, float]:
    finite = values[np.isfinite(values)]
    return float(finite.min(initial=0.0)), float(finite.max(initial=0.0))


class Softmax(Plot):
    title = "Softmax"
    needs = "this step is no softmax, and none follows from it."

    def __init__(self) -> None:
        super().__init__()
        self.heading, self.note, self.rows = caption("What is shown"), caption("How it is made"), QComboBox()
        self.temperature, self.bars = TemperatureSlider(), BarTable("Scores, exponentials and probabilities of a row")
        self._step: Step | None = None
        self._softmax: Step | None = None
        self._theme = LIGHT
        self._place: Index = ()
        self._build()
        self.rows.activated.connect(self._show_row)
        self.temperature.changed.connect(self._show_row)
        self.bars.pointed.connect(self._point)

    @classmethod
    def suits(cls, trace: Trace, step: Step) -> bool:
        return find_softmax(trace, step) is not None

    def show_step(self, trace: Trace, step: Step, place: Index, theme: Theme) -> None:
        softmax = find_softmax(trace, step)
        if softmax is None:
            return
        fresh = softmax is not self._softmax
        self._step, self._softmax, self._theme = step, softmax, theme
        self._place = full_place(place, softmax.value.shape[:-2])
        if fresh:
            self._fill_rows(softmax)
        self._show_heading(softmax)
        self._show_row()

    def show_cell(self, index: Index | None) -> None:
        if index is None or not self._shares_cells:
            self.bars.mark(None)
            return
        if len(index) > 1 and index[-2] != self.rows.currentIndex():
            self.rows.setCurrentIndex(index[-2])
            self._show_row()
        shown = self.row.order.tolist()
        self.bars.mark(shown.index(index[-1]) if index[-1] in shown else None)

    @property
    def row(self) -> Row:
        """What is shown."""
        assert self._softmax is not None
        temperature, scores = self.temperature.temperature, self._softmax.operands[0][self._at]
        cooled = scores if temperature == 1 else scores / temperature
        return Row(self._softmax.labels[-1], cooled, ops.softmax.parts(cooled), temperature, min(MOST, self.bars.room))

    @property
    def _at(self) -> Index:
        """Which row of the step."""
        assert self._softmax is not None
        return (*self._place, self.rows.currentIndex()) if self._softmax.value.ndim > 1 else ()

    @property
    def _shares_cells(self) -> bool:
        """Whether the current step has the same cells as the softmax."""
        return self._step is not None and self._softmax is not None and self._step.axes == self._softmax.axes

    def _build(self) -> None:
        self.rows.setAccessibleName("Row")
        self.rows.setMinimumContentsLength(7)
        self.rows.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        top = QHBoxLayout()
        top.addWidget(self.heading, 1)
        top.addWidget(self.rows)
        stack(self, top, self.temperature, self.bars, self.note, grows=2)

    def _fill_rows(self, softmax: Step) -> None:
        """The rows to choose from; the last is open, because it is the newest token's."""
        many = softmax.value.ndim > 1
        self.rows.clear()
        if many:
            self.rows.addItems(softmax.labels[-2])
            self.rows.setCurrentIndex(softmax.value.shape[-2] - 1)
        self.rows.setVisible(many)

    def _show_heading(self, softmax: Step) -> None:
        where = names.title(softmax.name)
        if self._place and softmax.value.shape[-3] > 1:
            where += f" · {softmax.axes[-3]} {softmax.labels[-3][self._place[-1]]}"
        self.heading.setText(where)

    def _show_row(self) -> None:
        if self._softmax is None:
            return
        row = self.row
        self.bars.show_table(row.table(self._softmax.value[self._at]), self._theme)
        self.note.setText(
            "Each score less the largest, exponentiated, and divided by the sum."
            if row.temperature == 1
            else f"What if the scores were divided by {row.temperature:.2f}? Ticks: what the model computed."
        )

    def _point(self, row: int | None) -> None:
        self.bars.mark(row)
        if self._shares_cells:
            self.cell_requested.emit(None if row is None else (*self._at, int(self.row.order[row])))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._show_row()
