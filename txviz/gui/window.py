"""The main window: puts the parts together and connects them.

Views show the session and ask for changes; here their requests become calls, and computing happens in the background.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QMainWindow

from txviz.errors import TxvizError
from txviz.gui import help_dialogs, saved_state
from txviz.gui.answer_badge import AnswerBadge
from txviz.gui.appearance import (
    DEFAULT_TEXT_SIZE,
    THEME_CHOICES,
    app_icon,
    apply_text_size,
    apply_theme,
    chosen_theme,
    icon,
)
from txviz.gui.arrangement import Arrangement, first_size, make_centre, make_left
from txviz.gui.background import Background
from txviz.gui.busy import BusyIndicator
from txviz.gui.cell_editing import CellEditing
from txviz.gui.commands import commands
from txviz.gui.comparing import Comparing
from txviz.gui.computing import Computing
from txviz.gui.dock import lay_out
from txviz.gui.editing import Editing
from txviz.gui.explanation import ExplanationView
from txviz.gui.export_settings import ExportSettings
from txviz.gui.exporter import Exporter
from txviz.gui.files import OPENED, Files
from txviz.gui.in_sight import InSight
from txviz.gui.inputs.panel import InputPanel
from txviz.gui.inputs.picture_taker import PictureTaker
from txviz.gui.inputs.pictures import OpenWindow, forget_pictures
from txviz.gui.keys import KeyRule
from txviz.gui.menus import add_choices, make_actions, make_menus
from txviz.gui.notice import NoticeBar, sentence
from txviz.gui.overlays import Overlays
from txviz.gui.picture_controls import PictureControls
from txviz.gui.plots_holder import PlotsHolder
from txviz.gui.recording import Recorder
from txviz.gui.session import Session
from txviz.gui.stage_area import StageArea
from txviz.gui.stage_bar import StageBar
from txviz.gui.steps import StepsView
from txviz.gui.strip import Strip
from txviz.gui.timeline import Timeline
from txviz.gui.toast import Toast
from txviz.gui.tools import Tools
from txviz.gui.typesetting import FormulaTypesetter
from txviz.gui.what_if import WhatIf
from txviz.models import find
from txviz.models.request import Request

if TYPE_CHECKING:
    from txviz.gui.plots.panel import PlotPanel


class Window(QMainWindow):
    def __init__(self, session: Session, panel: InputPanel, remembered: Mapping[str, Any], state_path: Path) -> None:
        """``panel`` shows what the session's trace was computed from; ``remembered`` is from ``saved_state.load``."""
        super().__init__()
        self.session, self.input = session, panel
        self._state_path, self._open = state_path, OpenWindow()
        self.theme_choice = remembered.get("theme", "system")
        self.theme = chosen_theme(self.theme_choice)
        self.plots_holder = PlotsHolder(session, self.theme, remembered.get("plot", ""))
        self._unsaved = ""
        self._build(remembered.get("recent", []), ExportSettings.from_json(remembered.get("export")))
        self._wire()
        self.resize(first_size(self.screen().availableGeometry().size()))
        saved_state.restore(self, remembered)
        self._show_step()

    # --- building ---

    def _build(self, recent: list[str], settings: ExportSettings) -> None:
        self.setWindowIcon(app_icon())
        self.setAcceptDrops(True)
        self.setDockOptions(QMainWindow.DockOption.AllowNestedDocks)
        self.computing = Computing(self.session, self)
        self.typesetter = FormulaTypesetter(self.session, self)
        self.area = StageArea(self.session, self.theme)
        self.stage = self.area.stage
        self.notice = NoticeBar(self.theme, self.area)
        self.toast = Toast(self.area)
        self.editing = Editing(self.session, self.input, self.computing, self.toast)
        self.files = Files(self.session, self.area, recent, self)
        self.exporter = Exporter(self.session, settings, self.plots_holder.figure, self)
        self.actions_by_key = make_actions(self, commands(self))
        self.menus = make_menus(self, self.actions_by_key)
        self.stage_bar = StageBar(self.session, self.area)
        self.controls = PictureControls(self.session, self.input)
        self.comparing = Comparing(self)
        self.explanation = ExplanationView(self.session, self.theme)
        self.cells, self.what_if = CellEditing(self.editing, self.area, self.explanation), WhatIf(self.editing)
        self.steps = StepsView(self.session)
        self.badge, self.busy = AnswerBadge(self.session, self.theme), BusyIndicator(self.computing.progress)
        self._show_icons()  # else the buttons want room for words, and Qt does not take it back from the docks
        self.timeline = Timeline(self.session, self.theme, self.actions_by_key)
        self._build_layout()
        self._build_menus()
        self.overlays = Overlays(self)
        self.tools, self.recorder = Tools(self), Recorder(self)
        self.keys, self._in_sight = KeyRule(self, self.area, self.docks.values()), InSight(self)

    def _build_layout(self) -> None:
        strip = Strip(self.input, self.badge, self.busy)
        self.left = make_left(self.input.drawings, self.steps)
        self.centre = make_centre((self.stage_bar, self.controls, self.comparing.bar), self.area, self.explanation)
        self.docks = lay_out(self, strip, self.left, self.centre, self.plots_holder, self.timeline)
        self.stage_bar.add_compare(self.comparing.button)
        self.stage_bar.add_toggle(self.docks["Plots"].toggleViewAction(), "Show or hide the plots")
        self.arrangement = Arrangement(self, self.docks, (self.centre, self.left))

    def _build_menus(self) -> None:
        self.menus["File"].insertMenu(self.actions_by_key["save"], self.files.menu)
        add_choices(self.menus["View"], "&Theme", THEME_CHOICES, self.theme_choice, self.choose_theme)
        panels = self.menus["View"].addMenu("&Panels")
        for dock in self.docks.values():
            panels.addAction(dock.toggleViewAction())

    def _wire(self) -> None:
        session = self.session
        session.step_changed.connect(self._show_step)
        session.node_changed.connect(self._show_title)
        self.overlays.changed.connect(self._show_title)
        for looked in (session.node_changed, session.place_changed, session.compared.changed):
            looked.connect(self.remember_soon)
        session.history_changed.connect(self._show_history)
        self.area.pointed.connect(self.explanation.show_pointed)
        self.input.pointed.connect(self.explanation.show_pointed)
        self.area.currentChanged.connect(self.notice.raise_)
        self.badge.step_requested.connect(session.go_to)
        self.notice.step_requested.connect(session.go_to)
        self.busy.cancel_requested.connect(self.cancel)
        self.timeline.message.connect(self.toast.show_message)
        self.steps.node_requested.connect(session.show_node)
        self.input.requested.connect(self.computing.compute)
        self.input.refused.connect(lambda text: self.notice.show_message(sentence(text)))
        self.computing.finished.connect(self._finished)
        self.computing.opened.connect(self._opened)
        self.computing.replaced.connect(self._replaced)
        self.editing.serve(self.area)
        self.computing.failed.connect(self._failed)
        self.computing.background.busy_changed.connect(self.busy.show_busy)
        self.actions_by_key["play"].toggled.connect(self._show_playing)
        QApplication.styleHints().colorSchemeChanged.connect(self._follow_system)
        self.files.open_requested.connect(self.open)
        self.stage_bar.handle.drag_requested.connect(lambda: self.files.drag(self.stage_bar.handle))
        self.files.recent_changed.connect(self.remember_soon)
        for writer in (self.files, self.exporter):
            writer.message.connect(self.toast.show_message)
            writer.failed.connect(self._tell)
        self.exporter.settings_changed.connect(self.remember_soon)
        self._saver = QTimer(self, singleShot=True, interval=400)
        self._saver.timeout.connect(self.save_state)
        self._apply_theme()
        self._show_history()

    # --- computing ---

    def go_back(self, request: Request | None) -> None:
        if request is None:
            return
        self.session.end_burst()
        try:
            self.input.show_request(request)
        except TxvizError as error:
            self._failed(error)
        else:
            self.computing.compute(request, remember=False)

    def open(self, path: Path) -> None:
        """A saved trace, or a model by its folder or by one of its files."""
        self.overlays.leave_start()
        self.computing.open(path)

    def _opened(self, path: Path) -> None:
        """A trace from a file shows what it was computed from, where its model is there: one can go on from there."""
        self.files.add_recent(path)
        self._show_shown()

    def _show_shown(self) -> None:
        """The input of the run that is shown."""
        with suppress(TxvizError):
            self.input.show_request(self.session.request or Request.of_trace(self.session.trace))

    def _finished(self) -> None:
        self.notice.input_is_fine()
        self._tell_odd_numbers()

    def _tell_odd_numbers(self) -> None:
        odd = self.session.trace.not_finite
        if odd is not None and not self.notice.isVisible():
            self.notice.show_message(sentence(str(odd)), step=odd.step)

    def _replaced(self, error: TxvizError) -> None:
        self.notice.show_message(f"{sentence(error)} Until then, another input is shown.")

    def _failed(self, error: Exception) -> None:
        self._stay()
        self._tell(error)

    def _tell(self, error: Exception) -> None:
        if not isinstance(error, TxvizError):
            raise error
        self.notice.show_message(sentence(error))

    def _stay(self) -> None:
        """What could not be gone back to is not shown as if it were there; what is being typed stays as it is."""
        request, chosen = self.session.request, self.input.request().model
        shown = self.session.stay() or (request if request and request.model != chosen else None)
        if shown is not None:
            self.input.show_request(shown)

    def _try(self, call: Callable[[], object]) -> None:
        """Does it, or tells why it can't be done."""
        try:
            call()
        except TxvizError as error:
            self.notice.show_message(sentence(error))

    def cancel(self) -> None:
        """What is computed is given up, and all is as before."""
        self.computing.background.cancel()
        self.busy.show_busy(False)  # even where the step that is being computed takes a while to end
        self.session.stay()
        self._show_shown()
        self.toast.show_message("Cancelled; the last result is still shown.")

    # --- showing ---

    def _show_step(self) -> None:
        self.comparing.show_plots()
        self._show_title()
        self.remember_soon()

    def _show_title(self) -> None:
        """Where one is: the step, after the level above it where that is shown."""
        session = self.session
        if self.overlays.start_page is not None:
            self.setWindowTitle("txviz — start")
            return
        shown = "" if session.shows_step else f"{session.node.name or session.picture} · "
        self.setWindowTitle(f"txviz — {shown}{session.step.name} ({session.position + 1}/{len(session.trace)})")

    def _show_history(self) -> None:
        self.actions_by_key["undo"].setEnabled(self.session.can_undo)
        self.actions_by_key["redo"].setEnabled(self.session.can_redo)
        self.remember_soon()

    def _show_icons(self) -> None:
        for key in ("first", "previous", "next", "last"):
            self.actions_by_key[key].setIcon(icon(key, self.theme))
        self._show_playing(self.actions_by_key["play"].isChecked())

    def _show_playing(self, playing: bool) -> None:
        action = self.actions_by_key["play"]
        action.setIcon(icon("pause" if playing else "play", self.theme))
        action.setText("P&ause" if playing else "Pl&ay")
        action.setToolTip("Pause (Space)" if playing else "Play (Space)")

    @property
    def plots(self) -> PlotPanel | None:
        """None before they are built."""
        return self.plots_holder.panel

    # --- looks ---

    def choose_theme(self, choice: str) -> None:
        self.theme_choice = choice
        self.theme = chosen_theme(choice)
        self._apply_theme()
        self.remember_soon()

    def _follow_system(self) -> None:
        if self.theme_choice == "system":
            self.choose_theme("system")

    def _apply_theme(self) -> None:
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        apply_theme(app, self.theme)
        self._show_icons()
        self.area.set_theme(self.theme)
        looks = self.explanation, self.input, self.badge, self.notice, self.timeline.scrubber, self.plots_holder
        for part in (*looks, self.tools):
            part.set_theme(self.theme)

    def set_text_size(self, size: float) -> None:
        """Of all text: on the stage, and in everything around it."""
        apply_text_size(size)
        self.area.set_text_size(float(size))
        self.centre.scale = size / DEFAULT_TEXT_SIZE
        self.centre.fit()

    def resize_text(self, by: int) -> None:
        sizes = saved_state.TEXT_SIZES
        now = min(range(len(sizes)), key=lambda i: abs(sizes[i] - self.stage.style_shown.size))
        size = sizes[max(0, min(now + by, len(sizes) - 1))]
        self.set_text_size(size)
        self.toast.show_message(f"Text size {size}", 2000)
        self.remember_soon()

    def show_card(self) -> None:
        name = str(self.session.trace.about.get("model", ""))
        self._try(lambda: help_dialogs.card_dialog(name, find(name).summary, self).open())

    def copy_figure(self) -> None:
        if not self.explanation.copy_selection():
            self.files.copy()

    def find_step(self) -> None:
        self.docks["Steps"].show()
        self.steps.filter.begin()

    def find_word(self) -> None:
        if self.plots_holder.go_to_words():
            self.docks["Plots"].show()
            self.plots_holder.find_word()
        else:
            self.toast.show_message("No softmax of this run is over a vocabulary to look in.")

    def edit_input(self) -> None:
        self.docks["Steps" if self.input.page.draws else "Input"].show()
        self.stage.setFocus()  # a board that was drawn on has the focus, but not yet the keys
        self.input.page.editor.begin.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def remember_soon(self) -> None:
        self._saver.start()

    def save_state(self) -> None:
        try:
            self.files.learn_recent(saved_state.recent(self._state_path))
            saved_state.save(self._state_path, saved_state.describe(self))
        except (TxvizError, OSError) as error:
            if str(error) != self._unsaved:  # told once, and not after every step
                self.toast.show_message(f"What you do here can't be remembered: {error}")
            self._unsaved = str(error)

    # --- Qt's own ---

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.arrangement.fit()

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.recorder.recording is not None:
            self.recorder.end()
        if self.recorder.recording is not None:
            event.ignore()
            return
        self.timeline.play(False)
        self.overlays.leave()
        self.tools.close()
        self.editing.stop()
        for background in self.findChildren(Background):
            background.end()
        self.typesetter.stop()
        self.files.forget_dragged()
        self.area.picture.forget_maps()
        self._saver.stop()
        self.save_state()
        kept = self.session.request, self.session.compared.request
        self._open.end()
        forget_pictures([each.source for each in kept if each is not None])
        super().closeEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        ours = event.source() is not None  # the window's own figure, on its way out
        if not ours and any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        path, editor = Path(event.mimeData().urls()[0].toLocalFile()), self.input.page.editor
        if path.suffix not in OPENED and not path.is_dir() and isinstance(editor, PictureTaker):
            editor.take(event.mimeData())  # a picture is for the model, wherever it is dropped
        else:
            self.open(path)
