"""The image that a model read, cut into patches: what is shown on it, patch by patch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from txviz.figures import fonts
from txviz.figures.marks import Colour, Heat, Line
from txviz.figures.theme import DARK_INK, LIGHT_INK, Theme, greys, is_dark, rgb
from txviz.figures.views.page import Area, rows_of
from txviz.ops import Array
from txviz.trace import Step, Trace

HEAT = 0.85
"""How opaque the largest weight is: the drawing stays visible below it."""

Words = Mapping[str, tuple[str, ...]]
"""By the label of a patch."""


class Drawing(NamedTuple):
    """The image that a model read, and the patches it was cut into."""

    pixels: Array  # (rows,columns[,colours])
    patch: tuple[int, int]
    places: dict[str, int]
    """The label of each patch, and its place: row by row."""

    @property
    def grid(self) -> tuple[int, int]:
        return self.pixels.shape[0] // self.patch[0], self.pixels.shape[1] // self.patch[1]

    @property
    def colours(self) -> Array:  # (rows,columns,3)
        return np.clip(self.pixels, 0, 1) * 255 if self.pixels.ndim == 3 else greys(self.pixels)


def find_drawing(trace: Trace) -> Drawing | None:
    """What was cut into patches, in the trace of an image model."""
    cut = next((step for step in trace if step.op == "patchify"), None)
    if cut is None or not isinstance(cut.sources[0], Step) or cut.axes != ("token", "pixel"):
        return None
    labels = cut.labels[cut.axes.index("token")]
    patch = tuple(cut.params["patch"])
    return Drawing(cut.sources[0].value, (patch[0], patch[1]), {label: i for i, label in enumerate(labels)})


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
    each = np.kron(share.reshape(rows, columns), np.ones((high, wide)))[..., None]
    own = drawing.colours[: rows * high, : columns * wide]
    less, more = (np.array(rgb(theme.stages[i])) for i in (0, 1))
    painted = np.rint(own * (1 - np.abs(each)) + np.where(each < 0, less, more) * np.abs(each))
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


def patch_areas(drawing: Drawing, area: Area) -> dict[str, Area]:
    """Where each patch is, of a drawing that is shown in this area."""
    rows, columns = drawing.grid
    wide, high = area.width / columns, area.height / rows
    return {
        label: Area(area.x + place % columns * wide, area.y + place // columns * high, wide, high)
        for label, place in drawing.places.items()
    }


def patch_lines(drawing: Drawing, area: Area, colour: Colour) -> list[Line]:
    """Thin lines between the patches."""
    rows, columns = drawing.grid
    across = [area.x + j * area.width / columns for j in range(1, columns)]
    down = [area.y + i * area.height / rows for i in range(1, rows)]
    return [
        *(Line(x, area.y, x, area.bottom, colour, 0.6) for x in across),
        *(Line(area.x, y, area.right, y, colour, 0.6) for y in down),
    ]
