"""A step in plain language: what it is, what is remarkable in its numbers, its shapes, and what a guide printed."""

from __future__ import annotations

from txviz.figures.prints import Print, prints
from txviz.figures.remarks import remarks
from txviz.figures.shapes import shape_arithmetic
from txviz.ops import Index
from txviz.trace import Step

__all__ = ["Print", "prints", "sentences", "shape_arithmetic"]


def sentences(step: Step, place: Index = ()) -> list[str]:
    """What the step is, what is special about it in this model, and one or two sentences about these very numbers.

    ``place`` is where the reader looks on the axes before the last two: (2,) is head 2.
    """
    return [said for said in (step.what, step.note, *remarks(step, place)) if said]
