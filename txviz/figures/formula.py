"""Formulas in mathematical type: LaTeX in, filled outlines out, for the window and every kind of file alike."""

from __future__ import annotations

from functools import lru_cache
from threading import Lock
from typing import Any, NamedTuple

from txviz.figures.marks import Outline
from txviz.home import find_home

SIZE = 20.0
"""Pixels of the font; a figure makes a formula larger or smaller by the scale of its shape."""

_typesetting = Lock()
"""The library fills its tables of glyphs as it goes, and the window typesets ahead in a thread of its own."""


class Formula(NamedTuple):
    """A typeset formula. Its origin is on the baseline, at the left; y grows downwards, as on a page."""

    width: float
    ascent: float
    """How far it reaches above the baseline."""

    descent: float
    """How far it reaches below the baseline."""

    outline: Outline


@lru_cache(maxsize=500)  # some 80 KB each; a step of training has 220
def typeset(latex: str) -> Formula:
    """The formula at ``SIZE`` pixels."""
    with _typesetting:
        find_home()
        from ziamath.config import config  # takes a quarter of a second
        from ziamath.zmath import Latex

        config.svg2 = False  # plain paths, not symbols and uses of them
        drawn = Latex(latex, size=SIZE, margin=0)
        shapes = list(drawn.svgxml().iter())
    outline = tuple(segment for shape in shapes for segment in _outline(shape))
    box = drawn.node.bbox  # which is too small for some superscripts
    xs = [box.xmin, box.xmax, *(x for _, points in outline for x in points[::2])]
    ys = [-box.ymin, -box.ymax, *(y for _, points in outline for y in points[1::2])]
    return Formula(max(xs) - min(xs), -min(ys), max(ys), _moved(outline, -min(xs)))


def _outline(shape: Any) -> Outline:
    """A path as it is, a bar as four lines; groups have no outline of their own."""
    if shape.tag == "path":
        return _path(shape.get("d").split())
    if shape.tag == "rect":
        return _bar(*(float(shape.get(side)) for side in ("x", "y", "width", "height")))
    return ()


_NUMBERS = {"M": 2, "L": 2, "Q": 4, "C": 6, "Z": 0}


def _path(words: list[str]) -> Outline:
    segments, start = [], 0
    while start < len(words):
        stop = start + 1 + _NUMBERS[words[start]]
        segments.append((words[start], tuple(map(float, words[start + 1 : stop]))))
        start = stop
    return tuple(segments)


def _bar(x: float, y: float, width: float, height: float) -> Outline:
    right, bottom = x + width, y + height
    return (("M", (x, y)), ("L", (right, y)), ("L", (right, bottom)), ("L", (x, bottom)), ("Z", ()))


def _moved(outline: Outline, dx: float) -> Outline:
    """To the right by ``dx``: every other number is an x."""
    return tuple((kind, tuple(n if i % 2 else n + dx for i, n in enumerate(points))) for kind, points in outline)
