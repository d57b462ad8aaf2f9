"""Files are written whole or not at all, to where the user said, and to nothing but a file."""

from __future__ import annotations

import os
import resource
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest

from txviz.errors import TxvizError
from txviz.files import LEFT_BEHIND, finish, write_all, write_whole

SIZE = 4_000_000


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """The system refuses larger ones, as a full disk would."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def make_socket(path: Path) -> None:
    """The path must be a short one."""
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def test_a_reader_sees_the_old_content_or_the_new(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_whole(path, b"0" * SIZE)
    seen: set[bytes] = set()
    stop = Event()

    def read() -> None:
        while not stop.is_set():
            content = path.read_bytes()
            seen.add(content[:1] if content == content[:1] * SIZE else b"torn")

    reader = Thread(target=read)
    reader.start()
    try:
        end = time.monotonic() + 120
        while len(seen) < 3 and time.monotonic() < end:  # on a busy machine the reader comes late
            for i in range(50):
                write_whole(path, b"%d" % (i % 10) * SIZE)
    finally:
        stop.set()
        reader.join()
    assert len(seen) > 2
    assert b"torn" not in seen
    assert b"" not in seen


def test_who_has_opened_the_old_file_reads_it_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with path.open("rb") as opened:
        write_whole(path, b"new!")
        assert opened.read() == b"old"
    assert path.read_bytes() == b"new!"


def test_a_full_disk_leaves_what_was_there(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_bytes(b"old")
    with files_of_at_most(1000), pytest.raises(TxvizError, match=f"can't write {tmp_path}/large: File too large"):
        write_all({old: b"changed", new: b"new", tmp_path / "large": b"x" * 2000})
    assert old.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [old]


def test_a_file_that_cannot_take_its_place_takes_the_new_ones_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = Path.replace

    def refuse_the_last(temporary: Path, path: Path) -> Path:
        if path.name == "last":
            raise PermissionError(1, "Operation not permitted")
        return replace(temporary, path)

    monkeypatch.setattr(Path, "replace", refuse_the_last)
    with pytest.raises(TxvizError, match="last: Operation not permitted"):
        write_all({tmp_path / name: b"new" for name in ("first", "second", "last")})
    assert list(tmp_path.iterdir()) == []


def test_a_link_stays_and_what_it_points_to_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    file, link, dangling = folder / "file", tmp_path / "link", tmp_path / "dangling"
    file.write_bytes(b"old")
    link.symlink_to(file)
    dangling.symlink_to("elsewhere/to come")
    write_whole(link, b"new")
    write_whole(dangling, b"new")
    assert link.is_symlink()
    assert dangling.is_symlink()
    assert sorted(path.name for path in folder.iterdir()) == ["file", "to come"]
    assert file.read_bytes() == dangling.read_bytes() == b"new"


def test_links_in_a_circle_are_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(TxvizError, match=r"can't write .*symbolic links"):
        write_whole(tmp_path / "a", b"")


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (os.mkfifo, "a pipe"),
        (os.mkdir, "a folder"),
        (make_socket, "a socket"),
        (lambda path: path.symlink_to(os.devnull), "a device"),
    ],
)
def test_what_is_no_file_is_refused_and_stays(
    make: Callable[[Path], None], kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("it")
    make(path)
    before = path.lstat()
    with pytest.raises(TxvizError, match=f"can't write it: it is {kind}, not a file"):
        write_all({Path("beside"): b"new", path: b"new"})
    assert path.lstat() == before
    assert list(tmp_path.iterdir()) == [tmp_path / "it"]


@pytest.mark.parametrize("kept", [0o600, 0o640, 0o755, 0o666])
def test_a_file_keeps_its_mode(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "file"
    path.touch()
    path.chmod(kept)
    with umask(0o022):
        write_whole(path, b"new")
    assert mode(path) == kept


@pytest.mark.parametrize(("mask", "given"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_new_file_has_the_mode_of_the_umask(tmp_path: Path, mask: int, given: int) -> None:
    with umask(mask):
        write_whole(tmp_path / "file", b"new")
    assert mode(tmp_path / "file") == given


def test_the_folder_is_synced_when_the_file_is_in_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    synced: list[tuple[bool, bool]] = []
    sync = os.fsync

    def watched(handle: int) -> None:
        sync(handle)
        synced.append((stat.S_ISDIR(os.fstat(handle).st_mode), path.exists()))

    monkeypatch.setattr(os, "fsync", watched)
    write_whole(path, b"new")
    assert synced == [(False, False), (True, True)]


def test_what_a_killed_writer_left_goes_with_the_next_write(tmp_path: Path) -> None:
    names = {
        "old": ".scores.svg.1b9f03c2.txviz-tmp",
        "someone is at it": ".scores.svg.00000000.txviz-tmp",
        "another's": ".scores.svg.tmp",
    }
    for name in names.values():
        (tmp_path / name).touch()
    long_ago = time.time() - LEFT_BEHIND - 10
    for which in ("old", "another's"):
        os.utime(tmp_path / names[which], (long_ago, long_ago))
    write_whole(tmp_path / "new", b"new")
    assert {path.name for path in tmp_path.iterdir()} == {"new", names["someone is at it"], names["another's"]}


def test_a_killed_writer_leaves_what_the_next_one_knows(tmp_path: Path) -> None:
    """A child dies between writing and renaming."""
    path = tmp_path / "file"
    path.write_bytes(b"old")
    killed = "import os, pathlib, sys; from txviz.files import write_whole; os.fsync = lambda _: os._exit(9)"
    child = subprocess.run([sys.executable, "-c", f"{killed}; write_whole(pathlib.Path(sys.argv[1]), b'new')", path])
    assert child.returncode == 9
    assert path.read_bytes() == b"old"
    (left,) = (each for each in tmp_path.iterdir() if each != path)
    os.utime(left, (0, 0))
    write_whole(path, b"new")
    assert list(tmp_path.iterdir()) == [path]


KILLED_AT_THE_SECOND = """
import os, pathlib, sys
from txviz.files import write_all
replace = pathlib.Path.replace
def counted(temporary, path):
    if path.name == "second":
        os._exit(9)
    return replace(temporary, path)
