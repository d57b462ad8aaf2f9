"""A head as lines from token to token: queries on the left, keys on the right, the stronger the weight the bolder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from txviz.figures import fonts
from txviz.figures.marks import Line, Mark, Text
from txviz.figures.style import Style
from txviz.figures.theme import mixed
from txviz.figures.views.heads import NOTHING, Head, Pair
from txviz.figures.views.page import LINE, MIDDLE, Area, stride
from txviz.ops import Array

MOST_LINES = 200
"""Of a long text only the strongest are drawn: more could not be told apart."""

WIDEST = 5.0
FAINT = 0.12
"""How much of a line is left while another token is pointed at."""

LARGEST_PITCH = 46.0
GAP = 8.0
"""These in pixels at a text size of 12."""

LEVELS = 64
"""A weight has one of so many colours."""


@dataclass(frozen=True, eq=False)
class Lines:
    head: Head
    area: Area
    style: Style

    def pair_at(self, x: float, y: float) -> tuple[int, int] | None:
        """Left of the middle the nearest query and what it looks at most, right of it the nearest key and its fan."""
        weights = self.head.weights
        side = 0 if x < self.area.centre[0] else 1
        top, pitch = self._column(weights.shape[side])
        place = int((y - top) // pitch)
        if not 0 <= place < weights.shape[side]:
            return None
        if side == 0:
            return place, int(weights[place].argmax())
        return int(weights[:, place].argmax()), place

    def lines(self, pair: Pair = NOTHING) -> Iterator[tuple[int, int]]:
        """The (query, key) of each line that is drawn; what is pointed at comes last, so that it lies on top."""
        weights = self.head.weights
        if pair == NOTHING:
            yield from self._strongest
            return
        yield from (line for line in self._strongest if not _belongs(line, pair))
        own = np.zeros_like(weights)
        at = (slice(None), pair[1]) if pair[0] is None else (pair[0], slice(None))
        own[at] = weights[at]
        yield from _strongest(own)

    def heights(self, count: int) -> list[float]:
        """How far down the middle of each place is."""
        top, pitch = self._column(count)
        return [top + (i + 0.5) * pitch for i in range(count)]

    @cached_property
    def ends(self) -> tuple[float, float]:
        """Where the lines start and end, across."""
        if not self.style.labels:
            return self.area.x, self.area.right
        room, gap = self.area.width * 0.3, self._gap
        both = self.head.queries, self.head.keys
        left, right = (min(fonts.widest(labels, self.style.size), room) for labels in both)
        left, right = (
            max(wide, fonts.width(name, self.style.size)) for wide, name in ((left, "query"), (right, "key"))
        )
        return self.area.x + left + gap, self.area.right - right - gap

    def marks(self, pair: Pair = NOTHING) -> list[Mark]:
        marks: list[Mark] = list(self._line_marks(pair))
        if self.style.labels:
            marks += [*self._labels(0, self.head.queries, pair), *self._labels(1, self.head.keys, pair)]
        return marks

    @cached_property
    def _strongest(self) -> list[tuple[int, int]]:
        return list(_strongest(self.head.weights))

    @property
    def _gap(self) -> float:
        return GAP * self.style.size / 12

    def _column(self, count: int) -> tuple[float, float]:
        """The top of the first place, and how far the places are apart; the shorter column is centred on the longer."""
        longest = max(self.head.weights.shape)
        start = self.area.y + (self.style.size * LINE + self._gap / 2 if self.style.labels else 0.0)
        room = min(self.area.bottom - start, longest * LARGEST_PITCH * self.style.size / 12)
        pitch = min(room / count, room / longest * 2)
        return start + (room - pitch * count) / 2, pitch

    def _line_marks(self, pair: Pair) -> Iterator[Line]:
        """A weak line is mixed with what is behind it, and not see-through: then a strong one that crosses it stays
        clear, and every kind of file can show it."""
        (left, right), (rows, columns), weights = self.ends, self.head.weights.shape, self.head.weights
        starts, stops = self.heights(rows), self.heights(columns)
        colours, thickest = self.style.theme, WIDEST * self.style.size / 12
        for query, key in self.lines(pair):
            strength = max(0.0, min(float(weights[query, key]) / self.head.limit, 1.0))
            shown = 1.0 if _belongs((query, key), pair) else FAINT
            level = round(shown * strength**0.5 * LEVELS) / LEVELS
            colour = mixed(colours.stages[1], colours.panel, level)
            yield Line(left, starts[query], right, stops[key], colour, max(0.6, thickest * strength))

    def _labels(self, side: int, labels: tuple[str, ...], pair: Pair) -> list[Mark]:
        size, colours = self.style.size, self.style.theme
        edge = self.ends[0] - self._gap if side == 0 else self.ends[1] + self._gap
        room = edge - self.area.x if side == 0 else self.area.right - edge
        heights = self.heights(len(labels))
        marks: list[Mark] = [
            Text(
                edge,
                heights[i] + size * MIDDLE,
                fonts.elided(labels[i], size, room + 1),
                size,
                colours.highlight if i == pair[side] else colours.text,
                "start" if side else "end",
            )
            for i in range(0, len(labels), stride(self._column(len(labels))[1], size * 1.1))
        ]
        name = Text(
            edge, self.area.y + size, "key" if side else "query", size, colours.muted, "start" if side else "end"
        )
        return [*marks, name]


def _belongs(line: tuple[int, int], wanted: Pair) -> bool:
    return wanted == NOTHING or line[0] == wanted[0] or (wanted[0] is None and line[1] == wanted[1])


def _strongest(weights: Array) -> Iterator[tuple[int, int]]:
    """The places of the largest weights, the largest last."""
    flat = weights.ravel()
    order = np.argsort(flat, kind="stable")[-MOST_LINES:]
    for place in order[flat[order] > 0].tolist():
        query, key = divmod(place, weights.shape[1])
        yield query, key
