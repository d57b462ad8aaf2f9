"""An activation as a curve, over the numbers that it was given: how many there are, and what it makes of them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from txviz.figures import fonts
from txviz.figures.levels.board import Board
from txviz.figures.marks import Box, Line, Mark
from txviz.figures.numerals import percent
from txviz.figures.theme import mixed
from txviz.figures.views.page import Area
from txviz.ops import Array
from txviz.trace import Step

BINS, POINTS = 40, 81
WIDEST = 26.0
"""By the size of the text."""

ALMOST = 0.3
"""What is below is almost 0: gelu makes −0.17 at the lowest, and silu −0.28."""


def curve(board: Board, step: Step, room: Area) -> None:
    """The step's own operation, from the lowest to the highest number that it read."""
    if not step.sources:
        return
    values, size = step.sources[0].value.ravel().astype(float), board.size
    end = float(np.abs(values[np.isfinite(values)]).max(initial=0.0)) or 1.0
    wide = min(room.width, WIDEST * size)
    high = min(room.height - 2.6 * size, wide * 0.6)
    area = Area(room.x + (room.width - wide) / 2, room.y + (room.height - high - 1.4 * size) / 2, wide, high)
    x = np.linspace(-end, end, POINTS)
    y = step.operation.compute(x, **step.params)
    read = step.sources[0]
    known = isinstance(read, Step) and board.computed(read)
    marks = [*(_bars(board, values, end, area) if known else ()), *_axes(board, area), *_line(board, x, y, end, area)]
    board.add(f"curve of {step.name}", *marks)
    _say(board, step, values, area)


def end_below_0(step: Step) -> str:
    """What its operation makes of any number below 0, where that is all the same: 0, almost 0, or nothing."""
    most = float(np.abs(step.operation.compute(np.linspace(-9.0, 0.0, POINTS), **step.params)).max())
    return "0" if most == 0 else "almost 0" if most < ALMOST else ""


def _bars(board: Board, values: Array, end: float, area: Area) -> list[Mark]:
    """How the numbers are spread: those below 0 in the colour of what is negative."""
    counts, edges = np.histogram(values, bins=BINS, range=(-end, end))
    tall, wide, theme = counts.max() or 1, area.width / BINS, board.theme
    marks: list[Mark] = []
    for i, count in enumerate(counts.tolist()):
        if count:
            high = area.height * 0.8 * count / tall
            fill = mixed(theme.stages[int(edges[i] >= 0)], theme.panel, 0.35)
            marks.append(Box(area.x + i * wide, area.bottom - high, wide * 0.9, high, fill=fill))
    return marks


def _axes(board: Board, area: Area) -> list[Mark]:
    x, line = area.centre[0], board.theme.line
    return [Line(area.x, area.bottom, area.right, area.bottom, line, 1), Line(x, area.y, x, area.bottom, line, 1)]


def _line(board: Board, x: Array, y: Array, end: float, area: Area) -> list[Mark]:
    """At the same scale both ways; the lowest point stands on the axis."""
    low = min(float(y.min()), 0.0)
    across = area.x + (x + end) / (2 * end) * area.width
    down = area.bottom - (y - low) / (end - low) * area.height
    points = list(zip(across.tolist(), down.tolist(), strict=True))
    ink, width = board.theme.text, board.size * 0.16
    return [Line(*a, *b, ink, width) for a, b in pairwise(points)]


def _say(board: Board, step: Step, values: Array, area: Area) -> None:
    """What happens on either side of 0, as far as there is room to say so."""
    y, room = area.bottom + board.size * 1.3, area.width / 2 - board.size
    end = end_below_0(step)
    low = float((step.value == 0).mean() if end == "0" else (values < 0).mean())
    cut, passed = f"{percent(low)} → {end}", f"{percent(1 - low)} pass"
    if not end:
        cut, passed = f"{percent(low)} below 0", f"{percent(1 - low)} above"
    if max(fonts.width(cut, board.size), fonts.width(passed, board.size)) > room:
        return
    board.write(area.centre[0], y, "0", board.theme.muted, "middle")
    if board.computed(step):
        board.write(area.x + area.width * 0.25, y, cut, board.theme.stages[0], "middle")
        board.write(area.x + area.width * 0.75, y, passed, board.theme.stages[1], "middle")
