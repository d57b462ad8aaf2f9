"""Marks on their way: paler, elsewhere, or not all there yet."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from txviz.figures.marks import Arrow, Box, Colour, Group, Heat, Line, Mark, Shape, Text
from txviz.figures.theme import is_dark, mixed, rgb


def eased(share: float) -> float:
    """Slow at both ends, from 0 to 1."""
    inside = min(1.0, max(0.0, share))
    return inside * inside * (3 - 2 * inside)


def part(share: float, start: float, end: float) -> float:
    """How much of what happens between two moments is over."""
    return min(1.0, max(0.0, (share - start) / (end - start)))


def faded(marks: Iterable[Mark], opacity: float, under: Colour) -> tuple[Mark, ...]:
    """The marks as they look through that much of the page's colour; none where nothing is left of them."""
    if opacity >= 1:
        return tuple(marks)
    return tuple(_faded(mark, opacity, under) for mark in marks) if opacity > 0 else ()


def _faded(mark: Mark, opacity: float, under: Colour) -> Mark:
    match mark:
        case Group():
            return replace(mark, marks=faded(mark.marks, opacity, under))
        case Heat():
            return _faded_cells(mark, opacity, under)
        case Box():
            fill, stroke, hatch = (c and mixed(c, under, opacity) for c in (mark.fill, mark.stroke, mark.hatch))
            return replace(mark, fill=fill, stroke=stroke, hatch=hatch)
        case Text() | Line() | Shape() | Arrow():
            return replace(mark, colour=mixed(mark.colour, under, opacity))


def _faded_cells(mark: Heat, opacity: float, under: Colour) -> Heat:
    before = np.frombuffer(mark.colours, np.uint8).reshape(-1, 3)
    after = np.rint(before * opacity + np.array(rgb(under)) * (1 - opacity)).astype(np.uint8)
    light, dark, hatch = (mixed(ink, under, opacity) for ink in (mark.light_ink, mark.dark_ink, mark.hatch))
    return replace(mark, colours=after.tobytes(), light_ink=light, dark_ink=dark, hatch=hatch)


def between(start: Heat, end: Heat, share: float) -> Heat:
    """The cells of ``end`` on their way from where they stand in ``start``, and from the colours they have there."""
    names = ("x", "y", "cell_width", "cell_height", "text_size")
    way = {name: getattr(start, name) * (1 - share) + getattr(end, name) * share for name in names}
    first, last = (np.frombuffer(mark.colours, np.uint8).reshape(-1, 3) for mark in (start, end))
    painted = np.rint(first * (1 - share) + last * share).astype(np.uint8)
    written = start.texts and end.texts
    inks = is_dark(painted).astype(np.uint8).tobytes() if written else b""
    return replace(end, **way, colours=painted.tobytes(), texts=end.texts if written else (), inks=inks)
