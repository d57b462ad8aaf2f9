"""Above the picture while two runs are compared: which part is looked at, what A and B are, and how to end it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QSizePolicy, QToolButton, QWidget

from txviz.figures.pair import SIDES, Sides
from txviz.gui.elided_label import ElidedLabel
from txviz.gui.keys import leave_keys
from txviz.gui.plain import tip
from txviz.gui.session import Session

ABOUT: dict[Sides, str] = {
    "all": "A and B side by side, and their difference",
    "a": "the run that was kept",
    "b": "the run as it is now",
    "difference": "what B has more or less than A",
    "table": "two models, stage by stage",
}


class CompareBar(QWidget):
    swap_requested = Signal()
    end_requested = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._group = QButtonGroup(self)
        self.buttons = {sides: self._choice(sides) for sides in SIDES}
        self.told = ElidedLabel()
        self.told.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.swap, self.end = _button("⇄", "Swap A and B"), _button("✕", "End the comparison (Ctrl+B)")
        self.swap.clicked.connect(self.swap_requested)
        self.end.clicked.connect(self.end_requested)
        row = QHBoxLayout(self)
        row.setContentsMargins(20, 0, 12, 2)
        row.setSpacing(4)
        for button in self.buttons.values():
            row.addWidget(button)
        row.addWidget(self.told, 1)
        for button in (self.swap, self.end):
            row.addWidget(button)
        session.compared.changed.connect(self._show)
        session.trace_changed.connect(self._show)
        leave_keys(self)
        self._show()

    @property
    def sides(self) -> list[Sides]:
        """Those that there are of the two runs."""
        pair = self._session.compared.pair
        return [sides for sides in SIDES if sides != "table" or (pair is not None and pair.has_table)]

    def _choice(self, sides: Sides) -> QToolButton:
        button = _button(SIDES[sides], f"{ABOUT[sides][0].upper()}{ABOUT[sides][1:]} (X: the next)")
        button.setAccessibleName(f"Show {SIDES[sides]}")
        button.setCheckable(True)
        button.clicked.connect(lambda: self._session.compared.show(sides))
        self._group.addButton(button)
        return button

    def _show(self) -> None:
        compared, pair = self._session.compared, self._session.compared.pair
        self.setVisible(pair is not None)
        if pair is None:
            return
        for sides, button in self.buttons.items():
            button.setVisible(sides in self.sides)
        if compared.sides in self.buttons:
            self.buttons[compared.sides].setChecked(True)
        text = f"A: {pair.told[0]}  ·  B: {pair.told[1]}"
        self.told.setText(text)
        self.told.setToolTip(tip(text))


def _button(text: str, about: str) -> QToolButton:
    button = QToolButton(autoRaise=True)
    button.setText(text)
    button.setToolTip(about)
    button.setAccessibleName(about)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button
