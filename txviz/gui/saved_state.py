"""What the window remembers from one start to the next: a JSON file that is replaced whole, or not at all.

The file may have been damaged since, and the window starts all the same: a field that is wrong costs that field only.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QByteArray, QStandardPaths

from txviz.errors import TxvizError
from txviz.figures.colour_scale import Span, read_scale
from txviz.figures.pair import SIDES
from txviz.files import checksum, write_whole
from txviz.gui.appearance import DEFAULT_TEXT_SIZE, THEME_CHOICES
from txviz.gui.arrangement import FOLDS
from txviz.gui.timeline import SPEEDS
from txviz.models.request import Request

if TYPE_CHECKING:
    from txviz.gui.window import Window

VERSION = 1
WHERE = ("request", "step", "node", "place", "compared")
"""The fields that say what was looked at; all others are how the window looks."""

LAYOUT = 2
"""Of the docks, for Qt: a layout with another number is not restored."""

TEXT_SIZES = (10, 11, 12, 13, 14, 16, 18, 21, 24, 28)
LARGEST_FILE = 4 * 2**20
LONGEST_TEXT = 100_000
LONGEST_NAME = 200
LARGEST_NUMBER = 1e15
DEEPEST = 3


def default_path() -> Path:
    """In the user's own folder for settings."""
    folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericConfigLocation)
    return Path(folder, "txviz", "state.json")


def log_path() -> Path:
    """Where an unexpected error is written to."""
    folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericStateLocation)
    return Path(folder, "txviz", "errors.log")


def load(path: Path) -> tuple[dict[str, Any], str]:
    """The saved fields that make sense, and a sentence about the others; a file that can't be read is set aside."""
    try:
        content = _read(path)
    except FileNotFoundError:
        return {}, ""
    except (OSError, ValueError, RecursionError):
        return {}, _set_aside(path)
    wrong = [name for name, is_sound in _SOUND.items() if name in content and not is_sound(content[name])]
    problem = f"Some of what txviz remembered can't be read and starts afresh: {', '.join(wrong)}." if wrong else ""
    return {name: content[name] for name in _SOUND if name in content and name not in wrong}, problem


def recent(path: Path) -> list[str]:
    """The files that were opened last, as this or another window has saved them; none where nothing can be read."""
    try:
        found = _read(path).get("recent", [])
    except (OSError, ValueError, RecursionError):
        return []
    return found if _SOUND["recent"](found) else []


def _read(path: Path) -> dict[str, Any]:
    if path.exists() and not (path.is_file() and path.stat().st_size <= LARGEST_FILE):
        raise ValueError("not a file of a sensible size")
    content = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(content, dict) or content.get("version") != VERSION:
        raise ValueError("not a state of this version")
    return content


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
    write_whole(
        path, json.dumps({"version": VERSION, **content}, ensure_ascii=False, indent=1).encode(errors="replace")
    )


def describe(window: Window) -> dict[str, Any]:
    """Where the user is, and how the window looks."""
    request, style = window.session.request, window.stage.style_shown
    return {
        "request": request.as_json() if request and window.overlays.start_page is None else None,
        "step": window.session.step.name,
        "node": window.session.node.name,
        "picture": window.session.picture,
        "place": list(window.session.place),
        **_compared(window),
        "theme": window.theme_choice,
        "colours": style.scale.text if isinstance(style.scale, Span) else style.scale,
        "text_size": style.size,
        "speed": window.timeline.speed.currentText(),
        "key_steps": window.actions_by_key["key_steps"].isChecked(),
        "plot": window.plots_holder.chosen,
        "recent": window.files.recent,
        "export": window.exporter.settings.as_json(),
        "geometry": _sealed(window.saveGeometry().data()),
        "layout": _sealed(window.saveState(LAYOUT).data()),
        "folded": sorted(window.arrangement.folded),
        "sizes": [*window.arrangement.wanted.values(), window.centre.wanted, window.left.wanted],
    }


def _compared(window: Window) -> dict[str, Any]:
    """The run that is kept as A, where it can be computed again, and what is looked at."""
    compared = window.session.compared
    known = compared.trace is not None and compared.request is not None
    return {"compared": compared.request.as_json() if known and compared.request else None, "sides": compared.sides}


