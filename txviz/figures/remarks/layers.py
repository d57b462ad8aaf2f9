"""Learned layers, sums, norms, activations and pooling."""

from __future__ import annotations

import numpy as np

from txviz.figures.naming import ANSWERS, best
from txviz.figures.numerals import percent
from txviz.figures.remarks.answers import answers, ranked
from txviz.figures.remarks.shown import Shown, largest
from txviz.ops.arithmetic import number


def linear(shown: Shown) -> list[str]:
    if shown.step.axes[-1] in ANSWERS:
        return answers(shown)
    into, out = shown.step.sources[1].value.shape
    whose = "Each patch" if shown.source().axes[-1] == "pixel" else "Each token"
    same = np.array_equal(shown.source().value, shown.step.value)
    become = "stay as they are" if same else f"become {out} new ones"
    return [f"{whose}'s {into} numbers {become}.", *([] if same else largest(shown))]


def added(shown: Shown) -> list[str]:
    if shown.step.axes[-1] in ANSWERS:
        return ranked(shown.step, shown.value)
    first, second = shown.step.sources[0].value, shown.step.sources[1].value
    if second.ndim < first.ndim:
        return ["The same numbers, the bias, are added to every row.", *largest(shown)]
    lengths = np.sqrt((second * second).sum(axis=-1)).ravel()
    before = np.sqrt((first * first).sum(axis=-1)).ravel()
    top = best(lengths)
    if lengths.max() == 0:
        return ["What is added is 0, so nothing changes."]
    if shown.step.value.ndim != 2:
        return []
    if len(top) == len(lengths) > 1:
        return [f"To every token a vector of the same length, {number(float(lengths[0]), 3)}, is added."]
    if len(top) > 1:
        return []
    most = " most" if len(lengths) > 1 else ""
    new, old = number(float(lengths[top[0]]), 3), number(float(before[top[0]]), 3)
    return [f"{shown.row(top[0])} changes{most}: a vector of length {new} is added to one of length {old}."]


def norm(shown: Shown) -> list[str]:
    parts, epsilon = shown.step.parts, shown.step.params["epsilon"]
    means, variances = parts["mean"].ravel(), parts["variance"].ravel()
    row = int(variances.argmax())
    if variances[row] <= 1000 * epsilon or variances[row] == 0 or shown.step.value.ndim != 2:
        return []
    after = {
        1: "",
        2: ", then a learned gain stretches the row",
        3: ", then a learned gain and bias stretch and shift the row",
    }[len(shown.step.sources)]
    was = f"mean {number(float(means[row]), 2)} and variance {number(float(variances[row]), 2)}"
    return [f"The row of {shown.row(row)} had {was}; the norm makes them 0 and 1{after}."]


def relu(shown: Shown) -> list[str]:
    zero = float((shown.value == 0).mean())
    if zero == 0:
        return ["Every number was above 0, so ReLU changed nothing."]
    if zero == 1:
        return ["Every cell is 0: ReLU let nothing through."]
    return [f"{percent(zero)} of the cells are 0: ReLU let nothing negative through."]


def gelu(shown: Shown) -> list[str]:
    return _smooth_step(shown, "GELU")


def silu(shown: Shown) -> list[str]:
    return _smooth_step(shown, "SiLU")


def _smooth_step(shown: Shown, name: str) -> list[str]:
    before = shown.source().value
    low = float((before < 0).mean())
    if low == 0:
        return ["No number was negative."]
    lowest = number(float(shown.step.value.min()), 2)
    return [f"{percent(low)} of the numbers were negative; after {name} the lowest is {lowest}."]


def tanh(shown: Shown) -> list[str]:
    full = float((np.abs(shown.value) > 0.9).mean())
    return [f"{percent(full)} of the cells lie beyond ±0.9, where tanh is nearly flat."]


def rms(shown: Shown) -> list[str]:
    roots = shown.step.parts["root"].ravel()
    row = int(roots.argmax())
    if shown.step.value.ndim != 2:
        return []
    was = number(float(roots[row]), 3)
    return [f"The numbers of {shown.row(row)} were the largest: their root mean square, {was}, becomes 1."]


def pooled(shown: Shown) -> list[str]:
    source, tokens = shown.source(), shown.step.sources[1:]
    count = source.value.shape[-2]
    if tokens:
        count = int((tokens[0].value != shown.step.params["padding"]).sum())
    return [f"Each of the {count} rows counts 1/{count}." if count > 1 else "There is only one row, so it is that row."]
