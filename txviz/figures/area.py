"""A part of a page, or of a widget."""

from __future__ import annotations

from typing import NamedTuple

from txviz.figures.marks import Box, Colour


class Area(NamedTuple):
    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def bottom(self) -> float:
        return self.y + self.height

    @property
    def centre(self) -> tuple[float, float]:
        return self.x + self.width / 2, self.y + self.height / 2

    def contains(self, x: float, y: float) -> bool:
        return self.x <= x < self.right and self.y <= y < self.bottom

    def grown(self, by: float) -> Area:
        """Larger on all four sides, or smaller."""
        return Area(self.x - by, self.y - by, self.width + 2 * by, self.height + 2 * by)

    def box(self, colour: Colour, width: float = 1) -> Box:
        """Its outline."""
        return Box(*self, stroke=colour, stroke_width=width)
