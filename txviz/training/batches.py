"""Texts of different lengths side by side, as one array."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from txviz.ops import Array


def padded(rows: Sequence[Array], padding: int = 0) -> Array:  # T₁, T₂, … -> (B,T)
    """Rows of different lengths as one array, filled up on the right."""
    length = max(len(row) for row in rows)
    table = np.full((len(rows), length), padding, dtype=np.int64)
    for i, row in enumerate(rows):
        table[i, : len(row)] = row
    return table


def by_length(sizes: Array, batch: int, rng: np.random.Generator, looseness: float) -> Iterator[Array]:  # (N,) -> (B,)…
    """Endless batches of texts of about the same length, so that there is little padding; in a new order each time."""
    while True:
        order = np.argsort(sizes + rng.random(len(sizes)) * looseness, kind="stable")
        for start in rng.permutation(np.arange(0, len(order) - batch + 1, batch)):
            yield order[start : start + batch]
