"""``txviz install-desktop``: an entry in the desktop's menu, its icon, and traces that open with a double click."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from txviz import resources
from txviz.cli_output import print_out
from txviz.errors import TxvizError, one_line
from txviz.files import write_all

ENTRY, ICON, KINDS = "applications/txviz.desktop", "icons/hicolor/scalable/apps/txviz.svg", "mime/packages/txviz.xml"
"""Where the desktops of Linux look, below ~/.local/share."""

UPDATES = (("update-mime-database", "mime"), ("update-desktop-database", "applications"))
"""Programs that make desktops look again; most do so by themselves."""


def add(command: argparse.ArgumentParser) -> None:
    command.add_argument("--remove", action="store_true", help="take all of it away again")
    command.set_defaults(run=_install)


def _install(chosen: argparse.Namespace) -> int:
    if not sys.platform.startswith("linux"):
        raise TxvizError(
            f"install-desktop knows the desktops of Linux; on {sys.platform} make a link to {_program()[0]}"
        )
    share = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    if chosen.remove:
        found = [share / name for name in (ENTRY, ICON, KINDS) if (share / name).exists()]
        for path in found:
            _remove(path)
    else:
        found = _write(share)
    for program, folder in UPDATES:
        if shutil.which(program) and (share / folder).is_dir():
            subprocess.run([program, str(share / folder)], capture_output=True, check=False)
    done = "removed" if chosen.remove else "written"
    for path in found:
        print_out(one_line(f"{done}: {path}"))
    if not found:
        print_out("there was nothing to remove")
    return 0


def _write(share: Path) -> list[Path]:
    icons = resources.path("icons")
    entry = (icons / "txviz.desktop").read_text("utf-8").splitlines()
    program = _program()
    lines = {"Exec": f"{' '.join(map(quoted, program))} open %f", "TryExec": program[0].replace("\\", r"\\")}
    text = "".join(f"{key}={lines.get(key, value)}\n" if value else f"{key}\n" for key, _, value in map(_split, entry))
    contents = {
        share / ENTRY: text.encode(),
        share / ICON: (icons / "txviz.svg").read_bytes(),
        share / KINDS: (icons / "txviz.xml").read_bytes(),
    }
    for path in contents:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise TxvizError(f"can't write {path}: {error.strerror}") from error
    write_all(contents)
    return list(contents)


def _split(line: str) -> tuple[str, str, str]:
    return line.partition("=")


def _program() -> list[str]:
    """How this very txviz is started: the command that was typed, or Python where there is none."""
    if getattr(sys, "frozen", False):
        return [sys.executable]
    command = Path(sys.argv[0])
    if command.name == "txviz":
        found = shutil.which(sys.argv[0])
        if found:
            return [str(Path(found).absolute())]
    return [sys.executable, "-m", "txviz"]


def quoted(word: str) -> str:
    r"""A word of an entry's Exec line, by the rules of freedesktop.org.

    >>> print(quoted("/opt/my tools/100% $x"))
    "/opt/my tools/100%% \\$x"
    """
    for sign in '\\"`$':
        word = word.replace(sign, f"\\{sign}")
    word = word.replace("\\", "\\\\").replace("%", "%%")
    return f'"{word}"'


def _remove(path: Path) -> None:
    try:
        path.unlink()
    except OSError as error:
        raise TxvizError(f"can't remove {path}: {error.strerror}") from error
