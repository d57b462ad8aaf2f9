"""Saving a trace from the window: beside everything else, with progress and Cancel, and all or nothing on the disk."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from threading import Event, current_thread, main_thread
from time import sleep

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QProgressDialog, QPushButton
from pytestqt.qtbot import QtBot

import txviz
from txviz.gui.background import INTERVAL
from txviz.gui.window import Window
from txviz.trace import pieces


@pytest.fixture
def slow_disk(monkeypatch: pytest.MonkeyPatch) -> Callable[[Event], None]:
    """A disk that is ready when an event has happened; one that nobody sees happen is waited for in vain."""

    def wait_for(event: Event) -> None:
        def sync(_: int) -> None:
            if current_thread() is not main_thread():  # where the window may be saving its own state
                assert event.wait(20), "the window stood still"

        monkeypatch.setattr(os, "fsync", sync)

    return wait_for


def dialog(window: Window) -> QProgressDialog:
    (found,) = window.findChildren(QProgressDialog)
    return found


def saved(window: Window, path: Path) -> bool:
    return window.toast.text() == f"Saved {path}"


def test_the_window_goes_on_while_a_trace_is_saved(
    window: Window, qtbot: QtBot, tmp_path: Path, slow_disk: Callable[[Event], None]
) -> None:
    """The disk is ready only when the event loop has turned and the dialog is there."""
    path, turned = tmp_path / "cat.safetensors", Event()
    slow_disk(turned)
    window.files.save(path)
    qtbot.waitUntil(lambda: dialog(window).isVisible())
    assert dialog(window).labelText() == "Saving the trace…"
    assert list(tmp_path.glob("*.safetensors")) == []
    QTimer.singleShot(0, turned.set)
    qtbot.waitUntil(lambda: saved(window, path))
    assert txviz.load(path).diff(window.session.trace) == []
    assert window.files.recent == [str(path)]
    qtbot.waitUntil(lambda: not window.findChildren(QProgressDialog))


def test_a_small_file_opens_in_the_window(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "cat.safetensors"
    window.files.save(path, compact=True)
    qtbot.waitUntil(lambda: saved(window, path), timeout=60_000)
    assert txviz.load(path).diff(window.session.trace) == []
    window.files.save(tmp_path / "whole.safetensors")
    qtbot.waitUntil(lambda: saved(window, tmp_path / "whole.safetensors"), timeout=60_000)
    assert path.stat().st_size < (tmp_path / "whole.safetensors").stat().st_size


@pytest.mark.parametrize(("there", "way"), [(False, "button"), (True, "button"), (True, "Esc while another is active")])
def test_cancel_leaves_what_was_there(
    window: Window, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool, way: str
) -> None:
    monkeypatch.setattr(pieces, "PIECE", 16)  # as many as a large trace has
    path, halfway, go_on = tmp_path / "cat.safetensors", Event(), Event()
    before = b"the file before" if there else None
    if before is not None:
        path.write_bytes(before)
    save, threads = window.session.trace.save, set()

    def watched_save(where: Path, *, compact: bool, watch: Callable[[int, int], object]) -> None:
        def stop_halfway(done: int, total: int) -> None:
            threads.add(current_thread() is main_thread())
            if done > total / 2 and not halfway.is_set():
                sleep(INTERVAL)  # so that it is told
            watch(done, total)
            if done > total / 2:
                halfway.set()
                go_on.wait(20)

        save(where, compact=compact, watch=stop_halfway)

    monkeypatch.setattr(window.session.trace, "save", watched_save)
    window.files.save(path)
    qtbot.waitUntil(lambda: dialog(window).isVisible() and halfway.is_set())
    qtbot.waitUntil(lambda: dialog(window).value() > 0)
    assert dialog(window).maximum() > 100
    assert dialog(window).maximum() // 2 <= dialog(window).value() <= dialog(window).maximum() // 2 + 2
    if way == "button":
        (cancel,) = dialog(window).findChildren(QPushButton)
        qtbot.mouseClick(cancel, Qt.MouseButton.LeftButton)
    else:
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        qtbot.keyClick(dialog(window), Qt.Key.Key_Escape)
    go_on.set()
    qtbot.waitUntil(lambda: not window.files.background.busy)
    assert threads == {False}
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(("cat", ".cat"))] == (
        ["cat.safetensors"] if there else []
    )
    assert not there or path.read_bytes() == before
    assert not window.notice.isVisible()
    assert window.files.recent == []


def test_what_can_not_be_saved_is_a_sentence(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    window.files.save(tmp_path / "no" / "such" / "cat.safetensors")
    qtbot.waitUntil(window.notice.isVisible)
    assert window.notice.text.text().startswith("Can't write")
    assert window.files.recent == []
