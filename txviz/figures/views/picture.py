"""A head on the image: where one query looks, as heat over the patches of a grey drawing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from txviz.figures import fonts
from txviz.figures.marks import Box, Heat, Mark, Text
from txviz.figures.numerals import SMALLEST
from txviz.figures.style import Style
from txviz.figures.theme import DARK_INK, LIGHT_INK, is_dark, largest, mixed, rgb
from txviz.figures.views.drawing import HEAT, Drawing, patch_areas, patch_heat, patch_lines
from txviz.figures.views.heads import NOTHING, Head, Pair
from txviz.figures.views.page import LINE, MIDDLE, Area

LARGEST = 420.0
GAP = 6.0
WIDEST_TOKEN = 96.0
"""These in pixels at a text size of 12."""

CUT = 1.4
"""The width of the lines between patches."""

AIR = 0.3
"""Beside a word on a pixel, by its size."""


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
        image = self.image
        if self.head.keys[key] not in self.drawing.places:
            wide = min(WIDEST_TOKEN * self._unit, image.width / len(self._loose))
            return Area(image.x + self._loose.index(key) * wide, self.area.y, wide - 2, self._token_height)
        return self._areas[self.head.keys[key]]

    def opacity(self, key: int) -> float:
        """How opaque the heat over this token is: 0 for no weight, the most for the largest weight of the query; below
        0 for a score that is."""
        row = self.head.weights[self.query]
        return HEAT * float(row[key]) / largest(row) if np.isfinite(row[key]) else 0.0

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
    def _areas(self) -> dict[str, Area]:
        return patch_areas(self.drawing, self.image)

    @cached_property
    def _loose(self) -> list[int]:
        """The keys that are no patch."""
        return [key for key, label in enumerate(self.head.keys) if label not in self.drawing.places]

    @cached_property
    def _heat(self) -> Heat:
        """The drawing's pixels, each mixed with as much of the heat's colour as its patch has weight."""
        shares = {label: self.opacity(key) for key, label in enumerate(self.head.keys)}
        words, size = self._words
        return patch_heat(self.drawing, shares, self.image, self.style.theme, words, size)

    @property
    def _words(self) -> tuple[dict[str, tuple[str, ...]], float]:
        """The letter of each patch and the number of the row, and their size: as large as a pixel allows."""
        texts = {
            label: (*([label] if self.style.labels else []), *([self._number(key)] if self.style.numbers else []))
            for key, label in enumerate(self.head.keys)
            if label in self.drawing.places
        }
        pixel = self.image.width / self.drawing.pixels.shape[1]
        widest = max((fonts.width(word, 1) for words in texts.values() for word in words), default=0.0)
        size = min(self.style.size, pixel / (widest + AIR), pixel / LINE)
        return (texts, size) if size >= SMALLEST * self.style.size else ({}, size)

    def _number(self, key: int) -> str:
        return self.head.written(self.query, key)

    def _cuts(self) -> Sequence[Mark]:
        """Lines between the patches, where these are large enough."""
        rows, columns = self.drawing.grid
        if min(self.image.width / columns, self.image.height / rows) < self.style.size * 2:
            return []
        return patch_lines(self.drawing, self.image, self.style.theme.muted, CUT)

    def _token(self, key: int) -> list[Mark]:
        box, size, colours = self.box(key), self.style.size, self.style.theme
        share = self.opacity(key)
        fill = mixed(colours.stages[0 if share < 0 else 1], colours.panel, abs(share))
        across, down = box.centre
        ink = LIGHT_INK if is_dark(np.array(rgb(fill))) else DARK_INK
        label = fonts.elided(self._token_text(key, box.width - 4), size, box.width - 4)
        return [
            Box(*box, fill=fill, stroke=colours.line),
            Text(across, down + size * MIDDLE, label, size, ink, "middle"),
        ]

    def _token_text(self, key: int, room: float) -> str:
        """With its number, where both fit."""
        both = f"{self.head.keys[key]} {self._number(key)}"
        fits = self.style.numbers and fonts.width(both, self.style.size) <= room
        return both if fits else self.head.keys[key]

    def _frames(self, pair: Pair) -> list[Mark]:
        """The query in the accent colour, the token pointed at in the highlight."""
        own, colours = self.head.queries[self.query], self.style.theme
        query = self.head.keys.index(own) if own in self.head.keys else None
        wanted = (query, colours.accent), (pair[1], colours.highlight)
        return [self.box(key).grown(-1).box(colour, 2.5) for key, colour in wanted if key is not None]
