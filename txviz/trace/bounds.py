"""The lowest and the highest number of an array: looked for once, however many pictures and sentences ask."""

from __future__ import annotations

from math import isfinite, isnan

from txviz.ops import Array
from txviz.trace.kept import kept_for_array


@kept_for_array
def bounds(value: Array) -> tuple[float, float]:
    """NaN for both where there is any; 0 where there are no numbers."""
    return (float(value.min()), float(value.max())) if value.size else (0.0, 0.0)


def all_finite(value: Array) -> bool:
    return all(map(isfinite, bounds(value)))


def has_nan(value: Array) -> bool:
    return isnan(bounds(value)[0])
