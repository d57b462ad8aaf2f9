"""Starting: with no screen, with something broken; and living on after an unexpected error."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QPushButton
from pytestqt.exceptions import capture_exceptions
from pytestqt.qtbot import QtBot

import txviz
from tests.gui.conftest import settle
from txviz.gui import screen
from txviz.gui.app import ErrorLog
from txviz.gui.crashes import last_crash, recorded
from txviz.gui.window import Window
from txviz.models.request import Request


def run_txviz(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """As on a machine where these variables are all that is known of a screen."""
    known = {key: value for key, value in os.environ.items() if "DISPLAY" not in key and key != "QT_QPA_PLATFORM"}
    command = [sys.executable, "-m", "txviz.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=known | environment, timeout=300, check=False)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only there can a screen be missing")
@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({}, "there is no screen here (DISPLAY is not set)"),
        ({"DISPLAY": ":4711"}, "the screen :4711 (DISPLAY) does not answer"),
        ({"DISPLAY": "nonsense"}, "the screen nonsense (DISPLAY) does not answer"),
    ],
)
def test_no_screen_is_one_line_and_no_core_dump(environment: dict[str, str], said: str) -> None:
    done = run_txviz(**environment)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert said in done.stderr
    assert "txviz show" in done.stderr


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere there is no choice")
def test_a_platform_that_qt_does_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    done = run_txviz(QT_QPA_PLATFORM="nonsense")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "QT_QPA_PLATFORM is nonsense, which Qt does not know; leave it out, or choose eglfs" in done.stderr
    for known in ("offscreen", "offscreen:size=9x9", "nonsense;offscreen", "minimal"):
        monkeypatch.setenv("QT_QPA_PLATFORM", known)
        assert screen.problem() == ""


def test_a_missing_library_is_told_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(_: str) -> None:
        raise OSError("libxcb-cursor.so.0: cannot open shared object file")

    monkeypatch.setattr("txviz.gui.screen.ctypes.CDLL", load)
    told = screen._missing_library("libqxcb.so")
    assert "libxcb-cursor.so.0" in told
    assert "apt-get install" in told


def test_open_says_which_file_is_missing(tmp_path: Path) -> None:
    done = run_txviz("open", str(tmp_path / "none.safetensors"), QT_QPA_PLATFORM="offscreen")
    assert done.returncode == 2
    assert done.stderr == f"txviz: there is no file {tmp_path / 'none.safetensors'}\n"


def test_open_shows_the_trace(start: Callable[..., Window], tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "dog.safetensors"
    txviz.trace("sentence-guide", "A dog").save(path)
    window = start(path)
    qtbot.waitUntil(lambda: window.session.trace.about["input"] == "A dog")
    assert window.input.request().source == "A dog"


def test_an_unexpected_error_is_logged_and_told_once(window: Window, tmp_path: Path, qtbot: QtBot) -> None:
    hook = ErrorLog(window, tmp_path / "logs" / "errors.log")
    button = QPushButton("fail", window)
    button.clicked.connect(lambda: 1 / 0)
    for _ in range(2):
        with capture_exceptions() as caught:
            button.click()
        hook(*caught[0])
    log = (tmp_path / "logs" / "errors.log").read_text()
    assert log.count("ZeroDivisionError") == 2
    qtbot.waitUntil(window.notice.isVisible)
    assert "your input is kept" in window.notice.text.text()
    assert "ZeroDivisionError" in window.notice.details.toPlainText()
    assert not window.notice.details.isVisible()
    window.notice.unfold.click()
    assert window.notice.details.isVisible()
    window.notice.dismiss()
    with capture_exceptions() as caught:
        button.click()
    hook(*caught[0])
    settle()
    assert not window.notice.isVisible(), "the same error is told once"
    window.session.move(1)
    assert window.windowTitle() == "txviz — embed.tokens (2/21)"


def test_a_crash_is_told_by_the_next_start(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "crash.log"
    script = "import faulthandler, sys, pathlib; from txviz.gui.crashes import recorded\n"
    crash = script + "with recorded(pathlib.Path(sys.argv[1])): faulthandler._sigsegv()"
    assert subprocess.run([sys.executable, "-c", crash, str(path)], check=False).returncode < 0
    said = last_crash(path)
    assert "ended in a crash the last time" in said
    assert "Segmentation fault" in (tmp_path / "logs" / "crash.last.log").read_text()
    assert last_crash(path) == "", "told once"
    with recorded(path):
        assert path.exists()
    assert last_crash(path) == "", "an end in peace is none"


def test_a_crash_is_told_though_other_windows_begin_and_end(tmp_path: Path) -> None:
    path = tmp_path / "crash.log"
    script = "import faulthandler, sys, pathlib; from txviz.gui.crashes import recorded\n"
    crash = script + "with recorded(pathlib.Path(sys.argv[1])):\n input()\n faulthandler._sigsegv()"
    with recorded(path):
        later = subprocess.Popen([sys.executable, "-c", crash, str(path)], stdin=subprocess.PIPE)
        with recorded(path):
            pass
    later.communicate(b"\n")
    assert later.returncode < 0
    with recorded(path):
        pass
    assert "ended in a crash the last time" in last_crash(path)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nobody"], 'no model is called "nobody"'),
        (["digits", "no.png"], "there is no file 'no.png'"),
        (["masked-attention-guide", "MY DOG"], "The guide has numbers for its own words only"),
        (["translator", "I", "love"], "translator reads one input, not 2; put a text that has blanks in quotes"),
    ],
)
def test_a_model_that_can_not_be_shown_is_one_line(words: list[str], said: str, tmp_path: Path) -> None:
    done = run_txviz("--model", *words, QT_QPA_PLATFORM="offscreen", XDG_CONFIG_HOME=str(tmp_path))
    assert done.returncode == 2
    assert said.lower() in done.stderr.lower()
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_the_window_opens_on_a_model_at_its_first_step(
    start: Callable[..., Window], state_path: Path, tmp_path: Path
) -> None:
    before = start()
    before.session.go_to("encoder.0.attention.scores")
    before.choose_theme("dark")
    before.close()
    drawing = tmp_path / "seven.png"
    pixels = QImage(6, 6, QImage.Format.Format_Grayscale8)
    pixels.fill(51)
    pixels.save(str(drawing))
    window = start(request=Request("digits", str(drawing)))
    assert window.windowTitle() == "txviz — image (1/48)"
    assert window.input.models.currentText() == "Digits: draw one and have it read"
    assert (window.session.trace["image"].value == 0.2).all()
    assert window.theme.name == "dark", "how the window looks is remembered all the same"
    drawing.unlink()
    window.close()
    again = start()
    assert not again.notice.isVisible(), "the pixels are remembered, not the file"
    assert (again.session.trace["image"].value == 0.2).all()
