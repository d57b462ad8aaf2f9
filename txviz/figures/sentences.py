"""A step in plain language: what it is, and what is remarkable in its numbers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from txviz.figures.looks import LOOKS, Remark, look
from txviz.figures.numerals import percent
from txviz.figures.patches import find_drawing
from txviz.figures.prints import printed_row
from txviz.figures.remarks import inputs, learning, rows, weights
from txviz.figures.remarks.shown import far_beyond, shown_at
from txviz.ops import Index
from txviz.trace import Parameter, Step, Trace
from txviz.trace.bounds import has_nan
from txviz.trace.kept import kept


def sentences(step: Step, place: Index = ()) -> list[str]:
    """What the step is, what is special about it in this model, and one or two sentences about these very numbers.

    ``place`` is where the reader looks on the axes before the last two: (2,) is head 2.
    """
    return [said for said in (step.what, step.note, *remarks(step, place)) if said]


def remarks(step: Step, place: Index) -> list[str]:
    """What to say about the matrix of the step at this place of its leading axes."""
    if not step.value.size:
        return ["There is nothing in it."]
    if has_nan(step.value):
        return [f"{percent(float(np.isnan(step.value).mean()))} of its cells are not numbers."]
    return [*_said(lambda: _remark(step)(shown_at(step, place))), *_said(lambda: far_beyond(step))]


def of_patches(trace: Trace, step: Step, place: Index = ()) -> list[str]:
    """Of an image that a later step cuts, how bright its patches are; of attention, whether neighbours get more."""
    cut = _cuts(trace).get(step.name)
    if cut is not None:
        return _said(lambda: inputs.light(shown_at(cut, ())))
    drawing = find_drawing(trace) if step.op == "softmax" and step.axes[-2:] == ("query", "key") else None
    return [] if drawing is None else _said(lambda: weights.by_nearness(shown_at(step, place), drawing))


def of_row(step: Step, cell: Index) -> list[str]:
    """Of the token in whose row a chosen cell stands: what is so in this row, and what a guide prints for it."""
    if step.value.ndim < 2 or step.value.dtype.kind != "f":
        return []
    shown = shown_at(step, cell[:-2])
    if np.isnan(shown.value).any():
        return []
    return [*_said(lambda: rows.row(shown, cell[-2])), *_said(lambda: printed_row(step, cell[:-1]))]


def _said(remark: Callable[[], list[str]]) -> list[str]:
    """As sentences; none of a step from a file that no model makes."""
    try:
        with np.errstate(all="ignore"):  # what was put in by hand may be as large as numbers get
            return [said[0].upper() + said[1:] for said in remark()]
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return []


@kept
def _cuts(trace: Trace) -> dict[str, Step]:
    """What cuts images, by the image: looked for once, since a beam may have 50,000 steps."""
    return {step.inputs[0]: step for step in reversed(trace.steps) if step.op == "patchify"}


def _remark(step: Step) -> Remark:
    """That of the operation, unless where it stands says more."""
    if step.site.pass_ == "backward":
        return learning.gradient
    if step.op == "given":
        return GIVEN.get(step.site.leaf, look(step).remark)
    if step.edited:
        return LOOKS["given"].remark  # what the operation makes of its operands is no longer what is there
    if step.site.pass_ == "update" and isinstance(step.sources[0], Parameter):
        return learning.changed
    return look(step).remark


GIVEN: dict[str, Remark] = {
    "tokens": inputs.tokens,
    "image": inputs.image,
    "labels": inputs.labels,
    "chance": inputs.chance,
    "so_far": inputs.so_far,
    "target": inputs.wanted,
}
"""By the leaf."""
