"""Changes by hand in the run that is shown: a click on a picture makes one, another input may leave it behind."""

from __future__ import annotations

from PySide6.QtCore import QObject

from txviz.gui.computing import Computing
from txviz.gui.inputs.panel import InputPanel
from txviz.gui.session import Session
from txviz.gui.toast import Toast


class Editing(QObject):
    """The input panel keeps the edits, as it does all else that is asked for."""

    def __init__(self, session: Session, panel: InputPanel, computing: Computing, toast: Toast) -> None:
        super().__init__(computing)
        self._session, self._panel, self._toast = session, panel, toast
        computing.dropped.connect(self._drop)

    def change(self, edit: str) -> None:
        """Makes an edit, or takes it back where it was made before."""
        if self._panel.request().model != self._session.trace.about.get("model"):
            self._toast.show_message("The model of this trace is not here, so nothing can be changed in its run.")
            return
        self._panel.page.edits.make_or_undo(edit)

    def _drop(self, edits: tuple[str, ...]) -> None:
        shown = self._session.request
        self._panel.page.edits.show_edits(shown.edits if shown else ())
        self._toast.show_message(f"Taken back, since it was for another input: {'; '.join(edits)}.")
