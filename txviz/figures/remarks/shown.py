"""The matrix of a step that is looked at, and the plainest thing to say about it: its largest number."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from txviz.figures.colour_scale import reach
from txviz.figures.naming import cell, name
from txviz.figures.place import matrix_place
from txviz.ops import Array, Index
from txviz.ops.arithmetic import number
from txviz.trace import Step


class Shown(NamedTuple):
    """A step, and the matrix of it that is looked at."""

    step: Step
    place: Index
    value: Array
    """The last two axes at that place; less where the step has less."""

    @property
    def head(self) -> str:
        """``In head 2, `` where there are several."""
        step = self.step
        several = "head" in step.axes[: len(self.place)] and step.value.shape[step.axes.index("head")] > 1
        return f"In head {self.place[step.axes.index('head')]}, " if several else ""

    def row(self, place: int) -> str:
        return name(self.step, -2 % self.step.value.ndim, place)

    def column(self, place: int) -> str:
        return name(self.step, -1 % self.step.value.ndim, place)

    def source(self, which: int = 0) -> Step:
        """A step that this one read."""
        found = self.step.sources[which]
        if not isinstance(found, Step):
            raise TypeError(f"{found.name} is no step")
        return found


def shown_at(step: Step, place: Index) -> Shown:
    place = matrix_place(step, place)
    return Shown(step, place, step.value[place])


def largest(shown: Shown) -> list[str]:
    """The cell with the largest number, by size."""
    if not shown.step.value.ndim:
        return [f"It is {number(float(shown.step.value))}."]
    value, size = shown.value, np.abs(shown.value)
    finite = np.isfinite(size.max())  # of millions of numbers, few have others
    if not finite:
        size = np.where(np.isfinite(size), size, 0)
    index = at(size)
    if not size[index]:
        return ["All numbers are 0."] if finite else []
    if np.count_nonzero(size >= float(size[index]) * (1 - 1e-9)) > 1 or size.size == 1:
        return []
    where = cell(shown.step, (*shown.place, *index))
    where = where.partition(", ")[2] if shown.head else where
    return [f"{shown.head}the number furthest from 0 is {number(float(value[index]))}, at {where}."]


def far_beyond(step: Step) -> list[str]:
    """That a few numbers are many times as large as the others."""
    span = reach(step)
    if span.crowd == span:
        return []
    most, all_of_them = number(span.crowd.limit, 3), number(span.limit, 3)
    return [
        f"a few of its numbers are far larger than the others: nearly all are within ±{most}, and these go up to "
        f"{all_of_them}."
    ]


def at(size: Array) -> Index:
    """Where the largest number stands."""
    return tuple(int(i) for i in np.unravel_index(int(size.argmax()), size.shape))


def cleared(x: float, scale: float) -> float:
    """0 for what is nothing but rounding beside numbers of this size."""
    return 0.0 if abs(x) <= 1e-9 * abs(scale) else x
