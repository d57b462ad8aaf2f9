"""Counting the numbers of a step: a histogram, and what is said about it in words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from txviz.ops import Array
from txviz.ops.arithmetic import number

MOST_BINS = 40
FEWEST_BINS = 8
LARGEST = 1e300
EXACT = 2**50
"""Whole numbers below this have a half beside them."""

SQUARED = 1e15
"""Up to this, and down to one over it, squares are numbers that are neither ∞ nor 0, in single precision as well."""


class Histogram(NamedTuple):
    counts: Array  # (n,)
    edges: Array  # (n+1,)


def histogram(values: Array) -> Histogram:
    """The finite values, counted. Few different integers have a bin each; equal values share one."""
    finite = _finite(values)
    if finite.dtype == np.float64:
        finite = finite.clip(-LARGEST, LARGEST)
    if not finite.size:
        return Histogram(np.zeros(0, dtype=np.intp), np.zeros(1))
    low, high = float(finite.min()), float(finite.max())
    if values.dtype.kind in "iub" and high - low < MOST_BINS and max(-low, high) < EXACT:
        edges = np.arange(low, high + 2) - 0.5
    elif high - low <= 1e-12 * max(abs(low), abs(high)):
        half = abs(low) / 10 or 0.5
        edges = np.array([low - half, low + half])
    else:
        edges = np.linspace(low, high, _bins(finite.size) + 1)
    return Histogram(_counted(finite, edges), edges)


def _finite(values: Array) -> Array:  # (…) -> (n,)
    numbers = np.isfinite(values)
    return values.ravel() if numbers.all() else values[numbers]


def _bins(count: int) -> int:
    return int(min(MOST_BINS, max(FEWEST_BINS, np.sqrt(count) * 1.5)))


def _counted(finite: Array, edges: Array) -> Array:
    """Bins are of one width, so a value's bin is a division away: much quicker than a search on large steps."""
    bins = len(edges) - 1
    places = ((finite - edges[0]) / (edges[-1] - edges[0]) * bins).astype(np.intp)
    return np.bincount(np.clip(places, 0, bins - 1), minlength=bins)


def summary(values: Array) -> str:
    """How many numbers there are, from where to where, their mean and spread, zeros and −∞."""
    finite = _finite(values)
    parts = [f"{values.size:,} {'number' if values.size == 1 else 'numbers'}"]
    if finite.size:
        parts.append(f"min {number(float(finite.min()))}")
        parts.append(f"max {number(float(finite.max()))}")
        mean, spread = mean_and_spread(finite)
        parts.append(f"mean {number(mean)}")
        parts.append(f"standard deviation {number(spread)}")
        parts.append(_zeros(int(np.count_nonzero(finite == 0))))
    infinite = int(np.count_nonzero(np.isneginf(values)))
    if infinite:
        parts.append(f"{infinite:,} of them −∞")
    return " · ".join(parts)


def mean_and_spread(finite: Array) -> tuple[float, float]:  # (n,)
    """Of numbers whose squares are ∞ or 0, too: those are measured by the largest."""
    largest = float(max(-finite.min(), finite.max())) if finite.dtype.kind == "f" else 0.0
    if not largest or 1 / SQUARED < largest < SQUARED:
        return float(finite.mean()), float(finite.std())
    measured = finite / np.float64(largest)
    return float(measured.mean()) * largest, float(measured.std()) * largest


def _zeros(count: int) -> str:
    return "no zeros" if count == 0 else "1 zero" if count == 1 else f"{count:,} zeros"


def scaled(counts: Array, logarithmic: bool) -> Array:
    """How high each bar is; on a logarithmic scale that of count + 1, so that an empty bin has no bar."""
    return np.log10(counts + 1.0) if logarithmic else counts.astype(float)


def count_ticks(largest: int, logarithmic: bool) -> list[tuple[float, str]]:
    """The heights that are marked, and what is written there: whole numbers only; or 0, 1, 10, 100, …"""
    if logarithmic:
        marks = [0, *(10**k for k in range(len(str(largest))))]
        return [(float(np.log10(count + 1)), f"{count:,}") for count in marks]
    return [(float(n), f"{n:,}") for n in range(0, largest + 1, round_step(largest / 4))]


def round_step(about: float) -> int:
    """The next of 1, 2, 5, 10, 20, 50, …: how far the marks of whole numbers are apart.

    >>> round_step(0.3), round_step(3), round_step(296)
    (1, 5, 500)
    """
    power = int(10 ** max(0, len(str(int(about))) - 1))
    return next((step for step in (power, 2 * power, 5 * power) if step >= about), 10 * power)
