"""How a figure is to look: its colours, the size of its text, and which of its parts are there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from txviz.figures.coarse import DOTS_PER_PIXEL
from txviz.figures.colour_scale import Scale, Span
from txviz.figures.crop import WHOLE, Crop
from txviz.figures.theme import LIGHT, Theme

MARGIN = 20.0
"""Around everything on a page."""


@dataclass(frozen=True)
class Style:
    theme: Theme = LIGHT
    size: float = 12.0
    """Of the labels, in pixels; everything else follows."""

    growth: float = 1.0
    """How much larger all may get where there is room to spare, as for a small tensor on a large screen."""

    scale: Scale = "auto"
    """Where colours end: one of ``SCALES``, or from one number to another."""

    zoom: float = 1.0
    title: bool | str = True
    """Whether there is one; a text stands in place of the figure's own."""

    formula: bool = True
    numbers: bool = True
    labels: bool = True
    crop: Crop = WHOLE
    dots: float = DOTS_PER_PIXEL
    """Cells are drawn together, as their mean, as far as a pixel of the page still has so many dots."""

    extents: Callable[[str, Span], Span] | None = None
    """Of a tensor by its name and its own extent: from its lowest number to its highest in all runs that share their
    colours."""

    def titled(self, own: str) -> str:
        """The title of a figure that would be called so."""
        return self.title if isinstance(self.title, str) else own

    def ends_of(self, own: Span) -> Span:
        """Where colours end: at given numbers, or else where nearly all of their own do."""
        return self.scale if isinstance(self.scale, Span) else own.crowd.mirrored()

    def extent_of(self, name: str, own: Span) -> Span:
        """From the lowest number of a tensor to its highest."""
        return own if self.extents is None else self.extents(name, own)
