"""A monkey at the real window: thousands of keys, clicks, drags and nonsense, by a seed.

``make monkey SEED=7 N=10000``, with ``SCREEN=1`` under a window manager on a virtual screen. What it does is in
``monkey_acts``. After each burst of events all parts of the window must agree (``shown``); no exception, no warning of
Qt and no crash is allowed at any time. What it did last is told with whatever it finds.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import os
import shutil
import sys
import tempfile
import threading
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any, cast

from PySide6.QtCore import QKeyCombination, QObject, QPoint, QRect, Qt, QTimer, QtMsgType, qInstallMessageHandler
from PySide6.QtGui import QDrag, QGuiApplication, QKeySequence, QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox, QWidget
from shiboken6 import isValid

from tests.gui.monkey_acts import ACTS, ANSWERS, CTRL, LEFT, NOTHING
from tests.gui.shown import Checker
from tests.models.checkpoints.reference import FOLDER
from txviz.gui.inputs.drawing_editor import DrawingEditor
from txviz.gui.window import Window

BURST = 20
PATIENCE = 3.0
"""Seconds that a computation may take before the monkey cancels it."""
STUCK = 120
"""Seconds after which a burst that has not ended tells where it is, and ends the program."""
BLOCKED = 0.3
"""Seconds after which an event that has not returned is taken to wait for an answer in a dialog or menu of its own."""
IGNORED = ("This plugin does not support", "Mouse event at ")
"""Said by the platform that needs no screen, and by who drags over the edge of a window that gets smaller."""


class Found(Exception):  # noqa: N818, what a monkey is for
    """Something that must not be."""


class Watcher:
    """Every exception that nobody caught, and every warning of Qt and of Python, while it is there."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def __enter__(self) -> Watcher:
        self._before = sys.excepthook, threading.excepthook, sys.unraisablehook
        sys.excepthook = lambda *error: self.found.append("".join(traceback.format_exception(*error)))
        threading.excepthook = lambda args: self.found.append("".join(traceback.format_exception(args.exc_value)))
        sys.unraisablehook = lambda args: self.found.append(repr(args.exc_value))
        self._showwarning, warnings.showwarning = warnings.showwarning, self._warning
        self._handler = qInstallMessageHandler(self._message)
        return self

    def __exit__(self, *_: object) -> None:
        sys.excepthook, threading.excepthook, sys.unraisablehook = self._before
        qInstallMessageHandler(self._handler)
        warnings.showwarning = self._showwarning

    def _warning(
        self, message: Warning | str, category: type[Warning], filename: str, lineno: int, *_: object, **__: object
    ) -> None:
        self.found.append(f"{category.__name__}: {message}, in {filename}, line {lineno}")

    def _message(self, kind: QtMsgType, _: object, text: str) -> None:
        if kind not in (QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg) and not text.startswith(IGNORED):
            self.found.append(f"Qt: {text}")


class Log(deque[str]):
    """The last acts, and in a file all of them: a crash of the process tells nothing else."""

    def __init__(self, path: Path) -> None:
        super().__init__(maxlen=4 * BURST)
        self._file = path.open("w", encoding="utf-8", errors="backslashreplace", buffering=1)

    def append(self, text: str) -> None:
        super().append(text)
        self._file.write(f"{text}\n")

    def close(self) -> None:
        self._file.close()


