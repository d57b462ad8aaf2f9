"""Something is being computed: a bar and a Cancel button, once it takes longer than one notices."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QWidget

from txviz.gui.plain import plain_label

DELAY = 250
"""Milliseconds before it shows."""


class BusyIndicator(QWidget):
    cancel_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.bar = QProgressBar(minimum=0, maximum=0)
        self.bar.setMinimumWidth(20)
        self.bar.setTextVisible(False)
        self.count = plain_label()
        self.count.setAccessibleName("Steps so far")
        self.bar.setAccessibleName("Computing")
        self.cancel = QPushButton("Cancel")
        self.cancel.setAccessibleName("Cancel the computation")
        self.cancel.clicked.connect(self.cancel_requested)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.bar, 1)
        row.addWidget(self.count)
        row.addWidget(self.cancel)
        self._delay = QTimer(self, singleShot=True, interval=DELAY)
        self._delay.timeout.connect(self.show)
        self.hide()

    def show_count(self, steps: int) -> None:
        self.count.setText(f"{steps:,} steps")

    def show_busy(self, busy: bool) -> None:
        if busy:
            self.count.clear()
            self._delay.start()
        else:
            self._delay.stop()
            self.hide()
