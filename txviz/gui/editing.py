"""Other runs than the one that is shown: one that is changed by hand with a click on a picture, or one of those that
stand beside it. Another input may leave a change behind. The panel learns how the run that is shown was made."""

from __future__ import annotations

from PySide6.QtCore import QObject

from txviz.figures.patches import find_drawing
from txviz.gui.beside_runs import BesideRuns
from txviz.gui.computing import Computing
from txviz.gui.inputs.panel import InputPanel
from txviz.gui.session import Session
from txviz.gui.stage_area import StageArea
from txviz.gui.toast import Toast
from txviz.gui.untouched import Untouched


class Editing(QObject):
    """The input panel keeps the edits, as it does all else that is asked for."""

    def __init__(self, session: Session, panel: InputPanel, computing: Computing, toast: Toast) -> None:
        super().__init__(computing)
        self.session, self.panel, self.computing, self.toast = session, panel, computing, toast
        self.beside = BesideRuns(session, panel, computing)
        self.untouched = Untouched(session, self)
        computing.dropped.connect(self._drop)
        session.trace_changed.connect(self._show_run)
        self._show_run()

    def serve(self, area: StageArea) -> None:
        """Does what a click on its picture asks for."""
        area.edit_requested.connect(self.change)
        area.run_requested.connect(self.beside.choose)

    def change(self, edit: str) -> None:
        """Makes an edit, or takes it back where it was made before."""
        if self.can_change():
            self.panel.page.edits.make_or_undo(edit)

    def put(self, edit: str) -> None:
        """Makes an edit, in place of those of the same cells."""
        if self.can_change():
            self.session.end_burst()
            self.panel.page.edits.put(edit)

    def switch(self, *edits: str) -> None:
        """Makes all of them, or takes them back where they are there."""
        if self.can_change():
            self.session.end_burst()
            self.panel.page.edits.make_or_undo_all(*edits)

    def can_change(self) -> bool:
        """Whether the run can be computed again; where it can't, that is said."""
        here = self.panel.request().model == self.session.trace.about.get("model")
        if not here:
            self.toast.show_message("The model of this trace is not here, so nothing can be changed in its run.")
        return here

    def stop(self) -> None:
        """Until nothing runs, and nothing will; for closing."""
        self.beside.background.end()
        self.untouched.stop()

    def _show_run(self) -> None:
        """How the run that is shown cut its image, on the drawing board, and what else is to be known about it."""
        trace = self.session.trace
        model = str(trace.about.get("model", ""))
        self.panel.show_patches(model, find_drawing(trace))
        self.panel.show_note(model, str(trace.about.get("note", "")))

    def _drop(self, edits: tuple[str, ...]) -> None:
        shown = self.session.request
        self.panel.page.edits.show_edits(shown.edits if shown else ())
        self.toast.show_message(f"Taken back, since it was for another input: {'; '.join(edits)}.")
