"""Files: whether there is one, whether it is as it was, and writing it whole or not at all."""

from __future__ import annotations

import json
import os
import re
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from errno import ENAMETOOLONG, ENOENT, ENOTDIR
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias
from zlib import crc32

from txviz.errors import TxvizError

TEMPORARY = re.compile(r"\..*\.[0-9a-f]{8}\.txviz-tmp", re.DOTALL)
"""The names of what is being written: ``.scores.svg.1b9f03c2.txviz-tmp``."""

JOURNAL = re.compile(r"\.[0-9a-f]{8}\.txviz-journal")
"""The names of lists of files that are on the disk, all of them, and are about to take their places."""

LEFT_BEHIND = 3600
"""Seconds after which whoever was writing is taken for dead."""


_NOTHING = (ENOENT, ENOTDIR, ENAMETOOLONG)
"""What the system says where there is nothing of a name. All else says that there is something."""


def checksum(content: bytes | bytearray | memoryview) -> str:
    """Eight digits that tell whether something was damaged since; no help against forgery."""
    return f"{crc32(content):08x}"


def is_file(path: Path) -> bool:
    """Whether there is a file of this name; one that no file could have, since it is too long, is no error."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_folder(path: Path) -> bool:
    """The same of a folder."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def is_readable_folder(path: Path) -> bool:
    """Whether there is a folder of this name; an error where there is something that can't be read as one."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        if error.errno in _NOTHING:
            return False
        raise TxvizError(f"can't read {path}: {error.strerror}") from error
    except ValueError:
        return False
    if not stat.S_ISDIR(mode):
        raise TxvizError(f"{path} is {_kind(mode)}, and a folder is expected")
    return True


def check_file(path: Path) -> None:
    """An error unless a file of this name can be read: there may be none, or a pipe that would be waited for."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        nothing = error.errno in _NOTHING
        raise TxvizError(f"there is no file {path}" if nothing else f"can't read {path}: {error.strerror}") from error
    except ValueError as error:
        raise TxvizError(f"there is no file {path}") from error
    if not stat.S_ISREG(mode):
        raise TxvizError(f"can't read {path}: it is {_kind(mode)}, not a file")


Piece: TypeAlias = bytes | memoryview


class Target(NamedTuple):
    file: Path
    """Where a link points to, so that the link stays."""

    mode: int | None
    """Who may read and write the file that is there, if there is one."""


def write_whole(path: Path, content: bytes | Iterable[Piece]) -> None:
    """Writes next to the target and then takes its place, so that a reader sees the old file or the new one.

    Content in pieces is asked for as it is written: who raises in between has written nothing.
    """
    write_all({path: content})


def write_all(contents: Mapping[Path, bytes | Iterable[Piece]]) -> None:
    """All files of a folder whole, or none: they take their places when each of them is on the disk.

    Who is killed while they do has left a journal, and whoever reads or writes there next finishes the work.
    """
    targets = {path: target(path) for path in contents}
    folders = dict.fromkeys(file.parent for file, _ in targets.values())
    for folder in folders:
        finish(folder)
        _tidy(folder)
    with ExitStack() as undo:
        temporaries = {path: _write(path, targets[path], content, undo) for path, content in contents.items()}
        journals = [_note(folder, temporaries, targets, undo) for folder in folders if len(contents) > 1]
        for path, temporary in temporaries.items():
            _put(path, temporary, targets[path], undo)
        undo.pop_all()
    for journal in journals:
        journal.unlink(missing_ok=True)
    for folder in folders:
        _sync(folder)


def finish(folder: Path) -> None:
    """Files that a killed writer had on the disk, all of them, take their places."""
    for journal in _left(folder, JOURNAL):
        with suppress(OSError, ValueError, TypeError, AttributeError):
            for temporary, name in json.loads(journal.read_bytes()).items():
                if TEMPORARY.fullmatch(temporary) and Path(name).name == name:
                    with suppress(FileNotFoundError):
                        (folder / temporary).replace(folder / name)
            journal.unlink()


