"""Which picture of a level is shown, where it has more than one: the board, the tree, the map."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QToolButton, QWidget

from txviz.figures.levels import LEVELS
from txviz.gui.session import Session


class PictureButtons(QWidget):
    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._kinds: tuple[str, ...] = ()
        self._group = QButtonGroup(self)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 12, 0)
        self._row.setSpacing(2)
        for changed in (session.node_changed, session.step_changed):
            changed.connect(self._show_kinds)
        self._fill(())
        self._show_kinds()

    @property
    def buttons(self) -> dict[str, QToolButton]:
        """By the title that is on it."""
        return {button.text(): button for button in self._group.buttons() if isinstance(button, QToolButton)}

    def _show_kinds(self) -> None:
        session = self._session
        kinds = () if session.shows_step or len(session.node.pictures) < 2 else session.node.pictures
        if kinds != self._kinds:
            self._fill(kinds)
        if kinds:
            self.buttons[LEVELS[session.picture].title].setChecked(True)

    def _fill(self, kinds: tuple[str, ...]) -> None:
        for old in self._group.buttons():
            self._group.removeButton(old)
            old.hide()
            old.deleteLater()
        for kind in kinds:
            button = QToolButton(autoRaise=True)
            button.setText(LEVELS[kind].title)
            button.setCheckable(True)
            button.setAccessibleName(f"Picture: {LEVELS[kind].title}")
            button.setToolTip(f"{LEVELS[kind].about.capitalize()} (V: the next picture)")
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.clicked.connect(lambda _=False, kind=kind: self._session.choose_picture(kind))
            self._group.addButton(button)
            self._row.addWidget(button)
        self._kinds = kinds
        self.setVisible(bool(kinds))
