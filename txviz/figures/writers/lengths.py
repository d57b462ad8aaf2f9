"""Lengths on a page as files have them."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=10_000)  # most of them are those of neighbours, too
def short(x: float) -> float:
    """With two decimals at most, since nobody sees less than a hundredth of a pixel; whole ones without a point.

    >>> short(12.3456), short(3.0), short(-0.001)
    (12.35, 3, 0)
    """
    rounded = round(x, 2)
    whole = int(rounded)
    return whole if rounded == whole else rounded
