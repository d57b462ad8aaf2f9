"""The first few of many numbers, without bringing all of them into order: of a vocabulary one reads a dozen."""

from __future__ import annotations

import numpy as np

from txviz.ops import Array


def first_places(numbers: Array, count: int) -> Array:  # (n,) -> (count,)
    """The places of the largest numbers, the largest first; of equal ones, the first.

    >>> first_places(np.array([1.0, 3.0, 2.0, 3.0]), 3)
    array([1, 3, 2])
    """
    if count >= len(numbers) or np.isnan(numbers).any():  # what is no number comes last
        return np.argsort(-numbers, kind="stable")[:count]
    found = np.flatnonzero(numbers >= np.partition(numbers, -count)[-count])
    return np.asarray(found[np.argsort(-numbers[found], kind="stable")][:count])
