"""Which picture of a level is shown, where it has several: buttons side by side, or a list where there are many."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QButtonGroup, QComboBox, QHBoxLayout, QToolButton, QWidget

from txviz.figures.levels import LEVELS
from txviz.gui.session import Session
from txviz.trace.pictures import why_none

MOST = 3
"""More than these would not fit side by side."""


class PictureButtons(QWidget):
    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._kinds: tuple[str, ...] = ()
        self._group = QButtonGroup(self)
        self.list = QComboBox()
        self.list.setAccessibleName("Picture")
        self.list.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.list.activated.connect(lambda place: session.choose_picture(self._kinds[place]))
        session.trace_changed.connect(self._say_why)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 12, 0)
        self._row.setSpacing(2)
        self._row.addWidget(self.list)
        for changed in (session.node_changed, session.step_changed):
            changed.connect(self._show_kinds)
        self._fill(())
        self._show_kinds()
        self._say_why()

    @property
    def buttons(self) -> dict[str, QToolButton]:
        """By the title that is on it."""
        return {button.text(): button for button in self._group.buttons() if isinstance(button, QToolButton)}

    @property
    def titles(self) -> list[str]:
        """What can be chosen, as it is written there."""
        return [LEVELS[kind].title for kind in self._kinds]

    def _show_kinds(self) -> None:
        session = self._session
        kinds = () if session.shows_step or len(session.node.pictures) < 2 else session.node.pictures
        if kinds != self._kinds:
            self._fill(kinds)
        if len(kinds) > MOST:
            self.list.setCurrentIndex(kinds.index(session.picture))
        elif kinds:
            self.buttons[LEVELS[session.picture].title].setChecked(True)

    def _say_why(self) -> None:
        """Where a picture that many look for is not there."""
        why = why_none(self._session.trace.outline, "lens")
        lacking = f" There is no “{LEVELS['lens'].title}”: {why}." if why else ""
        self.list.setToolTip(f"Pictures of this level (V: the next one).{lacking}")
        self.setToolTip(f"Pictures of this level.{lacking}" if why else "")

    def _fill(self, kinds: tuple[str, ...]) -> None:
        for old in self._group.buttons():
            self._group.removeButton(old)
            old.hide()
            old.deleteLater()
        self._kinds = kinds
        self.list.clear()
        self.list.setVisible(len(kinds) > MOST)
        if len(kinds) > MOST:
            self.list.addItems(self.titles)
        else:
            for kind in kinds:
                self._add_button(kind)
        self.setVisible(bool(kinds))

    def _add_button(self, kind: str) -> None:
        button = QToolButton(autoRaise=True)
        button.setText(LEVELS[kind].title)
        button.setCheckable(True)
        button.setAccessibleName(f"Picture: {LEVELS[kind].title}")
        button.setToolTip(f"{LEVELS[kind].about.capitalize()} (V: the next picture)")
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(lambda: self._session.choose_picture(kind))
        self._group.addButton(button)
        self._row.addWidget(button)
