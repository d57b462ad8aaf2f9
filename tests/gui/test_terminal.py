"""The real program where a system is unusual: nobody's home, platforms and screens that do not work, Ctrl+C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tests.gui.test_app import run_txviz
from txviz.gui.interrupt import closed_by_interrupt

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and HOME are the system's")

HOMELESS = """
import pwd, sys
def nobody(uid):
    raise KeyError(uid)
pwd.getpwuid = nobody
"""
"""As in a container whose user has a number and nothing else."""

ASKING = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from txviz.cli import main
from txviz.gui import app

make = app.make_window

def asking(*arguments):
    window = make(*arguments)
    window.area.first_painted.connect(lambda: QTimer.singleShot(300, lambda: ask(window)))
    return window

def ask(window):
    QTimer.singleShot(300, lambda: tell_once_asked())
    if "dialog" in sys.argv:
        window.actions_by_key["open"].trigger()  # which comes back when the dialog is answered

def tell_once_asked():
    if "dialog" in sys.argv and QApplication.activeModalWidget() is None:
        QTimer.singleShot(50, tell_once_asked)
    else:
        print("ready", flush=True)

app.make_window = asking
sys.exit(main([]))
"""
"""The window, with a dialog of files in front of it that waits for its answer."""


def start(script: str, folder: Path, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    known = {name: value for name, value in os.environ.items() if name not in ("HOME", "XDG_CONFIG_HOME")}
    own = {"QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": str(folder), "XDG_STATE_HOME": str(folder)}
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        env=known | own | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("script", ["dialog", "homeless"])
def test_ctrl_c_ends_it(script: str, tmp_path: Path) -> None:
    homeless = script == "homeless"
    environment = {} if homeless else {"HOME": str(tmp_path)}
    with start(HOMELESS + ASKING if homeless else ASKING, tmp_path, script, **environment) as started:
        assert started.stdout
        assert started.stdout.readline() == "ready\n"
        started.send_signal(signal.SIGINT)
        said = started.communicate(timeout=300)[1]
    told = [line for line in said.splitlines() if not line.startswith("This plugin does not support")]
    assert (started.returncode, told) == (0, [])
    assert (tmp_path / "txviz" / "state.json").exists()
    assert not (tmp_path / "txviz" / "errors.log").exists(), "nothing went wrong inside"


class Interrupted(QWidget):
    """Ctrl+C comes while it is painted for the first time."""

    shown_to_the_end = False

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.shown_to_the_end:
            signal.raise_signal(signal.SIGINT)
            self.shown_to_the_end = self.isVisible()


def test_ctrl_c_in_the_middle_of_painting_closes_after_it(qtbot: QtBot) -> None:
    window = Interrupted()
    qtbot.addWidget(window)
    with closed_by_interrupt(window):
        window.show()
        qtbot.waitUntil(lambda: not window.isVisible())
    assert window.shown_to_the_end


def test_a_figure_without_a_home(tmp_path: Path) -> None:
    """The library that typesets formulas asks for it when it is imported."""
    script = HOMELESS + "from txviz.cli import main; sys.exit(main(sys.argv[1:]))"
    path = tmp_path / "scores.svg"
    with start(
        script, tmp_path, "export", "sentence-guide", "The cat", "--steps", "*.scores", "-o", str(path)
    ) as started:
        assert started.communicate()[1] == ""
    assert path.exists()


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"QT_QPA_PLATFORM": "offscreen:configfile=none"}, "QT_QPA_PLATFORM is offscreen:configfile=none, on which Qt"),
        (
            {"QT_QPA_PLATFORM": "wayland", "WAYLAND_DISPLAY": "none"},
            "the screen 'none' (WAYLAND_DISPLAY) does not answ",
        ),
        ({"WAYLAND_DISPLAY": "none"}, "there is no screen here (DISPLAY is not set)"),
    ],
)
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only there can a screen be missing")
def test_what_can_show_no_window_is_one_line(environment: dict[str, str], said: str, tmp_path: Path) -> None:
    done = run_txviz(**environment, XDG_RUNTIME_DIR=str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"txviz: {said}")
