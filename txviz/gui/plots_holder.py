"""Where the plots stand: built when the window is already there, and kept at what the session shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QVBoxLayout

from txviz.figures.marks import Figure
from txviz.figures.style import Style
from txviz.figures.theme import Theme
from txviz.figures.views import nearest
from txviz.gui.arrangement import Folding
from txviz.gui.session import Session
from txviz.gui.soon import Later
from txviz.ops import Index

if TYPE_CHECKING:
    from txviz.gui.plots.panel import PlotPanel


class PlotsHolder(Folding):
    def __init__(self, session: Session, theme: Theme, wanted: str) -> None:
        """``wanted`` is the title of the plot that was in front the last time."""
        super().__init__()
        self._session, self._theme, self._wanted = session, theme, wanted
        self.panel: PlotPanel | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._later = Later(self, session, lambda: self._show_step())
        session.step_changed.connect(self._later.ask)
        session.place_changed.connect(self._show_step)
        session.cell_changed.connect(self._show_cell)

    @property
    def chosen(self) -> str:
        """The title of the plot in front."""
        return self.panel.chosen if self.panel is not None else self._wanted

    def build(self) -> None:
        """After the first paint: pyqtgraph takes a while to import."""
        if self.panel is not None:
            return
        from txviz.gui.plots import PLOTS
        from txviz.gui.plots.panel import PlotPanel

        self.panel = PlotPanel(PLOTS)
        self.panel.choose(self._wanted)
        self.panel.cell_requested.connect(self._session.hover)
        self.panel.place_requested.connect(self._session.choose_place)
        self.panel.step_requested.connect(self._session.go_to)
        self.panel.cell_chosen.connect(self._keep_cell)
        self._column.addWidget(self.panel)
        self.panel.show()  # now, not when Qt comes to it: who finds a word goes on at once
        self._show_step()

    def go_to_words(self) -> bool:
        """To the nearest softmax over many words, if none is shown by now; whether there is one."""
        trace, step = self._session.trace, self._session.step
        found = nearest.over_words(trace, step)
        if found is not None and found not in nearest.softmax(trace, step):
            self._session.show_node(found.name)
        return found is not None

    def find_word(self) -> None:
        """Puts the cursor where a word is looked for."""
        from txviz.gui.plots.softmax import Softmax

        self.build()
        assert self.panel is not None
        self.panel.choose(Softmax.title)
        if isinstance(self.panel.plot, Softmax):
            self.panel.plot.words.begin()

    def _keep_cell(self, name: str, cell: Index) -> None:
        session = self._session
        session.show_node(name)
        session.choose_place(cell[: max(0, len(cell) - 2)])
        session.pin(cell)

    def figure(self, width: float, height: float, style: Style) -> Figure | None:
        """The plot in front as a figure of this size; None where there is none."""
        return self.panel.figure(width, height, style) if self.panel is not None else None

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._show_step()

    def _show_step(self) -> None:
        if self.panel is not None:
            session = self._session
            self.panel.show_step(session.trace, session.step, session.place, self._theme)
            self.panel.show_cell(session.cell)

    def _show_cell(self) -> None:
        if self.panel is not None:
            self.panel.show_cell(self._session.cell)
