"""What the window remembers from one start to the next: a JSON file that is replaced whole, or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QByteArray, QStandardPaths

from txviz.files import write_whole
from txviz.gui.timeline import SPEEDS

if TYPE_CHECKING:
    from txviz.gui.window import Window

VERSION = 1
TEXT_SIZES = (10, 11, 12, 13, 14, 16, 18, 21, 24, 28)


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


def describe(window: Window) -> dict[str, Any]:
    """Where the user is, and how the window looks."""
    request, style = window.session.request, window.stage.style_shown
    return {
        "request": request.as_json() if request else None,
        "step": window.session.step.name,
        "place": list(window.session.place),
        "theme": window.theme_choice,
        "scale": style.scale,
        "text_size": style.size,
        "speed": window.timeline.speed.currentText(),
        "plot": window.chosen_plot,
        "recent": window.files.recent,
        "export": window.exporter.settings.as_json(),
        "geometry": bytes(window.saveGeometry().toBase64().data()).decode(),
        "layout": bytes(window.saveState().toBase64().data()).decode(),
        "splitter": window.splitter.sizes(),
    }


def restore(window: Window, remembered: Mapping[str, Any]) -> None:
    """Whatever of it makes sense; the rest stays as it is."""
    speed, size, scale = remembered.get("speed"), remembered.get("text_size"), remembered.get("scale")
    if speed in SPEEDS:
        window.timeline.speed.setCurrentText(speed)
    if isinstance(size, int | float) and TEXT_SIZES[0] <= size <= TEXT_SIZES[-1]:
        window.stage.set_style(replace(window.stage.style_shown, size=float(size)))
    if scale in ("tensor", "shared") or (isinstance(scale, int | float) and scale > 0):
        window.stage_bar.set_scale(scale)
    _restore_layout(window, remembered)
    if isinstance(remembered.get("step"), str):
        window.session.go_to(remembered["step"])
    place = remembered.get("place")
    if isinstance(place, list) and all(isinstance(i, int) for i in place):
        window.session.choose_place(tuple(place))


def _restore_layout(window: Window, remembered: Mapping[str, Any]) -> None:
    for key, take in (("geometry", window.restoreGeometry), ("layout", window.restoreState)):
        saved = remembered.get(key)
        if isinstance(saved, str):
            take(QByteArray.fromBase64(QByteArray(saved.encode())))
    sizes = remembered.get("splitter")
    if isinstance(sizes, list) and len(sizes) == 2 and all(isinstance(n, int) for n in sizes):
        window.splitter.setSizes(sizes)