class Monkey(QObject):
    """Plays with the window that ``start`` gives, and with a new one where it has closed that."""

    def __init__(self, seed: int, start: Callable[[], Window], folder: Path, watcher: Watcher, log: Log) -> None:
        super().__init__()
        self.random, self._start, self.folder, self._watcher = Random(seed), start, folder, watcher
        self.window = start()
        self.events = 0
        self.log = log
        self._checker = Checker()
        self._since = monotonic()
        self._answers = 0
        self._panel, self._settling = "", False
        self._clock = QTimer(self, interval=50)
        self._clock.timeout.connect(self._answer)

    def run(self, events: int) -> None:
        """Raises ``Found`` with all that is known of the first thing that is wrong."""
        self._clock.start()
        while self.events < events:
            self.burst()
        self._clock.stop()
        faulthandler.cancel_dump_traceback_later()

    def burst(self) -> None:
        self.log.append("--- burst")
        faulthandler.dump_traceback_later(STUCK, exit=True)
        until = self.events + self.random.randint(1, 2 * BURST)
        try:
            while self.events < until:
                self._answers = 0
                self.act()
                self._tell_panel()
                self._complain(self._watcher.found)
            self._settling = True
            self._settle()
            self._settling = False
            shown = self._checker.disagreements(self.window) if self.window.isVisible() else []
            self._complain([*self._watcher.found, *shown])
        except Found:
            raise
        except Exception as error:
            self._complain([traceback.format_exc()], error)

    def act(self) -> None:
        """One thing that a user does; most are several events."""
        if not self.window.isVisible():
            self.note("starts again")
            self.window.deleteLater()
            self.window = self._start()
        if QApplication.activeWindow() is None:  # a desktop gives the keys back to the window when a dialog closes
            self.window.activateWindow()
        self.random.choices(list(ACTS), list(ACTS.values()))[0](self)

    @property
    def free(self) -> bool:
        """Whether no menu and no dialog is in front of the window."""
        return QApplication.activeModalWidget() is None and QApplication.activePopupWidget() is None

    def _tell_panel(self) -> None:
        """What the input panel asks for, and what is shown, where that has changed."""
        asked, shown = self.window.input.request(), self.window.session.request
        told = f"    asked: {asked}; shown: {'the same' if asked == shown else shown}"
        if told != self._panel:
            self._panel = told
            self.log.append(told)

    def _complain(self, found: list[str], cause: Exception | None = None) -> None:
        if found:
            picture = self.folder / "window.png"
            self.window.grab().save(str(picture))
            told = [*self.log, "", f"after {self.events} events; the window is in {picture}", *found]
            raise Found("\n".join(told)) from cause

    def _settle(self) -> None:
        """Until nothing is being computed, written or read any more, and no layout asks for another one."""
        self._pump(20)
        trains = self._pause_training()
        end = monotonic() + (STUCK / 4 if trains else PATIENCE)  # who cancels then sees weights that are gone
        while self._busy():
            self._pump(10)
            if monotonic() > end:
                self.note("loses patience")
                modal = QApplication.activeModalWidget()
                if modal is not None:
                    QTest.keyClick(modal, Qt.Key.Key_Escape)
                self.window.busy.cancel.click()
                end += PATIENCE
        before, now = ("", [QRect()]), self._look()
        while before != now:
            self._pump(20)
            before, now = now, self._look()
            if monotonic() > end:
                self.window.timeline.play(False)

    def _pause_training(self) -> bool:
        """Which is never at rest, and to what is now: "before" has weights that are gone. Whether there is any."""
        dock = self.window.tools.training
        if dock is None or not dock.panel.learning.begun:
            return False
        self.note("pauses the training")
        panel = dock.panel
        for button in (panel.before, panel.run):
            if button.isChecked() or button.text() == "Pause":
                button.click()
        seen, end = None, monotonic() + STUCK / 2
        while (panel.last is None or panel.last is not seen) and monotonic() < end:  # the first comes late
            seen = panel.last
            self._pump(1000)  # a step that was begun may take a while
        return True

    def _look(self) -> tuple[str, list[QRect]]:
        """Where one is, and where everything is: a step that comes while it plays may bring a scroll bar with it."""
        places = [each.geometry() for each in self.window.findChildren(QWidget) if each.isVisible()]
        return self.window.windowTitle(), places

    def _busy(self) -> bool:
        editor = self.window.input.page.editor
        reading = isinstance(editor, DrawingEditor) and editor._reading.busy
        workers = self.window.computing, self.window.comparing, self.window.exporter, self.window.files
        following = self.window.cells.scrubbing.owing or self.window.session.sliding
        return reading or following or any(worker.background.busy for worker in workers)

    def _pump(self, milliseconds: int) -> None:
        QTest.qWait(milliseconds)
        QApplication.processEvents()

    # --- what stands in the way: a menu or dialog that waits for its answer inside of an event ---

    def _answer(self) -> None:
        waiting = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        if monotonic() - self._since < BLOCKED:
            return
        if waiting is None:
            if QGuiApplication.platformName() == "xcb":  # where who drags waits for the real pointer
                QDrag.cancel()
            return
        if self._settling and not isinstance(waiting, QFileDialog | QMessageBox):
            return  # nobody waits for it, and to answer would change what is looked at
        self._answers += 1
        self._since = monotonic()
        QTimer.singleShot(0, self, lambda: self._answer_to(waiting))  # which may wait for an answer, too

    def _answer_to(self, waiting: QWidget) -> None:
        if not waiting.isVisible():
            return
        handle = self.handle_of(waiting)
        if isinstance(waiting, QFileDialog):
            self._answer_file(handle)
        else:
            self.key(self.random.choice((*ANSWERS, *[Qt.Key.Key_Escape] * self._answers)), handle=handle)

    def _answer_file(self, handle: QWindow) -> None:
        """Names a file in the monkey's own folder, and nothing else: a dialog of files can delete them."""
        if self.random.random() < 0.4:
            self.key(Qt.Key.Key_Escape, handle=handle)
            return
        name = self.random.choice(("a.safetensors", "b.safetensors", "c", "no/such/d", "e.png", "x" * 300))
        self.write(str(self.folder / name), handle)
        self.key(Qt.Key.Key_Return, handle=handle)

    # --- events ---

    def note(self, text: str) -> None:
        self.events += 1
        self._since = monotonic()
        self.log.append(text)

    def handle(self) -> QWindow:
        """The window that keys and clicks go to."""
        shown = [each for each in (QApplication.activePopupWidget(), QApplication.activeModalWidget()) if each]
        if not shown:
            shown = [self.random.choice([*[self._front()] * 6, *self._beside()])]
        return self.handle_of(shown[0])

    def _front(self) -> QWidget:
        """The window, unless a presentation covers it."""
        return self.window.overlays.presentation or self.window

    def _beside(self) -> list[QWidget]:
        """Panels that were torn off, the calculator and the like."""
        covering = (self.window, self.window.overlays.presentation)
        return [each for each in QApplication.topLevelWidgets() if each.isVisible() and each not in covering]

    def handle_of(self, widget: QWidget) -> QWindow:
        self._shown = widget.window()  # kept: the handle is gone with Python's hold on its widget
        handle: QWindow | None = self._shown.windowHandle()
        return self.window.windowHandle() if handle is None else handle

    def spot(self, handle: QWindow, inside: QWidget | None = None) -> QPoint:
        """Somewhere in the window, or in one of its widgets."""
        place = inside.rect() if inside is not None else None
        if inside is None or place is None or place.isEmpty():
            return QPoint(self.random.randrange(max(1, handle.width())), self.random.randrange(max(1, handle.height())))
        spot = QPoint(self.random.randint(0, place.right()), self.random.randint(0, place.bottom()))
        at = inside.mapTo(inside.window(), spot)
        return QPoint(min(max(at.x(), 0), handle.width() - 1), min(max(at.y(), 0), handle.height() - 1))

    def key(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = NOTHING, handle: QWindow | None = None) -> None:
        self.note(f"key {modifiers.name} {key.name} at {_name(QApplication.focusWidget())}")
        if (modifiers, key) != (CTRL, Qt.Key.Key_Q):
            _press_key(handle or self.handle(), key, modifiers)

    def shortcut(self, keys: str) -> None:
        handle = self.handle()
        self.note(f"keys {keys} at {_name(QApplication.focusWidget())}")
        (combination,) = cast("Sequence[QKeyCombination]", QKeySequence(keys))
        _press_key(handle, Qt.Key(combination.key()), combination.keyboardModifiers())

    def write(self, text: str, into: QWindow | None = None) -> None:
        handle = into or self.handle()
        self.note(f"types {text!r} at {_name(QApplication.focusWidget())}")
        for letter in text:
            key = Qt.Key(ord(letter.upper())) if letter.isascii() and letter.isprintable() else Qt.Key.Key_unknown
            if isValid(handle):  # a letter may close the dialog
                QTest.sendKeyEvent(QTest.KeyAction.Click, handle, key, letter, NOTHING)

    def point(self, handle: QWindow, at: QPoint) -> None:
        self.note(f"points {at.toTuple()} {_under(handle, at)}")
        QTest.mouseMove(handle, at)

    def wheel(self, handle: QWindow, at: QPoint, turned: int, modifiers: Qt.KeyboardModifier) -> None:
        self.note(f"wheel {turned} {modifiers.name} {at.toTuple()} {_under(handle, at)}")
        QTest.wheelEvent(handle, at, QPoint(0, turned), QPoint(), modifiers)

    def press(self, handle: QWindow, at: QPoint, button: Qt.MouseButton = LEFT, double: bool = False) -> None:
        self.note(f"{'double-' if double else ''}click {button.name} {at.toTuple()} {_under(handle, at)}")
        QTest.mouseMove(handle, at)
        if isValid(handle):
            (QTest.mouseDClick if double else QTest.mousePress)(handle, button, NOTHING, at)
        if isValid(handle) and not double:
            QTest.mouseRelease(handle, button, NOTHING, at)

    def pull(self, handle: QWindow, path: list[QPoint], button: Qt.MouseButton = LEFT) -> None:
        self.note(f"drag {button.name} {[at.toTuple() for at in path]} {_under(handle, path[0])}")
        QTest.mousePress(handle, button, NOTHING, path[0])
        for at in path[1:]:
            self.events += 1
            if isValid(handle):
                QTest.mouseMove(handle, at)
        if isValid(handle):
            QTest.mouseRelease(handle, button, NOTHING, path[-1])

    def widgets(self, kind: type[QWidget]) -> list[Any]:
        top = QApplication.activePopupWidget() or QApplication.activeModalWidget() or self._front()
        return [each for each in top.findChildren(kind) if each.isVisible() and each.isEnabled()]


