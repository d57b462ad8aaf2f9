"""The toolbar: the commands that are used most, and what the model says."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QSizePolicy, QToolBar

from txviz.gui.plain import plain_label, tip
from txviz.gui.session import Session

BUTTONS = {"open": "Open", "save": "Save", "export": "Export", "copy": "Copy", "keys": "Keys"}


class Toolbar(QToolBar):
    def __init__(self, session: Session, actions: Mapping[str, QAction]) -> None:
        super().__init__("Toolbar")
        self._session = session
        self.setObjectName("Toolbar")
        self.setMovable(False)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        for key, text in BUTTONS.items():
            actions[key].setIconText(text)
            self.addAction(actions[key])
        self.output = plain_label()
        self.output.setAccessibleName("Output of the model")
        self.output.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.output.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.output.setMinimumWidth(40)
        self.output.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.addSeparator()
        self.addWidget(self.output)
        session.trace_changed.connect(self._show_output)
        self._show_output()

    def _show_output(self) -> None:
        trace = self._session.trace
        step = trace.output_step
        said = str(trace.output) if step is None else f"{step.title}, {'×'.join(map(str, step.value.shape))}"
        self.output.setText(f"{trace.about.get('model', '')}  →  {said}")
        self.output.setToolTip(tip(f"What the model says: {said}"))
