"""Which picture of a level is shown, where it has several: buttons side by side, or a list where they have no room."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QToolButton, QWidget

from txviz.figures.levels import LEVELS
from txviz.gui.elided_choice import ElidedChoice
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
        self.list = ElidedChoice()
        self.list.setAccessibleName("Picture")
        self.list.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.list.setSizeAdjustPolicy(ElidedChoice.SizeAdjustPolicy.AdjustToContents)
        self.list.setMinimumContentsLength(3)
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

    @property
    def with_text(self) -> int:
        """How wide it is with the words of all buttons, or as the list that it is where there are many."""
        parts = [self.list] if self._many else self._group.buttons()
        edges, gaps = self._row.contentsMargins(), (len(parts) - 1) * self._row.spacing()
        return edges.left() + sum(part.sizeHint().width() for part in parts) + gaps + edges.right()

    def show_briefly(self, on: bool) -> None:
        """As a list, where there is no room for the words of all buttons."""
        brief = bool(self._kinds) and (on or self._many)
        self.list.setVisible(brief)
        for button in self._group.buttons():
            button.setVisible(not brief)
        self._row.activate()

    @property
    def _many(self) -> bool:
        return len(self._kinds) > MOST

    def _show_kinds(self) -> None:
        session = self._session
        kinds = () if session.shows_step or len(session.node.pictures) < 2 else session.node.pictures
        if kinds != self._kinds:
            self._fill(kinds)
        if kinds:
            self.list.setCurrentIndex(kinds.index(session.picture))
            self._group.buttons()[kinds.index(session.picture)].setChecked(True)

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
        self.list.addItems(self.titles)
        for kind in kinds:
            self._add_button(kind)
        self.show_briefly(False)
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
