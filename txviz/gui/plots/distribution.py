"""Values: a histogram of the step's numbers, with the value of the cell under the pointer marked."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout

from txviz.figures.marks import Figure
from txviz.figures.place import matrix_place
from txviz.figures.style import Style
from txviz.figures.theme import LIGHT, Theme
from txviz.figures.views import nearest
from txviz.figures.views.distribution import distribution, ranges
from txviz.figures.views.histogram import Histogram, count_ticks, histogram, scaled, summary
from txviz.gui.plain import plain_label, without_keys
from txviz.gui.plots import charts
from txviz.gui.plots.controls import caption, stack, toggle
from txviz.gui.plots.plot import Plot
from txviz.ops import Array, Index
from txviz.ops.arithmetic import number
from txviz.trace import Step, Trace


class Distribution(Plot):
    title = "Values"
    comes = "with the next numbers that are more than one, and no numbers of tokens."

    def __init__(self) -> None:
        super().__init__()
        self.chart = charts.chart("Histogram of the step's numbers")
        self.bars, self.marker = charts.bars(), charts.upright_line()
        self.marker.hide()
        self.chart.addItem(self.bars)
        self.chart.addItem(self.marker)
        self.here_only = toggle("", "")
        self.logarithmic = toggle("Log", "Count on a logarithmic scale")
        self.words, self.reading = caption("The numbers in words"), plain_label()
        self._step: Step | None = None
        self._place: Index = ()
        self._cell: Index | None = None
        self._theme = LIGHT
        self._build()

    @classmethod
    def steps(cls, trace: Trace, step: Step) -> tuple[Step, ...]:
        return nearest.values(trace, step)

    def show_step(self, trace: Trace, step: Step, place: Index, theme: Theme) -> None:
        if theme is not self._theme or self._step is None:
            charts.apply_theme(self.chart, theme)
            charts.name_axes(self.chart, "value", "count", theme)
        self._step, self._theme, self._cell = step, theme, None
        self._place = matrix_place(step, place)
        self._show_scope(step)
        self._show_values()

    def forget(self) -> None:
        self._step = None

    def show_cell(self, index: Index | None) -> None:
        self._cell = index
        value = float("nan") if index is None or self._step is None else float(self._step.value[index])
        self.marker.setVisible(bool(np.isfinite(value)))
        if np.isfinite(value):
            self.marker.setPos(value)
        self.reading.setText("" if np.isnan(value) else f"This cell: {number(value)}")

    def figure(self, width: float, height: float, style: Style) -> Figure | None:
        if self._step is None:
            return None
        options = {"here_only": self.here_only.isChecked(), "logarithmic": self.logarithmic.isChecked()}
        return distribution(self._step, self._place, width, height, style, cell=self._cell, **options)

    @property
    def values(self) -> Array:
        """The numbers that are counted; none where nothing is shown."""
        if self._step is None:
            return np.zeros(0)
        return self._step.value[self._place] if self._place and self.here_only.isChecked() else self._step.value

    def _build(self) -> None:
        self.here_only.clicked.connect(self._show_values)
        self.logarithmic.clicked.connect(self._show_values)
        bar = QHBoxLayout()
        bar.setSpacing(4)
        bar.addWidget(self.here_only)
        bar.addWidget(self.logarithmic)
        self.reading.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        bar.addWidget(self.reading, 1)
        stack(self, bar, self.chart, self.words, grows=1)

    def _show_scope(self, step: Step) -> None:
        """The button for one head at a time, where there are some."""
        self.here_only.setVisible(len(self._place) > 0 and step.value.shape[-3] > 1)
        if self._place:
            text = f"{step.axes[-3].capitalize()} {step.labels[-3][self._place[-1]]}"
            self.here_only.setText(without_keys(text))
            self.here_only.setAccessibleName(f"{text} only")

    def _show_values(self) -> None:
        counted = histogram(self.values)
        self._draw(counted, scaled(counted.counts, self.logarithmic.isChecked()))
        self.words.setText(summary(self.values))

    def _draw(self, counted: Histogram, heights: Array) -> None:
        edges, theme = counted.edges, self._theme
        self.bars.setOpts(
            x0=edges[:-1],
            width=np.diff(edges),
            height=heights,
            pen=charts.pen(theme.panel),
            brush=charts.brush(theme.stages[0]),
        )
        self.marker.setPen(charts.pen(theme.highlight, 2))
        charts.set_ranges(self.chart, *ranges(counted, heights))
        largest = int(counted.counts.max(initial=1))
        charts.set_ticks(self.chart, count_ticks(largest, self.logarithmic.isChecked()))
