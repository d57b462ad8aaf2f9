"""The plots, one behind the other under tabs. Only the one in front is built and kept up to date."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QShowEvent
from PySide6.QtWidgets import QStackedWidget, QTabBar, QVBoxLayout, QWidget

from txviz.figures.marks import Figure
from txviz.figures.style import Style
from txviz.figures.theme import Theme
from txviz.gui.keys import leave_keys
from txviz.gui.plots.controls import apply_theme, caption
from txviz.gui.plots.plot import Plot
from txviz.ops import Index
from txviz.trace import Step, Trace


class Here(NamedTuple):
    """Where the user is."""

    trace: Trace
    step: Step
    place: Index
    theme: Theme


class PlotPanel(QWidget):
    """Shows the chosen plot of the current step, or a sentence where it has nothing to show.

    The tab stays as the user chose it: stepping through a model never changes it. While the panel is hidden nothing is
    computed.
    """

    cell_requested = Signal(object)
    place_requested = Signal(object)
    step_requested = Signal(str)

    def __init__(self, kinds: Sequence[type[Plot]]) -> None:
        super().__init__()
        self._kinds = tuple(kinds)
        self._built: dict[type[Plot], Plot] = {}
        self._here: Here | None = None
        self._cell: Index | None = None
        self.nothing = caption("Why there is no plot")
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.nothing.setMargin(24)
        self.tabs, self._stack = QTabBar(expanding=False, drawBase=False), QStackedWidget()
        self._build()
        self.tabs.currentChanged.connect(self._refresh)

    @property
    def chosen(self) -> str:
        """The title of the plot in front."""
        return self._kind.title

    def choose(self, title: str) -> None:
        """Brings the plot of this title to the front; a title that is none changes nothing."""
        titles = [kind.title for kind in self._kinds]
        if title in titles:
            self.tabs.setCurrentIndex(titles.index(title))

    @property
    def plot(self) -> Plot | None:
        """The plot that is shown, or None where a sentence is."""
        shown = self._stack.currentWidget()
        return shown if isinstance(shown, Plot) else None

    def show_step(self, trace: Trace, step: Step, place: Index, theme: Theme) -> None:
        if self._here is None or theme is not self._here.theme:
            apply_theme(self, theme)
        if self._here is None or step is not self._here.step:
            self._cell = None
        if self._here is not None and trace is not self._here.trace:
            for plot in self._built.values():
                plot.forget()
        self._here = Here(trace, step, place, theme)
        self._refresh()

    def show_cell(self, index: Index | None) -> None:
        self._cell = index
        if self.plot is not None and self.isVisible():
            self.plot.show_cell(index)

    def figure(self, width: float, height: float, style: Style) -> Figure | None:
        """The plot in front as a figure of this size, for a file; None where it has nothing to show."""
        return None if self.plot is None else self.plot.figure(width, height, style)

    @property
    def _kind(self) -> type[Plot]:
        return self._kinds[self.tabs.currentIndex()]

    def _build(self) -> None:
        self.tabs.setAccessibleName("Plots")
        for kind in self._kinds:
            self.tabs.addTab(kind.title)
        self._stack.addWidget(self.nothing)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 4, 8, 8)
        column.setSpacing(6)
        column.addWidget(self.tabs)
        column.addWidget(self._stack, 1)

    def _refresh(self) -> None:
        if self._here is None or not self.isVisible():
            return
        suits = self._show_tabs(self._here)
        if not suits[self.tabs.currentIndex()]:
            self.nothing.setText(f"Nothing to plot here: {self._kind.needs}")
            self._stack.setCurrentWidget(self.nothing)
            return
        plot = self._plot(self._kind)
        plot.show_step(*self._here)
        plot.show_cell(self._cell)
        self._stack.setCurrentWidget(plot)

    def _show_tabs(self, here: Here) -> list[bool]:
        """Mutes the titles of the plots that have nothing to show; which ones have."""
        suits = [kind.suits(here.trace, here.step) for kind in self._kinds]
        for i, kind in enumerate(self._kinds):
            self.tabs.setTabTextColor(i, QColor(here.theme.text if suits[i] else here.theme.muted))
            self.tabs.setTabToolTip(i, "" if suits[i] else f"Nothing to plot here: {kind.needs}")
        return suits

    def _plot(self, kind: type[Plot]) -> Plot:
        if kind not in self._built:
            plot = self._built[kind] = kind()
            plot.cell_requested.connect(self.cell_requested)
            plot.place_requested.connect(self.place_requested)
            plot.step_requested.connect(self.step_requested)
            self._stack.addWidget(plot)
            leave_keys(plot)
            if self._here is not None:
                apply_theme(plot, self._here.theme)
        return self._built[kind]

    def showEvent(self, event: QShowEvent) -> None:
        self._refresh()
