"""Comparing two traces: which steps and cells changed, and by how much.

What two traces share as the very same object is not looked at, so a run that took over most of another (see ``reuse``)
is compared with it in no time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from txviz.ops import Array, Index
from txviz.trace.step import equal_bits

if TYPE_CHECKING:
    from txviz.trace.trace import Trace

Kind = Literal["changed", "reshaped", "added", "removed"]


@dataclass(frozen=True)
class Change:
    """One step that is not the same in both traces. Its cells are compared when somebody asks for them."""

    name: str
    kind: Kind
    before: Array | None = None
    after: Array | None = None
    """The values, where they are of the same shape."""

    @cached_property
    def cells(self) -> tuple[Index, ...]:
        """The cells that changed."""
        found = () if self.before is None or self.after is None else changed_cells(self.before, self.after)
        return tuple(tuple(int(i) for i in cell) for cell in np.argwhere(found))

    @property
    def largest(self) -> float:
        """The largest change of one cell; ∞ where a cell became or stopped being −∞."""
        return float(self._sizes.max(initial=0.0))

    @property
    def where(self) -> Index | None:
        """The cell that changed most."""
        if self.before is None:
            return None
        return tuple(int(i) for i in np.unravel_index(int(self._sizes.argmax()), self._sizes.shape))

    @cached_property
    def _sizes(self) -> Array:
        return np.zeros(0) if self.before is None or self.after is None else _sizes(self.before, self.after)


def diff(before: Trace, after: Trace) -> list[Change]:
    """All that differs, in the order of the computation; steps that only ``before`` has come last."""
    removed = (Change(step.name, "removed") for step in before if step.name not in after.by_name)
    return [*_changes(before, after), *removed]


def _changes(before: Trace, after: Trace) -> Iterator[Change]:
    for step in after:
        old = before.get(step.name)
        if old is None:
            yield Change(step.name, "added")
        elif old.value.shape != step.value.shape:
            yield Change(step.name, "reshaped")
        elif old.value is not step.value and not equal_bits(old.value, step.value):
            yield Change(step.name, "changed", old.value, step.value)


def changed_cells(before: Array, after: Array) -> Array:  # (...), (...) -> (...) of true and false
    """Which cells are not the same; NaN is the same as NaN."""
    differs = before != after
    if before.dtype.kind == "f" and differs.any():
        differs &= ~(np.isnan(before) & np.isnan(after))
    return np.asarray(differs)


def _sizes(before: Array, after: Array) -> Array:  # (...), (...) -> (...)
    """By how much each cell changed; ∞ where it became or stopped being −∞."""
    a, b = before.astype(float, copy=False), after.astype(float, copy=False)
    with np.errstate(invalid="ignore", over="ignore"):
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
