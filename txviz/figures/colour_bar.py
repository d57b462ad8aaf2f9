"""What colours mean: a bar of all of them, with the numbers at its ends."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from txviz.figures import theme
from txviz.figures.colour_scale import Span
from txviz.figures.marks import Anchor, Box, Heat, Mark, Text
from txviz.figures.style import Style
from txviz.ops import Array
from txviz.ops.arithmetic import number

CELLS = 61
LETTERS, BELOW = 0.9, 1.7
"""The size of the words, and where they stand from the top of the bar, by the size of the text."""

INSIDE = 0.3
"""How far 0 is from an end, by the width of the bar, where it has room between them."""


def colour_bar(
    at: tuple[float, float, float], painted: Array, ends: tuple[str, str, str], style: Style, middle: float = 0.5
) -> list[Mark]:
    """``at`` is its left, top and width; ``painted`` its colours (n,3); ``ends`` is said below: left, between them
    (at the share ``middle`` of the way) and right."""
    size, colours, (x, y, across) = style.size, style.theme, at
    bar = Heat(x, y, across / len(painted), size * 0.7, 1, len(painted), painted.tobytes())
    places: list[tuple[float, Anchor]] = [(x, "start"), (x + across * middle, "middle"), (x + across, "end")]
    texts = [
        Text(where, y + size * BELOW, end, size * LETTERS, colours.muted, anchor)
        for end, (where, anchor) in zip(ends, places, strict=True)
        if end
    ]
    return [bar, Box(x, y, across, size * 0.7, stroke=colours.line), *texts]


def _written(end: float) -> str:
    return number(end, 3)


def scale_bar(
    at: tuple[float, float, float],
    ends: Span,
    extent: Span,
    style: Style,
    *,
    grey: bool = False,
    written: Callable[[float], str] = _written,
) -> list[Mark]:
    """A bar from end to end, marked where numbers of this extent lie beyond; none where all numbers are 0, or −∞."""
    if not ends.low < ends.high:
        return []
    low, high = map(written, ends)
    low, high = f"≤ {low}" if extent.low < ends.low else low, f"≥ {high}" if extent.high > ends.high else high
    zero = -ends.low / (ends.high - ends.low)
    painted = theme.greys(np.linspace(*ends, CELLS)) if grey else scale_colours(style, ends)
    return colour_bar(at, painted, (low, "0" if INSIDE < zero < 1 - INSIDE else "", high), style, zero)


def scale_colours(style: Style, ends: Span) -> Array:  # -> (CELLS,3)
    """The colours of the numbers from end to end."""
    return theme.colours(style.theme, np.linspace(*ends, CELLS), ends)
