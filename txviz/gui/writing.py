"""Files are written off the GUI thread, behind a dialog that tells how far it is and has a Cancel button."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QProgressDialog, QWidget

from txviz.gui.background import Background, Work

DELAY = 400
"""Milliseconds before the dialog shows."""


class Writing(QObject):
    """One after the other; until the end nothing is in its place, so that Cancel leaves nothing behind."""

    finished = Signal(object)
    failed = Signal(object)
    """With the exception."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._dialog: QProgressDialog | None = None
        self.background = Background(self, writes=True)
        self.background.finished.connect(self.finished)
        self.background.failed.connect(self.failed)
        self.background.progressed.connect(self._show)
        self.background.busy_changed.connect(lambda busy: None if busy else self._close())

    def run(self, what: str, work: Work) -> None:
        """``work`` calls its watch with how many of its pieces are done, and of how many."""
        self._close()
        self._dialog = QProgressDialog(what, "Cancel", 0, 0, self._window)
        self._dialog.setWindowModality(Qt.WindowModality.WindowModal)
        shown = QTimer(self._dialog, singleShot=True)  # Qt waits for 4 seconds where nothing is told
        shown.timeout.connect(self._dialog.show)
        shown.start(DELAY)
        for ended in (self._dialog.canceled, self._dialog.rejected):  # Esc, where another window has the keys, hides it
            ended.connect(self.background.cancel)
        self.background.submit(work)

    def _show(self, done: int) -> None:
        if self._dialog is not None and self.background.total:
            self._dialog.setMaximum(self.background.total)
            self._dialog.setValue(min(done, self.background.total - 1))

    def _close(self) -> None:
        if self._dialog is not None:
            for ended in (self._dialog.canceled, self._dialog.rejected):
                ended.disconnect(self.background.cancel)
            self._dialog.close()
            self._dialog.deleteLater()
            self._dialog = None
