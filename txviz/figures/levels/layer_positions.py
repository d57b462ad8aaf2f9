"""Positions that are not added to the embedding: each layer has them for itself."""

from __future__ import annotations

from typing import NamedTuple

from txviz.trace import Step, Trace


class LayerPositions(NamedTuple):
    kind: str
    said: str
    step: Step


_KINDS = {
    "rotate": ("rotary", "in every layer queries and keys are turned, the further on in the text the more"),
    "bucket_bias": ("relative", "in every layer the scores get a number for each distance, learned"),
}
"""By operation: what people call it, and what it does."""


def positions_in_layers(trace: Trace) -> LayerPositions | None:
    """The first step of that kind, in words."""
    found = next((step for step in trace if step.op in _KINDS), None)
    return None if found is None else LayerPositions(*_KINDS[found.op], found)
