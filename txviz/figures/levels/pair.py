"""A block, a map or a board of two runs: both pictures in the same layout and colours, and where they differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from txviz.figures import fonts
from txviz.figures.area import Area
from txviz.figures.levels import LEVELS
from txviz.figures.levels.board import text_size
from txviz.figures.levels.difference import draw_differences, strip, strip_height
from txviz.figures.levels.moving import Move
from txviz.figures.levels.picture import NodeScene, Picture, Spot
from txviz.figures.levels.stage_table import draw_table
from txviz.figures.marks import Box, Figure, Group, Mark, Text
from txviz.figures.pair import ONLY_IN_B, SIDES, Pair, Sides, corresponds, why_beside
from txviz.figures.style import MARGIN
from txviz.figures.views.page import LINE, wrapped
from txviz.trace.outline import Node

LEAST, LEAST_MAP = (560.0, 360.0), (640.0, 150.0)
"""The smallest page of one of the two. A map is read from left to right, so that two of them stand one above the other
where there is room; it takes what it needs."""

SMALLER = 0.85
"""How much smaller than that pictures may be painted, so that both are in sight."""

NARROW_MAP = 440.0
"""The width of a map beside another."""

AROUND = 110.0
"""Pixels for the heading and the bars, on a small page."""

USUAL = 12.0
"""The size of the words around the pictures, where the page would make them smaller."""

LOWEST = 1.3
"""The height of what is outlined, by the size of the text: a line around one row of numbers would run through them."""

ROOMY = 420.0
"""The height of one of the two from which on it has its formulas."""

TITLE, BAND = 1.5, 1.9
"""Of the heading, and the height of the line that says which run it is; by the size of the text."""


def pair_page(width: float, height: float, kind: str, sides: Sides) -> tuple[float, float]:
    """The smallest page, at least of this size, on which both pictures can be read."""
    wide, high = LEAST_MAP if kind == "map" else LEAST
    if sides != "all":
        return max(width, wide), max(height, high + AROUND)
    if _is_beside(width, height - AROUND, kind):
        return width, max(height, high * _scale(width / 2, kind) + AROUND)
    return max(width, wide), max(height, 2 * high + AROUND)


def _is_beside(width: float, height: float, kind: str) -> bool:
    """Side by side, or one above the other."""
    if kind == "map":
        return width >= 2 * LEAST_MAP[0] and height < 2 * LEAST_MAP[1]
    return width >= 2 * LEAST[0] * SMALLER


def _scale(half: float, kind: str) -> float:
    """How large a picture is painted on so wide a half of the page."""
    return 1.0 if kind == "map" else min(1.0, half / LEAST[0])


def draw_pair(scene: NodeScene, pair: Pair, kind: str, sides: Sides = "all") -> Picture:
    """``scene`` is that of B, on the page for both."""
    if sides == "difference":
        return draw_differences(scene, pair)
    if sides == "table":
        return draw_table(scene, pair)
    return _Page(scene, pair, kind, sides).picture()


class _Way(NamedTuple):
    """Both pictures, and how large they are side by side or one above the other."""

    beside: bool
    scale: float
    half_width: float
    half_height: float
    width: float
    height: float
    drawn: list[Picture]


class _Page:
    def __init__(self, scene: NodeScene, pair: Pair, kind: str, sides: Sides) -> None:
        self.scene, self.pair, self.kind, self.sides = scene, pair, kind, sides
        self.size = max(text_size(scene.width, scene.height, scene.style), min(scene.style.size, USUAL))
        self.theme = scene.style.theme
        self.marks: list[Mark] = []
        self.spots: list[Spot] = []
        self.node_a = pair.node_of_a(scene.node, scene.current)

    def picture(self) -> Picture:
        top, names = self._heading(), ("A", "B") if self.sides == "all" else (SIDES[self.sides],)
        room = Area(0, top, self.scene.width, self.scene.height - MARGIN - strip_height(self.size) - top)
        way = self._best(room, names)
        for place, (name, picture) in enumerate(zip(names, way.drawn, strict=True)):
            x, y = (place * way.half_width, top) if way.beside else (0.0, top + place * way.half_height)
            self._put(name, picture, Area(x, y, way.half_width, way.half_height), way.scale)
        return self._finished(way.width, top + way.height, way.drawn[-1])

    def _best(self, room: Area, names: Sequence[str]) -> _Way:
        """Side by side, or one above the other. A map, which takes what it needs, is tried both ways, and stays so."""
        if self.kind != "map" or len(names) == 1 or room.width < 2 * NARROW_MAP:
            return self._way(room, names, len(names) > 1 and _is_beside(room.width, room.height, self.kind))
        page = self.scene.node.name, self.scene.width, self.scene.height
        if page in self.pair.orders:
            return self._way(room, names, self.pair.orders[page])
        ways = [self._way(room, names, beside) for beside in (False, True)]
        way = next((way for way in ways if way.width <= room.width and way.height <= room.height), ways[0])
        self.pair.orders[page] = way.beside
        return way

    def _way(self, room: Area, names: Sequence[str], beside: bool) -> _Way:
        band, down = self.size * BAND, 1 if beside else len(names)
        width, height = room.width / (len(names) if beside else 1), room.height / down
        scale = _scale(width, self.kind)
        drawn = [self._drawn(name == "B", width / scale, (height - band) / scale) for name in names]
        width = max(width, *(picture.figure.width * scale for picture in drawn))  # a map may be larger than its page
        height = max(height, *(picture.figure.height * scale + band for picture in drawn))
        return _Way(beside, scale, width, height, width * len(names) / down, height * down, drawn)

    def _finished(self, width: float, bottom: float, drawn: Picture) -> Picture:
        """With the bars below both."""
        across = Area(MARGIN, bottom, width - 2 * MARGIN, strip_height(self.size))
        marks, spots = strip(self.scene, self.pair, across, self.size)
        self.marks.append(Group("where it differs", tuple(marks)))
        height = max(self.scene.height, across.bottom + MARGIN)
        figure = Figure(max(self.scene.width, width), height, self.theme.panel, tuple(self.marks))
        return Picture(figure, (*self.spots, *spots), drawn.unfolded)

    def _heading(self) -> float:
        """The title, and a sentence where A has no such node; how far down they reach."""
        size, y = self.size, MARGIN
        marks: list[Mark] = []
        if self.scene.style.title:
            own = f"{self.pair.b.outline.title_of(self.scene.node.name)} · {SIDES[self.sides]}"
            title = self.scene.style.titled(own)
            large, room = size * TITLE, self.scene.width - 2 * MARGIN
            shown = fonts.elided(title, large, room, bold=True)
            marks.append(Text(MARGIN, y + large * 0.8, shown, large, self.theme.text, bold=True))
            y += large * 1.3
        for line in (line for said in self._said() for line in wrapped(said, size, self.scene.width - 2 * MARGIN)):
            marks.append(Text(MARGIN, y + size, line, size, self.theme.text))
            y += size * LINE
        if marks:
            self.marks.append(Group("heading", tuple(marks)))
        return y

    def _said(self) -> list[str]:
        name, found = self.scene.node.name, self.node_a.name
        if name != found and corresponds(self.node_a.first, self.scene.node.first):
            return [why_beside(self.node_a.first, self.scene.node.first)]
        if name != found:
            called = found or "the whole run"
            return [f"A has nothing called {name or 'like the whole run'}; the nearest there is {called}."]
        current = self.scene.current
        if current is None or self.pair.twin(current) is not None:
            return self._other_depth()
        return [f"A has no step {current.name}; it is shown at the nearest one, {self.pair.of_a(current).name}."]

    def _other_depth(self) -> list[str]:
        """Of the whole run: how layers go together, where the two have not as many."""
        found = [(part, self.pair.layers[0].get(part, 0), count) for part, count in self.pair.layers[1].items()]
        unlike = [(part, a, b) for part, a, b in found if self.scene.node.level == "run" and a not in (0, b)]
        return [f"The {part} of A has {a} layers, that of B {b}: layers go together by depth." for part, a, b in unlike]

    def _put(self, name: str, drawn: Picture, area: Area, scale: float) -> None:
        """A line that says which run it is, and its picture below."""
        size, is_b = self.size, name == "B"
        base, room = area.y + size * 1.2, area.width - 2 * MARGIN
        told = fonts.elided(self.pair.told[is_b], size, room - size * 2)
        band = [
            Text(area.x + MARGIN, base, name, size * 1.15, self.theme.accent, bold=True),
            Text(area.x + MARGIN + size * 1.6, base, told, size, self.theme.text),
        ]
        self.marks.append(Group(f"{name} is", tuple(band)))
        move = Move(area.x, area.y + size * BAND, scale)
        self.marks += [move.mark(mark, name) for mark in drawn.figure.marks]
        spots = [move.spot(spot) for spot in drawn.spots]
        outlines = tuple(self._outlined(spots))
        self.marks += [Group(f"{name}: what differs", outlines)] if outlines else []
        self.spots += [spot for spot in map(self._leading, spots) if spot is not None and (is_b or _can_move(spot))]

    def _drawn(self, is_b: bool, width: float, height: float) -> Picture:
        scene, pair = self.scene, self.pair
        roomy = scene.style.formula and height >= ROOMY
        style = replace(scene.style, title=False, formula=roomy, extents=pair.extent_of)
        page = scene._replace(width=width, height=height, style=style, change=partial(self._change, is_b))
        if is_b:
            return LEVELS[self.kind].draw(page)
        node, current = self.node_a, scene.current and pair.of_a(scene.current)
        kind = self.kind if self.kind in node.pictures else next(each for each in node.pictures if each in LEVELS)
        return LEVELS[kind].draw(page._replace(trace=pair.a, node=node, current=current, beside=None))

    def _change(self, is_b: bool, name: str) -> str:
        """What a box of the map of one of them says."""
        node = self.pair.node_of_b(name)
        change = None if node is None else self.pair.node_change(node)
        if change is None or (change.why == ONLY_IN_B and not is_b):
            return "only in A"
        return f"Δ {change.text}" if change.size else change.text

    def _outlined(self, spots: list[Spot]) -> Iterator[Box]:
        """Around what differs: blocks, and steps that are in none that is outlined already."""
        outlined: list[tuple[Area, Node]] = []
        for spot in spots:
            node = self.pair.node_of_b(spot.node)
            if node is None or _is_frame(spot) or node.name == self.scene.node.name:
                continue
            if spot.area.height < LOWEST * self.size:
                continue
            around = [outer for area, outer in outlined if _contains(area, spot.area)]
            if around and (node in around or not node.children):
                continue
            if self.pair.node_change(node).differs:
                outlined.append((spot.area, node))
                yield spot.area.grown(self.size * 0.12).box(self.theme.text, max(1.4, self.size * 0.12))

    def _leading(self, spot: Spot) -> Spot | None:
        """To a node of B; what it says goes on with how much that differs."""
        node = self.pair.node_of_b(spot.node)
        if node is None:
            return None
        return spot._replace(
            node=node.name, hint=f"{spot.hint or spot.node} · B − A: {self.pair.node_change(node).text}"
        )


def _can_move(spot: Spot) -> bool:
    """Whether a click on it goes somewhere, or folds: what would change the run is for B alone."""
    return not spot.edit and spot.run is None


def _is_frame(spot: Spot) -> bool:
    """Whether it is there for a click alone."""
    return spot.fold or bool(spot.edit) or spot.run is not None


def _contains(outer: Area, inner: Area) -> bool:
    return outer.contains(inner.x, inner.y) and inner.right <= outer.right and inner.bottom <= outer.bottom
