"""The real program as it is started from a terminal: Ctrl+C, platforms that are none, and no home."""

from __future__ import annotations

import os
import pwd
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.gui.test_app import run_txviz
from txviz.home import find_home

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and HOME are the system's")

HOMELESS = """
import pwd, sys
def nobody(uid):
    raise KeyError(uid)
pwd.getpwuid = nobody
from txviz.cli import main
sys.exit(main([]))
"""

Started = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Started]:
    """Starts the program and waits until its window is there."""
    running: list[subprocess.Popen[str]] = []

    def start(*command: str, home: str | None = str(tmp_path)) -> subprocess.Popen[str]:
        known = {name: value for name, value in os.environ.items() if name != "HOME"}
        own = {"XDG_CONFIG_HOME": str(tmp_path / "config"), "XDG_STATE_HOME": str(tmp_path / "state")}
        environment = known | own | {"QT_QPA_PLATFORM": "offscreen"} | ({"HOME": home} if home else {})
        pipe = subprocess.PIPE
        app = subprocess.Popen([sys.executable, *command], env=environment, stdout=pipe, stderr=pipe, text=True)
        running.append(app)
        end = time.monotonic() + 60
        while not (tmp_path / "config" / "txviz" / "state.json").exists():  # half a second after its first picture
            assert app.poll() is None, app.communicate()
            assert time.monotonic() < end, "the window does not come"
            time.sleep(0.05)
        return app

    yield start
    for app in running:
        app.kill()
        app.communicate()


def said(app: subprocess.Popen[str]) -> list[str]:
    """All that it wrote, but for what the platform without a screen says of every window."""
    out, errors = app.communicate(timeout=30)
    return [line for line in (out + errors).splitlines() if not line.startswith("This plugin does not support")]


def test_ctrl_c_ends_an_idle_window(started: Started) -> None:
    app = started("-m", "txviz")
    time.sleep(0.5)  # nothing happens in it any more
    app.send_signal(signal.SIGINT)
    assert said(app) == []
    assert app.returncode == 130


def test_without_a_home_the_window_opens(started: Started, tmp_path: Path) -> None:
    app = started("-c", HOMELESS, home=None)
    app.send_signal(signal.SIGINT)
    assert said(app) == []
    assert app.returncode == 130
    assert list((tmp_path / "state").rglob("*.log")) == [], "nothing went wrong inside"


@pytest.mark.parametrize("platform", ["nonsense", "offscreen:configfile=/no/such/file"])
def test_a_platform_that_is_none_is_one_line(platform: str) -> None:
    done = run_txviz(QT_QPA_PLATFORM=platform)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"txviz: Qt can't open a window on the platform {platform!r} (QT_QPA_PLATFORM)")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only there is Wayland")
@pytest.mark.parametrize("platform", ["", "wayland"])
def test_a_screen_of_wayland_that_is_gone_is_one_line(platform: str, tmp_path: Path) -> None:
    done = run_txviz(QT_QPA_PLATFORM=platform, WAYLAND_DISPLAY="wayland-9", XDG_RUNTIME_DIR=str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith("txviz: the" if platform else "txviz: there is no screen here")


def test_the_home_that_the_system_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "")
    find_home()
    assert os.environ["HOME"] == pwd.getpwuid(os.getuid()).pw_dir


def test_a_figure_without_a_home(tmp_path: Path) -> None:
    """The library that typesets formulas asks for it when it is imported."""
    script = HOMELESS.replace("main([])", "main(sys.argv[1:])")
    known = {name: value for name, value in os.environ.items() if name != "HOME"}
    arguments = ["export", "sentence-guide", "A cat", "--steps", "*.scores", "--format", "svg"]
    command = [sys.executable, "-c", script, *arguments, "-o", str(tmp_path / "scores.svg")]
    done = subprocess.run(command, env=known, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
