"""The strip along the top: model, input and options, and the answer, which is always in sight."""

from __future__ import annotations

from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from txviz.gui.answer_badge import AnswerBadge
from txviz.gui.busy import BusyIndicator
from txviz.gui.inputs.panel import InputPanel


class Strip(QWidget):
    """While something is computed, that is told where the answer will be."""

    def __init__(self, panel: InputPanel, badge: AnswerBadge, busy: BusyIndicator) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        busy.setAutoFillBackground(True)
        grid = QGridLayout(self)
        grid.setContentsMargins(10, 6, 10, 6)
        grid.setHorizontalSpacing(12)
        grid.addWidget(panel, 0, 0)
        grid.addWidget(badge, 0, 1)
        grid.addWidget(busy, 0, 1)
        grid.setColumnStretch(0, 3)
        grid.setColumnStretch(1, 1)
