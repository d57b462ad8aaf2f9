"""Colours, light and dark: for the window, for figures, and for numbers.

Numbers are coloured around 0: blue below, orange above, as strong as they are large. That pair is told apart with
every common kind of colour blindness.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from txviz.figures.colour_scale import Span, extent
from txviz.figures.marks import Colour
from txviz.ops import Array
from txviz.trace.site import Site

DARK_INK, LIGHT_INK = "#10151d", "#ffffff"
"""Of numbers on coloured cells."""

LEVELS = 255
"""Of the colour scale; odd, so that 0 has a colour of its own in the middle."""


@dataclass(frozen=True)
class Theme:
    name: str
    window: Colour
    """Behind everything."""
    panel: Colour
    """Behind figures, plots and fields."""
    text: Colour
    muted: Colour
    """Text that matters less: shapes, axis names."""
    line: Colour
    accent: Colour
    """What is selected, or asks to be clicked."""
    highlight: Colour
    """Around the cell under the pointer and the cells that it was made from."""
    good: Colour
    bad: Colour
    scale: tuple[Colour, ...]
    """From the most negative over 0 to the most positive."""
    stages: tuple[Colour, ...]
    """To tell the stages of a model, or some lines of a plot, apart (Okabe and Ito)."""


LIGHT = Theme(
    name="light",
    window="#f3f4f6",
    panel="#ffffff",
    text="#1b2330",
    muted="#5a6473",
    line="#d4d9e0",
    accent="#0a5fbf",
    highlight="#c2185b",
    good="#1a7f4b",
    bad="#b3261e",
    scale=("#08306b", "#2b7bba", "#9ecae1", "#ffffff", "#fdbf7f", "#e6761a", "#7f2f04"),
    stages=("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b58900", "#56b4e9", "#6c5fc7", "#5a6473"),
)

DARK = Theme(
    name="dark",
    window="#14171b",
    panel="#1b1f25",
    text="#e7eaef",
    muted="#9ba5b3",
    line="#363d47",
    accent="#6db3ff",
    highlight="#ff6fa8",
    good="#5fd39a",
    bad="#ff8a80",
    scale=("#9fd0ff", "#3f8fd9", "#204a75", "#22272f", "#7a4413", "#e07b1f", "#ffc680"),
    stages=("#56b4e9", "#e69f00", "#2fc79a", "#e090bf", "#f0e442", "#8fb8ff", "#a79bff", "#9ba5b3"),
)

PAPER = Theme(
    name="paper",
    window="#ffffff",
    panel="#ffffff",
    text="#000000",
    muted="#404040",
    line="#808080",
    accent="#0a3d7a",
    highlight="#000000",
    good="#000000",
    bad="#000000",
    scale=("#6fa3e2", "#9cc0ec", "#cfe0f5", "#ffffff", "#bfbfbf", "#6e6e6e", "#1a1a1a"),
    stages=("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b58900", "#56b4e9", "#6c5fc7", "#5a6473"),
)
"""For print: 0 is white, what is above gets darker up to black, and what is below gets blue, but never as dark: what is
darker than that is above 0 in grey, too."""

_STAGES = {
    "embed": 0, "mask": 0, "distances": 0, "encoder": 1, "decoder": 2, "pool": 3, "head": 4, "choice": 4, "search": 4,
    "similarity": 4, "loss": 5, "after": 5, "backward": 6, "update": 7,
}  # fmt: skip
"""Which of a theme's colours each has."""


class Role(str):
    """What a colour is for, where what it is becomes known later: on a page that can be light or dark."""

    __slots__ = ()


class UndecidedError(Exception):
    """What is drawn has to know a colour of which there is only the role."""


def rgb(colour: Colour) -> tuple[int, int, int]:
    """
    >>> rgb("#ff8000")
    (255, 128, 0)
    """
    if isinstance(colour, Role):
        raise UndecidedError(colour)
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


@lru_cache(maxsize=10_000)
def mixed(colour: Colour, under: Colour, opacity: float) -> Colour:
    """What is seen where a colour lies on another, so opaque: 0 is not seen, 1 hides what is under it.

    >>> mixed("#ff0000", "#ffffff", 0.5)
    '#ff8080'
    >>> mixed(Role("text"), Role("panel"), 0.5)
    '0.5 text panel'
    """
    share = min(1.0, max(0.0, opacity))
    if isinstance(colour, Role):
        return Role(f"{share} {colour} {under}")
    parts = (round(a * share + b * (1 - share)) for a, b in zip(rgb(colour), rgb(under), strict=True))
    return "#" + "".join(f"{part:02x}" for part in parts)


@cache
def scale_table(theme: Theme) -> Array:  # -> (LEVELS,3)
    """The colour scale as a table, from −1 to 1."""
    stops = np.array([rgb(colour) for colour in theme.scale], dtype=float)
    places = np.linspace(0, len(stops) - 1, LEVELS)
    channels = [np.interp(places, np.arange(len(stops)), stops[:, c]) for c in range(3)]
    return np.stack(channels, axis=-1).round().astype(np.uint8)


def largest(*values: Array) -> float:
    """The largest finite size of any number: the end of an automatic scale. 1 where there is none."""
    return max((extent(value).limit for value in values), default=0.0) or 1.0


def colours(theme: Theme, values: Array, ends: Span) -> Array:  # (...) -> (...,3)
    """A colour for each number, as strong as it is far from 0; beyond the ends, the end's; for −∞ and NaN, that of 0.

    Where 0 is not between the ends, the one that is nearest to it takes its place.
    """
    zero = ends.zero
    limit = max(ends.high - zero, zero - ends.low) or 1.0
    unit = np.asarray((values - zero if zero else values) / limit)
    if unit.size and not unit.min() > -np.inf:  # looking at each takes longer than all the rest
        unit[~(unit > -np.inf)] = 0.0
    np.clip(unit, (ends.low - zero) / limit, (ends.high - zero) / limit, out=unit)
    unit += 1
    unit *= (LEVELS - 1) / 2
    levels = np.rint(unit, out=unit).astype(np.intp)
    return scale_table(theme).take(levels, axis=0)  # which takes a quarter of the time of table[levels]


def greys(values: Array) -> Array:  # (...) -> (...,3)
    """Pixels of an image, 0 black and 1 white."""
    return np.repeat(levels(values)[..., None], 3, axis=-1)


def levels(values: Array) -> Array:  # (...) -> (...)
    """From 0 to 255, for numbers from 0 to 1; for NaN, that of 0."""
    return np.asarray(np.rint(np.clip(np.nan_to_num(values), 0, 1) * 255), np.uint8)


LUMINANCE = np.array([0.2126, 0.7152, 0.0722])
"""How bright red, green and blue look."""


def is_dark(colours: Array) -> Array:  # (...,3) -> (...)
    """Whether white is easier to read on a colour than black, by its luminance."""
    linear = (colours / 255.0) ** 2.2
    return np.asarray(linear @ LUMINANCE < 0.2)


def stage_colour(theme: Theme, site: Site) -> Colour:
    """The colour of the pass, or of the part of the model, that a step stands in."""
    kind = site.part if site.pass_ == "forward" else site.pass_
    return theme.stages[_STAGES[kind] % len(theme.stages)] if kind in _STAGES else theme.muted
