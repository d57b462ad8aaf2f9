"""Beside the formula: a bar of colours with the tensors that it is for, and where the colours of others end."""

from __future__ import annotations

from collections.abc import Sequence

from txviz.figures import fonts
from txviz.figures.colour_bar import LETTERS, scale_bar
from txviz.figures.heading import Heading
from txviz.figures.marks import Mark, Text
from txviz.figures.sharing import SharedScale
from txviz.figures.style import Style

ABOVE, BELOW = -0.4, 2.8
"""Where words stand from the top of the bar, by the size of the text."""


def legend(scales: Sequence[SharedScale], head: Heading, style: Style) -> list[Mark]:
    """A bar for the first scale that has colours, and words for the others."""
    coloured = [scale for scale in scales if scale.ends.low < scale.ends.high]
    if not coloured:
        return []
    first, *others = coloured
    names = [", ".join(first.names), f"{first.names[-1]} and more" if others else "all of these"]
    apart = [" · ".join(scale.text for scale in others), "the others: each its own scale", "others: their own"]
    return [
        *beside(head, names, ABOVE, style),
        *scale_bar(head.bar, first.ends, first.extent, style, grey=first.grey),
        *(beside(head, apart, BELOW, style) if others else ()),
    ]


def beside(head: Heading, sayings: Sequence[str], down: float, style: Style) -> list[Mark]:
    """The first of these that there is room for, so far down from the top of the bar: as wide as the bar from its left,
    or else up to its right."""
    x, y, across = head.bar
    size, room = style.size * LETTERS, x + across - head.free
    said = next((text for text in sayings if fonts.width(text, size) <= room), "")
    said = said or fonts.elided(sayings[-1], size, room)
    starts = fonts.width(said, size) <= across
    at = x if starts else x + across
    return [Text(at, y + style.size * down, said, size, style.theme.muted, "start" if starts else "end")]
