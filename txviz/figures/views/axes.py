"""A chart's two axes: where a pair of numbers is on the page, and the marks and names beside it."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, isfinite, log10

import numpy as np

from txviz.figures import fonts
from txviz.figures.marks import Line, Mark, Text
from txviz.figures.numerals import written
from txviz.figures.style import Style
from txviz.figures.views.page import LINE, MIDDLE, Area

Range = tuple[float, float]
Ticks = list[tuple[float, str]]
TICK = 4.0


@dataclass(frozen=True)
class Axes:
    inside: Area
    """Where the chart's own marks go."""

    across: Range
    up: Range

    def x(self, value: float) -> float:
        return self.inside.x + self.inside.width * _share(value, self.across)

    def y(self, value: float) -> float:
        return self.inside.bottom - self.inside.height * _share(value, self.up)


def _share(value: float, ends: Range) -> float:
    return (value - ends[0]) / ((ends[1] - ends[0]) or 1.0)


def ticks(ends: Range, most: int) -> Ticks:
    """Round numbers between the ends: steps of 1, 2 or 5 times a power of ten.

    >>> ticks((-0.3, 1.1), 6)
    [(0.0, '0.0'), (0.5, '0.5'), (1.0, '1.0')]
    """
    low, high = ends
    about = (high - low) / max(1, most)
    if not isfinite(about) or about <= 0:
        return []
    power = 10.0 ** floor(log10(about))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= about * (1 - 1e-9))
    values = np.arange(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1) * step
    return list(zip(values.tolist(), written(values), strict=True)) if values.size else []


def fitted_ticks(ends: Range, room: float, size: float) -> Ticks:
    """As many as fit side by side, with some air between them."""
    for most in range(8, 1, -1):
        found = ticks(ends, most)
        apart = room / max((ends[1] - ends[0]) / (found[1][0] - found[0][0]), 1e-9) if len(found) > 1 else room
        if fonts.widest(tuple(text for _, text in found), size) + size * 1.2 <= apart:
            break
    return found


def axes(
    area: Area, across: Range, up: Range, up_ticks: Ticks | None, named: tuple[str, str], style: Style
) -> tuple[Axes, list[Mark]]:
    """Axes that fill the area together with their marks and names (across, up).

    Without ``up_ticks`` the numbers on the left are round ones.
    """
    size, line = style.size, style.size * LINE
    below = TICK + size * 0.3 + (2 * line if style.labels else line)
    up_ticks = ticks(up, max(2, int((area.height - below) / (3 * size)))) if up_ticks is None else up_ticks
    name_room = line if style.labels else 0.0
    left = name_room + fonts.widest(tuple(text for _, text in up_ticks), size) + TICK + size * 0.6
    inside = Area(area.x + left, area.y + size * 0.4, area.width - left - size * 0.4, area.height - below - size * 0.4)
    made = Axes(inside, across, up)
    return made, [*_frame(made, up_ticks, style), *(_names(made, area, named, style) if style.labels else [])]


def _frame(made: Axes, up_ticks: Ticks, style: Style) -> list[Mark]:
    inside, size, colours = made.inside, style.size, style.theme
    marks: list[Mark] = [
        Line(inside.x, inside.y, inside.x, inside.bottom, colours.line),
        Line(inside.x, inside.bottom, inside.right, inside.bottom, colours.line),
    ]
    for value, text in up_ticks:
        y = made.y(value)
        marks.append(Line(inside.x - TICK, y, inside.x, y, colours.line))
        marks.append(Text(inside.x - TICK - size * 0.3, y + size * MIDDLE, text, size, colours.muted, "end"))
    for value, text in fitted_ticks(made.across, inside.width, size):
        x, y = made.x(value), inside.bottom + TICK
        marks.append(Line(x, inside.bottom, x, y, colours.line))
        over = max(0.0, x + fonts.width(text, size) / 2 - inside.right - size)
        marks.append(Text(x - over, y + size * 1.1, text, size, colours.muted, "middle"))
    return marks


def _names(made: Axes, area: Area, named: tuple[str, str], style: Style) -> list[Mark]:
    size, muted, (across, up) = style.size, style.theme.muted, made.inside.centre
    return [
        Text(across, area.bottom - size * 0.3, fonts.elided(named[0], size, area.width), size, muted, "middle"),
        Text(area.x + size, up, fonts.elided(named[1], size, area.height), size, muted, "middle", turn=90),
    ]
