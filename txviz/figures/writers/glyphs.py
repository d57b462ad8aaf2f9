"""Filled outlines taken apart into glyphs, for files that fill where the number of edges crossed is odd.

There, an outline that overlaps another one (the bar of a root, its sign) would leave a hole. Each glyph filled on its
own, with none but its own counters, looks right with any rule.
"""

from __future__ import annotations

from typing import NamedTuple

from txviz.figures.marks import Outline


class Frame(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def holds(self, other: Frame) -> bool:
        return (
            self.left <= other.left
            and self.top <= other.top
            and self.right >= other.right
            and self.bottom >= other.bottom
        )


def extent(outline: Outline) -> Frame:
    """The rectangle around all points, those of the curves' handles included."""
    xs = [x for _, points in outline for x in points[::2]]
    ys = [y for _, points in outline for y in points[1::2]]
    return Frame(min(xs), min(ys), max(xs), max(ys)) if xs else Frame(0, 0, 0, 0)


def glyphs(outline: Outline) -> list[Outline]:
    """One outline for each contour that is drawn the way round of the largest, with the holes that lie inside it."""
    contours = _contours(outline)
    areas = list(map(_area, contours))
    solid = max(areas, key=abs, default=0.0) > 0
    outer = [(extent(contour), [contour]) for contour, area in zip(contours, areas, strict=True) if (area > 0) == solid]
    for contour, area in zip(contours, areas, strict=True):
        if (area > 0) != solid:
            around = (parts for frame, parts in outer if frame.holds(extent(contour)))
            next(around, outer[-1][1]).append(contour)
    return [tuple(segment for part in parts for segment in part) for _, parts in outer]


def _contours(outline: Outline) -> list[Outline]:
    starts = [i for i, (kind, _) in enumerate(outline) if kind == "M"]
    return [outline[start:stop] for start, stop in zip(starts, [*starts[1:], len(outline)], strict=True)]


def _area(contour: Outline) -> float:
    """Twice the area of the polygon of all points: its sign says which way round the contour is drawn."""
    points = [xy for _, numbers in contour for xy in zip(numbers[::2], numbers[1::2], strict=True)]
    return sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in zip(points, points[1:] + points[:1], strict=True))
