"""A step in plain language: what it is, and what is remarkable in its numbers."""

from __future__ import annotations

from txviz.figures.remarks import remarks
from txviz.ops import Index
from txviz.trace import Step


def sentences(step: Step, place: Index = ()) -> list[str]:
    """What the step is, what is special about it in this model, and one or two sentences about these very numbers.

    ``place`` is where the reader looks on the axes before the last two: (2,) is head 2.
    """
    return [said for said in (step.what, step.note, *remarks(step, place)) if said]
