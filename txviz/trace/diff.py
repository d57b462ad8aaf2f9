"""Comparing two traces: which steps and cells changed, and by how much."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from txviz.ops import Array, Index
from txviz.trace.step import Step, equal_bits

if TYPE_CHECKING:
    from txviz.trace.trace import Trace

Kind = Literal["changed", "reshaped", "added", "removed"]


class Change(NamedTuple):
    """One step that is not the same in both traces."""

    name: str
    kind: Kind
    cells: tuple[Index, ...] = ()
    """The cells that changed."""

    largest: float = 0.0
    """The largest change of one cell; ∞ where a cell became or stopped being −∞."""

    where: Index | None = None
    """The cell that changed most."""


def diff(before: Trace, after: Trace) -> list[Change]:
    """All that differs, in the order of the computation; steps that only ``before`` has come last."""
    kept = {step.name for step in after}
    return [*_changes(before, after), *(Change(step.name, "removed") for step in before if step.name not in kept)]


def _changes(before: Trace, after: Trace) -> Iterator[Change]:
    old = {step.name: step for step in before}
    for step in after:
        if step.name not in old:
            yield Change(step.name, "added")
        elif not equal_bits(old[step.name].value, step.value):
            yield _compare(old[step.name], step)


def differs(a: Array, b: Array) -> Array:  # (...), (...) -> (...) of true and false
    """Which cells are not the same; what is no number in both is."""
    return np.asarray((a != b) & ~((a != a) & (b != b)))


def _compare(before: Step, after: Step) -> Change:
    if before.value.shape != after.value.shape:
        return Change(after.name, "reshaped")
    a, b = before.value.astype(float), after.value.astype(float)
    changed = differs(a, b)
    with np.errstate(invalid="ignore"):
        size = np.where(changed, np.abs(b - a), 0.0)
    size = np.where(np.isnan(size), np.inf, size)
    cells = tuple(tuple(int(i) for i in cell) for cell in np.argwhere(changed))
    where = tuple(int(i) for i in np.unravel_index(int(size.argmax()), size.shape))
    return Change(after.name, "changed", cells, float(size.max()), where)
