"""What the boxes and lines of a beam's tree mean."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from txviz.figures import fonts
from txviz.figures.area import Area
from txviz.figures.levels.board import LINE_WIDTH, Point
from txviz.figures.marks import Box, Colour, Line, Mark, Text
from txviz.figures.style import Style
from txviz.figures.theme import Theme
from txviz.figures.views.page import LINE, MIDDLE

THICK, DOTTED = 0.34, 0.16
"""The line to the best sentence, and that of greedy."""

DASH, SPACE = 0.45, 0.35
INSET = 0.2
"""Of the second frame of what is finished."""

SIGN, GAP = 1.6, 1.6
"""The width of a sign, and the gap to the next. All these by the size of the text."""

Kind = Literal["kept", "finished", "dropped", "best", "greedy", "attention"]


class Key(NamedTuple):
    kind: Kind
    text: str


def legend(keys: Sequence[Key], area: Area, style: Style) -> tuple[list[Mark], float]:
    """The signs with their words, on as many lines as they need, and where they end."""
    size, x, y = style.size, area.x, area.y + style.size
    marks: list[Mark] = []
    for kind, text in keys:
        wide = (SIGN + 0.5) * size + fonts.width(text, size)
        if x > area.x and x + wide > area.right:
            x, y = area.x, y + size * LINE * 1.15
        marks += sign(kind, Area(x, y - size * 0.85, SIGN * size, size), size, style.theme)
        shown = fonts.elided(text, size, area.right - x - (SIGN + 0.5) * size)
        marks.append(Text(x + (SIGN + 0.5) * size, y, shown, size, style.theme.muted))
        x += wide + GAP * size
    return marks, y + size * 0.8


def sign(kind: Kind, area: Area, size: float, theme: Theme) -> list[Mark]:
    middle = area.centre[1]
    if kind in ("kept", "finished"):
        return frame(area, theme.muted, size, LINE_WIDTH, finished=kind == "finished")
    if kind == "dropped":
        return [Text(area.centre[0], middle + size * MIDDLE, "×", size, theme.muted, "middle")]
    if kind == "best":
        return [Line(area.x, middle, area.right, middle, theme.accent, size * THICK)]
    if kind == "greedy":
        return dashes([(area.x, middle), (area.right, middle)], greedy_colour(theme), size)
    return [strip(area, theme.muted)]


def frame(area: Area, colour: Colour, size: float, width: float, *, finished: bool) -> list[Mark]:
    """One round a sentence that goes on; two round one that is finished."""
    outer = Box(*area, stroke=colour, stroke_width=size * width, radius=size * 0.3)
    if not finished:
        return [outer]
    return [outer, Box(*area.grown(-size * INSET), stroke=colour, stroke_width=size * LINE_WIDTH * 0.6)]


def strip(area: Area, colour: Colour) -> Box:
    """Hatched: it stands for a matrix."""
    return Box(*area, stroke=colour, stroke_width=0.6, hatch=colour)


def dashes(points: Sequence[Point], colour: Colour, size: float) -> list[Mark]:
    """A dashed line through some points."""
    found: list[Mark] = []
    for (x1, y1), (x2, y2) in pairwise(points):
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
        count = max(1, round(length / (size * (DASH + SPACE))))
        for i in range(count):
            a, b = i / count, (i + DASH / (DASH + SPACE)) / count
            ends = (x1 + (x2 - x1) * a, y1 + (y2 - y1) * a, x1 + (x2 - x1) * b, y1 + (y2 - y1) * b)
            found.append(Line(*ends, colour, size * DOTTED))
    return found


def greedy_colour(theme: Theme) -> Colour:
    return theme.stages[1]
