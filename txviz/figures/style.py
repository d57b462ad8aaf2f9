"""How a figure is to look: its colours, the size of its text, and which of its parts are there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

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

    scale: str | float = "tensor"
    """Colours reach their end at the largest number of each "tensor", of all ("shared"), or at a fixed number."""

    zoom: float = 1.0
    title: bool = True
    formula: bool = True
    numbers: bool = True
    labels: bool = True
    ends: Callable[[str, float], float] | None = None
    """Of a tensor by its name and its own largest number: where its colours end, for runs that share their colours."""

    def end_of(self, name: str, own: float) -> float:
        """Where the colours of a tensor end that has a scale of its own."""
        return own if self.ends is None else self.ends(name, own)
