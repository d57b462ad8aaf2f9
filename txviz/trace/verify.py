"""Checking a trace: every step replayed from its recorded inputs must give its recorded value, bit for bit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from txviz.ops import Array, Index
from txviz.ops.arithmetic import number
from txviz.trace.step import Step, equal_bits


class Mismatch(NamedTuple):
    """A step whose replay differs from the record, with the cell that is furthest off."""

    name: str
    text: str
    cell: Index | None = None

    def __str__(self) -> str:
        return f"{self.name}: {self.text}"


def verify(steps: Iterable[Step], exact: bool = True) -> list[Mismatch]:
    """The steps that don't replay; [] when all do.

    Another processor, or another number of threads, may sum a matrix product in another order. For a trace that was
    computed so, ``exact=False`` lets the last few bits differ.
    """
    found = (_check(step, exact) for step in steps)
    return [mismatch for mismatch in found if mismatch]


def _check(step: Step, exact: bool) -> Mismatch | None:
    try:
        with np.errstate(all="ignore"):
            replayed = step.replay()
    except MemoryError:
        raise
    except Exception as error:  # a damaged file can make an operation fail in any way
        return Mismatch(step.name, f"can't be replayed ({error})")
    if equal_bits(step.value, replayed) or (not exact and _close(step.value, replayed)):
        return None
    if step.value.shape != replayed.shape:
        return Mismatch(step.name, f"the record has shape {step.value.shape}, the replay {replayed.shape}")
    return _worst(step, replayed)


def _worst(step: Step, replayed: Array) -> Mismatch:
    differs = step.value != replayed
    with np.errstate(invalid="ignore"):
        size = np.where(differs, np.abs(step.value.astype(float) - replayed.astype(float)), -1.0)
    size = np.where(differs & ~np.isfinite(size), np.inf, size)
    index = tuple(int(i) for i in np.unravel_index(int(size.argmax()), size.shape))
    text = f"cell {index} is recorded as {number(step.value[index])}, the replay gives {number(replayed[index])}"
    if number(step.value[index]) == number(replayed[index]):
        text += f" ({number(float(step.value[index]) - float(replayed[index]))} apart)"
    return Mismatch(step.name, text, index)


def _close(a: Array, b: Array) -> bool:
    """Equal but for rounding, measured against the largest number of the array."""
    if a.shape != b.shape or a.dtype != b.dtype or a.dtype.kind != "f":
        return False
    finite = np.isfinite(a)
    largest = float(np.abs(a[finite]).max(initial=0.0))
    slack = 256 * float(np.finfo(a.dtype).eps) * largest
    return equal_bits(a[~finite], b[~finite]) and bool((np.abs(a[finite] - b[finite]) <= slack).all())
