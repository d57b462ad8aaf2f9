"""The fonts that ship, and how wide a text is in them: what a layout needs to know before anything is drawn."""

from __future__ import annotations

from bisect import bisect_right
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

from txviz import resources

SANS, MONO, SYMBOLS = "IBM Plex Sans", "IBM Plex Mono", "DejaVu Sans"
"""Families. What the first two lack (∇, ᵀ, ✗ and other scripts) comes from the third, or from the system."""

_FILES = {
    "regular": "IBMPlexSans-Regular.ttf",
    "bold": "IBMPlexSans-SemiBold.ttf",
    "mono": "IBMPlexMono-Regular.ttf",
    "heavy": "IBMPlexSans-Bold.ttf",  # for headings in Qt's own rich text
    "symbols": "DejaVuSans.ttf",
}
_MEASURED_AT, _ROUNDING = 1000, 0.01
"""Pixels: what the faces themselves count in, so that no advance is rounded; and a size that was chosen so that a text
just fits comes to a hair more."""

ELLIPSIS = "…"
_BREAKS = dict.fromkeys(map(ord, "\n\r\x1c\x1d\x1e\x85\u2029"), " ")
"""Ends of paragraphs can't be measured; a label that has some stands on one line all the same."""


def files() -> list[Path]:
    return [resources.path("fonts", name) for name in _FILES.values()]


@cache
def _face(kind: str) -> Any:
    from PIL import ImageFont  # takes a while to import

    # Pillow's other engine needs a library of the system's: with it a page would be laid out otherwise than without.
    path, basic = resources.path("fonts", _FILES[kind]), ImageFont.Layout.BASIC
    return ImageFont.truetype(str(path), _MEASURED_AT, layout_engine=basic)


@lru_cache(maxsize=20_000)
def _unit_width(text: str, kind: str) -> float:
    return float(_face(kind).getlength(text.translate(_BREAKS))) / _MEASURED_AT


def width(text: str, size: float, *, bold: bool = False, mono: bool = False) -> float:
    """How wide a text is at this size, in pixels."""
    return size * _unit_width(text, "mono" if mono else "bold" if bold else "regular")


def widest(texts: tuple[str, ...], size: float) -> float:
    """Of some texts, in pixels; 0 where there are none."""
    return size * _widest(texts)


@lru_cache(maxsize=1000)  # every layout that is tried asks for the same labels
def _widest(texts: tuple[str, ...]) -> float:
    return max((_unit_width(text, "regular") for text in texts), default=0.0)


def elided(text: str, size: float, room: float, *, bold: bool = False, mono: bool = False) -> str:
    """The text, cut at its end with "…" where it is wider than the room."""
    if width(text, size, bold=bold, mono=mono) <= room + _ROUNDING:
        return text
    wide = partial(width, size=size, bold=bold, mono=mono)
    kept = bisect_right(range(1, len(text)), room, key=lambda kept: wide(text[:kept] + ELLIPSIS))
    return text[:kept].rstrip() + ELLIPSIS
