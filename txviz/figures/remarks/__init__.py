"""What is remarkable in the numbers of a step: one or two sentences, by the step's operation.

A remark must be true of every tensor that can come: ties, one token, one head, zeros, −∞. Where there is nothing to be
said, nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from txviz.figures.numerals import percent
from txviz.figures.remarks import answers, inputs, layers, learning, weights
from txviz.figures.remarks.shown import Shown, largest, shown_at
from txviz.ops import Index
from txviz.trace import Parameter, Step, names

Remark = Callable[[Shown], list[str]]


def remarks(step: Step, place: Index) -> list[str]:
    """What to say about the matrix of the step at this place of its leading axes."""
    if not step.value.size:
        return ["There is nothing in it."]
    if step.value.dtype.kind == "f" and np.isnan(step.value).any():
        return [f"{percent(float(np.isnan(step.value).mean()))} of its cells are not numbers."]
    return [said[0].upper() + said[1:] for said in _remark(step)(shown_at(step, place))]


def _remark(step: Step) -> Remark:
    kind = step.name.partition(names.SEPARATOR)[0]
    if kind == "backward":
        return learning.gradient
    if step.op == "given":
        return GIVEN.get(names.leaf(step.name), weights.put_in)
    if kind == "update":
        return learning.changed if isinstance(step.sources[0], Parameter) else largest
    return BY_OPERATION.get(step.op, largest)


GIVEN: dict[str, Remark] = {
    "tokens": inputs.tokens,
    "image": inputs.image,
    "labels": inputs.labels,
    "chance": inputs.chance,
    "so_far": inputs.so_far,
    "target": inputs.wanted,
}
"""By the last part of the name."""

BY_OPERATION: dict[str, Remark] = {
    "lookup": inputs.looked_up,
    "patchify": inputs.patches,
    "concat": inputs.joined,
    "select": inputs.selected,
    "sinusoid": inputs.waves,
    "sinusoid_2d": inputs.waves,
    "split_heads": weights.split,
    "merge_heads": weights.merged,
    "matmul": weights.product,
    "linear": layers.linear,
    "scale": weights.scaled,
    "mask": weights.masked,
    "causal_mask": weights.masked,
    "padding_mask": weights.masked,
    "softmax": weights.softmax,
    "log": weights.log,
    "add": layers.added,
    "layer_norm": layers.norm,
    "relu": layers.relu,
    "gelu_tanh": layers.gelu,
    "gelu_erf": layers.gelu,
    "mean_pool": layers.pooled,
    "argmax": answers.chosen,
    "draw": answers.chosen,
    "pick": answers.picked,
    "top_k": answers.kept,
    "top_p": answers.kept,
    "dot": answers.similar,
    "unit": answers.unit,
    "cross_entropy": learning.surprise,
    "average": learning.mean_loss,
    "squared_error": learning.error,
}
