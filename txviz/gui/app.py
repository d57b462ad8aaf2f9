"""Starting the window, and what happens when something goes wrong that nobody expected."""

from __future__ import annotations

import gc
import signal
import sys
import threading
import traceback
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

import txviz
from txviz.errors import TxvizError
from txviz.figures.painter import text_font
from txviz.gui import saved_state
from txviz.gui.appearance import DEFAULT_TEXT_SIZE, app_icon, apply_text_size
from txviz.gui.crashes import last_crash, recorded
from txviz.gui.inputs.panel import InputPanel
from txviz.gui.interrupt import closed_by_interrupt
from txviz.gui.notice import sentence
from txviz.gui.session import Session
from txviz.gui.waiting import CancelledOpeningError, computed, read_model
from txviz.gui.window import Window
from txviz.home import find_home
from txviz.models import find, models
from txviz.models.request import Request

FIRST = Request("sentence-guide", "The cat sat.", {})


def make_application() -> QApplication:
    gc.set_threshold(20_000, 20, 100)  # a look at every object there is takes as long as showing two steps
    app = QApplication(sys.argv[:1])
    app.setApplicationName("txviz")
    app.setApplicationVersion(txviz.__version__)
    app.setDesktopFileName("txviz")
    style_application(app)
    return app


def style_application(app: QApplication) -> None:
    """What is the same in both themes."""
    app.setWindowIcon(app_icon())
    app.setStyle("Fusion")
    app.setFont(text_font())


def make_window(state_path: Path, file: Path | None = None, request: Request | None = None) -> Window:
    """The window as it was left, on a file or a request if one is given; a message says what can't be restored."""
    remembered, problem = saved_state.load(state_path)
    apply_text_size(remembered.get("text_size", DEFAULT_TEXT_SIZE))  # before any widget asks how high its text is
    if request is not None:
        session, panel, trouble = *_asked_for(request), ""
        remembered = {name: value for name, value in remembered.items() if name not in saved_state.WHERE}
    else:
        session, panel, trouble = _first_that_works(remembered.get("request"))
    window = Window(session, panel, remembered, state_path)
    if request is not None and request.model not in models():
        window.files.add_recent(Path(request.model).absolute())
    if problem or trouble:
        window.notice.show_message(f"{trouble} {problem}".strip())
    if file is not None:
        window.computing.open(file)
    elif request is None and not remembered.get("request") and not (trouble or problem):
        window.overlays.show_start()
    window.area.first_painted.connect(lambda: QTimer.singleShot(0, lambda: _finish(window)))
    return window


def _asked_for(request: Request) -> tuple[Session, InputPanel]:
    """At the first step; an image is kept as its pixels, whatever becomes of its file."""
    find(request.model)
    read_model(request)
    panel = InputPanel(model=request.model)
    panel.show_request(request)
    return Session(computed(panel.request()), panel.request()), panel


def _first_that_works(last: object) -> tuple[Session, InputPanel, str]:
    """The last input, else the example of the first model that works, and a sentence that says why."""
    names = models()
    try:
        request = Request.from_json(last) if last else FIRST
        names = [request.model, *names]
        return *_show(request), ""
    except CancelledOpeningError as error:
        names, trouble = models(), sentence(error)
    except Exception as error:  # a damaged model may fail in any way
        trouble = f"The last input can't be shown again: {error}."
    damaged: dict[str, Exception] = {}
    for name in dict.fromkeys(names):
        try:
            return *_show(Request(name, find(name).example)), _damage(damaged, name) or trouble
        except Exception as error:
            damaged |= {name: error} if name in models() else {}
    raise TxvizError("none of the models can be read; installing txviz again should help")


def _damage(damaged: Mapping[str, Exception], shown: str) -> str:
    if not damaged:
        return ""
    which = f"model {next(iter(damaged))} is" if len(damaged) == 1 else f"models {', '.join(damaged)} are"
    return f"The {which} damaged, so {shown} is shown instead: {next(iter(damaged.values()))}."


def _show(request: Request) -> tuple[Session, InputPanel]:
    session, panel = Session(computed(request), request), InputPanel(model=request.model)
    panel.show_request(request)
    return session, panel


def _finish(window: Window) -> None:
    """What can wait until the first picture is on the screen."""
    window.typesetter.start()
    window.plots_holder.build()


MOST_LOGGED = 10
"""A fault in a timer or a paint comes back many times a second: so often it is written to the log."""


class ErrorLog:
    """An unexpected exception goes to a file and, once, to the notice bar; the window lives on."""

    def __init__(self, window: Window, path: Path) -> None:
        self._window, self._path = window, path
        self._seen: Counter[object] = Counter()

    def install(self) -> None:
        """For all that nobody catches, in every thread."""
        sys.excepthook = self
        threading.excepthook = lambda lost: self(lost.exc_type, lost.exc_value or lost.exc_type(), lost.exc_traceback)

    def __call__(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            self._window.close()
            return
        text = "".join(traceback.format_exception(kind, error, trace))
        fault = kind, *((frame.filename, frame.lineno) for frame in traceback.extract_tb(trace)[-1:])
        self._seen[fault] += 1
        where = self._write(text) if self._seen[fault] <= MOST_LOGGED else ""
        if self._seen[fault] == 1:
            message = f"Something went wrong inside txviz; your input is kept. {where}"
            notice = self._window.notice  # from the event loop: Qt may be in the middle of a paint or a layout
            QTimer.singleShot(0, notice, lambda: notice.show_message(message, text))

    def _write(self, text: str) -> str:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as log:
                log.write(f"{datetime.now(UTC).isoformat(timespec='seconds')} txviz {txviz.__version__}\n{text}\n")
        except OSError:
            return ""
        return f"The details are in {self._path}."


def run(file: Path | None = None, request: Request | None = None) -> int:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # until there is a window to close, Ctrl+C ends it at once
    find_home()
    crash_log = saved_state.log_path().with_name("crash.log")
    crashed = last_crash(crash_log)
    with recorded(crash_log):
        app = make_application()
        window = make_window(saved_state.default_path(), file, request)
        if crashed:
            window.notice.show_message(crashed)
        ErrorLog(window, saved_state.log_path()).install()
        window.show()
        with closed_by_interrupt(window):
            code = app.exec()
        app.shutdown()  # while Python is still there: what was copied is asked for its data once more, and is Python's
    return code
