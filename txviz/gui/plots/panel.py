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
    """Shows the chosen plot of the current step; while that has nothing to show, one that has.

    What the user chose is kept, and comes back by itself. While the panel is hidden nothing is computed.
    """

    cell_requested = Signal(object)
    place_requested = Signal(object)
    step_requested = Signal(str)
    cell_chosen = Signal(str, object)

    def __init__(self, kinds: Sequence[type[Plot]]) -> None:
        super().__init__()
        self._kinds = tuple(kinds)
        self._built: dict[type[Plot], Plot] = {}
        self._here: Here | None = None
        self._cell: Index | None = None
        self._chosen = self._kinds[0]
        self.nothing = caption("When there are plots")
        self.nothing.setText("The plots come with the first numbers that can be drawn.")
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.tabs, self._stack = QTabBar(expanding=False, drawBase=False), QStackedWidget()
        self._build()
        for chosen in (self.tabs.currentChanged, self.tabs.tabBarClicked):
            chosen.connect(self._choose)

    @property
    def chosen(self) -> str:
        """The title of the plot that is wanted in front."""
        return self._chosen.title

    def choose(self, title: str) -> None:
        """Brings the plot of this title to the front; a title that is none changes nothing."""
        titles = [kind.title for kind in self._kinds]
        if title in titles:
            self._choose(titles.index(title))

    @property
    def plot(self) -> Plot | None:
        """The plot that is shown, or None where there is none for the step."""
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

    def _choose(self, tab: int) -> None:
        if tab >= 0 and self._kinds[tab] is not self._chosen:
            self._chosen = self._kinds[tab]
            self._refresh()

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
        trace, step, *_ = self._here
        found = [kind for kind in self._kinds if kind.steps(trace, step)]
        shown = self._chosen if self._chosen in found else next(iter(found), None)
        self._show_tabs(found, shown, self._here.theme)
        if shown is None:
            self._stack.setCurrentWidget(self.nothing)
            return
        plot = self._plot(shown)
        plot.show_step(*self._here)
        plot.show_cell(self._cell)
        self._stack.setCurrentWidget(plot)

    def _show_tabs(self, found: Sequence[type[Plot]], shown: type[Plot] | None, theme: Theme) -> None:
        """The plots that have something to show can be chosen; the others say what they wait for."""
        self.tabs.blockSignals(True)
        if shown is not None:
            self.tabs.setTabEnabled(self._kinds.index(shown), True)
            self.tabs.setCurrentIndex(self._kinds.index(shown))
        for i, kind in enumerate(self._kinds):
            there = kind in found
            if self.tabs.isTabEnabled(i) != there:
                self.tabs.setTabEnabled(i, there)
            self.tabs.setTabTextColor(i, QColor(theme.text if there else theme.muted))
            self.tabs.setTabToolTip(i, "" if there else f"Comes {kind.comes}")
        self.tabs.blockSignals(False)

    def _plot(self, kind: type[Plot]) -> Plot:
        if kind not in self._built:
            plot = self._built[kind] = kind()
            plot.cell_requested.connect(self.cell_requested)
            plot.place_requested.connect(self.place_requested)
            plot.step_requested.connect(self.step_requested)
            plot.cell_chosen.connect(self.cell_chosen)
            self._stack.addWidget(plot)
            leave_keys(plot)
            if self._here is not None:
                apply_theme(plot, self._here.theme)
        return self._built[kind]

    def showEvent(self, event: QShowEvent) -> None:
        self._refresh()
