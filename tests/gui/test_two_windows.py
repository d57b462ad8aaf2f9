"""Two windows at once, each a process of its own, with one home: nothing of either is lost or damaged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import txviz
from tests.models.checkpoints.reference import path
from txviz.gui import saved_state
from txviz.gui.inputs.pictures import MOST_KEPT

PATIENCE = 120

OTHER = """
import sys
from pathlib import Path
from threading import Thread
from PySide6.QtCore import QObject, Signal
from txviz.gui.app import make_application, make_window
from txviz.gui.saved_state import default_path
from txviz.models.request import Request

class Asked(QObject):
    line = Signal(str)

app, asked = make_application(), Asked()
window = make_window(default_path())

def do(line):
    verb, _, what = line.strip().partition(" ")
    if verb == "open":
        window.files.add_recent(Path(what))
    elif verb == "see":
        request = Request(*what.split(" on "))
        window.overlays.leave_start()
        window.input.show_request(request)
        window.computing.compute(request)
        while window.session.request != request:
            app.processEvents()
    elif verb == "save":
        for _ in range(int(what)):
            window.save_state()
    elif verb == "close":
        window.close()
    print(line.strip(), "done", flush=True)

asked.line.connect(do)
Thread(target=lambda: [asked.line.emit(line) for line in sys.stdin], daemon=True).start()
window.show()
print("open", flush=True)
app.exec()
app.shutdown()
"""


class Other:
    """A window that does what it is told."""

    def __init__(self, home: Path) -> None:
        folders = {"XDG_CONFIG_HOME": "config", "XDG_CACHE_HOME": "cache", "XDG_STATE_HOME": "state"}
        known = os.environ | {name: str(home / folder) for name, folder in folders.items()}
        self._process = subprocess.Popen(
            [sys.executable, "-c", OTHER],
            env=known | {"HOME": str(home), "QT_QPA_PLATFORM": "offscreen"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.wait("open")

    def tell(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def wait(self, line: str) -> None:
        assert self._process.stdout is not None
        assert self._process.stdout.readline().strip() == line

    def do(self, line: str) -> None:
        self.tell(line)
        self.wait(f"{line} done")

    def close(self) -> None:
        """In peace, and without a word."""
        self.do("close")
        _, errors = self._process.communicate(timeout=PATIENCE)
        lines = [line for line in errors.splitlines() if "This plugin does not support" not in line]
        assert (self._process.returncode, lines) == (0, [])

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate(timeout=PATIENCE)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[], Other]]:
    opened: list[Other] = []

    def start() -> Other:
        opened.append(Other(tmp_path))
        return opened[-1]

    yield start
    for each in opened:
        each.kill()


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "config" / "txviz" / "state.json"


def recent(state: Path) -> list[str]:
    remembered, problem = saved_state.load(state)
    assert problem == ""
    return list(remembered["recent"])


def test_both_remember_what_was_opened_in_either(start: Callable[[], Other], state: Path) -> None:
    first, second = start(), start()
    for i in range(5):
        first.do(f"open /a{i}")
        second.do(f"open /b{i}")
    first.do("save 1")
    second.do("save 1")
    newest = {"/a4", "/a3", "/a2", "/b4", "/b3", "/b2"}
    assert newest <= {*recent(state)}
    first.close()
    assert newest <= {*recent(state)}
    second.close()
    assert recent(state) == ["/b4", "/b3", "/b2", "/b1", "/b0", "/a4", "/a3", "/a2"]


def test_whoever_reads_finds_it_whole_while_both_write(start: Callable[[], Other], state: Path) -> None:
    both = start(), start()
    for each in both:
        each.do("save 1")
    for each in both:
        each.tell("save 150")
    reads, end = 0, time.monotonic() + 1.5
    while time.monotonic() < end:
        assert json.loads(state.read_bytes())["version"] == saved_state.VERSION
        reads += 1
    for each in both:
        each.wait("save 150 done")
        each.close()
    assert reads > 100
    assert [each.name for each in state.parent.iterdir()] == ["state.json"], "nothing is left beside it"


@pytest.mark.parametrize("damage", [None, b"{", b"[]"])
def test_what_the_other_has_deleted_or_damaged_is_written_again(
    start: Callable[[], Other], state: Path, damage: bytes | None
) -> None:
    window = start()
    window.do("open /a")
    window.do("save 1")
    state.unlink()
    if damage is not None:
        state.write_bytes(damage)
    window.do("save 1")
    assert recent(state) == ["/a"]
    for each in state.parent.iterdir():
        each.unlink()
    state.parent.rmdir()
    window.close()
    assert recent(state) == ["/a"]


def test_pictures_that_were_pasted_stay_while_a_window_is_open(start: Callable[[], Other], tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "txviz"
    folder.mkdir(parents=True)
    pasted = [folder / f"pasted-{i:08x}.png" for i in range(MOST_KEPT + 5)]
    for age, file in enumerate(pasted):
        Image.fromarray(np.full((30, 30, 3), age, np.uint8)).save(file)
        os.utime(file, (10**9 + age, 10**9 + age))
    killed, first, second = start(), start(), start()
    killed.kill()
    first.do(f"see {path('vit')} on {pasted[0]}")
    second.close()
    assert all(file.exists() for file in pasted), "the first window shows one, and may go back to others"
    first.close()
    assert sorted(folder.iterdir()) == [pasted[0], *pasted[5:]]
    assert txviz.trace(path("vit"), str(pasted[0]))


def test_the_last_one_that_is_closed_says_where_one_was(start: Callable[[], Other], state: Path) -> None:
    first, second = start(), start()
    first.do("see sentence-guide on A zebra")
    second.do("see translator on The house is big")
    second.close()  # what it saved may be saved over by the first one, which saves now and then
    first.close()
    assert saved_state.load(state)[0]["request"]["source"] == "A zebra"
