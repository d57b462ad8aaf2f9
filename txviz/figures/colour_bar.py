"""What the colours of a figure mean: a bar of all of them, with the numbers at its ends."""

from __future__ import annotations

import numpy as np

from txviz.figures import theme
from txviz.figures.marks import Anchor, Box, Heat, Mark, Text
from txviz.figures.style import Style
from txviz.ops import Array

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


def scale_colours(style: Style, low: float, high: float) -> Array:  # -> (CELLS,3)
    """The colours of the numbers from ``low`` to ``high``, where the scale ends."""
    return theme.colours(style.theme, np.linspace(low, high, CELLS), high)
