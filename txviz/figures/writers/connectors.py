"""Arrows as the connectors of a slide: which ready-made shape goes through the same points, and how it is turned.

A bent connector begins at the top left of its frame, to the right, and turns at each corner; ``adjust`` says where, as
shares of the frame's width and height in turn. Flipped, or turned by a quarter, it goes any way that has right angles.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from txviz.figures.writers.glyphs import Frame

Point = tuple[float, float]

STRAIGHT = "straightConnector1"
MOST_CORNERS = 4
NEAR = 0.05
"""Pixels that do not matter."""


class Connector(NamedTuple):
    kind: str
    """As the format calls it: straightConnector1, bentConnector2 to bentConnector5."""

    frame: Frame
    """Before it is turned about its middle."""

    flipped: tuple[bool, bool]
    """From left to right, and upside down."""

    turned: bool
    """By a quarter, clockwise, after it was flipped."""

    adjust: tuple[float, ...] = ()


def connector(points: Sequence[Point]) -> Connector | None:
    """The one that goes through these points; None where no ready-made one does."""
    path = corners(points)
    (x1, y1), (x2, y2) = path[0], path[-1]
    frame, turns = Frame(min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)), len(path) - 2
    if not turns:
        return Connector(STRAIGHT, frame, (x2 < x1, y2 < y1), False)
    if turns > MOST_CORNERS or not _right_angled(path) or abs(x2 - x1) < NEAR or abs(y2 - y1) < NEAR:
        return None
    upright = abs(path[1][0] - x1) < NEAR
    first = 1 if upright else 0
    places = ((path[i], (first + i - 1) % 2) for i in range(1, turns))
    adjust = tuple((point[axis] - path[0][axis]) / (path[-1][axis] - path[0][axis]) for point, axis in places)
    kind = f"bentConnector{turns + 1}"
    if upright:
        return Connector(kind, _quarter_turned(frame), (y2 < y1, x2 > x1), True, adjust)
    return Connector(kind, frame, (x2 < x1, y2 < y1), False, adjust)


def corners(points: Sequence[Point]) -> list[Point]:
    """The ends and the corners, without what lies on the way between two of them."""
    path: list[Point] = []
    for point in points:
        if path and abs(point[0] - path[-1][0]) < NEAR and abs(point[1] - path[-1][1]) < NEAR:
            continue
        if len(path) > 1 and _straight(path[-2], path[-1], point):
            path.pop()
        path.append(point)
    return path if len(path) > 1 else [points[0], points[-1]]


def side_at(frame: Frame, point: Point) -> int | None:
    """Which side of a box has its middle at a point: top, left, bottom and right are 0 to 3, as connectors count."""
    x, y = (frame.left + frame.right) / 2, (frame.top + frame.bottom) / 2
    middles = ((x, frame.top), (frame.left, y), (x, frame.bottom), (frame.right, y))
    return next((i for i, at in enumerate(middles) if abs(at[0] - point[0]) < 1 and abs(at[1] - point[1]) < 1), None)


def _straight(a: Point, b: Point, c: Point) -> bool:
    """Whether b lies between a and c, on the way along an axis."""
    return any(abs(a[k] - b[k]) < NEAR and abs(b[k] - c[k]) < NEAR for k in (0, 1))


def _right_angled(path: Sequence[Point]) -> bool:
    """Whether each part runs along an axis; after ``corners`` they then take turns."""
    return all(abs(x1 - x2) < NEAR or abs(y1 - y2) < NEAR for (x1, y1), (x2, y2) in pairwise(path))


def _quarter_turned(frame: Frame) -> Frame:
    x, y = (frame.left + frame.right) / 2, (frame.top + frame.bottom) / 2
    wide, high = (frame.bottom - frame.top) / 2, (frame.right - frame.left) / 2
    return Frame(x - wide, y - high, x + wide, y + high)
