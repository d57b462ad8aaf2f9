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
    from txviz.models.model import Model


class Tools(QObject):
    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self._trained = set[str]()
        """The models that have learnt here: runs of theirs may be of other weights than they have now."""

        self._tried: tuple[Request, Model] | None = None
        """What was computed last so that what is shown is of the weights that there are now."""

        self._before: tuple[Trace, Request] | None = None
        self._held = False
        """Whether "before" is looked at, which learning must not replace."""

        self.training: TrainingDock | None = None
        self._soon = Soon(self, lambda: self._catch_up())  # when what was just computed is shown
        window.computing.background.busy_changed.connect(self._look_when_free)
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
        elif not self.training.isVisible():
            self.training.panel.choose(self._model_shown)
        self.training.show()
        self.training.raise_()
        wide = widths(self._window.width(), WANTED, plots=True)["Plots"]  # the room that plots would have
        self._window.resizeDocks([self.training], [wide], Qt.Orientation.Horizontal)

    def _new_training(self) -> TrainingDock:
        from txviz.gui.training_panel import TrainingDock, TrainingPanel

        window = self._window
        panel = TrainingPanel(str(window.session.trace.about.get("model", "")), window.theme)
        panel.see(self._model_shown)
        panel.begun.connect(self._show_model)
        panel.learnt.connect(self._look_again)
        panel.ended.connect(self._look_again)
        panel.paused.connect(self._tell_paused)
        panel.before_set.connect(self._remember_before)
        panel.before_shown.connect(self._show_before)
        panel.before_compared.connect(self._compare_before)
        dock = TrainingDock(panel, window)
        plots = window.docks["Plots"]
        window.addDockWidget(window.dockWidgetArea(plots), dock)
        window.tabifyDockWidget(plots, dock)
        return dock

    def close(self) -> None:
        """Before the window is: what learns must not go on without it."""
        if self.training is not None:
            self.training.panel.stop()

    @property
    def _model_shown(self) -> str:
        """None where it is a run from a file, which need not be of the weights that there are."""
        request = self._window.session.request
        return "" if request is None else request.model

    def _tell_paused(self, step: int) -> None:
        told = f"Training is paused at step {step:,}. Ctrl+T goes on with it; “Begin again” there gives it up."
        self._window.toast.show_message(told, 6000)

    def _show_model(self, name: str) -> None:
        """Whoever trains a model wants to see it."""
        self._trained.add(name)
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
            self._look_again()

    def _new_trace(self) -> None:
        """Whoever goes on from what was before sees what is now."""
        if self._held and self._before is not None and self._window.session.trace is not self._before[0]:
            self._held = False
            if self.training is not None:
                self.training.panel.show_now()
        if self.training is not None:
            self.training.panel.see(self._model_shown)
        self._look_again()

    def _look_again(self) -> None:
        """Something else is shown, or the model has learnt."""
        self._tried = None
        self._soon.start()

    def _look_when_free(self, busy: bool) -> None:
        if busy:
            self._tried = None
        self._soon.start()

    def outdated(self, trace: Trace, request: Request | None) -> bool:
        """Whether the model has learnt since this run: its title says how far it was."""
        if request is None or request.model not in self._trained:
            return False
        return trace.about.get("title") != find(request.model).title

    def _catch_up(self) -> None:
        """The same input, where its model has learnt since. What is being computed is not disturbed."""
        session, computing = self._window.session, self._window.computing
        request = session.request
        if request is None or self._held or computing.background.busy or not self.outdated(session.trace, request):
            return
        wanted = request, find(request.model)
        if wanted != self._tried:
            computing.compute(request, remember=False)
            self._tried = wanted  # once: it may be cancelled
