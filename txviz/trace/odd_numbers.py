"""Where a run goes astray: the first step that has a NaN, an infinite number, or one too small to be exact.

A mask makes −∞ on purpose; whatever reads it may pass it on. Any other −∞ is told like +∞.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from txviz import ops
from txviz.ops import Array, Index
from txviz.trace.bounds import all_finite
from txviz.trace.step import Parameter, Step


class Odd(NamedTuple):
    """One kind of such numbers, where it appears first."""

    kind: str
    step: str
    cell: Index
    many: int
    """How many of them the step has, and out of how many."""

    size: int
    weight: str = ""
    """The parameter that has them, and that the step reads."""

    def __str__(self) -> str:
        where = f" at {list(self.cell)}" if self.cell else ""
        found = f"{self.kind} appears first in {self.step}{where} ({self.many:,} of {self.size:,})"
        return f"{found}; the weights {self.weight} have it" if self.weight else found


def _denormal(value: Array) -> Array:
    return np.asarray((value != 0) & (np.abs(value) < np.finfo(value.dtype).tiny))


KINDS: dict[str, Callable[[Array], Array]] = {
    "NaN": np.isnan,
    "∞": np.isposinf,
    "−∞": np.isneginf,
    "a denormal number": _denormal,
}
"""What each is called, and how it is told. Denormal are those so near to 0 that they have fewer digits than others."""


MASKING = (ops.mask, ops.causal_mask, ops.padding_mask, ops.given, ops.top_k, ops.top_p, ops.log)
"""Operations that make −∞ of what is left out."""


def not_finite(steps: Iterable[Step]) -> Odd | None:
    """The first NaN or infinite number of all, for those who must be quick."""
    found = (odd for step in steps if not all_finite(step.value) for odd in _odd(step, ("NaN", "∞", "−∞")))
    return next(found, None)


def odd_numbers(steps: Iterable[Step]) -> list[Odd]:
    """The first of each kind, in the order of the steps."""
    first = dict[str, Odd]()
    for step in steps:
        for odd in _odd(step, [kind for kind in KINDS if kind not in first]):
            first[odd.kind] = odd
    return [*first.values()]


def _odd(step: Step, kinds: Iterable[str]) -> Iterator[Odd]:
    if step.value.dtype.kind != "f":
        return
    for kind in kinds:
        cells = KINDS[kind](step.value)
        if kind == "−∞" and cells.any():
            cells = cells & ~_on_purpose(step)
        if cells.any():
            cell = tuple(int(i) for i in np.argwhere(cells)[0])
            yield Odd(kind, step.name, cell, int(cells.sum()), step.value.size, _weight(step, kind))


def _on_purpose(step: Step) -> Array:
    """Where −∞ comes from a mask or what was given as one, from leaving words out, from the logarithm of 0, or from
    what the step read; an edit that puts −∞ where there was none does so on no such purpose."""
    made = step.operation in MASKING or any(_has("−∞", source.value) for source in step.sources)
    if not made or not step.edited:
        return np.asarray(made)
    if step.operation is ops.given:
        return ~step.edited_cells
    with np.errstate(all="ignore"):
        return ~step.edited_cells | np.isneginf(step.operation.compute(*step.operands, **step.params))


def _weight(step: Step, kind: str) -> str:
    sources = (each for each in step.sources if isinstance(each, Parameter) and _has(kind, each.value))
    return next((each.name for each in sources), "")


def _has(kind: str, value: Array) -> bool:
    return value.dtype.kind == "f" and bool(KINDS[kind](value).any())
