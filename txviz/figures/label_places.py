"""Which labels of many are shown, and how large: they become smaller before any is left out."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from math import ceil

SMALLEST, LEGIBLE = 0.72, 8.0
"""Labels may become so much smaller than the text, by its size, but no smaller than this, in pixels."""

_ROUND = (1, 2, 5, 10, 20, 50, 100, 200, 500)


def label_size(size: float, pitch: float) -> float:
    """Of labels so far apart: the text's, or less where all of them can be shown then.

    >>> label_size(12, 20), label_size(12, 10), label_size(12, 5)
    (12, 10, 12)
    """
    return pitch if max(SMALLEST * size, LEGIBLE) <= pitch < size else size


def label_places(count: int, pitch: float, needed: float, first: Sequence[int] = ()) -> list[int]:
    """Those that have room, where each needs so much: all, or the ``first`` that are named here, both ends, and then
    every second, fifth or tenth.

    >>> label_places(4, 10, 9), label_places(12, 10, 19), label_places(12, 10, 19, [7])
    ([0, 1, 2, 3], [0, 2, 4, 6, 8, 11], [0, 2, 4, 7, 11])
    """
    apart = ceil(needed / max(pitch, 1e-6))
    if apart <= 1:
        return list(range(count))
    every = next((every for every in _ROUND if every >= apart), count)
    kept: list[int] = []
    for i in (*first, 0, count - 1, *range(0, count, every)):
        at = bisect(kept, i)
        if 0 <= i < count and all(abs(i - other) >= apart for other in kept[max(at - 1, 0) : at + 1]):
            kept.insert(at, i)
    return kept
