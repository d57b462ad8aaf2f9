"""Losses, gradients and updates."""

from __future__ import annotations

import numpy as np

from txviz.figures.naming import best, cell, quoted
from txviz.figures.numerals import percent
from txviz.figures.remarks.shown import Shown, at, largest
from txviz.ops.arithmetic import number

ROUNDING = 1e-12
"""A gradient below this is what rounding leaves of 0."""


def surprise(shown: Shown) -> list[str]:
    return [*_surprise(shown), *_smoothing(shown)]


def _smoothing(shown: Shown) -> list[str]:
    share, answers = shown.step.params.get("smoothing"), shown.source().value.shape[-1]
    if not share:
        return []
    spread = f"{percent(share)} of each right answer is spread over all {answers:,} answers alike"
    return [f"With label smoothing, {spread}, so some surprise is left even where the model is sure and right."]


def _surprise(shown: Shown) -> list[str]:
    logits, labels = shown.source(0), shown.source(1)
    plain = not shown.step.params.get("smoothing")
    if not shown.step.value.ndim:
        loss = float(shown.step.value)
        right = quoted(logits.labels[-1][int(labels.value)])
        given = f": it gave {right}, which is right, {percent(float(np.exp(-loss)))}" if plain else ""
        return [f"The surprise is {number(loss, 3)}{given}."]
    if shown.step.value.ndim > 1 or len(shown.value) < 2:
        return largest(shown)
    top = best(shown.value)
    if len(top) > 1:
        return []
    right = quoted(logits.labels[-1][int(labels.value[top[0]])])
    most = number(float(shown.value[top[0]]), 3)
    return [f"It is largest after {shown.column(top[0])}, where {right} is right: {most}."]


def mean_loss(shown: Shown) -> list[str]:
    labels, mean = shown.step.sources[1:], number(float(shown.step.value), 3)
    count = int((labels[0].value != shown.step.params["ignore"]).sum()) if labels else shown.source().value.size
    return [f"It is {mean}, the mean over {count} positions." if count > 1 else f"It is {mean}, at the only position."]


def error(shown: Shown) -> list[str]:
    is_, should = (float(source.value) for source in shown.step.sources)
    loss = number(float(shown.step.value), 3)
    return [f"It is {number(is_, 3)} where it should be {number(should, 3)}; the difference squared is {loss}."]


def gradient(shown: Shown) -> list[str]:
    value = shown.step.value
    if not value.ndim:
        return [f"It is {number(float(value))}."]
    size = np.abs(value)
    if not size.any():
        return ["It is 0 everywhere: a small change here would not change the loss."]
    index = at(size)
    slope = float(value[index])
    down = "smaller" if slope > 0 else "larger"
    if size[index] < ROUNDING:
        return ["It is 0 but for rounding: a small change here would not change the loss."]
    where = f" at {cell(shown.step, index)}" if size.size > 1 else ""
    if (size >= size[index] * (1 - 1e-9)).sum() > 1:
        return [f"The largest is {number(abs(slope), 3)} by size, in several cells."]
    amount = number(slope, 3)
    return [f"It is strongest{where}: {amount}, so a slightly {down} number there would make the loss smaller."]


def clipping(shown: Shown) -> list[str]:
    length, limit = float(shown.step.value), shown.step.params["limit"]
    if length <= limit:
        return [f"It is {number(length, 3)}, within the limit of {number(limit)}, so the gradients stay as they are."]
    factor = number(length / limit, 3)
    return [f"It is {number(length, 3)}, over the limit of {number(limit)}, so every gradient is divided by {factor}."]


def changed(shown: Shown) -> list[str]:
    before, after = shown.step.sources[0].value, shown.step.value
    change = np.abs(after - before)
    if not change.any():
        return ["Nothing changes."]
    index = at(change)
    many = float((change >= change[index] * 0.99).mean())
    if many > 0.05 and change.size > 1:
        amount, share = number(float(change[index]), 3), percent(many)
        return [f"The largest change is {amount}; {share} of the numbers change about that much."]
    where = f", at {cell(shown.step, index)}" if change.size > 1 else ""
    moved = f"from {number(float(before[index]))} to {number(float(after[index]))}"
    return [f"The largest change is {number(float(change[index]), 3)}{where}: {moved}."]
