"""All pictures, of a step and of the levels above it, as marks: the window paints them, and a file gets the same.

A module has a drawing, which knows where everything goes in an area and what is at a point of it, and a function that
puts the drawing on a page with its title and caption. Nothing here knows Qt. A new picture is one module with two
functions, and one row in ``VIEWS``; one of a level above, in ``txviz.figures.levels``, has its row in ``LEVELS``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from txviz.figures.lazy import load
from txviz.trace import Step, Trace

if TYPE_CHECKING:
    from txviz.figures.levels.picture import NodeScene, Picture
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

    found_by: str = ""
    """The function that says of a trace and a step whether there is something to show; none where there always is."""

    plot: str = ""
    """The title of the window's live plot that shows it, where there is one."""

    def exists(self, trace: Trace, step: Step) -> bool:
        return not self.found_by or bool(load(f"views.{self.found_by}")(trace, step))

    def draw(self, scene: Scene) -> Figure:
        figure: Figure = load(f"views.{self.drawn_by}")(scene)
        return figure


@dataclass(frozen=True)
class NodeView:
    """A picture of a node of the outline that is no step. ``node.pictures`` says which of these a node has."""

    name: str
    about: str
    drawn_by: str
    """The function that makes its ``Picture`` from a ``NodeScene``."""

    def draw(self, scene: NodeScene) -> Picture:
        picture: Picture = load(f"levels.{self.drawn_by}")(scene)
        return picture


VIEWS = {
    view.name: view
    for view in (
        View("stage", "the step: what it read and what it made", "step.draw"),
        View("attention", "its attention as a matrix", "attention.draw_matrix", "attention.exists", "Attention"),
        View(
            "lines",
            "its attention as lines from token to token",
            "attention.draw_lines",
            "attention.exists",
            "Attention",
        ),
        View("image", "its attention on the image", "attention.draw_image", "attention.exists_on_image", "Attention"),
        View("softmax", "its softmax opened up", "softmax.draw", "softmax.exists", "Softmax"),
        View("tokens", "the tokens in 2D, from layer to layer", "tokens.draw", "tokens.exists", "Tokens"),
        View("values", "how its numbers are spread", "distribution.draw", "distribution.exists", "Values"),
    )
}
"""What a figure can show of a step. Web pages show the stage, and tables have no view."""

LEVELS = {
    view.name: view
    for view in (
        NodeView("map", "the model, or a part of it, as a diagram", "map.draw"),
        NodeView("attention-block", "an attention block on one page", "attention_block.draw"),
    )
}
"""What a figure can show of a node above the steps."""
