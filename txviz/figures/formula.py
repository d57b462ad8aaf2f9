"""Formulas in mathematical type: LaTeX in, filled outlines out, for the window and every kind of file alike."""

from __future__ import annotations

from functools import lru_cache
from threading import Lock
from typing import Any, NamedTuple
from xml.etree import ElementTree

from txviz.figures.marks import Outline
from txviz.home import find_home

SIZE = 20.0
"""Pixels of the font; a figure makes a formula larger or smaller by the scale of its shape."""

STRETCHING = r"\left"
"""Brackets that grow with the row that they stand in, which must stay."""

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
        from ziamath.tex import tex2mml
        from ziamath.zmath import Math

        config.svg2 = False  # plain paths, not symbols and uses of them
        written = ElementTree.fromstring(tex2mml(latex))
        drawn = Math(written if STRETCHING in latex else _without_rows(written), size=SIZE, margin=0)
        shapes = list(drawn.svgxml().iter())
    outline = tuple(segment for shape in shapes for segment in _outline(shape))
    box = drawn.node.bbox  # which is too small for some superscripts
    xs = [box.xmin, box.xmax, *(x for _, points in outline for x in points[::2])]
    ys = [-box.ymin, -box.ymax, *(y for _, points in outline for y in points[1::2])]
    return Formula(max(xs) - min(xs), -min(ys), max(ys), _moved(outline, -min(xs)))


def _without_rows(element: ElementTree.Element) -> ElementTree.Element:
    """What is in a row is laid out twice, in a row of that four times, …: a row around one thing alone is left out. A
    sign that is alone stays in its row, which says how much air it has."""
    inside = [_without_rows(child) for child in element]
    if element.tag.endswith("mrow") and len(inside) == 1 and not inside[0].tag.endswith("mo"):
        return inside[0]
    if element.tag.endswith("math") and len(inside) == 1 and inside[0].tag.endswith("mrow"):
        inside = list(inside[0])
    element[:] = inside
    return element


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
