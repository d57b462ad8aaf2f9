"""Colour and words on the image that a model read, patch by patch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from txviz.figures import fonts
from txviz.figures.marks import Heat
from txviz.figures.patches import Drawing as Drawing
from txviz.figures.patches import find_drawing as find_drawing
from txviz.figures.patches import patch_areas as patch_areas
from txviz.figures.patches import patch_lines as patch_lines
from txviz.figures.theme import DARK_INK, LIGHT_INK, Theme, is_dark, rgb
from txviz.figures.views.page import Area, rows_of
from txviz.ops import Array

HEAT = 0.85
"""How opaque the largest weight is: the drawing stays visible below it."""

Words = Mapping[str, tuple[str, ...]]
"""By the label of a patch."""


def patch_heat(
    drawing: Drawing, shares: Mapping[str, float], area: Area, theme: Theme, words: Words | None = None, size: float = 0
) -> Heat:
    """The drawing's pixels, each mixed with as much colour as its patch has a share of, from −1 to 1.

    ``words`` are written down the first pixels of each patch in this size, where all of them fit.
    """
    (high, wide), (rows, columns) = drawing.patch, drawing.grid
    share = np.zeros(rows * columns)
    for label, place in drawing.places.items():
        share[place] = shares.get(label, 0.0)
    each = share.reshape(rows, 1, columns, 1, 1)
    own = drawing.ground[: rows * high, : columns * wide].reshape(rows, high, columns, wide, 3)
    less, more = (np.array(rgb(theme.stages[i])) for i in (0, 1))
    mixed = np.rint(own * (1 - np.abs(each)) + np.where(each < 0, less, more) * np.abs(each))
    painted = mixed.reshape(rows * high, columns * wide, 3)
    cell = area.width / (columns * wide), area.height / (rows * high)
    heat = Heat(area.x, area.y, *cell, rows * high, columns * wide, rows_of(painted))
    return _written(heat, drawing, painted, words, size) if words else heat


def _written(heat: Heat, drawing: Drawing, painted: Array, words: Words, size: float) -> Heat:
    """With the words, as many of each patch as it has pixels down; with none where they do not fit."""
    high, wide = drawing.patch
    widest = max((fonts.width(word, size) for each in words.values() for word in each[:high]), default=0.0)
    if widest + size * 0.2 >= heat.cell_width or size * 1.15 > heat.cell_height:
        return heat
    texts = [""] * (heat.rows * heat.columns)
    for label, place in drawing.places.items():
        first = place // drawing.grid[1] * high * heat.columns + place % drawing.grid[1] * wide
        for down, word in enumerate(words.get(label, ())[:high]):
            texts[first + down * heat.columns] = word
    inks = bytes(int(is_dark(colour)) for colour in painted.reshape(-1, 3))
    return replace(heat, texts=tuple(texts), inks=inks, light_ink=LIGHT_INK, dark_ink=DARK_INK, text_size=size)
