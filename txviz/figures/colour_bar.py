"""What the colours of a figure mean: a bar of all of them, with the numbers at its ends."""

from __future__ import annotations

import numpy as np

from txviz.figures import theme
from txviz.figures.marks import Anchor, Box, Heat, Mark, Text
from txviz.figures.style import Style
from txviz.ops import Array
from txviz.ops.arithmetic import number

CELLS = 61


def colour_bar(at: tuple[float, float, float], painted: Array, ends: tuple[str, str, str], style: Style) -> list[Mark]:
    """``at`` is its left, top and width; ``painted`` its colours (n,3); ``ends`` is said below: left, middle, right."""
    size, colours, (x, y, across) = style.size, style.theme, at
    bar = Heat(x, y, across / len(painted), size * 0.7, 1, len(painted), painted.tobytes())
    places: list[tuple[float, Anchor]] = [(x, "start"), (x + across / 2, "middle"), (x + across, "end")]
    texts = [
        Text(where, y + size * 1.7, end, size * 0.9, colours.muted, anchor)
        for end, (where, anchor) in zip(ends, places, strict=True)
        if end
    ]
    return [bar, Box(x, y, across, size * 0.7, stroke=colours.line), *texts]


def scale_bar(at: tuple[float, float, float], values: Array, limit: float, style: Style) -> list[Mark]:
    """A bar of the colours that these numbers may have: from 0 on where none is negative, up to 0 where none is
    positive, and none where all are 0, or −∞."""
    low = -limit if theme.negative(values) else 0.0
    high = limit if theme.negative(-values) else 0.0
    if not low and not high:
        return []
    ends = number(low, 3), "0" if low and high else "", number(high, 3)
    return colour_bar(at, scale_colours(style, low, high, limit), ends, style)


def scale_colours(style: Style, low: float, high: float, limit: float) -> Array:  # -> (CELLS,3)
    """The colours of the numbers from ``low`` to ``high`` on a scale that ends at ``limit``."""
    return theme.colours(style.theme, np.linspace(low, high, CELLS), limit)
