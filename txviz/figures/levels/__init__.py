"""Pictures of the levels above a step: a map of the model, an attention block, a layer, …

A module has ``draw(scene)``, which makes a ``Picture`` from a node of the outline: marks, and spots on them that can be
pointed at and gone to. Which node has which pictures is said by ``node.pictures``; what draws them by ``LEVELS``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from txviz.errors import TxvizError
from txviz.figures.lazy import load

if TYPE_CHECKING:
    from txviz.figures.levels.picture import NodeScene, Picture
    from txviz.trace.outline import Node


@dataclass(frozen=True)
class NodeView:
    """A picture of a node of the outline that is no step. ``node.pictures`` says which of these a node has."""

    name: str
    title: str
    """In a row of pictures of one node."""

    about: str
    drawn_by: str
    """The function that makes its ``Picture`` from a ``NodeScene``."""

    options: tuple[str, ...] = ()
    """Options of the model that can be changed beside the picture, where the model has them."""

    compares: bool = False
    """Whether it lists other runs of the same input (``NodeScene.beside``)."""

    def draw(self, scene: NodeScene) -> Picture:
        """An error where the steps do not hang together as a model's do: a file may hold such a thing."""
        try:
            with np.errstate(all="ignore"):  # what was put in by hand may be as large as numbers get
                style = load("levels.level_scales.level_style")(scene.style, scene.node)
                picture: Picture = load(f"levels.{self.drawn_by}")(scene._replace(style=style))
        except (ArithmeticError, AttributeError, LookupError, StopIteration, TypeError, ValueError) as error:
            raise TxvizError(f"{scene.node.name or 'the run'} can't be drawn as {self.name} ({error})") from error
        return picture


LEVELS = {
    view.name: view
    for view in (
        NodeView("map", "Map", "the model, or a part of it, as a diagram", "map.draw"),
        NodeView("training", "Training", "one step of training: loss, gradients and update", "training.draw"),
        NodeView(
            "decoding",
            "Board",
            "how a sentence is written, one token after the other",
            "decoding.draw",
            options=("strategy", "temperature", "top_k", "top_p", "seed"),
            compares=True,
        ),
        NodeView(
            "beams",
            "Beam tree",
            "the sentences that a beam considered, as a tree",
            "beams.draw",
            options=("strategy", "beam_width", "length_penalty"),
        ),
        NodeView("attention-block", "Attention", "an attention block on one page", "attention_block.draw"),
        NodeView("mask", "Mask", "what the mask hides, and what would leak without it", "mask.draw"),
        NodeView("feed-forward", "Feed-forward", "a feed-forward block on one page", "feed_forward.draw"),
        NodeView("embedding", "Embedding", "from the input to what the first layer reads", "embedding.draw"),
        NodeView("words", "Words", "which words the model takes for alike", "words.draw"),
        NodeView("positions", "Positions", "the positions, and how alike they are", "positions.draw"),
        NodeView("layer", "Layer", "what each block of a layer added to each token", "layer.draw"),
        NodeView("head", "Answer", "from the last vectors to the answer", "head.draw"),
        NodeView("lens", "Layer by layer", "the answer that would be given after each layer", "lens.draw"),
        NodeView("parts", "Who brought it", "the parts of the answer's score, by token and block", "parts.draw"),
        NodeView("heads", "All heads", "the attention of all heads of all layers, each small", "all_heads.draw"),
        NodeView("cost", "Cost", "what it costs: parameters, multiply–adds, cells of attention", "cost.draw"),
        NodeView("seeing", "On the image", "who is looked at on the image, by layer and head", "seeing.draw"),
    )
}
"""What a figure can show of a node above the steps."""


def kinds(node: Node) -> list[str]:
    """Those of a node's pictures that can be drawn, the one that is shown first first."""
    return [kind for kind in node.pictures if kind in LEVELS]
