"""A head on the image: where one query looks, as heat over the patches of a grey drawing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from txviz.figures import fonts
from txviz.figures.marks import Box, Heat, Line, Mark, Text
from txviz.figures.style import Style
from txviz.figures.theme import DARK_INK, LIGHT_INK, greys, is_dark, mixed, rgb
from txviz.figures.views.heads import NOTHING, Head, Pair
from txviz.figures.views.page import LINE, MIDDLE, Area, rows_of
from txviz.ops import Array
from txviz.trace import Step, Trace

LARGEST = 420.0
GAP = 6.0
WIDEST_TOKEN = 72.0
"""These in pixels at a text size of 12."""

HEAT = 0.85
"""How opaque the largest weight is: the drawing stays visible below it."""


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


@dataclass(frozen=True, eq=False)
class Picture:
    """The patches lie on the drawing; tokens that are no patch, such as [CLS], stand above it."""

    head: Head
    drawing: Drawing
    query: int
    """Whose weights are shown."""

    area: Area
    style: Style

    @cached_property
    def image(self) -> Area:
        """Where the drawing is."""
        top = self.area.y + (self._token_height + self._unit * GAP if self._loose else 0.0)
        rows, columns = self.drawing.pixels.shape[:2]
        room_high, most = self.area.bottom - top, LARGEST * self._unit
        pixel = max(0.1, min(self.area.width / columns, room_high / rows, most / columns))
        wide = pixel * columns
        return Area(self.area.x + (self.area.width - wide) / 2, top, wide, pixel * rows)

    def box(self, key: int) -> Area:
        """Where this token is shown: its patch, or its place above the drawing."""
        image, (rows, columns) = self.image, self.drawing.grid
        place = self.drawing.places.get(self.head.keys[key])
        if place is None:
            wide = min(WIDEST_TOKEN * self._unit, image.width / len(self._loose))
            return Area(image.x + self._loose.index(key) * wide, self.area.y, wide - 2, self._token_height)
        down, over = divmod(place, columns)
        wide, high = image.width / columns, image.height / rows
        return Area(image.x + over * wide, image.y + down * high, wide, high)

    def opacity(self, key: int) -> float:
        """How opaque the heat over this token is: 0 for no weight, the most for the largest weight of the query."""
        weights = self.head.weights[self.query]
        return HEAT * float(weights[key]) / (float(weights.max()) or 1.0)

    def pair_at(self, x: float, y: float) -> tuple[int, int] | None:
        keys = range(len(self.head.keys))
        return next(((self.query, key) for key in keys if self.box(key).contains(x, y)), None)

    def query_at(self, x: float, y: float) -> int | None:
        """The query that is the token at this point, where it is one."""
        pair = self.pair_at(x, y)
        label = None if pair is None else self.head.keys[pair[1]]
        return self.head.queries.index(label) if label in self.head.queries else None

    def marks(self, pair: Pair = NOTHING) -> list[Mark]:
        marks: list[Mark] = [self._heat, *self._cuts(), self.image.box(self.style.theme.line)]
        for key in self._loose:
            marks += self._token(key)
        return [*marks, *self._frames(pair)]

    @property
    def _unit(self) -> float:
        return self.style.size / 12

    @property
    def _token_height(self) -> float:
        return self.style.size * LINE + 4

    @cached_property
    def _loose(self) -> list[int]:
        """The keys that are no patch."""
        return [key for key, label in enumerate(self.head.keys) if label not in self.drawing.places]

    @cached_property
    def _heat(self) -> Heat:
        """The drawing's pixels, each mixed with as much of the heat's colour as its patch has weight."""
        patch, (rows, columns) = self.drawing.patch, self.drawing.grid
        share = np.zeros(rows * columns)
        for key, label in enumerate(self.head.keys):
            if label in self.drawing.places:
                share[self.drawing.places[label]] = self.opacity(key)
        shares = np.kron(share.reshape(rows, columns), np.ones(patch))[..., None]
        high, wide = shares.shape[:2]
        own = self.drawing.colours[:high, :wide]
        painted = np.rint(own * (1 - shares) + np.array(rgb(self.style.theme.stages[1])) * shares)
        image = self.image
        return Heat(image.x, image.y, image.width / wide, image.height / high, high, wide, rows_of(painted))

    def _cuts(self) -> list[Mark]:
        """Thin lines between the patches."""
        image, (rows, columns), grey = self.image, self.drawing.grid, self.style.theme.muted
        wide, high = image.width / columns, image.height / rows
        if min(wide, high) < self.style.size * 2:
            return []
        across = [image.x + j * wide for j in range(1, columns)]
        down = [image.y + i * high for i in range(1, rows)]
        return [
            *(Line(x, image.y, x, image.bottom, grey, 0.6) for x in across),
            *(Line(image.x, y, image.right, y, grey, 0.6) for y in down),
        ]

    def _token(self, key: int) -> list[Mark]:
        box, size, colours = self.box(key), self.style.size, self.style.theme
        fill = mixed(colours.stages[1], colours.panel, self.opacity(key))
        across, down = box.centre
        ink = LIGHT_INK if is_dark(np.array(rgb(fill))) else DARK_INK
        label = fonts.elided(self.head.keys[key], size, box.width - 4)
        return [
            Box(*box, fill=fill, stroke=colours.line),
            Text(across, down + size * MIDDLE, label, size, ink, "middle"),
        ]

    def _frames(self, pair: Pair) -> list[Mark]:
        """The query in the accent colour, the token pointed at in the highlight."""
        own, colours = self.head.queries[self.query], self.style.theme
        query = self.head.keys.index(own) if own in self.head.keys else None
        wanted = (query, colours.accent), (pair[1], colours.highlight)
        return [self.box(key).grown(-1).box(colour, 2.5) for key, colour in wanted if key is not None]
