"""Letters as shapes: a figure that looks the same where its fonts are not installed, and has no text any more."""

from __future__ import annotations

from dataclasses import replace
from math import cos, radians, sin

from txviz.figures.marks import Figure, Group, Heat, Mark, Outline, Shape, Text
from txviz.figures.painter import OUTLINE_SIZE, text_outline
from txviz.figures.writers import cells
from txviz.figures.writers.raster import ready

_SHARES = {"start": 0.0, "middle": 0.5, "end": 1.0}


def outlined(figure: Figure) -> Figure:
    """The same with a shape in place of each text."""
    ready()
    return replace(figure, marks=tuple(map(_outlined, figure.marks)))


def _outlined(mark: Mark) -> Mark:
    if isinstance(mark, Group):
        return Group(mark.name, tuple(map(_outlined, mark.marks)))
    if isinstance(mark, Heat) and mark.texts:
        numbers = map(_outlined, cells.numbers(mark))
        return Group("", (replace(mark, texts=(), inks=b""), *numbers))
    return _shape(mark) if isinstance(mark, Text) else mark


def _shape(text: Text) -> Shape:
    outline, advance = text_outline(text.text, text.bold, text.mono)
    back = _SHARES[text.anchor] * advance
    turned = _turned(outline, back, radians(text.turn)) if back or text.turn else outline
    return Shape(text.x, text.y, text.size / OUTLINE_SIZE, turned, text.colour)


def _turned(outline: Outline, back: float, angle: float) -> Outline:
    """Moved to the left, then turned anticlockwise."""
    across, down = cos(angle), sin(angle)

    def point(x: float, y: float) -> tuple[float, float]:
        return (x - back) * across + y * down, y * across - (x - back) * down

    return tuple(
        (kind, tuple(n for x, y in zip(points[::2], points[1::2], strict=True) for n in point(x, y)))
        for kind, points in outline
    )
