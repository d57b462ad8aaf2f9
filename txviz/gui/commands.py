"""What each command of the table in ``menus`` does, by its name there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from txviz.gui import help_dialogs
from txviz.gui.cell_commands import cell_commands
from txviz.gui.menus import shift_is_held

if TYPE_CHECKING:
    from txviz.gui.window import Window

Commands = dict[str, Callable[[], object]]


def commands(window: Window) -> Commands:
    """Parts of the window that are made later than its menus are looked up when they are needed."""
    return {**_files_and_edits(window), **_moves(window), **cell_commands(window), **_looks(window)}


def _files_and_edits(window: Window) -> Commands:
    return {
        "start": lambda: window.overlays.show_start(),
        "open": window.files.ask_open,
        "open_folder": window.files.ask_open_folder,
        "save": window.files.ask_save,
        "export": window.exporter.ask,
        "lecture": window.exporter.ask_lecture,
        "record": lambda: window.recorder.toggle(),
        "copy": window.copy_figure,
        "quit": window.close,
        "undo": lambda: window.go_back(window.session.undo()),
        "redo": lambda: window.go_back(window.session.redo()),
        "what_if": lambda: window.what_if.open(window.overlays.presentation),
        "find": window.find_step,
        "find_word": window.find_word,
        "input": window.edit_input,
    }


def _moves(window: Window) -> Commands:
    session = window.session
    return {
        "first": lambda: session.go_to(0),
        "previous": lambda: window.timeline.step(-1),
        "play": lambda: window.timeline.play(not window.timeline.playing),
        "next": lambda: window.timeline.step(1),
        "last": lambda: session.go_to(len(session.trace) - 1),
        "key_steps": window.remember_soon,
        "previous_time": lambda: window.timeline.step_time(-1),
        "next_time": lambda: window.timeline.step_time(1),
        "previous_stage": lambda: session.move_stage(-1),
        "next_stage": lambda: session.move_stage(1),
        "previous_place": lambda: session.move_place(-1),
        "next_place": lambda: session.move_place(1),
        "out": session.go_out,
        "map": session.toggle_map,
        "next_picture": session.next_picture,
    }


def _looks(window: Window) -> Commands:
    return {
        "release": lambda: window.cancel() if window.busy.isVisible() else window.comparing.let_go(),
        "compare": lambda: window.comparing.toggle(),
        "swap": lambda: window.comparing.swap(),
        "next_side": lambda: window.comparing.next_side(),
        "zoom_in": lambda: window.resize_text(1) if shift_is_held() else window.area.zoom(1.25),
        "zoom_out": lambda: window.area.zoom(0.8),
        "zoom_fit": lambda: window.area.zoom(0),
        "larger_text": lambda: window.resize_text(1),
        "smaller_text": lambda: window.resize_text(-1),
        "why": lambda: window.explanation.toggle_why(),
        "train": lambda: window.tools.open_training(),
        "meaning": lambda: window.tools.open_meaning(),
        "calculator": lambda: window.tools.open_calculator(),
        "present": lambda: window.overlays.present(),
        "full_screen": lambda: window.setWindowState(window.windowState() ^ Qt.WindowState.WindowFullScreen),
        "reset": lambda: window.arrangement.reset(),
        "keys": lambda: help_dialogs.keys_dialog(window.theme, window).open(),
        "card": window.show_card,
        "about": lambda: help_dialogs.about_dialog(window).open(),
    }
