"""What the window remembers from one start to the next: a JSON file that is replaced whole, or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import QStandardPaths

from txviz.files import write_whole

VERSION = 1


def default_path() -> Path:
    """In the user's own folder for settings."""
    folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericConfigLocation)
    return Path(folder, "txviz", "state.json")


def log_path() -> Path:
    """Where an unexpected error is written to."""
    folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericStateLocation)
    return Path(folder, "txviz", "errors.log")


def load(path: Path) -> tuple[dict[str, Any], str]:
    """What was saved, and a sentence where it could not be read: the broken file is then set aside."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(content, dict) or content.get("version") != VERSION:
            raise ValueError("not a state of this version")
    except FileNotFoundError:
        return {}, ""
    except (OSError, ValueError):
        return {}, _set_aside(path)
    return content, ""


def _set_aside(path: Path) -> str:
    aside = path.with_suffix(".broken.json")
    try:
        path.replace(aside)
    except OSError:
        return f"{path} can't be read, so txviz starts afresh."
    return f"What txviz remembered can't be read, so it starts afresh; the old file is now {aside}."


def save(path: Path, content: Mapping[str, Any]) -> None:
    """Killed at any moment, the next start finds the old state or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps({"version": VERSION, **content}, ensure_ascii=False, indent=1).encode())
