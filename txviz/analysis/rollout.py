"""Attention through all layers at once: how much of each input token has come to each token (Abnar and Zuidema 2020).

Each layer's heads are averaged, half of each token stays its own (the residual path), and the layers are multiplied.
"""

from __future__ import annotations

import numpy as np

from txviz.ops import Array
from txviz.trace import Step, Trace


def rollout(weights: Step, before: Array | None = None) -> Array:  # (H,T,T), (T,T) -> (T,T)
    """After this layer, from what it was ``before`` it; each row sums to 1."""
    mean = weights.value.mean(axis=-3)
    own = np.eye(mean.shape[-1])
    mixed = (mean + own) / 2
    return np.asarray(mixed @ (own if before is None else before))


def rollouts(trace: Trace, at: Step) -> tuple[tuple[Step, Array], ...]:  # (H,T,T) and (T,T) for each layer
    """For the stack of self-attention that ``at`` stands in, layer by layer: its weights, and the rollout after it."""
    found: list[tuple[Step, Array]] = []
    for weights in self_attention(trace, at):
        found.append((weights, rollout(weights, found[-1][1] if found else None)))
    return tuple(found)


def self_attention(trace: Trace, at: Step) -> tuple[Step, ...]:
    """The weights with which the tokens of one stack look at each other, layer by layer."""
    here = at.site._replace(leaf="weights", layer=None, block=None)
    named = (step for step in trace if step.site._replace(layer=None, block=None) == here)
    return tuple(step for step in named if step.value.ndim == 3 and step.value.shape[-1] == step.value.shape[-2])
