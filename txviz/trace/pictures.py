"""Which pictures a node of the outline has, besides the map that every node has. Figures know how to draw them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from txviz.trace.outline import Node

_ATTENTION = ("attention", "self_attention", "cross_attention")

PICTURES: dict[str, Callable[[Node], bool]] = {
    "training": lambda node: node.level == "run" and _learns(node),
    "layer": lambda node: node.level == "layer" and _forward(node),
    "attention-block": lambda node: _is(node, "block", *_ATTENTION),
    "mask": lambda node: _is(node, "block", *_ATTENTION) and _hides(node),
    "feed-forward": lambda node: _is(node, "block", "ffn"),
    "embedding": lambda node: _is(node, "block", "embed") or _is(node, "part", "embed"),
    "head": lambda node: _is(node, "part", "head"),
}
"""By the kind of picture, which nodes have it. Where a node has several, the first is shown first."""


def pictures(node: Node) -> tuple[str, ...]:
    """The kinds that a node has, the one that is shown first first: of a run the map. A step has its own."""
    if not node.children:
        return ("stage",)
    own = [kind for kind, has in PICTURES.items() if has(node)]
    return ("map", *own) if node.level == "run" else (*own, "map")


def _is(node: Node, level: str, *words: str) -> bool:
    return node.level == level and getattr(node.first.site, level) in words and _forward(node)


def _learns(run: Node) -> bool:
    """Whether it is a step of training, from the loss over changed parameters to the loss after them."""
    passes = {node.first.site.pass_: node for node in run.children}
    complete = {"loss", "backward", "update", "after"} <= passes.keys()
    return complete and any(part.children for part in passes["update"].children)


def _hides(node: Node) -> bool:
    """Whether a mask of the block keeps something out of sight: that of a first word alone hides nothing."""
    masked = [step for step in node.steps if step.op == "mask"]
    read = {name for step in node.steps if step.op == "softmax" for name in step.inputs}
    masks = (mask.value for step in masked if step.name in read for mask in step.sources[1:])
    return any(bool(np.isneginf(mask).any()) for mask in masks)


def _forward(node: Node) -> bool:
    return node.first.site.pass_ == "forward"
