"""What a shell can do to a command: closed and full outputs, names that no file can have, no home, Ctrl+C."""

from __future__ import annotations

import os
import pwd
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import txviz

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")

CAT = "sentence-guide 'The cat sat.'"
LONG = "x" * 260


def shell(command: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a line of a shell, in which txviz is the command, in a folder; a variable that is to be empty is not set."""
    known = {**os.environ, "PYTHONPATH": str(Path(txviz.__file__).parents[1]), **environment}
    return subprocess.run(
        ["bash", "-c", f'txviz() {{ "{sys.executable}" -m txviz "$@"; }}; {command}'],
        capture_output=True,
        text=True,
        cwd=folder,
        env={name: value for name, value in known.items() if value},
        timeout=300,
        check=False,
    )


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture(params=["", "1"], ids=["buffered", "unbuffered"])
def buffering(request: pytest.FixtureRequest) -> dict[str, str]:
    """Python writes at once, or when it has a page of text, or when it ends."""
    return {"PYTHONUNBUFFERED": request.param}


@pytest.mark.parametrize("arguments", ["models", "--help", f"show {CAT} --json", f"trace {CAT} -o cat"])
class TestAnOutput:
    def test_that_is_closed(self, tmp_path: Path, arguments: str) -> None:
        """Nobody wants to read it: what is to be done is done, in silence."""
        done = shell(f"txviz {arguments} >&-", tmp_path)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert left(tmp_path) == (["cat"] if "trace" in arguments else [])

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
    def test_that_is_full(self, tmp_path: Path, arguments: str, buffering: dict[str, str]) -> None:
        done = shell(f"txviz {arguments} > /dev/full", tmp_path, **buffering)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == "txviz: can't write what is to be printed: No space left on device\n"


def test_what_is_written_to_a_file_is_whole_when_all_streams_are_closed(tmp_path: Path) -> None:
    """The file must not take the place of a stream, or what others print would end in it."""
    done = shell(f"txviz export {CAT} --steps '*.scores' -o a.png <&- >&- 2>&-", tmp_path)
    assert done.returncode == 0
    assert shell(f"txviz export {CAT} --steps '*.scores' -o b.png", tmp_path).returncode == 0
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


@pytest.mark.parametrize("where", ["2>&-", "2>/dev/full"])
def test_an_error_that_nobody_can_read(tmp_path: Path, where: str, buffering: dict[str, str]) -> None:
    done = shell(f"txviz show nothing x {where}", tmp_path, **buffering)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_training_goes_on_when_its_progress_can_not_be_told(tmp_path: Path) -> None:
    done = shell("txviz train digits --steps 60 -o it 2>/dev/full", tmp_path)
    assert done.returncode == 0
    assert done.stdout.endswith("written to it\n")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (f"txviz trace {CAT} -o {LONG}", "can't write {}: File name too long"),
        (f"txviz trace {CAT} -o {LONG}/cat", "can't write {}/cat: File name too long"),
        (f"txviz export {CAT} --format svg -o {LONG}", "can't write {}: File name too long"),
        (f"txviz export {CAT} -o {LONG}.pptx", "can't write {}.pptx: File name too long"),
        (f"txviz train digits --steps 1 -o {LONG}", "can't write {}: File name too long"),
        (f"txviz verify {LONG}", "there is no file {}"),
        (f"txviz open {LONG}", "there is no file {}"),
        (f"txviz show digits {LONG}", "there is no file '{:.80}'; give a greyscale image"),
        (f"txviz show {LONG} x", 'no model is called "{}"; there are sentence-guide'),
    ],
)
def test_a_name_that_is_too_long(tmp_path: Path, command: str, said: str) -> None:
    done = shell(command, tmp_path, QT_QPA_PLATFORM="offscreen")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"txviz: {said.format(LONG)}")
    assert left(tmp_path) == []


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("txviz verify $'no\\nfile'", r"there is no file no\nfile"),
        ("txviz open $'no\\nfile'", r"there is no file no\nfile"),
        (f"txviz trace {CAT} -o $'no\\nfolder/cat'", r"can't write no\nfolder/cat: No such file or directory"),
        ("txviz show digits $'no\\nfile.png'", r"there is no file 'no\nfile.png'; give a greyscale image"),
        ("txviz show $'no\\nmodel' x", r'no model is called "no\nmodel"; there are sentence-guide'),
        (f"txviz show {CAT} --step $'no\\nstep'", r'no step matches "no\nstep"'),
        (f"txviz show {CAT} --step $'\\e[31m'", r'no step matches "\x1b[31m"'),
    ],
)
def test_a_line_break_in_a_name_breaks_no_line(tmp_path: Path, command: str, said: str) -> None:
    done = shell(command, tmp_path, QT_QPA_PLATFORM="offscreen")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"txviz: {said}")
    assert left(tmp_path) == []


def test_a_file_whose_name_has_a_line_break(tmp_path: Path) -> None:
    done = shell(f"txviz trace {CAT} -o $'a\\nb' && txviz verify $'a\\nb'", tmp_path)
    assert done.returncode == 0
    assert done.stdout.splitlines()[0] == r"a\nb: 21 steps"
    assert done.stdout.splitlines()[1].startswith(r"a\nb: all 21 steps replay")
    assert left(tmp_path) == ["a\nb"]


def test_without_a_home(tmp_path: Path) -> None:
    command = f"txviz show {CAT} --step pool.mean && txviz export {CAT} --steps pool.mean -o pool.png"
    done = shell(command, tmp_path, HOME="", XDG_CONFIG_HOME="", XDG_CACHE_HOME="")
    assert (done.returncode, done.stderr) == (0, "")
    assert left(tmp_path) == ["pool.png"]


@pytest.mark.parametrize("home", [None, ""])
def test_a_window_without_a_home_keeps_its_state_where_the_user_lives(home: str | None) -> None:
    code = "import txviz.home as h, txviz.gui.saved_state as s; h.find_home(); print(s.default_path())"
    known = {name: value for name, value in os.environ.items() if name not in ("HOME", "XDG_CONFIG_HOME")}
    environment = known if home is None else {**known, "HOME": home}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert Path(done.stdout.strip()).is_relative_to(pwd.getpwuid(os.getuid()).pw_dir)


@pytest.mark.parametrize("when", ["idle", "starting"])
def test_ctrl_c_closes_the_window(tmp_path: Path, when: str) -> None:
    """The state is saved, as when the window is closed by hand. Before there is a window, nothing is."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "HOME": str(tmp_path), "XDG_CONFIG_HOME": ""}
    state = tmp_path / ".config" / "txviz" / "state.json"
    command = [sys.executable, "-c", STARTED, when]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as started:
        assert started.stdout
        assert started.stdout.readline() == "ready\n"
        started.send_signal(signal.SIGINT)
        said = started.communicate(timeout=300)[1]
    assert started.returncode == (0 if when == "idle" else -signal.SIGINT)
    assert "Traceback" not in said
    assert state.exists() == (when == "idle")


STARTED = """
import sys, time
from PySide6.QtCore import QTimer
from txviz.cli import main
from txviz.gui import app

starting, make = "starting" in sys.argv, app.make_window

def watched(*arguments):
    if starting:
        print("ready", flush=True)
        time.sleep(600)  # it is still starting, however late Ctrl+C comes
    window = make(*arguments)
    window.area.first_painted.connect(lambda: QTimer.singleShot(500, lambda: print("ready", flush=True)))
    return window

app.make_window = watched
sys.exit(main([]))
"""
"""The window as it starts, or once its first picture has been on the screen for a while; says so."""
