"""Side by side: a run is kept as A, and whatever is changed from then on is B."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMenu

from txviz.errors import TxvizError
from txviz.figures.pair import Sides
from txviz.figures.views import anything
from txviz.gui.background import Background, Watch
from txviz.gui.compare_bar import CompareBar
from txviz.gui.plain import tip, without_keys
from txviz.gui.stage_bar import CompareButton
from txviz.models.request import Request, compute
from txviz.trace import Trace

if TYPE_CHECKING:
    from txviz.gui.window import Window
    from txviz.models.comparisons import Comparison

BEGUN = "This run is kept as A. Change the input, an option, the model or a number: that is B. Ctrl+B ends it."


class Comparing(QObject):
    """The button with its menu, the bar above the picture, and what they ask for."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self._compared = window.session.compared
        self._said = ""
        """About the two runs that are compared: it goes with them."""

        self.background = Background(self)
        self.background.finished.connect(self._show_both)
        self.background.failed.connect(self._failed)
        self.bar = CompareBar(window.session)
        self.bar.swap_requested.connect(self.swap)
        self.bar.end_requested.connect(self.end)
        self.button = self._button()
        self._compared.changed.connect(self._show)
        window.session.step_changed.connect(self._check_sides)

    def _button(self) -> CompareButton:
        action = self._window.actions_by_key["compare"]
        action.setToolTip("Keep this run as A, and see what changes (Ctrl+B); the arrow has comparisons to begin with")
        button = CompareButton(action)
        menu = QMenu(button)
        menu.aboutToShow.connect(partial(self._fill, menu))
        button.setMenu(menu)
        return button

    def _fill(self, menu: QMenu) -> None:
        """When it is first opened: it asks some models for their examples."""
        from txviz.models.comparisons import comparisons  # with all that trained models need

        if menu.isEmpty():
            for comparison in comparisons().values():
                action = menu.addAction(without_keys(comparison.title), partial(self.show_ready, comparison))
                action.setToolTip(tip(comparison.about))
            menu.setToolTipsVisible(True)

    @property
    def on(self) -> bool:
        return self._compared.trace is not None

    def toggle(self) -> None:
        self.end() if self.on else self.begin()

    def begin(self) -> None:
        """What is shown is A from now on."""
        session = self._window.session
        request, made = session.request, tuple(session.trace.about.get("edits", ()))  # one may be dragged just now
        self._compared.show("all")
        self._compared.keep(session.trace, None if request is None else replace(request, edits=made))
        self._say(BEGUN)

    def keep(self, trace: Trace, request: Request | None) -> None:
        """Another run is A, and what is shown is B."""
        self._compared.show("all")
        self._compared.keep(trace, request)

    def end(self) -> None:
        self._compared.keep(None)
        self._compared.show("all")
        self._window.area.take_focus()

    def swap(self) -> None:
        session, a = self._window.session, self._compared.trace
        if a is None:
            return
        outdated = self._window.tools.outdated(a, self._compared.request)  # then nothing else could be computed from it
        request = None if outdated else self._compared.request
        kept = session.trace, session.request
        if request is not None:
            self._window.input.show_request(request)
        self._compared.blockSignals(True)  # A beside itself need not be drawn
        self._compared.keep(*kept)
        self._compared.blockSignals(False)
        self._window.computing.show(a, request)
        self._compared.changed.emit()

    def let_go(self) -> None:
        """Esc: a message goes first, then the cell, and then A."""
        window = self._window
        chosen = window.session.pinned, window.session.followed, window.area.picture.asked
        held = window.notice.isVisible() or any(each is not None for each in chosen)
        window.notice.dismiss()
        window.session.pin(None)
        window.area.picture.let_go()
        if self.on and not held and window.area.shown.hasFocus():
            self.end()
        window.area.take_focus()

    def next_side(self) -> None:
        """From all to A, to B, to their difference, and to all again."""
        if self.on:
            found = self.bar.sides
            self._compared.show(found[(found.index(self._compared.sides) + 1) % len(found)])

    def show_ready(self, comparison: Comparison) -> None:
        """One that was made ready, off the GUI thread."""
        from txviz.models.comparisons import run_both

        self._window.toast.show_message("Computing both runs…")
        self.background.submit(lambda watch: _Ready(comparison, *run_both(comparison, watch)))

    def resume(self, request: Request, sides: Sides) -> None:
        """What was compared when the window was last open."""

        def work(watch: Watch) -> _Resumed:
            return _Resumed(compute(request, watch), request, sides)

        self.background.submit(work)

    def _show_both(self, made: _Ready | _Resumed) -> None:
        if isinstance(made, _Resumed):
            self._compared.keep(made.trace, made.request)
            self._compared.show(made.sides)
            return
        window, ready = self._window, made.comparison
        window.input.show_request(ready.b)
        self._compared.keep(None)
        window.computing.show(made.b, ready.b)
        window.session.go_to(made.b.outline.find(ready.node).steps[-1].name)  # where all of it is computed
        window.session.show_node(ready.node)
        window.session.choose_picture(ready.picture)
        self._compared.keep(made.a, None if ready.untrained else ready.a)
        self._compared.show("table" if ready.table else "all")
        self._say(ready.about)

    def _failed(self, error: Exception) -> None:
        if not isinstance(error, TxvizError):
            raise error
        self._window.toast.show_message(f"These can't be compared: {error}.")

    def _check_sides(self) -> None:
        """The table is there for two models alone."""
        if self._compared.sides not in self.bar.sides:
            self._compared.show("all")

    def _say(self, text: str) -> None:
        self._said = text
        self._window.toast.show_message(text)

    def _show(self) -> None:
        """Checked as long as there is an A."""
        self._window.actions_by_key["compare"].setChecked(self.on)
        if not self.on:
            self._window.toast.take_back(self._said)
        self.show_plots()

    def show_plots(self) -> None:
        """They are of B alone, and make room while runs are compared."""
        session = self._window.session
        self._window.arrangement.show_plots(not self.on and anything(session.trace, session.step))


class _Ready:
    def __init__(self, comparison: Comparison, a: Trace, b: Trace) -> None:
        self.comparison, self.a, self.b = comparison, a, b


class _Resumed:
    def __init__(self, trace: Trace, request: Request, sides: Sides) -> None:
        self.trace, self.request, self.sides = trace, request, sides
