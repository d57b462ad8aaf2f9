"""Marks as compact JSON, for the page to draw as SVG.

The page is light or dark, as its reader likes, so its marks say what a colour is for and not what it is: a figure is
laid out in ``ROLES``, a theme whose colours are names in disguise, and the page knows what each is in both themes.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from txviz.figures.marks import Arrow, Box, Colour, Figure, Group, Heat, Line, Mark, Outline, Shape, Text
from txviz.figures.theme import LEVELS, Theme
from txviz.figures.writers.lengths import short

STAGES = tuple(f"#0100{i:02x}" for i in range(8))

ROLES = Theme(
    name="roles",
    window="#020000",
    panel="#020001",
    text="#020002",
    muted="#020003",
    line="#020004",
    accent="#020005",
    highlight="#020006",
    good="#020007",
    bad="#020008",
    scale=("#ff0000", f"#ff00{LEVELS - 1:02x}"),
    stages=STAGES,
)
"""The blue of a cell is its level on the colour scale, from 0 to ``LEVELS`` − 1; pixels of a picture stay grey."""

PLAIN = ("window", "panel", "text", "muted", "line", "accent", "highlight", "good", "bad")
"""The colours of a theme that are one colour each."""

_NAMES: dict[Colour, str] = {getattr(ROLES, name): name for name in PLAIN} | {
    colour: f"stage-{i}" for i, colour in enumerate(STAGES)
}
_ANCHORS = {"start": 0, "middle": 1, "end": 2}


class Shared:
    """Texts and lists of texts that stand in several places of a step: each is written once, and then by its number."""

    def __init__(self) -> None:
        self._numbers: dict[str | tuple[str, ...], int] = {}

    def number(self, content: str | tuple[str, ...]) -> int:
        return self._numbers.setdefault(content, len(self._numbers))

    @property
    def contents(self) -> list[str | tuple[str, ...]]:
        return list(self._numbers)


def role(colour: Colour) -> str:
    """What a colour of ``ROLES`` is for; any other colour stands for itself.

    >>> role(ROLES.muted), role("#ffffff")
    ('muted', '#ffffff')
    """
    return _NAMES.get(colour, colour)


def figure(drawn: Figure, shared: Shared) -> list[Any]:
    """Width, height and marks."""
    return [short(drawn.width), short(drawn.height), _marks(drawn.marks, shared)]


def _marks(marks: Iterable[Mark], shared: Shared) -> list[list[Any]]:
    return [_mark(mark, shared) for mark in marks]


def _mark(mark: Mark, shared: Shared) -> list[Any]:
    if isinstance(mark, Group):
        return ["group", mark.name, _marks(mark.marks, shared)]
    if isinstance(mark, Arrow):
        return ["group", "", _marks(mark.parts, shared)]
    if isinstance(mark, Text):
        kind = int(mark.bold) + 2 * int(mark.mono)
        at = [short(mark.x), short(mark.y), short(mark.size), short(mark.turn)]
        return ["text", *at, mark.text, role(mark.colour), _ANCHORS[mark.anchor], kind]
    if isinstance(mark, Heat):
        return _heat(mark, shared)
    if isinstance(mark, Box):
        sides = [short(side) for side in (mark.x, mark.y, mark.width, mark.height, mark.stroke_width, mark.radius)]
        return ["box", *sides, *(colour and role(colour) for colour in (mark.fill, mark.stroke, mark.hatch))]
    if isinstance(mark, Line):
        ends = [short(end) for end in (mark.x1, mark.y1, mark.x2, mark.y2, mark.width)]
        return ["line", *ends, role(mark.colour)]
    return _shape(mark, shared)


def _heat(mark: Heat, shared: Shared) -> list[Any]:
    """The levels are letters, the first one U+0100: JSON need not escape any of them."""
    painted = np.frombuffer(mark.colours, np.uint8).reshape(-1, 3)
    grey = bool((painted == painted[:, :1]).all())
    levels = "".join(chr(256 + level) for level in painted[:, 2].tolist())
    sides = [round(side, 4) for side in (mark.x, mark.y, mark.cell_width, mark.cell_height)]
    texts = shared.number(mark.texts) if mark.texts else -1
    size = [mark.rows, mark.columns]
    return ["heat", *sides, *size, int(grey), shared.number(levels), mark.hatched, texts, short(mark.text_size)]


def _shape(mark: Shape, shared: Shared) -> list[Any]:
    path = shared.number(_path(mark.outline))
    return ["shape", short(mark.x), short(mark.y), round(mark.scale, 4), path, role(mark.colour)]


@lru_cache(maxsize=500)
def _path(outline: Outline) -> str:
    return "".join(kind + " ".join(str(short(n)) for n in points) for kind, points in outline)
