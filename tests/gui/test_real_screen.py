"""The whole program in a real window on a virtual screen, with real keys and a real pointer (Xvfb and xdotool)."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

MISSING = [tool for tool in ("Xvfb", "xdotool") if not shutil.which(tool)]
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"needs {' and '.join(MISSING)} (apt-get install xvfb xdotool)")


PROGRAM = [os.environ["TXVIZ_APP"]] if "TXVIZ_APP" in os.environ else [sys.executable, "-m", "txviz"]


def wait_for(condition: Callable[[], object], what: str, seconds: float = 300) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited {seconds:g} s for {what}"
        time.sleep(0.05)


class Screen:
    """A virtual screen with txviz on it."""

    def __init__(self, folder: Path, size: str = "1280x800") -> None:
        read, write = os.pipe()
        self.server = subprocess.Popen(
            # A screen begins anew when the last program has left it, and who comes just then is turned away.
            ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{size}x24", "-nolisten", "tcp", "-noreset"],
            pass_fds=[write],
            stderr=subprocess.DEVNULL,
        )
        os.close(write)
        with os.fdopen(read) as reader:
            display = reader.readline().strip()
        known = {key: value for key, value in os.environ.items() if key not in ("QT_QPA_PLATFORM", "WAYLAND_DISPLAY")}
        self.environment = known | {
            "DISPLAY": f":{display}",
            "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_STATE_HOME": str(folder / "state"),
        }
        self.state = folder / "config" / "txviz" / "state.json"
        self.errors = folder / "errors.txt"
        self.app = self.start()

    def start(self) -> subprocess.Popen[bytes]:
        with self.errors.open("ab") as errors:
            app = subprocess.Popen(PROGRAM, env=self.environment, stderr=errors)
        wait_for(lambda: self.title.startswith("txviz — ") or app.poll() is not None, "the window")
        assert app.poll() is None, f"it ended with {app.returncode}: {self.errors.read_text()}"
        self.do("mousemove", "5", "5")
        return app

    def do(self, *arguments: str, tool: str = "xdotool") -> str:
        done = subprocess.run(
            [tool, *arguments], env=self.environment, capture_output=True, text=True, timeout=300, check=False
        )
        return done.stdout.strip()

    @property
    def title(self) -> str:
        found = self.do("search", "--onlyvisible", "--name", "^txviz — ").splitlines()
        return self.do("getwindowname", found[0]) if found else ""

    @property
    def window(self) -> str:
        return self.do("search", "--onlyvisible", "--name", "^txviz — ").splitlines()[0]

    @property
    def place(self) -> tuple[int, ...]:
        """Left, top, width and height of the window."""
        told = self.do("getwindowgeometry", "--shell", self.window)
        known = dict(line.split("=") for line in told.splitlines())
        return tuple(int(known[name]) for name in ("X", "Y", "WIDTH", "HEIGHT"))

    def focus(self) -> None:
        self.do("windowfocus", self.window)

    def stop(self) -> None:
        for process in (self.app, self.server):
            process.terminate()
            process.wait(300)


@pytest.fixture
def screen(tmp_path: Path) -> Iterator[Screen]:
    shown = Screen(tmp_path)
    yield shown
    shown.stop()


def test_keys_pointer_typing_and_a_kill(screen: Screen) -> None:
    wait_for(lambda: screen.title == "txviz — start", "the start page")
    screen.focus()
    screen.do("key", "Escape")
    wait_for(lambda: screen.title == "txviz — tokens (1/21)", "the first step, below the start page")
    screen.do("key", "m")
    wait_for(lambda: screen.title == "txviz — map · tokens (1/21)", "the map")
    screen.do("key", "m")
    for _ in range(10):
        screen.do("key", "Right")
    wait_for(lambda: screen.title == "txviz — encoder.0.attention.scores (11/21)", "the eleventh step")

    size = remembered(screen).get("text_size", 12)
    screen.do("key", "ctrl+shift+equal")  # which X sends as Ctrl, Shift and +
    wait_for(lambda: remembered(screen).get("text_size") == size + 1, "larger text")
    screen.do("key", "ctrl+equal")
    screen.do("key", "ctrl+shift+minus")
    wait_for(lambda: remembered(screen).get("text_size") == size, "smaller text")

    screen.do("mousemove", "600", "300", "click", "1")
    screen.do("key", "ctrl+i")
    screen.do("key", "ctrl+a")
    screen.do("type", "--delay", "20", "A zebra and a cat")
    wait_for(lambda: remembered(screen).get("request", {}).get("source") == "A zebra and a cat", "the typed sentence")
    assert remembered(screen)["step"] == "encoder.0.attention.scores"

    screen.app.kill()
    screen.app.wait(300)
    screen.app = screen.start()
    wait_for(lambda: screen.title == "txviz — encoder.0.attention.scores (11/21)", "where it was killed")

    screen.focus()
    screen.do("key", "Escape")
    screen.do("key", "ctrl+c")
    screen.do("key", "ctrl+q")
    assert screen.app.wait(300) == 0, "it ends in peace, with a figure on the clipboard"
    assert "rror" not in screen.errors.read_text()
    assert not re.search(r"[Ww]arning", screen.errors.read_text())


def remembered(screen: Screen) -> dict[str, Any]:
    content = json.loads(screen.state.read_text()) if screen.state.exists() else {}
    assert isinstance(content, dict)
    return content


@pytest.mark.skipif(not shutil.which("xrandr"), reason="needs xrandr (apt-get install x11-xserver-utils)")
def test_a_window_on_a_screen_that_is_unplugged_comes_into_sight(tmp_path: Path) -> None:
    screen = Screen(tmp_path, "2880x1000")
    try:
        wait_for(lambda: screen.title == "txviz — start", "the start page")
        screen.do("--setmonitor", "LEFT", "1280/338x1000/264+0+0", "screen", tool="xrandr")
        screen.do("--setmonitor", "RIGHT", "1600/423x1000/264+1280+0", "none", tool="xrandr")
        screen.do("windowsize", "--sync", screen.window, "1500", "900")
        screen.do("windowmove", screen.window, "1330", "50")
        wait_for(lambda: screen.place == (1330, 50, 1500, 900), "the window on the right")
        screen.do("--delmonitor", "RIGHT", tool="xrandr")
        wait_for(lambda: screen.place == (0, 50, 1280, 900), "the window on the left")
        assert screen.app.poll() is None
        assert screen.errors.read_text() == ""
    finally:
        screen.stop()
