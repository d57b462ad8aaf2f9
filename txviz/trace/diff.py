"""Comparing two traces: which steps and cells changed, and by how much.

What a step has in common with the other trace as the very same object is not looked at, so a run that took over most of
another (see ``reuse``) is compared in no time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from txviz.ops import Array, Index
from txviz.trace.step import Step, equal_bits

if TYPE_CHECKING:
    from txviz.trace.trace import Trace

Kind = Literal["changed", "reshaped", "added", "removed"]


@dataclass(frozen=True)
class Change:
    """One step that is not the same in both traces; where it is in one only, the other is None."""

    before: Step | None
    after: Step | None
    kind: Kind

    @property
    def name(self) -> str:
        step = self.after or self.before
        return step.name if step else ""

    @cached_property
    def mask(self) -> Array:  # true where a cell changed; of another shape: all of them
        """The cells that changed."""
        step = self.after or self.before
        assert step is not None
        if self.before is None or self.after is None or self.kind != "changed":
            return np.ones(step.value.shape, dtype=bool)
        return differing(self.before.value, self.after.value)

    @property
    def share(self) -> float:
        """How many of the cells changed, from 0 to 1."""
        return float(self.mask.mean())

    @property
    def count(self) -> int:
        """How many cells changed; none where there are no pairs of cells."""
        return int(np.count_nonzero(self.mask)) if self.kind == "changed" else 0

    @cached_property
    def cells(self) -> tuple[Index, ...]:
        """The cells that changed, one by one; none where there are no pairs of cells."""
        return tuple(map(tuple, np.argwhere(self.mask).tolist())) if self.kind == "changed" else ()

    @cached_property
    def sizes(self) -> Array | None:
        """By how much each cell changed; ∞ where one became or stopped being −∞."""
        if self.before is None or self.after is None or self.kind != "changed":
            return None
        a, b = (step.value.astype(float, copy=False) for step in (self.before, self.after))
        with np.errstate(invalid="ignore", over="ignore"):
            size = np.where(self.mask, np.abs(b - a), 0.0)
        return np.where(np.isnan(size), np.inf, size)

    @property
    def largest(self) -> float:
        """The largest change of one cell."""
        return 0.0 if self.sizes is None else float(self.sizes.max())

    @property
    def relative(self) -> float:
        """The same by the largest number of the step, before or after: from 0 to 2, which it is where signs change. It
        is 1 for another shape, and for what became −∞. Whole numbers name something (a token, a class), so of them it
        is the share that changed."""
        if self.before is None or self.after is None or self.kind != "changed":
            return 1.0
        if self.after.value.dtype.kind in "iub":
            return self.share
        sizes = np.abs(np.stack([self.before.value, self.after.value]).astype(float))
        most = float(sizes[np.isfinite(sizes)].max(initial=0.0))
        return self.largest / most if most and np.isfinite(self.largest) else 1.0

    @property
    def where(self) -> Index | None:
        """The cell that changed most."""
        if self.sizes is None:
            return None
        return tuple(int(i) for i in np.unravel_index(int(self.sizes.argmax()), self.sizes.shape))


def differing(a: Array, b: Array) -> Array:  # (...), (...) -> (...) of true and false
    """Which cells are not the same; NaN is the same as NaN."""
    differs = np.asarray(a != b)
    return differs & ~((a != a) & (b != b)) if a.dtype.kind == b.dtype.kind == "f" else differs


def diff(before: Trace, after: Trace) -> list[Change]:
    """All that differs, in the order of the computation; steps that only ``before`` has come last."""
    return [
        *_changes(before, after),
        *(Change(step, None, "removed") for step in before if step.name not in after.by_name),
    ]


def _changes(before: Trace, after: Trace) -> Iterator[Change]:
    for step in after:
        old = before.get(step.name)
        if old is None:
            yield Change(None, step, "added")
        elif old.value.shape != step.value.shape:
            yield Change(old, step, "reshaped")
        elif old.value is not step.value and not equal_bits(old.value, step.value):
            yield Change(old, step, "changed")


def shares(before: Trace, after: Trace) -> dict[str, float]:
    """How much each step of ``after`` changed that is not the same in both, from 0 to 2 (see ``Change.relative``)."""
    return {change.name: change.relative for change in _changes(before, after)}


def first_that_matters(changes: Iterable[Change]) -> Change | None:
    """Where an edit is felt first: the first word or class that is chosen differently; if all are as before, the first
    step that came out differently without having been put in by hand itself."""
    felt = [change for change in changes if change.after is not None and not change.after.edited]
    return next(filter(_chose_differently, felt), None) or next(iter(felt), None)


def _chose_differently(change: Change) -> bool:
    return bool(change.before and change.after and change.before.chosen != change.after.chosen)
