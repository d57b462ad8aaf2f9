"""What lies over the whole window for a while: the start page, and the presentation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from txviz.models.request import Request

if TYPE_CHECKING:
    from txviz.gui.presentation import Presentation
    from txviz.gui.start_page import StartPage
    from txviz.gui.window import Window


class Overlays(QObject):
    """Both are made when somebody wants them: few starts need either."""

    changed = Signal()

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self.start_page: StartPage | None = None
        self.presentation: Presentation | None = None

    def show_start(self) -> None:
        """Cards of what there is to see."""
        if self.start_page is not None:
            return
        from txviz.gui.start_page import StartPage

        window = self._window
        window.timeline.play(False)
        self.start_page = StartPage(window.theme, window.files.recent, window)
        self.start_page.requested.connect(self._start)
        self.start_page.open_requested.connect(window.computing.open)
        self.start_page.folder_requested.connect(window.files.ask_open_folder)
        self.start_page.left.connect(self._left_start)
        self.start_page.show()
        self.start_page.raise_()
        self.changed.emit()

    def _start(self, request: Request) -> None:
        """The map first: the picture of the whole."""
        window = self._window
        window.session.show_node("")
        window.input.show_request(request)
        window.computing.compute(request)

    def leave_start(self) -> None:
        if self.start_page is not None:
            self.start_page.leave()

    def _left_start(self) -> None:
        page, self.start_page = self.start_page, None
        if page is not None:
            page.deleteLater()
        self._window.area.take_focus()
        self.changed.emit()

    def present(self) -> None:
        """The picture alone over the whole screen, until Esc."""
        from txviz.gui.presentation import SHARED, Presentation

        window = self._window
        window.timeline.play(False)
        actions = [window.actions_by_key[key] for key in SHARED]
        self.presentation = Presentation(window.session, window.theme, actions)
        self.presentation.area.set_scale(window.stage_bar.chosen_scale)
        self.presentation.left.connect(self._presented)
        window.editing.serve(self.presentation.area)
        self.presentation.setScreen(window.screen())
        self.presentation.setGeometry(window.screen().geometry())  # else it fills the screen that (0, 0) is on
        self.presentation.showFullScreen()

    def _presented(self) -> None:
        self.presentation = None
        self._window.activateWindow()
        self._window.area.take_focus()

    def leave(self) -> None:
        """The window is closed, and with it what lies over it."""
        if self.presentation is not None:
            self.presentation.close()
        if self.start_page is not None:
            self.start_page.stop()
