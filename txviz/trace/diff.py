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


def _compare(before: Step, after: Step) -> Change:
    if before.value.shape != after.value.shape:
        return Change(after.name, "reshaped")
    differs, size = changed_cells(before.value, after.value), _sizes(before.value, after.value)
    cells = tuple(tuple(int(i) for i in cell) for cell in np.argwhere(differs))
    where = tuple(int(i) for i in np.unravel_index(int(size.argmax()), size.shape))
    return Change(after.name, "changed", cells, float(size.max()), where)


def changed_cells(before: Array, after: Array) -> Array:  # (...), (...) -> (...) of true and false
    """Which cells are not the same; NaN is the same as NaN."""
    differs = before != after
    if before.dtype.kind == "f" and differs.any():
        differs &= ~(np.isnan(before) & np.isnan(after))
    return np.asarray(differs)


def _sizes(before: Array, after: Array) -> Array:  # (...), (...) -> (...)
    """By how much each cell changed; ∞ where it became or stopped being −∞."""
    a, b = before.astype(float), after.astype(float)
    with np.errstate(invalid="ignore"):
        size = np.where(changed_cells(a, b), np.abs(b - a), 0.0)
    return np.where(np.isnan(size), np.inf, size)


def share(before: Array, after: Array) -> float:
    """How much an array changed, from 0 to 1: the largest change of a cell by the largest size of its numbers."""
    if before is after or equal_bits(before, after):
        return 0.0
    if before.shape != after.shape:
        return 1.0
    most = float(_sizes(before, after).max(initial=0.0))
    sizes = np.abs(np.concatenate([before.ravel(), after.ravel()]).astype(float))
    largest = float(sizes[np.isfinite(sizes)].max(initial=0.0))
    return min(most / largest, 1.0) if largest and np.isfinite(most) else float(most > 0)


def shares(before: Trace, after: Trace) -> dict[str, float]:
    """How much each step changed that is not the same in both; 1 for one that only ``after`` has."""
    pairs = ((step, before.get(step.name)) for step in after)
    found = {step.name: 1.0 if old is None else share(old.value, step.value) for step, old in pairs if old is not step}
    return {name: much for name, much in found.items() if much}
