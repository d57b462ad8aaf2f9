"""How far out one looks: the height of a node of the outline."""

from __future__ import annotations

from txviz.trace.outline import Node

WHOLE_RUN = 1000
"""Higher than any node: whatever the model, the run itself is looked at."""


def is_lone(node: Node) -> bool:
    """Whether it is a level with a single step: it has nothing to show that the step does not."""
    return bool(node.children) and len(node.steps) == 1


def height_of(node: Node) -> int:
    """How far out one looks to see the node."""
    return 0 if is_lone(node) else node.height if node.name else WHOLE_RUN
