"""The middle of the window: the stage of a step, or the picture of a level above it."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from txviz.figures.colour_scale import Scale
from txviz.figures.marks import Figure
from txviz.figures.style import Style
from txviz.figures.theme import Theme
from txviz.gui.editable_stage import EditableStage
from txviz.gui.picture_view import PictureView
from txviz.gui.session import Session


class StageArea(QStackedWidget):
    pointed = Signal(str)
    """What is under the pointer."""

    edit_requested = Signal(str)
    run_requested = Signal(int)
    first_painted = Signal()
    zoom_changed = Signal(float)
    """Of what is shown."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.stage, self.picture = EditableStage(session, theme), PictureView(session, theme)
        for view in (self.stage, self.picture):
            self.addWidget(view)
            view.pointed.connect(self.pointed)
            view.first_painted.connect(self.first_painted)
            view.zoom_changed.connect(self._tell_zoom)
        self.stage.step_requested.connect(session.go_to)
        self.picture.node_requested.connect(session.show_node)
        self.picture.part_requested.connect(session.show_part)
        self.picture.edit_requested.connect(self.edit_requested)
        self.picture.run_requested.connect(self.run_requested)
        for changed in (session.node_changed, session.step_changed):
            changed.connect(self._choose)
        self._choose()

    @property
    def shown(self) -> EditableStage | PictureView:
        return self.stage if self._session.shows_step else self.picture

    @property
    def style_shown(self) -> Style:
        return self.shown.style_shown

    def set_theme(self, theme: Theme) -> None:
        for view in (self.stage, self.picture):
            view.set_style(replace(view.style_shown, theme=theme))

    def set_text_size(self, size: float) -> None:
        for view in (self.stage, self.picture):
            view.set_style(replace(view.style_shown, size=size))

    def set_scale(self, scale: Scale) -> None:
        """Where colours end."""
        for view in (self.stage, self.picture):
            view.set_style(replace(view.style_shown, scale=scale))

    def zoom(self, factor: float) -> None:
        self.shown.zoom(factor)

    def figure_shown(self) -> Figure:
        return self.shown.figure_shown()

    def take_focus(self) -> None:
        self.shown.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _choose(self) -> None:
        """The keys stay with what is shown."""
        before = self.currentWidget()
        if before is self.shown and self.focusProxy() is self.shown:
            return
        focused = before is not None and before.hasFocus()
        self.setFocusProxy(self.shown)
        self.setCurrentWidget(self.shown)
        self._tell_zoom()
        if focused:
            self.take_focus()

    def _tell_zoom(self) -> None:
        self.zoom_changed.emit(self.style_shown.zoom)