def _press_key(handle: QWindow, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> None:
    """And let go of it, where that has not closed the window: Qt's own click would go on to a window that is gone."""
    QTest.keyPress(handle, key, modifiers)
    if isValid(handle):
        QTest.keyRelease(handle, key, modifiers)


def _name(widget: QWidget | None) -> str:
    return "nothing" if widget is None else f"{type(widget).__name__} “{widget.accessibleName()}”"


def _under(handle: QWindow, at: QPoint) -> str:
    return _name(QApplication.widgetAt(handle.mapToGlobal(at)))


def memory() -> float:
    """Of this process, in MB; 0 where the system does not tell."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6 if statm.exists() else 0.0


def play(seed: int, events: int, start: Callable[[], Window], folder: Path, tell: Callable[[str], object]) -> None:
    """Raises ``Found`` where something is wrong."""
    shutil.copytree(FOLDER, folder / FOLDER.name)  # what is opened is the monkey's own: a dialog of files can delete it
    shutil.copy(FOLDER.parent / "trace-version-2.safetensors", folder)
    with Watcher() as watcher, closing(Log(folder / "acts.txt")) as log:
        monkey = Monkey(seed, start, folder, watcher, log)
        for until in range(1000, events + 1000, 1000):
            monkey.run(min(until, events))
            gc.collect()
            tell(f"{monkey.events:,} events, {memory():,.0f} MB, {len(QApplication.allWidgets())} widgets")
        monkey.window.recorder.forget()
        monkey.window.close()


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--seed", type=int, default=1)
    reader.add_argument("--events", type=int, default=10_000)
    chosen = reader.parse_args()
    faulthandler.enable()
    folder = Path(tempfile.mkdtemp(prefix="txviz-monkey-"))
    os.environ["HOME"] = str(folder)
    if os.environ.get("QT_QPA_PLATFORM") == "offscreen":  # two screens, one of them with larger pixels
        os.environ["QT_QPA_PLATFORM"] = f"offscreen:configfile={Path(__file__).with_name('screens.json')}"
    os.chdir(folder)
    from txviz.gui.app import FIRST, make_application, make_window

    app = make_application()
    print(f"seed {chosen.seed}; what is done is written to {folder / 'acts.txt'}", flush=True)

    def start() -> Window:
        path = folder / "state.json"
        window = make_window(path, None, None if path.exists() else FIRST)
        window.show()
        QTest.qWaitForWindowExposed(window)
        window.plots_holder.build()
        return window

    try:
        play(chosen.seed, chosen.events, start, folder, lambda text: print(text, flush=True))
    except Found as found:
        print(f"seed {chosen.seed}: {found}", file=sys.stderr, flush=True)
        os._exit(1)
    QGuiApplication.clipboard().clear()  # what is left in it outlives Python, and crashes
    app.shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
