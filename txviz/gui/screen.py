"""Is there a screen, and can Qt use it? Asked before Qt is, since Qt answers with a core dump."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import re
import socket
import sys
from multiprocessing import get_context
from pathlib import Path

WITHOUT = "the command line works without one, for example: txviz show sentence-guide “The cat sat.”"
REMEDY = "install Qt's system libraries, for example with: make run (in a checkout), or apt-get install libegl1 libxcb-cursor0 libxkbcommon-x11-0"  # noqa: E501


SCREENLESS = ("offscreen", "minimal")
PATIENCE = 20
"""Seconds for Qt to say whether it can use a platform that few have."""


def problem() -> str:
    """One line that says why no window can open and what would help, or nothing."""
    chosen = os.environ.get("QT_QPA_PLATFORM", "")
    if chosen not in ("", "xcb", "wayland", *SCREENLESS):
        return _missing_library(plugin="") or _unknown(chosen.partition(":")[0]) or _refused(chosen)
    if chosen in SCREENLESS or not sys.platform.startswith("linux"):
        return _missing_library(plugin="")
    if chosen != "xcb" and _wayland_answers():
        return _missing_library(plugin="")
    if chosen == "wayland":
        return f"the screen {os.environ.get('WAYLAND_DISPLAY', '')!r} (WAYLAND_DISPLAY) does not answer; {WITHOUT}"
    display = os.environ.get("DISPLAY", "")
    if not display:
        return f"there is no screen here (DISPLAY is not set); {WITHOUT}"
    if not _answers(display):
        return f"the screen {display} (DISPLAY) does not answer; {WITHOUT}"
    return _missing_library(plugin="libqxcb.so")


def _answers(display: str) -> bool:
    """Whether an X server listens at ``host:number.screen``."""
    found = re.fullmatch(r"(.*):(\d+)(\.\d+)?", display)
    if not found:
        return False
    host, number = found[1], int(found[2])
    if host in ("", "unix"):
        path = f"/tmp/.X11-unix/X{number}"
        return any(_connects(socket.AF_UNIX, address) for address in (path, f"\0{path}"))
    return _connects(socket.AF_INET, (host, 6000 + number))


def _connects(family: socket.AddressFamily, address: str | tuple[str, int]) -> bool:
    try:
        with socket.socket(family, socket.SOCK_STREAM) as connection:
            connection.settimeout(3)
            connection.connect(address)
    except OSError:
        return False
    return True


def _unknown(chosen: str) -> str:
    """Of what stands in QT_QPA_PLATFORM, which may be several with semicolons, Qt must know one."""
    folder = _platforms()
    known = {path.stem.removeprefix("libq") for path in folder.glob("libq*.so")} if folder else set()
    names = chosen.split(";")
    if not known or os.environ.get("QT_QPA_PLATFORM_PLUGIN_PATH") or os.environ.get("QT_PLUGIN_PATH"):
        return ""
    if any(name in known or name.startswith("wayland") for name in names):
        return ""
    return f"QT_QPA_PLATFORM is {chosen}, which Qt does not know; leave it out, or choose {', '.join(sorted(known))}"


def _refused(chosen: str) -> str:
    """Tried out in a process of its own, since Qt ends the one that asks for a platform that does not work."""
    attempt = get_context("spawn").Process(target=_open_screen)
    attempt.start()
    attempt.join(PATIENCE)
    works = attempt.exitcode == 0
    attempt.kill()
    return "" if works else f"QT_QPA_PLATFORM is {chosen}, on which Qt can't open a window; leave it out; {WITHOUT}"


def _open_screen() -> None:
    from PySide6.QtGui import QGuiApplication

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())  # Qt tells at length what is told in one line here
    sys.exit(not QGuiApplication([]).screens())


def _wayland_answers() -> bool:
    name, folder = os.environ.get("WAYLAND_DISPLAY", ""), os.environ.get("XDG_RUNTIME_DIR", "")
    return bool(name) and _connects(socket.AF_UNIX, str(Path(folder, name)))


def _platforms() -> Path | None:
    """Where Qt's parts for all kinds of screens are."""
    package = importlib.util.find_spec("PySide6")
    if package is None or package.origin is None:
        return None
    return Path(package.origin).parent / "Qt" / "plugins" / "platforms"


def _missing_library(plugin: str) -> str:
    try:
        import PySide6.QtWidgets  # noqa: F401
    except ImportError as error:
        return f"Qt can't be loaded ({error}); {REMEDY}"
    folder = _platforms()
    if not plugin or folder is None:
        return ""
    try:
        ctypes.CDLL(str(folder / plugin))
    except OSError as error:
        return f"Qt's part for windows can't be loaded ({error}); {REMEDY}"
    return ""
