"""A monkey at the real window: thousands of keys, clicks, drags and nonsense, by a seed.

``make monkey SEED=7 N=10000``. After each burst of events all parts of the window must agree (``shown``); no exception,
no warning of Qt and no crash is allowed at any time. What it did last is told with whatever it finds.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import os
import sys
import tempfile
import threading
import traceback
from collections import deque
from collections.abc import Callable
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

from PySide6.QtCore import QMimeData, QObject, QPoint, QRect, Qt, QTimer, QtMsgType, QUrl, qInstallMessageHandler
from PySide6.QtGui import QColor, QDropEvent, QGuiApplication, QImage, QKeySequence, QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QFileDialog, QMenu, QWidget
from shiboken6 import isValid

from tests.gui.shown import Checker
from txviz.gui.inputs.drawing_editor import DrawingEditor
from txviz.gui.menus import COMMANDS
from txviz.gui.window import Window

LEFT, RIGHT, MIDDLE = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton
NOTHING, SHIFT, CTRL = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
)
BURST = 20
PATIENCE = 3.0
"""Seconds that a computation may take before the monkey cancels it."""
STUCK = 120
"""Seconds after which a burst that has not ended tells where it is, and ends the program."""
BLOCKED = 0.3
"""Seconds after which an event that has not returned is taken to wait for an answer in a dialog or menu of its own."""
IGNORED = ("This plugin does not support",)
"""Said by the platform that needs no screen."""

TEXTS = (
    "The cat sat.", "a", " ", "", "The house is big", "I love you very much", "0,8", "1.5", "-1e9", "nan", "3" * 30,
    "猫が座った 🐈", "Ünïcödé", "<b>&amp;", "| |", "a | b", "zzz qqq " * 8, "{}", "\\input{x}", "=1+1", "%s",
    "weights",
)  # fmt: skip
_K = Qt.Key
ANSWERS = [
    _K.Key_Left, _K.Key_Right, _K.Key_Up, _K.Key_Down, _K.Key_Home, _K.Key_End, _K.Key_Return, _K.Key_Escape,
    _K.Key_Tab, _K.Key_Space,
]  # fmt: skip
"""What one presses in a menu or dialog."""
KEYS = [
    *ANSWERS, _K.Key_PageUp, _K.Key_PageDown, _K.Key_Enter, _K.Key_Backtab, _K.Key_Backspace, _K.Key_Delete,
    _K.Key_Insert, _K.Key_Menu, _K.Key_F1, _K.Key_F2, _K.Key_F5, _K.Key_F6, _K.Key_F11, _K.Key_A, _K.Key_C, _K.Key_M,
    _K.Key_V, _K.Key_X, _K.Key_Y, _K.Key_Z, _K.Key_Plus, _K.Key_Minus, _K.Key_Equal, _K.Key_0, _K.Key_5, _K.Key_Period,
    _K.Key_Comma,
]  # fmt: skip
SHORTCUTS = [key for command in COMMANDS for key in command.keys if command.key != "quit"]


class Found(Exception):  # noqa: N818, what a monkey is for
    """Something that must not be."""


class Watcher:
    """Every exception that nobody caught, and every warning of Qt, while it is there."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def __enter__(self) -> Watcher:
        self._before = sys.excepthook, threading.excepthook, sys.unraisablehook
        sys.excepthook = lambda *error: self.found.append("".join(traceback.format_exception(*error)))
        threading.excepthook = lambda args: self.found.append("".join(traceback.format_exception(args.exc_value)))
        sys.unraisablehook = lambda args: self.found.append(repr(args.exc_value))
        self._handler = qInstallMessageHandler(self._message)
        return self

    def __exit__(self, *_: object) -> None:
        sys.excepthook, threading.excepthook, sys.unraisablehook = self._before
        qInstallMessageHandler(self._handler)

    def _message(self, kind: QtMsgType, _: object, text: str) -> None:
        if kind not in (QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg) and not text.startswith(IGNORED):
            self.found.append(f"Qt: {text}")


