"""What opens beside the window: the cost calculator, sentences to compare, and training. Built when asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt

from txviz.figures.theme import Theme
from txviz.gui.arrangement import WANTED, widths
from txviz.gui.soon import Soon
from txviz.models import find
from txviz.models.request import Request
from txviz.trace import Trace

if TYPE_CHECKING:
    from txviz.gui.training_panel import TrainingDock
    from txviz.gui.window import Window


class Tools(QObject):
    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self._stale = False
        """Whether the model that learns has learnt more than what is shown."""

        self._before: tuple[Trace, Request] | None = None
        self._held = False
        """Whether "before" is looked at, which learning must not replace."""

        self.training: TrainingDock | None = None
        self._soon = Soon(self, lambda: self._catch_up())  # when what was just computed is shown
        window.computing.background.busy_changed.connect(lambda _: self._soon.start())
        window.session.trace_changed.connect(self._new_trace)

    def set_theme(self, theme: Theme) -> None:
        if self.training is not None:
            self.training.panel.set_theme(theme)

    def open_calculator(self) -> None:
        from txviz.gui.calculator import Calculator

        Calculator(self._window.theme, self._window).show()

    def open_meaning(self) -> None:
        from txviz.gui.meaning import Meaning

        Meaning(self._window.theme, self._window).show()

    def open_training(self) -> None:
        if self.training is None:
            self.training = self._new_training()
        self.training.show()
        self.training.raise_()
        wide = widths(self._window.width(), WANTED, plots=True)["Plots"]  # the room that plots would have
        self._window.resizeDocks([self.training], [wide], Qt.Orientation.Horizontal)

    def _new_training(self) -> TrainingDock:
        from txviz.gui.training_panel import TrainingDock, TrainingPanel

        window = self._window
        panel = TrainingPanel(str(window.session.trace.about.get("model", "")), window.theme)
        panel.begun.connect(self._show_model)
        panel.learnt.connect(self._show_again)
        panel.ended.connect(self._show_again)
        panel.before_set.connect(self._remember_before)
        panel.before_shown.connect(self._show_before)
        panel.before_compared.connect(self._compare_before)
        dock = TrainingDock(panel, window)
        dock.destroyed.connect(self._forget)
        plots = window.docks["Plots"]
        window.addDockWidget(window.dockWidgetArea(plots), dock)
        window.tabifyDockWidget(plots, dock)
        return dock

    def close(self) -> None:
        """Before the window is: what learns must not go on without it."""
        if self.training is not None:
            self.training.panel.stop()

    def _forget(self) -> None:
        self.training, self._before, self._held = None, None, False

    def _show_model(self, name: str) -> None:
        """Whoever trains a model wants to see it."""
        request = self._window.session.request
        if request is None or request.model != name:
            wanted = Request(name, find(name).example)
            self._window.input.show_request(wanted)
            self._window.computing.compute(wanted)

    def _remember_before(self) -> None:
        session = self._window.session
        self._before = (session.trace, session.request) if session.request is not None else None

    def _compare_before(self) -> None:
        """It is A from now on: its weights are gone, so that it has no request to be computed from."""
        if self._before is not None:
            self._window.comparing.keep(self._before[0], None)

    def _show_before(self, shown: bool) -> None:
        """The same step of the run that was remembered, with its input, or of the one as it is now."""
        if self._before is None:
            return
        trace, request = self._before
        self._held = shown
        if shown:
            self._window.input.show_request(request)
            self._window.computing.show(trace, request)
        else:
            self._show_again()

    def _new_trace(self) -> None:
        """Whoever goes on from what was before sees what is now."""
        if self._held and self._before is not None and self._window.session.trace is not self._before[0]:
            self._held = False
            if self.training is not None:
                self.training.panel.show_now()

    def _show_again(self) -> None:
        """The same input: its model has other weights now. What is being computed is not disturbed."""
        self._stale = True
        self._soon.start()

    def _catch_up(self) -> None:
        request, computing = self._window.session.request, self._window.computing
        if not computing.background.busy and self._stale and not self._held and request is not None:
            self._stale = False
            computing.compute(request, remember=False)