pathlib.Path.replace = counted
write_all({pathlib.Path(sys.argv[1], name): b"new" for name in ("first", "second", "third")})
"""


@pytest.fixture
def cut_short(tmp_path: Path) -> Path:
    """A folder in which a child died when one of three files had taken its place."""
    for name in ("first", "second"):
        (tmp_path / name).write_bytes(b"old")
    child = subprocess.run([sys.executable, "-c", KILLED_AT_THE_SECOND, tmp_path])
    assert child.returncode == 9
    assert [(tmp_path / name).read_bytes() for name in ("first", "second")] == [b"new", b"old"]
    return tmp_path


@pytest.mark.parametrize("go_on", [finish, lambda folder: write_whole(folder / "other", b"other")])
def test_many_files_that_a_kill_cut_short_are_finished(cut_short: Path, go_on: Callable[[Path], None]) -> None:
    go_on(cut_short)
    (cut_short / "other").unlink(missing_ok=True)
    assert {path.name: path.read_bytes() for path in cut_short.iterdir()} == dict.fromkeys(
        ("first", "second", "third"), b"new"
    )


@pytest.mark.parametrize(
    "journal",
    [
        b"", b"{", b"[]", b"7", b'{"x": "y"}', b'{".x.00000000.txviz-tmp": "../outside"}',
        b'{".x.00000000.txviz-tmp": 7}', b'{"kept": "stolen"}',
    ],
)  # fmt: skip
def test_a_journal_that_makes_no_sense_moves_nothing(tmp_path: Path, journal: bytes) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "kept").write_bytes(b"old")
    (folder / ".x.00000000.txviz-tmp").write_bytes(b"new")
    (folder / ".00000000.txviz-journal").write_bytes(journal)
    finish(folder)
    assert (folder / "kept").read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_another_process_may_finish_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace, finished = Path.replace, list[bool]()

    def quicker(temporary: Path, path: Path) -> Path:
        if path.name == "second" and not finished:
            finished.append(True)
            finish(tmp_path)
        return replace(temporary, path)

    monkeypatch.setattr(Path, "replace", quicker)
    write_all({tmp_path / name: b"new" for name in ("first", "second")})
    assert finished
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first", "second"]


def test_no_journal_is_left_where_writing_fails(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(TxvizError, match="it is a folder"):
        write_all({tmp_path / "file": b"new", tmp_path / "folder": b"new"})
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


@pytest.mark.parametrize("letter", ["x", "🐈"])
def test_the_longest_names_there_are(tmp_path: Path, letter: str) -> None:
    longest = letter * (255 // len(letter.encode()))
    write_whole(tmp_path / longest, b"new")
    assert [path.name for path in tmp_path.iterdir()] == [longest]
    with pytest.raises(TxvizError, match=r"can't write .*: File name too long"):
        write_whole(tmp_path / (longest + letter), b"new")
