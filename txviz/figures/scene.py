"""What a picture is drawn from: a step of a trace, where one looks in it, and the page."""

from __future__ import annotations

from typing import NamedTuple

from txviz.figures.style import Style
from txviz.ops import Index
from txviz.trace import Step, Trace


class Scene(NamedTuple):
    trace: Trace
    step: Step
    place: Index
    cell: Index | None
    width: float
    height: float
    style: Style

    @property
    def page(self) -> tuple[float, float, Style]:
        return self.width, self.height, self.style
