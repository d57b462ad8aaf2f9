"""Which pictures a node of the outline has, besides the map that every node has. Figures know how to draw them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from txviz.trace.step import Step

if TYPE_CHECKING:
    from txviz.trace.outline import Node

_ATTENTION = ("attention", "self_attention", "cross_attention")

PICTURES: dict[str, Callable[[Node], bool]] = {
    "training": lambda node: node.level == "run" and _learns(node),
    "beams": lambda node: node.level == "decoding" and node.first.site.beam is not None,
    "decoding": lambda node: node.level == "decoding" and any(step.site.part == "choice" for step in node.steps),
    "layer": lambda node: node.level == "layer" and _forward(node) and (_adds(node) or _has_known_block(node)),
    "attention-block": lambda node: _is(node, "block", *_ATTENTION),
    "mask": lambda node: _is(node, "block", *_ATTENTION) and _hides(node),
    "feed-forward": lambda node: _is(node, "block", "ffn"),
    "embedding": lambda node: _is(node, "block", "embed") or _is(node, "part", "embed"),
    "words": lambda node: PICTURES["embedding"](node) and _has(node, "tokens", op="lookup"),
    "positions": lambda node: PICTURES["embedding"](node) and (_has(node, "positions") or _has(node, "grid")),
    "head": lambda node: _is(node, "part", "head"),
    "lens": lambda node: _reads_early(node) and _embeds(node),
    "heads": lambda node: _has_heads(node),
    "seeing": lambda node: node.level == "run" and any(step.op == "patchify" for step in node.steps),
    "cost": lambda node: node.level == "run" and _has(node, "weights") and _embeds(node),
    "parts": lambda node: _answers(node) and _embeds(node) and _reads_tokens(node),
}
"""By the kind of picture, which nodes have it. Where a node has several, the first is shown first."""


def pictures(node: Node) -> tuple[str, ...]:
    """The kinds that a node has, the one that is shown first first: of a run the map. A step has its own."""
    if not node.children:
        return ("stage",)
    own = [kind for kind, has in PICTURES.items() if has(node)]
    return ("map", *own) if node.level == "run" else (*own, "map")


def why_none(run: Node, kind: str) -> str:
    """Why no node of a run has a picture of this kind, where that needs to be said."""
    answers = any(step.site.leaf == "probabilities" and step.site.part == "head" for step in run.steps)
    if kind != "lens" or answers or not _embeds(run):
        return ""
    return "the model has no head: it ends with vectors, so that there is no answer to read after each layer"


def _is(node: Node, level: str, *words: str) -> bool:
    return node.level == level and getattr(node.first.site, level) in words and _forward(node)


def _answers(node: Node) -> bool:
    """Whether all that leads to one answer is in it, and nothing else: a run, or a time step of one hypothesis."""
    return node.level in ("run", "time", "beam") and sum(map(_is_answer, node.steps)) == 1


def _reads_early(node: Node) -> bool:
    """The same, or a run in which each token has its own answer, as a masked word has."""
    found = [step for step in node.steps if step.site.leaf == "probabilities" and step.site.part == "head"]
    each = node.level == "run" and len(found) == 1 and found[0].axes[:1] == ("token",)
    return each or (_answers(node) and any(map(is_one_row, node.steps)))


def is_one_row(step: Step) -> bool:
    """Whether it is the vector of one token, or the mean of all: then each can be read without the others."""
    read = step.sources[0] if step.op in ("select", "mean_pool") and step.sources else None
    return isinstance(read, Step) and step.value.ndim == 1 and read.value.ndim == 2 and read.axes[0] == "token"


def _is_answer(step: Step) -> bool:
    """One row of probabilities; a training step has one for each position."""
    return step.site.leaf == "probabilities" and step.site.part == "head" and step.value.ndim == 1


def _has(node: Node, leaf: str, op: str = "") -> bool:
    return any(step.site.leaf == leaf and op in ("", step.op) for step in node.steps)


def is_weights(step: Step) -> bool:
    """Whether it has the attention weights of some heads, in the forward pass."""
    known = step.site.leaf == "weights" and step.site.pass_ == "forward" and step.op in ("softmax", "given")
    return known and step.axes == ("head", "query", "key")


def _has_heads(node: Node) -> bool:
    """Whether layers have several heads, to be looked at side by side."""
    levels = ("run", "sentence", "time", "beam", "part")
    return node.level in levels and any(step.value.shape[0] > 1 for step in node.steps if is_weights(step))


def _embeds(node: Node) -> bool:
    return any("embed" in (step.site.part, step.site.block) for step in node.steps)


def _reads_tokens(node: Node) -> bool:
    """Whether the scores are products with the tokens' vectors, and no layer with a bend stands between."""
    logits = next((step for step in node.steps if step.site.leaf == "logits" and step.site.part == "head"), None)
    first = logits.sources[0] if logits is not None else None
    product = first if logits is not None and logits.op == "add" else logits
    if not isinstance(product, Step) or product.op not in ("linear", "matmul"):
        return False
    if product.edited or (logits is not None and logits.edited):  # scores that were put in are made of nothing
        return False
    read = product.sources[0]
    return read.value.ndim == 2 or (isinstance(read, Step) and is_one_row(read))


def _learns(run: Node) -> bool:
    """Whether it is a step of training, from the loss over changed parameters to the loss after them."""
    passes = {node.first.site.pass_: node for node in run.children}
    complete = {"loss", "backward", "update", "after"} <= passes.keys()
    return complete and any(part.children for part in passes["update"].children)


def _adds(layer: Node) -> bool:
    """Whether what its blocks find is added up."""
    return any(step.site.leaf.startswith("residual") for step in layer.steps)


def _has_known_block(layer: Node) -> bool:
    """Whether its first block has a picture besides its map, which can stand for the layer."""
    return next((len(pictures(child)) > 1 for child in layer.children if child.children), False)


def _hides(node: Node) -> bool:
    """Whether a mask of the block keeps something out of sight: that of a first word alone hides nothing."""
    masked = [step for step in node.steps if step.op == "mask"]
    read = {name for step in node.steps if step.op == "softmax" for name in step.inputs}
    masks = (mask.value for step in masked if step.name in read for mask in step.sources[1:])
    return any(bool(np.isneginf(mask).any()) for mask in masks)


def _forward(node: Node) -> bool:
    return node.first.site.pass_ == "forward"