def _note(folder: Path, temporaries: Mapping[Path, Path], targets: Mapping[Path, Target], undo: ExitStack) -> Path:
    """The journal of the files of this folder."""
    moves = {temporaries[path].name: to.file.name for path, to in targets.items() if to.file.parent == folder}
    journal = folder / f".{os.urandom(4).hex()}.txviz-journal"
    written = _write(journal, Target(journal, None), json.dumps(moves).encode(), undo)
    _put(journal, written, Target(journal, None), undo)
    _sync(folder)
    return journal


def target(path: Path) -> Target:
    """What writing to the path would replace; an error unless that is a file or nothing."""
    with saying(path):
        try:
            mode = path.stat().st_mode
        except FileNotFoundError:
            return Target(Path(os.path.realpath(path)), None)
    if not stat.S_ISREG(mode):
        raise TxvizError(f"can't write {path}: it is {_kind(mode)}, not a file")
    return Target(Path(os.path.realpath(path)), mode & 0o777)


def check_room(folder: Path, size: int) -> None:
    """An error unless so many bytes can be written there now: for what takes minutes before it is written."""
    from tempfile import TemporaryFile  # takes a while to import

    with saying(folder), TemporaryFile(dir=folder) as file:
        file.write(bytes(size))
        file.flush()


@contextmanager
def saying(path: Path) -> Iterator[None]:
    """What the system refuses, in one sentence."""
    try:
        yield
    except OSError as error:
        raise TxvizError(f"can't write {path}: {error.strerror}") from error
    except ValueError as error:  # a name that no file can have
        raise TxvizError(f"can't write {path}: {error}") from error


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """The same of a file that is read; a library's own errors have no words of the system."""
    try:
        yield
    except OSError as error:
        if error.strerror is None:
            raise
        raise TxvizError(f"can't read {path}: {error.strerror}") from error


def _kind(mode: int) -> str:
    kinds = {stat.S_IFREG: "a file", stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
    return kinds.get(stat.S_IFMT(mode), "a device")


def _write(path: Path, to: Target, content: bytes | Iterable[Piece], undo: ExitStack) -> Path:
    """The temporary file beside the target, with what is to be in it."""
    temporary = to.file.with_name(f".{to.file.name[:50]}.{os.urandom(4).hex()}.txviz-tmp")
    opener = partial(os.open, mode=0o666 if to.mode is None else 0o600)
    undo.callback(temporary.unlink, missing_ok=True)
    with saying(path), open(temporary, "xb", opener=opener) as file:
        if to.mode is not None:
            temporary.chmod(to.mode)
        file.writelines([content] if isinstance(content, bytes) else content)
        file.flush()
        os.fsync(file.fileno())
    return temporary


def _put(path: Path, temporary: Path, to: Target, undo: ExitStack) -> None:
    with saying(path):
        try:
            temporary.replace(to.file)
        except FileNotFoundError:
            if not to.file.exists():  # else another process has read the journal, and was quicker
                raise
    if to.mode is None:
        undo.callback(to.file.unlink, missing_ok=True)


def _sync(folder: Path) -> None:
    """The names, too, outlive a power cut, where the system can do that for a folder."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _tidy(folder: Path) -> None:
    """Removes what a killed writer has left behind."""
    for path in (*_left(folder, TEMPORARY), *_left(folder, JOURNAL)):
        with suppress(OSError):
            if time.time() - path.lstat().st_mtime > LEFT_BEHIND:
                path.unlink()


def _left(folder: Path, kind: re.Pattern[str]) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            found = [each.name for each in entries if kind.fullmatch(each.name) and each.is_file(follow_symlinks=False)]
    except (OSError, ValueError):  # no folder, or nothing that could be one
        return []
    return [folder / name for name in found]
