"""The pictures of a step, as marks: the window paints them, and a file gets the very same.

A module has a drawing, which knows where everything goes in an area and what is at a point of it, and a function that
puts the drawing on a page with its title and caption. Nothing here knows Qt. A new picture is one module with two
functions, and one row in ``VIEWS``. Those of the levels above a step are in ``txviz.figures.levels``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from txviz.figures.lazy import load
from txviz.trace import Step, Trace

if TYPE_CHECKING:
    from txviz.figures.marks import Figure
    from txviz.figures.scene import Scene


@dataclass(frozen=True)
class View:
    name: str
    """As on the command line."""

    about: str
    """What it shows, as the rest of a sentence."""

    drawn_by: str
    """The function that makes its figure from a ``Scene``."""

    shown_by: str = ""
    """The function that says of a trace and a step which steps it shows, none where there is nothing, never a later one
    (see ``nearest``). Without one it is the step itself."""

    plot: str = ""
    """The title of the window's live plot that shows it, where there is one."""

    def steps(self, trace: Trace, step: Step) -> tuple[Step, ...]:
        return tuple(load(f"views.{self.shown_by}")(trace, step)) if self.shown_by else (step,)

    def exists(self, trace: Trace, step: Step) -> bool:
        return bool(self.steps(trace, step))

    def draw(self, scene: Scene) -> Figure:
        figure: Figure = load(f"views.{self.drawn_by}")(scene)
        return figure


VIEWS = {
    view.name: view
    for view in (
        View("stage", "the step: what it read and what it made", "step.draw"),
        View("attention", "its attention as a matrix", "attention.draw_matrix", "nearest.weights", "Attention"),
        View(
            "lines",
            "its attention as lines from token to token",
            "attention.draw_lines",
            "nearest.weights",
            "Attention",
        ),
        View("image", "its attention on the image", "attention.draw_image", "nearest.on_image", "Attention"),
        View("softmax", "its softmax opened up", "softmax.draw", "nearest.softmax", "Softmax"),
        View("tokens", "the tokens in 2D, from layer to layer", "tokens.draw", "nearest.stream", "Tokens"),
        View("values", "how its numbers are spread", "distribution.draw", "nearest.values", "Values"),
    )
}
"""What a figure can show of a step, in every format that is drawn."""


def anything(trace: Trace, step: Step) -> bool:
    """Whether there is a plot for the step at all."""
    return any(view.plot and view.exists(trace, step) for view in VIEWS.values())
