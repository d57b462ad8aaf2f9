"""Something is being computed: how far it is, a bar and a Cancel button, once it takes longer than one notices."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QGridLayout, QProgressBar, QPushButton, QWidget

from txviz.gui.elided_label import ElidedLabel
from txviz.models.progress import Progress

DELAY = 500
"""Milliseconds before it shows."""

INTERVAL = 100
"""Milliseconds between two looks at how far it is."""

PARTS = 1000
"""Of the bar."""


class BusyIndicator(QWidget):
    cancel_requested = Signal()

    def __init__(self, progress: Callable[[], Progress]) -> None:
        """``progress`` is asked while it is shown."""
        super().__init__()
        self._progress = progress
        self.bar = QProgressBar(minimum=0, maximum=0)
        self.bar.setMinimumWidth(20)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("Computing")
        self.told = ElidedLabel()
        self.told.setAccessibleName("How far it is")
        self.cancel = QPushButton("Cancel")
        self.cancel.setToolTip("Leave all as it was (Esc)")
        self.cancel.setAccessibleName("Cancel the computation")
        self.cancel.clicked.connect(self.cancel_requested)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(2)
        grid.addWidget(self.told, 0, 0)
        grid.addWidget(self.bar, 1, 0)
        grid.addWidget(self.cancel, 0, 1, 2, 1)
        grid.setColumnStretch(0, 1)
        self._delay = QTimer(self, singleShot=True, interval=DELAY)
        self._delay.timeout.connect(self._begin)
        self._again = QTimer(self, interval=INTERVAL)
        self._again.timeout.connect(self._show)
        self.hide()

    def _begin(self) -> None:
        self._show()
        self._again.start()
        self.show()

    def _show(self) -> None:
        """The bar moves to and fro where nobody can say how far it is."""
        progress = self._progress()
        self.told.setText(progress.text)
        self.told.setToolTip(self.told.text())
        self.bar.setMaximum(0 if progress.share is None else PARTS)
        if progress.share is not None:
            self.bar.setValue(round(PARTS * progress.share))

    def show_busy(self, busy: bool) -> None:
        if busy:
            self._delay.start()
        else:
            self._delay.stop()
            self._again.stop()
            self.hide()
