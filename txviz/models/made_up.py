"""Numbers for what a guide has none: with one decimal, made from a name, and the same every time."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np

from txviz.ops import Array


def extend(table: Array, names: Iterable[str], largest: float) -> Array:  # (V,d) -> (V+n,d)
    """The table with a row for each name."""
    rows = [vector(name, table.shape[1], largest) for name in names]
    return np.concatenate([table, np.array(rows).reshape(-1, table.shape[1])])


def parameter(name: str, shape: tuple[int, ...], largest: float = 0.5) -> Array:  # -> (...,n)
    """A whole weight or bias."""
    *rows, width = shape
    made = [vector(f"{name}{list(at)}", width, largest) for at in np.ndindex(*rows)]
    return np.array(made).reshape(shape)


def vector(name: str, width: int, largest: float) -> list[float]:
    steps = round(largest * 10)
    digest = blake2b(name.encode(), digest_size=2 * width).digest()
    whole = (int.from_bytes(digest[2 * i : 2 * i + 2]) for i in range(width))
    return [(number % (2 * steps + 1) - steps) / 10 for number in whole]
