"""Errors where nobody expects them: the window lives on, and what was drawn or typed is still there."""

from __future__ import annotations

import errno
import re
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QKeySequence, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Compute, settle
from tests.gui.shown import Checker
from tests.test_faults import failing, failing_disk
from tests.test_files import files_of_at_most
from txviz.errors import NO_MEMORY
from txviz.figures.export import Export
from txviz.gui.app import MOST_LOGGED, ErrorLog
from txviz.gui.inputs.drawing_editor import DrawingEditor
from txviz.gui.plots.canvas import PointedCanvas
from txviz.gui.window import Window
from txviz.models import find
from txviz.models.request import Request

Act = Callable[[Window, QtBot], None]


def broken(*_: object, **__: object) -> None:
    raise RuntimeError("a fault that was put in")


@pytest.mark.parametrize(
    "where",
    [
        "txviz.gui.figure_view.paint",
        "txviz.gui.stage_view.stage",
        "txviz.gui.scrubber.Scrubber._lay_out",
        "txviz.gui.inputs.grey_board.greys",
        "txviz.gui.explanation.sentences",
        "txviz.gui.plots.canvas.paint",
    ],
)
def test_a_fault_in_a_painter_or_a_view(
    window: Window, qtbot: QtBot, compute: Compute, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    drawing = find("digits").examples[4]
    compute(window, "digits", drawing)
    window.plots_holder.build()
    with qtbot.captureExceptions() as caught, monkeypatch.context() as fault:
        fault.setattr(where, broken)
        window.session.go_to("encoder.0.attention.weights")
        window.update()
        window.input.page.editor.update()
        for child in window.findChildren(type(window.timeline.scrubber)):
            child.update()
        window.repaint()
        settle()
    assert all("a fault that was put in" in str(error) for _, error, _ in caught)
    window.session.go_to("encoder.1.attention.weights")
    settle()
    assert window.isVisible()
    assert window.stage.stage.step.name == "encoder.1.attention.weights"
    assert window.input.request().source == drawing
    assert not window.stage.grab().isNull()


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What is told to nobody is told as in the real program: to the notice bar, and to this file."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)  # both are put back after the test
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    return tmp_path / "errors.log"


def logged(log: Path) -> int:
    """How often the fault is in the log; Qt may say on the way in which method it was."""
    return len(
        re.findall(r"^RuntimeError: (?:Error calling .*: )?a fault that was put in$", log.read_text(), re.MULTILINE)
    )


def keys(*pressed: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> Act:
    def act(window: Window, qtbot: QtBot) -> None:
        for key in pressed:
            qtbot.keyClick(window.windowHandle(), key, modifier)

    return act


def shortcut(text: str) -> Act:
    return lambda window, qtbot: QTest.keySequence(window.windowHandle(), QKeySequence(text))


def play(window: Window, qtbot: QtBot) -> None:
    window.timeline.speed.setCurrentText("20 steps/s")
    if not window.timeline.playing:
        qtbot.keyClick(window.windowHandle(), Qt.Key.Key_Space)


def resize(window: Window, qtbot: QtBot) -> None:
    window.resize(window.width() + 30, window.height() + 20)


def mouse(widget: QWidget, kind: QEvent.Type, at: QPoint, button: Qt.MouseButton = Qt.MouseButton.NoButton) -> None:
    """In its turn, as from the desktop: what goes wrong in an event that a test sends at once is raised in the test."""
    here, none = QPointF(at), Qt.KeyboardModifier.NoModifier
    QCoreApplication.postEvent(widget, QMouseEvent(kind, here, widget.mapToGlobal(here), button, button, none))


def ask_for_room(window: Window, qtbot: QtBot) -> None:
    QCoreApplication.postEvent(window.docks["Input"].widget(), QEvent(QEvent.Type.LayoutRequest))


def let_go(window: Window, qtbot: QtBot) -> None:
    mouse(window, QEvent.Type.MouseButtonRelease, QPoint(3, 3), Qt.MouseButton.LeftButton)


def point(window: Window, qtbot: QtBot) -> None:
    for x in range(100, 600, 40):
        mouse(window.stage.viewport(), QEvent.Type.MouseMove, QPoint(x, 240))


def draw(window: Window, qtbot: QtBot) -> None:
    """A stroke that changes the drawing, as often as it is done."""
    editor = window.input.page.editor
    assert isinstance(editor, DrawingEditor)
    board = editor.board
    start, end = (board.cell_rect(1, column).center() for column in (0, 4))
    pen = Qt.MouseButton.RightButton if board.pixels[1, 0] else Qt.MouseButton.LeftButton
    mouse(board, QEvent.Type.MouseButtonPress, start, pen)
    mouse(board, QEvent.Type.MouseMove, end, pen)
    QTimer.singleShot(0, board, lambda: mouse(board, QEvent.Type.MouseButtonRelease, end))


def plot(tab: int, *, pointed: bool = False) -> Act:
    """Steps, brings a plot to the front, and moves the pointer over it."""

    def act(window: Window, qtbot: QtBot) -> None:
        assert window.plots is not None
        tabs = window.plots.tabs
        qtbot.keyClick(window.windowHandle(), Qt.Key.Key_Right)
        qtbot.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=tabs.tabRect(tab).center())
        for canvas in window.plots.findChildren(PointedCanvas) if pointed else ():
            for y in range(20, canvas.height(), 20):
                mouse(canvas, QEvent.Type.MouseMove, QPoint(canvas.width() // 2, y))

    return act


FAULTS: dict[str, tuple[str, Act]] = {
    "timer: playing": ("txviz.gui.timeline.Timeline.step", play),
    "timer: what is remembered": ("txviz.gui.saved_state.describe", keys(Qt.Key.Key_Right)),
    "timer: the bars after a change in them": ("txviz.gui.arrangement.Arrangement._fit_bars", ask_for_room),
    "timer: a panel that was pulled": ("txviz.gui.arrangement.Arrangement._learn", let_go),
    "timer: what the list marks": ("txviz.gui.steps.StepsView._keep_marked", keys(Qt.Key.Key_Right)),
    "timer: the list after a change of size": ("txviz.gui.steps.StepsView._reveal", resize),
    "thread: formulas": ("txviz.gui.typesetting.typeset", draw),
    "thread: a computation": ("txviz.gui.computing.compute_what_applies", draw),
    "plot: attention": ("txviz.gui.plots.attention.head_of", plot(0)),
    "plot: softmax": ("txviz.gui.plots.softmax.row_of", plot(1)),
    "plot: tokens": ("txviz.gui.plots.tokens.whole", plot(2)),
    "plot: values": ("txviz.gui.plots.distribution.histogram", plot(3)),
    "plot: the pointer": ("txviz.gui.plots.head.HeadView.thing_at", plot(0, pointed=True)),
    "slot: a new step": ("txviz.gui.timeline.Timeline._new_step", keys(Qt.Key.Key_Right)),
    "slot: the list": ("txviz.gui.steps.OutlineTree.index_of", keys(Qt.Key.Key_Right)),
    "slot: the title": ("txviz.gui.window.Window._show_title", keys(Qt.Key.Key_Right)),
    "slot: a head": ("txviz.gui.stage_bar.PlaceSlider.show_axis", keys(Qt.Key.Key_Down)),
    "slot: the answer": ("txviz.gui.answer_badge.answers", draw),
    "slot: the pointer on the stage": ("txviz.gui.stage_view.StageView.point_at", point),
    "slot: a stroke": ("txviz.gui.inputs.board.line", draw),
    "slot: what the panel holds": ("txviz.gui.inputs.panel.Page.request", draw),
    "slot: the map": ("txviz.gui.picture_view.NodeScene", keys(Qt.Key.Key_M, Qt.Key.Key_M)),
    "slot: copying": ("txviz.figures.writers.raster.image", shortcut("Ctrl+C")),
    "slot: exporting": ("txviz.gui.export_dialog.ExportDialog", shortcut("Ctrl+E")),
    "slot: help": ("txviz.gui.help_dialogs.keys_dialog", shortcut("F1")),
}
"""Where the fault is, and what a user does so that it happens."""


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told_once_and_the_window_lives_on(
    window: Window, qtbot: QtBot, compute: Compute, monkeypatch: pytest.MonkeyPatch, log: Path, fault: str
) -> None:
    where, act = FAULTS[fault]
    ErrorLog(window, log).install()  # here, since pytest puts its own hooks in place when a test begins
    compute(window, "digits", find("digits").examples[4])
    window.session.go_to("encoder.0.attention.scaled")
    window.activateWindow()
    window.area.take_focus()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is window.stage)
    drawn = window.input.request()
    with monkeypatch.context() as put_in:
        put_in.setattr(where, broken)
        QTimer.singleShot(0, window, lambda: act(window, qtbot))
        qtbot.waitUntil(window.notice.isVisible)
        assert "Something went wrong inside txviz; your input is kept." in window.notice.text.text()
        assert str(log) in window.notice.text.text()
        settle()
        window.notice.dismiss()
        already = logged(log)
        assert 1 <= already <= MOST_LOGGED
        QTimer.singleShot(0, window, lambda: act(window, qtbot))
        qtbot.waitUntil(lambda: logged(log) >= min(already + 1, MOST_LOGGED))
        settle()
        assert not window.notice.isVisible(), "told once"
        window.timeline.play(False)
    assert logged(log) <= MOST_LOGGED
    drawn = drawn if act is not draw else window.input.request()
    window.session.go_to("encoder.1.attention.weights")
    compute(window, drawn.model, drawn.source)
    settle()
    assert window.isVisible()
    assert window.input.request() == drawn
    assert Checker().disagreements(window) == []
    assert window.session.step.name == "encoder.1.attention.weights"


def test_too_little_memory_is_a_sentence_and_the_window_goes_on(
    window: Window, qtbot: QtBot, compute: Compute, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hungry(*_: object, **__: object) -> None:
        raise MemoryError

    with monkeypatch.context() as fault:
        fault.setattr("txviz.gui.computing.compute_what_applies", hungry)
        with qtbot.waitSignal(window.computing.failed):
            window.computing.compute(Request("sentence-guide", "A dog sleeps."))
        settle()
        assert window.notice.text.text().startswith("There is not enough memory for this; a shorter input")
    compute(window, "sentence-guide", "A dog sleeps.")
    assert window.session.trace.about["input"] == "A dog sleeps."


def export_figure(window: Window, folder: Path) -> None:
    window.exporter.start(Export(window.session.trace, [window.session.step], "svg"), folder / "it.svg")


def export_film(window: Window, folder: Path) -> None:
    short = Export(window.session.trace, [window.session.step], "mp4", seconds=0.1, frames=5.0, resolution=0.1)
    window.exporter.start(short, folder / "it.mp4")


def save_trace(window: Window, folder: Path) -> None:
    window.files.save(folder / "it.safetensors")


def save_compact(window: Window, folder: Path) -> None:
    window.files.save(folder / "it.safetensors", compact=True)


FULL = OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("error", [FULL, MemoryError()], ids=["full", "no memory"])
@pytest.mark.parametrize("write", [export_figure, export_film, save_trace, save_compact])
def test_what_can_not_be_written_is_told_and_can_be_tried_again(
    window: Window, qtbot: QtBot, tmp_path: Path, write: Callable[[Window, Path], None], error: BaseException
) -> None:
    folder = tmp_path / "new"
    folder.mkdir()
    with failing("fsync", error):
        write(window, folder)
        qtbot.waitUntil(window.notice.isVisible)
    told = NO_MEMORY if isinstance(error, MemoryError) else "no space left on device"
    assert told.lower() in window.notice.text.text().lower()
    assert [*folder.iterdir()] == []
    write(window, folder)
    qtbot.waitUntil(lambda: [path for path in folder.iterdir() if not path.name.startswith(".")] != [])


def test_a_figure_is_dragged_where_there_is_no_room_for_a_file(window: Window) -> None:
    """As a picture and a drawing; the file that some programs would rather have is left out."""
    assert [url.isLocalFile() for url in window.files.dragged_data().urls()] == [True]
    with files_of_at_most(10):
        full = window.files.dragged_data()
    assert (full.hasImage(), full.hasFormat("image/svg+xml"), full.urls()) == (True, True, [])


def test_a_file_to_drag_has_a_folder_until_the_window_closes(
    start: Callable[..., Window], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None before: of a program that is killed it would be left over."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    window = start()
    assert [*folder.iterdir()] == []
    (dragged,) = window.files.dragged_data().urls()
    path = Path(dragged.toLocalFile())
    assert (path.parent.parent, path.is_file()) == (folder, True)
    window.close()
    assert [*folder.iterdir()] == []


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="a file that can't be read, of Linux")
def test_a_recent_file_on_a_disk_that_fails(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    path, shown = tmp_path / "it.safetensors", window.session.trace
    shown.save(path)
    window.files.add_recent(path)
    with failing_disk(path):
        window.files.menu.actions()[0].trigger()
        qtbot.waitUntil(window.notice.isVisible)
    assert str(path) in window.notice.text.text()
    assert window.session.trace is shown
    window.files.menu.actions()[0].trigger()
    qtbot.waitUntil(lambda: window.session.trace is not shown)
    assert not window.notice.isVisible()
