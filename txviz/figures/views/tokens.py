"""Tokens in 2D on a page: each token's vector on its way through the layers, where they differ most."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from txviz.analysis.streams import Stream, whole
from txviz.figures import fonts
from txviz.figures.marks import Box, Figure, Line, Mark, Text
from txviz.figures.numerals import percent
from txviz.figures.scene import Scene
from txviz.figures.style import Style
from txviz.figures.theme import Theme, mixed
from txviz.figures.views import nearest
from txviz.figures.views.axes import Axes, Range, axes
from txviz.figures.views.page import LINE, MIDDLE, Area, Page
from txviz.figures.views.plane import Plane, principal_plane
from txviz.ops import Array
from txviz.trace import Step, Trace

FAINT = 0.35
MANY = 40
"""Of more tokens than this only the current layer and the path of one are drawn, and not all are labelled."""

LARGE, SMALL = 11.0, 5.0
"""The dots of the current layer and of the others, in pixels at a text size of 12."""

BESIDE = 7.0
"""From the middle of a dot to its label."""


def plane_of(stream: Stream) -> Plane:
    """The plane of all layers together, so that a path is a path."""
    return principal_plane(*(step.value for step in stream))


def token_of(step: Step, index: tuple[int, ...] | None, words: Sequence[str]) -> int | None:
    """Which of these tokens a cell belongs to, where the step has them."""
    for axis in ("token", "query"):
        if index is not None and axis in step.axes:
            place = step.axes.index(axis)
            return index[place] if step.labels[place] == tuple(words) else None
    return None


def ranges(places: Array) -> tuple[Range, Range]:  # (...,2)
    """From where to where the two axes go: all points, with room on the right for the labels."""
    low, high = places.reshape(-1, 2).min(axis=0), places.reshape(-1, 2).max(axis=0)
    size = np.where(high - low > 0, high - low, 1.0)
    low, high = low - size * 0.08, high + size * (0.22, 0.08)
    return (float(low[0]), float(high[0])), (float(low[1]), float(high[1]))


def axis_names(plane: Plane) -> tuple[str, str]:
    """The two components, each with its share of the variance."""
    first, second = (f"component {i} ({percent(share)})" for i, share in enumerate(plane.shares, 1))
    return first, second


Side = tuple[float, float]
"""The point of a label that is nearest to its dot, as shares of its width and height."""

SIDES: tuple[Side, ...] = ((0.0, 0.5), (1.0, 0.5), (0.5, 1.0), (0.5, 0.0))
"""A label goes on the right of its dot, on the left, above or below."""


def label_sides(
    dots: Sequence[tuple[float, float]], words: Sequence[str], size: float, inside: Area, first: int | None
) -> list[Side | None]:
    """For each dot the first side that is free, None where none is. The token that is brought forward chooses first."""
    taken = [Area(x, y, 0, 0).grown(5 * size / 12) for x, y in dots]
    sides: list[Side | None] = [None] * len(dots)
    for token in sorted(range(len(dots)), key=lambda t: t != first):
        for side in SIDES:
            area = label_area(dots[token], words[token], size, side)
            if _within(area, inside) and not any(_meet(area, other) for other in taken):
                sides[token] = side
                taken.append(area)
                break
    return sides


def label_area(dot: tuple[float, float], word: str, size: float, side: Side) -> Area:
    """Where a label goes on this side of its dot."""
    wide, high, away = fonts.width(word, size), size * LINE, BESIDE * size / 12
    x = dot[0] + away * (1 - 2 * side[0]) - wide * side[0]
    y = dot[1] + away * (1 - 2 * side[1]) - high * side[1]
    return Area(x, y, wide, high)


def _within(area: Area, other: Area) -> bool:
    return area.x >= other.x and area.y >= other.y and area.right <= other.right and area.bottom <= other.bottom


def _meet(a: Area, b: Area) -> bool:
    return a.x < b.right and b.x < a.right and a.y < b.bottom and b.y < a.bottom


def tokens(
    trace: Trace,
    step: Step,
    width: float = 900,
    height: float = 520,
    style: Style | None = None,
    *,
    token: int | None = None,
) -> Figure | None:
    """The stream that is nearest to the step, as far as it is computed; None where none has begun. ``token`` is brought
    forward."""
    stream = nearest.stream(trace, step)
    if not stream:
        return None
    plane, layer, page = plane_of(whole(trace, stream)), len(stream) - 1, Page(width, height, style)
    words = stream[0].labels[0]
    page.title(f"Tokens after {stream[layer].title}")
    page.caption(_caption(stream, layer, token))
    places = plane.places.reshape(-1, len(words), 2)[: len(stream)]
    across, up = ranges(places)
    made, marks = axes(page.left, across, up, None, axis_names(plane), page.style)
    page.add("axes", marks)
    chart = _Chart(made, places, layer, token, page.style)
    page.add("paths", chart.paths())
    page.add("tokens", chart.dots())
    if page.style.labels:
        page.add("labels", chart.labels(words))
    return page.figure()


def _caption(stream: Stream, layer: int, token: int | None) -> str:
    words = stream[0].labels[0]
    if token is not None:
        return f"The path of “{words[token]}” from layer to layer. Large dots: after {stream[layer].title}."
    if len(words) > MANY:
        return "In the plane in which the vectors of all layers differ most."
    return "Lines: each token's path from layer to layer, in the plane in which all these vectors differ most."


class _Chart:
    """What is drawn inside the axes."""

    def __init__(self, made: Axes, places: Array, layer: int, token: int | None, style: Style) -> None:
        self.inside, self.layer, self.token, self.style = made.inside, layer, token, style
        self.spots = [[(made.x(float(x)), made.y(float(y))) for x, y in row] for row in places]
        """For each layer and token: where it is on the page."""
        self.many = places.shape[1] > MANY

    def paths(self) -> list[Mark]:
        """Faint ones first, the one that is brought forward on top."""
        every = range(len(self.spots[0]))
        shown = [t for t in every if not self.many and t != self.token]
        faint = 0.5 if self.token is None else FAINT / 2
        marks = [mark for token in shown for mark in self._path(token, 1.5, faint)]
        return marks if self.token is None else [*marks, *self._path(self.token, 3, 1.0)]

    def dots(self) -> list[Mark]:
        """Every token after every layer, the current layer and the token that is brought forward last."""
        layers = [] if self.many else [k for k in range(len(self.spots)) if k != self.layer]
        order = sorted(range(len(self.spots[0])), key=lambda t: t == self.token)
        return [self._dot(layer, token) for layer in [*layers, self.layer] for token in order]

    def labels(self, words: Sequence[str]) -> list[Mark]:
        size, here = self.style.size, self.spots[self.layer][:MANY]
        sides = label_sides(here, words, size, self.inside, self.token)
        marks: list[Mark] = []
        for word, dot, side in zip(words, here, sides, strict=False):
            if side is not None:
                area = label_area(dot, word, size, side)
                marks.append(Text(area.x, area.centre[1] + size * MIDDLE, word, size, self.style.theme.text))
        return marks

    def _path(self, token: int, width: float, opacity: float) -> list[Mark]:
        colours, unit = self.style.theme, self.style.size / 12
        colour = mixed(colour_of(token, colours), colours.panel, opacity)
        spots = [row[token] for row in self.spots]
        return [Line(*start, *end, colour, width * unit) for start, end in pairwise(spots)]

    def _dot(self, layer: int, token: int) -> Mark:
        colours, (x, y) = self.style.theme, self.spots[layer][token]
        side = (LARGE if layer == self.layer else SMALL) * self.style.size / 12
        opacity = 1.0 if self.token in (None, token) else FAINT
        fill = mixed(colour_of(token, colours), colours.panel, opacity)
        return Box(x - side / 2, y - side / 2, side, side, fill=fill, stroke=colours.panel, radius=side / 2)


def colour_of(token: int, theme: Theme) -> str:
    return theme.stages[token % len(theme.stages)]


def draw(scene: Scene) -> Figure | None:
    return tokens(scene.trace, scene.step, *scene.page)