def restore(window: Window, remembered: Mapping[str, Any]) -> None:
    """What ``load`` found; the rest stays as it is."""
    if "speed" in remembered:
        window.timeline.speed.setCurrentText(remembered["speed"])
    window.actions_by_key["key_steps"].setChecked(remembered.get("key_steps", False))
    window.set_text_size(remembered.get("text_size", DEFAULT_TEXT_SIZE))
    if "colours" in remembered:
        window.stage_bar.set_scale(read_scale(remembered["colours"]))
    if "geometry" in remembered:
        window.restoreGeometry(QByteArray(_unsealed(remembered["geometry"])))
    if "layout" in remembered:
        window.restoreState(QByteArray(_unsealed(remembered["layout"])), LAYOUT)
    if "sizes" in remembered:
        *sides, window.centre.wanted, window.left.wanted = remembered["sizes"]
        window.arrangement.wanted = dict(zip(window.arrangement.wanted, sides, strict=True))
    window.arrangement.folded = set(remembered.get("folded", ()))
    if remembered.get("step") in window.session.names:
        window.session.go_to(remembered["step"])
        if remembered.get("node") in [node.name for node in window.session.path]:
            window.session.show_node(remembered["node"])
            window.session.choose_picture(remembered.get("picture", ""))
    window.session.choose_place(tuple(remembered.get("place", ())))
    if remembered.get("compared") and remembered.get("request"):
        with suppress(TxvizError):
            window.comparing.resume(Request.from_json(remembered["compared"]), remembered.get("sides", "all"))


def _sealed(data: bytes | bytearray | memoryview) -> str:
    """Qt's own bytes with their checksum: where one bit is wrong, Qt may crash on them."""
    return f"{checksum(data)}:{base64.b64encode(data).decode()}"


def _unsealed(text: str) -> bytes:
    """What was sealed, or a ValueError where it has changed since."""
    sealed, _, encoded = text.partition(":")
    data = base64.b64decode(encoded, validate=True)
    if sealed != checksum(data):
        raise ValueError("the checksum does not fit")
    return data


def _is_sealed(value: Any) -> bool:
    try:
        return isinstance(value, str) and bool(_unsealed(value))
    except ValueError:
        return False


def _is_text(value: Any, longest: int = LONGEST_TEXT) -> bool:
    """One that Qt and a file can take: not too long, and without half characters (surrogates)."""
    return isinstance(value, str) and len(value) <= longest and not any("\ud800" <= c <= "\udfff" for c in value)


def _is_number(value: Any, lowest: float = -LARGEST_NUMBER, highest: float = LARGEST_NUMBER) -> bool:
    return type(value) in (int, float) and lowest <= value <= highest


def _are_counts(value: Any, most: int) -> bool:
    return isinstance(value, list) and len(value) <= most and all(type(n) is int and 0 <= n < 100_000 for n in value)


def _is_plain(value: Any, depth: int = DEEPEST) -> bool:
    """Texts and numbers within bounds, in lists and dictionaries that are not too deep."""
    if isinstance(value, list | dict):
        parts = [*value, *value.values()] if isinstance(value, dict) else value
        return depth > 0 and all(_is_plain(part, depth - 1) for part in parts)
    return value is None or isinstance(value, bool) or _is_text(value) or _is_number(value)


def _is_scale(value: str) -> bool:
    """One that can be chosen above the stage: with a name, or as far below 0 as above."""
    try:
        scale = read_scale(value)
    except TxvizError:
        return False
    return isinstance(scale, str) or (scale.low == -scale.high and 0.01 <= scale.limit <= 1e6)


_SOUND: dict[str, Callable[[Any], bool]] = {
    "request": _is_plain,
    "step": lambda value: _is_text(value, LONGEST_NAME),
    "node": lambda value: _is_text(value, LONGEST_NAME),
    "picture": lambda value: _is_text(value, LONGEST_NAME),
    "place": lambda value: _are_counts(value, 8),
    "compared": _is_plain,
    "sides": lambda value: isinstance(value, str) and value in SIDES,
    "theme": lambda value: value in THEME_CHOICES,
    "colours": lambda value: _is_text(value, LONGEST_NAME) and _is_scale(value),
    "text_size": lambda value: _is_number(value, TEXT_SIZES[0], TEXT_SIZES[-1]),
    "speed": lambda value: isinstance(value, str) and value in SPEEDS,
    "key_steps": lambda value: isinstance(value, bool),
    "plot": lambda value: _is_text(value, LONGEST_NAME),
    "recent": lambda value: isinstance(value, list) and all(map(_is_text, value)),
    "export": lambda value: isinstance(value, dict) and _is_plain(value),
    "geometry": _is_sealed,
    "layout": _is_sealed,
    "folded": lambda value: value in ([], [FOLDS]),
    "sizes": lambda value: _are_counts(value, 4) and len(value) == 4,
}
"""Every field that is saved, and whether a value makes sense there."""
