"""How nodes, steps and parameters are called in a picture, and their shapes."""

from __future__ import annotations

from itertools import takewhile

from txviz.figures.naming import WORDS
from txviz.trace import Parameter, Step
from txviz.trace.outline import Node
from txviz.trace.site import Site


def node_title(node: Node) -> str:
    """``time 3 · decoder 0 · feed-forward``, in words that a newcomer knows."""
    labels = node.first.site._replace(leaf="", block=None if node.level == "layer" else node.first.site.block).labels
    return " · ".join(WORDS.get(label, label) for label in labels)


def short_name(step: Step | Parameter) -> str:
    """What it is called inside its block."""
    return step.site.labels[-1] if isinstance(step, Parameter) else step.title.rpartition(" · ")[2]


def near_name(step: Step, site: Site) -> str:
    """What it is called by who stands at a site: without the levels that both are in."""
    *levels, _ = step.site.labels
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(levels, site.labels, strict=False)))
    return " · ".join(step.title.split(" · ")[shared:])


def matrix_shape(step: Step | Parameter) -> str:
    """Of the matrix that is shown: ``6×16``."""
    return "×".join(map(str, step.value.shape[-2:])) or "1"
