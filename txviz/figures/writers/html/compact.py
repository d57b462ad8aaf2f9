"""Marks as compact JSON, for the page to draw as SVG.

The page is light or dark, as its reader likes, so its marks say what a colour is for and not what it is: a figure is
laid out in ``ROLES``, a theme whose colours are names, and the page knows what each is in both themes.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from txviz.figures.marks import Arrow, Box, Figure, Group, Heat, Line, Mark, Outline, Shape, Text
from txviz.figures.theme import LEVELS, LIGHT, Role, Theme
from txviz.figures.writers.lengths import short
from txviz.ops import Array

PLAIN = ("window", "panel", "text", "muted", "line", "accent", "highlight", "good", "bad")
"""The colours of a theme that are one colour each."""

ROLES = Theme(
    name="roles",
    window=Role("window"),
    panel=Role("panel"),
    text=Role("text"),
    muted=Role("muted"),
    line=Role("line"),
    accent=Role("accent"),
    highlight=Role("highlight"),
    good=Role("good"),
    bad=Role("bad"),
    scale=("#ff0000", f"#ff00{LEVELS - 1:02x}"),
    stages=tuple(Role(f"stage-{i}") for i in range(len(LIGHT.stages))),
)
"""The blue of a cell is its level on the colour scale, from 0 to ``LEVELS`` − 1; pixels of a picture stay grey."""

ON_SCALE, GREY, TRUE = range(3)
"""What the colours of cells are: levels of the scale, levels of grey, or colours as they are."""

_ANCHORS = {"start": 0, "middle": 1, "end": 2}


class Shared:
    """Texts and lists of texts that stand in several places of a step: each is written once, and then by its number."""

    def __init__(self, *, true_colours: bool = False) -> None:
        self.true_colours = true_colours
        """Whether cells keep the colours that they have."""

        self._numbers: dict[str | tuple[str, ...], int] = {}

    def number(self, content: str | tuple[str, ...]) -> int:
        return self._numbers.setdefault(content, len(self._numbers))

    @property
    def contents(self) -> list[str | tuple[str, ...]]:
        return list(self._numbers)


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
        return ["text", *at, mark.text, mark.colour, _ANCHORS[mark.anchor], kind]
    if isinstance(mark, Heat):
        return _heat(mark, shared)
    if isinstance(mark, Box):
        sides = [short(side) for side in (mark.x, mark.y, mark.width, mark.height, mark.stroke_width, mark.radius)]
        return ["box", *sides, mark.fill, mark.stroke, mark.hatch]
    if isinstance(mark, Line):
        ends = [short(end) for end in (mark.x1, mark.y1, mark.x2, mark.y2, mark.width)]
        return ["line", *ends, mark.colour]
    return _shape(mark, shared)


def _heat(mark: Heat, shared: Shared) -> list[Any]:
    painted = np.frombuffer(mark.colours, np.uint8).reshape(-1, 3)
    kind = TRUE if shared.true_colours else _kind(painted)
    cells = painted.tobytes().hex() if kind == TRUE else shared.number(_letters(painted[:, 2]))
    inks = "".join(map(str, mark.inks)) if kind == TRUE else ""
    sides = [round(side, 4) for side in (mark.x, mark.y, mark.cell_width, mark.cell_height)]
    texts = shared.number(mark.texts) if mark.texts else -1
    size = [mark.rows, mark.columns]
    return ["heat", *sides, *size, kind, cells, mark.hatched_areas, texts, short(mark.text_size), inks]


def _kind(painted: Array) -> int:  # (n,3) -> of its colours, which are those of ``ROLES``
    return ON_SCALE if (painted[:, 0] == 255).all() and not painted[:, 1].any() else GREY


def _letters(levels: Array) -> str:  # (n,) -> n letters
    """The first one is U+0100: JSON need not escape any of them."""
    return (levels.astype("<u4") + 256).tobytes().decode("utf-32-le")


def _shape(mark: Shape, shared: Shared) -> list[Any]:
    path = shared.number(_path(mark.outline))
    return ["shape", short(mark.x), short(mark.y), round(mark.scale, 4), path, mark.colour]


@lru_cache(maxsize=500)
def _path(outline: Outline) -> str:
    return "".join(kind + " ".join(str(short(n)) for n in points) for kind, points in outline)