class Monkey(QObject):
    """Plays with the window that ``start`` gives, and with a new one where it has closed that."""

    def __init__(self, seed: int, start: Callable[[], Window], folder: Path, watcher: Watcher) -> None:
        super().__init__()
        self.random, self._start, self._folder, self._watcher = Random(seed), start, folder, watcher
        self.window = start()
        self.events = 0
        self.log: deque[str] = deque(maxlen=4 * BURST)
        self._checker = Checker()
        self._since = monotonic()
        self._answers = 0
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
                self._complain(self._watcher.found)
            self._settle()
            self._complain([*self._watcher.found, *self._checker.disagreements(self.window)])
        except Found:
            raise
        except Exception as error:
            self._complain([traceback.format_exc()], error)

    def act(self) -> None:
        """One thing that a user does; most are several events."""
        if not self.window.isVisible():
            self._note("starts again")
            self.window.deleteLater()
            self.window = self._start()
        if QApplication.activeWindow() is None:  # a desktop gives the keys back to the window when a dialog closes
            self.window.activateWindow()
        action = self.random.choices(list(_ACTIONS), list(_ACTIONS.values()))[0]
        action(self)

    def _complain(self, found: list[str], cause: Exception | None = None) -> None:
        if found:
            picture = self._folder / "window.png"
            self.window.grab().save(str(picture))
            told = [*self.log, "", f"after {self.events} events; the window is in {picture}", *found]
            raise Found("\n".join(told)) from cause

    def _settle(self) -> None:
        """Until nothing is being computed, written or read any more, and no layout asks for another one."""
        end = monotonic() + PATIENCE
        self._pump(20)
        if self.window.tools.training is not None and self.window.tools.training.panel.learning.begun:
            self._note("ends the training")  # which is never at rest
            self.window.tools.training.close()
            self._pump(20)
        while self._busy():
            self._pump(10)
            if monotonic() > end:
                self._note("loses patience")
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

    def _look(self) -> tuple[str, list[QRect]]:
        """Where one is, and where everything is: a step that comes while it plays may bring a scroll bar with it."""
        places = [each.geometry() for each in self.window.findChildren(QWidget) if each.isVisible()]
        return self.window.windowTitle(), places

    def _busy(self) -> bool:
        editor = self.window.input.page.editor
        reading = isinstance(editor, DrawingEditor) and editor._reading.busy
        return self.window.computing.background.busy or self.window.exporter.background.busy or reading

    def _pump(self, milliseconds: int) -> None:
        QTest.qWait(milliseconds)
        QApplication.processEvents()

    # --- what stands in the way: a menu or dialog that waits for its answer inside of an event ---

    def _answer(self) -> None:
        waiting = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        if waiting is None or monotonic() - self._since < BLOCKED:
            return
        self._answers += 1
        self._since = monotonic()
        QTimer.singleShot(0, self, lambda: self._answer_to(waiting))  # which may wait for an answer, too

    def _answer_to(self, waiting: QWidget) -> None:
        if not waiting.isVisible():
            return
        handle = self._handle_of(waiting)
        if isinstance(waiting, QFileDialog):
            self._answer_file(handle)
        else:
            self._key(handle, self.random.choice((*ANSWERS, *[Qt.Key.Key_Escape] * self._answers)))

    def _answer_file(self, handle: QWindow) -> None:
        """Names a file in the monkey's own folder, and nothing else: a dialog of files can delete them."""
        if self.random.random() < 0.4:
            self._key(handle, Qt.Key.Key_Escape)
            return
        name = self.random.choice(("a.safetensors", "b.safetensors", "c", "no/such/d", "e.png", "x" * 300))
        self._type(handle, str(self._folder / name))
        self._key(handle, Qt.Key.Key_Return)

    # --- events ---

    def _note(self, text: str) -> None:
        self.events += 1
        self._since = monotonic()
        self.log.append(text)

    def _handle(self) -> QWindow:
        """The window that keys and clicks go to."""
        shown = [each for each in (QApplication.activePopupWidget(), QApplication.activeModalWidget()) if each]
        if not shown:
            floating = [dock for dock in self.window.docks.values() if dock.isFloating() and dock.isVisible()]
            shown = [self.random.choice([*[self.window] * 6, *floating])]
        return self._handle_of(shown[0])

    def _handle_of(self, widget: QWidget) -> QWindow:
        self._shown = widget.window()  # kept: the handle is gone with Python's hold on its widget
        handle: QWindow | None = self._shown.windowHandle()
        return self.window.windowHandle() if handle is None else handle

    def _spot(self, handle: QWindow, inside: QWidget | None = None) -> QPoint:
        """Somewhere in the window, or in one of its widgets."""
        place = inside.rect() if inside is not None else None
        if inside is None or place is None or place.isEmpty():
            return QPoint(self.random.randrange(max(1, handle.width())), self.random.randrange(max(1, handle.height())))
        spot = QPoint(self.random.randint(0, place.right()), self.random.randint(0, place.bottom()))
        at = inside.mapTo(inside.window(), spot)
        return QPoint(min(max(at.x(), 0), handle.width() - 1), min(max(at.y(), 0), handle.height() - 1))

    def _key(self, handle: QWindow, key: Qt.Key, modifiers: Qt.KeyboardModifier = NOTHING) -> None:
        self._note(f"key {modifiers.name} {key.name} at {_name(QApplication.focusWidget())}")
        if (modifiers, key) != (CTRL, Qt.Key.Key_Q):
            QTest.keyClick(handle, key, modifiers)

    def _type(self, handle: QWindow, text: str) -> None:
        self._note(f"types {text!r} at {_name(QApplication.focusWidget())}")
        for letter in text:
            key = Qt.Key(ord(letter.upper())) if letter.isascii() and letter.isprintable() else Qt.Key.Key_unknown
            if isValid(handle):  # a letter may close the dialog
                QTest.sendKeyEvent(QTest.KeyAction.Click, handle, key, letter, NOTHING)

    def _press(self, handle: QWindow, at: QPoint, button: Qt.MouseButton = LEFT, double: bool = False) -> None:
        self._note(f"{'double-' if double else ''}click {button.name} {at.toTuple()} {_under(handle, at)}")
        QTest.mouseMove(handle, at)
        if isValid(handle):
            (QTest.mouseDClick if double else QTest.mouseClick)(handle, button, NOTHING, at)

    def _pull(self, handle: QWindow, path: list[QPoint], button: Qt.MouseButton = LEFT) -> None:
        self._note(f"drag {button.name} {[at.toTuple() for at in path]} {_under(handle, path[0])}")
        QTest.mousePress(handle, button, NOTHING, path[0])
        for at in path[1:]:
            self.events += 1
            if isValid(handle):
                QTest.mouseMove(handle, at)
        if isValid(handle):
            QTest.mouseRelease(handle, button, NOTHING, path[-1])

    def _widgets(self, kind: type[QWidget]) -> list[Any]:
        top = QApplication.activeModalWidget() or self.window
        return [each for each in top.findChildren(kind) if each.isVisible() and each.isEnabled()]

    # --- what a user does ---

    def press_key(self) -> None:
        modifiers = self.random.choice((NOTHING, NOTHING, NOTHING, SHIFT, CTRL, CTRL | SHIFT))
        self._key(self._handle(), self.random.choice(KEYS), modifiers)

    def press_shortcut(self) -> None:
        keys, handle = self.random.choice(SHORTCUTS), self._handle()
        self._note(f"keys {keys} at {_name(QApplication.focusWidget())}")
        QTest.keySequence(handle, QKeySequence(keys))

    def walk(self) -> None:
        key = self.random.choice((Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Down))
        self._key(self._handle(), Qt.Key.Key_Escape)
        for _ in range(self.random.randint(1, 8)):
            self._key(self._handle(), key)

    def type_text(self) -> None:
        self._type(self._handle(), self.random.choice(TEXTS))

    def type_input(self) -> None:
        self._key(self._handle(), Qt.Key.Key_I, CTRL)
        if self.random.random() < 0.5:
            self._key(self._handle(), Qt.Key.Key_A, CTRL)
        self.type_text()

    def click(self) -> None:
        handle = self._handle()
        button = self.random.choice((LEFT, LEFT, LEFT, LEFT, RIGHT, MIDDLE))
        self._press(handle, self._spot(handle), button, double=self.random.random() < 0.15)

    def click_button(self) -> None:
        self._click_one_of(self._widgets(QAbstractButton))

    def click_widget(self) -> None:
        self._click_one_of(self._widgets(QWidget))

    def _click_one_of(self, widgets: list[QWidget]) -> None:
        if widgets:
            chosen = self.random.choice(widgets)
            handle = self._handle_of(chosen)
            self._press(handle, self._spot(handle, chosen))

    def choose(self) -> None:
        """From a list that folds out, by pointer and keys."""
        self._choose_from(self._widgets(QComboBox))

    def switch_model(self) -> None:
        if QApplication.activeModalWidget() is None:
            self._choose_from([self.window.input.models])

    def _choose_from(self, boxes: list[QComboBox]) -> None:
        if not boxes:
            return
        self._click_one_of([self.random.choice(boxes)])
        for _ in range(self.random.randint(0, 7)):
            self._key(self._handle(), self.random.choice((Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Up)))
        self._key(self._handle(), self.random.choice((Qt.Key.Key_Return, Qt.Key.Key_Return, Qt.Key.Key_Escape)))

    def use_menu(self) -> None:
        bar = self.window.menuBar()
        menus = [action for action in bar.actions() if isinstance(action.menu(), QMenu)]
        handle = self.window.windowHandle()
        self._press(handle, bar.mapTo(self.window, bar.actionGeometry(self.random.choice(menus)).center()))
        for _ in range(self.random.randint(0, 9)):
            self._key(self._handle(), self.random.choice((Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Right)))
        chosen = QApplication.activePopupWidget()
        quits = isinstance(chosen, QMenu) and chosen.activeAction() is self.window.actions_by_key["quit"]
        seldom = quits and self.random.random() < 0.8  # a start takes as long as a hundred events
        self._key(self._handle(), Qt.Key.Key_Escape if seldom else Qt.Key.Key_Return)

    def drag(self) -> None:
        handle = self._handle()
        path = [self._spot(handle) for _ in range(self.random.randint(2, 5))]
        self._pull(handle, path, self.random.choice((LEFT, LEFT, RIGHT)))

    def draw(self) -> None:
        editor = self.window.input.page.editor
        if isinstance(editor, DrawingEditor) and editor.board.isVisible() and not QApplication.activeModalWidget():
            handle = self.window.windowHandle()
            path = [self._spot(handle, editor.board) for _ in range(self.random.randint(2, 5))]
            self._pull(handle, path, self.random.choice((LEFT, LEFT, RIGHT)))

    def point(self) -> None:
        handle = self._handle()
        at = self._spot(handle, self.window.stage.viewport() if self.random.random() < 0.5 else None)
        self._note(f"points {at.toTuple()} {_under(handle, at)}")
        QTest.mouseMove(handle, at)

    def turn_wheel(self) -> None:
        handle = self._handle()
        at, turned = self._spot(handle), self.random.choice((-240, -120, 120, 360))
        modifiers = self.random.choice((NOTHING, CTRL, SHIFT))
        self._note(f"wheel {turned} {modifiers.name} {at.toTuple()} {_under(handle, at)}")
        QTest.wheelEvent(handle, at, QPoint(0, turned), QPoint(), modifiers)

    def resize(self) -> None:
        size = self.random.randint(300, 1900), self.random.randint(200, 1100)
        self._note(f"resizes to {size}")
        self.window.resize(*size)

    def undo(self) -> None:
        for _ in range(self.random.randint(1, 4)):
            self._key(self._handle(), Qt.Key.Key_Z, self.random.choice((CTRL, CTRL, CTRL | SHIFT)))

    def copy_something(self) -> None:
        """Somebody copies in another program, and comes back."""
        data = QMimeData()
        if self.random.random() < 0.3:
            image = QImage(9, 7, QImage.Format.Format_RGB32)
            image.fill(QColor(90, 120, 200))
            data.setImageData(image)
        else:
            data.setText(self.random.choice((*TEXTS, "0 1 0 1 0 1\n" * 6)))
        self._note(f"copies {data.formats()}")
        QGuiApplication.clipboard().setMimeData(data)
        self._key(self._handle(), Qt.Key.Key_V, CTRL)

    def drop(self) -> None:
        if QApplication.activeModalWidget() is not None:
            return
        data = QMimeData()
        name = self.random.choice(("a.safetensors", "nothing.safetensors", "e.png"))
        data.setUrls([QUrl.fromLocalFile(str(self._folder / name))])
        self._note(f"drops {name}")
        at = self._spot(self.window.windowHandle()).toPointF()
        self.window.dropEvent(QDropEvent(at, Qt.DropAction.CopyAction, data, LEFT, NOTHING))

    def wait(self) -> None:
        self._note("waits")
        self._pump(self.random.choice((0, 5, 60)))

    def close_dialog(self) -> None:
        self._key(self._handle(), Qt.Key.Key_Escape)


_ACTIONS: dict[Callable[[Monkey], None], int] = {
    Monkey.press_key: 10,
    Monkey.press_shortcut: 10,
    Monkey.walk: 8,
    Monkey.type_text: 6,
    Monkey.type_input: 4,
    Monkey.click: 10,
    Monkey.click_button: 8,
    Monkey.click_widget: 8,
    Monkey.choose: 5,
    Monkey.switch_model: 4,
    Monkey.use_menu: 4,
    Monkey.drag: 6,
    Monkey.draw: 8,
    Monkey.point: 8,
    Monkey.turn_wheel: 6,
    Monkey.resize: 3,
    Monkey.undo: 5,
    Monkey.copy_something: 2,
    Monkey.drop: 1,
    Monkey.wait: 5,
    Monkey.close_dialog: 5,
}
"""How often each is done, of all."""


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
    with Watcher() as watcher:
        monkey = Monkey(seed, start, folder, watcher)
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
    os.chdir(folder)
    from txviz.gui.app import FIRST, make_application, make_window

    app = make_application()

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
