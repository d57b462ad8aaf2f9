"""What the heads of an attention look at, in plain measures, and each of them small: for all layers and heads at once.

Letters: H heads, Tq queries, Tk keys.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from txviz.ops import Array
from txviz.trace import Step
from txviz.trace.kept import kept

OFFSETS = (0, -1, 1)
"""A token itself, the one before it, and the one after."""

SIDE = 64
"""Cells of a small picture, at most, across and down."""


class Look(NamedTuple):
    """Where the weights of a head lie, on average over its queries."""

    share: float
    """How much of them goes to what is looked at most."""

    offset: int | None
    """That is the token at so many places from the query: 0 is itself, −1 the one before; or else"""

    key: int | None
    """one key, the same for all queries."""

    spread: float
    """Over how many keys a query divides its weights: 1/Σw², which is n for n equal ones."""


@kept
def looks(weights: Step) -> tuple[Look, ...]:
    """One for each head."""
    value = weights.value  # (H,Tq,Tk)
    by_key = value.mean(axis=-2)
    keys, by_offset = by_key.argmax(axis=-1), _by_offset(weights)
    spread = (1 / np.einsum("hqk,hqk->hq", value, value)).mean(axis=-1)
    found = []
    for head, key in enumerate(keys.tolist()):
        offset = max(by_offset, key=lambda each: float(by_offset[each][head]), default=None)
        best = -1.0 if offset is None else float(by_offset[offset][head])
        at_key = float(by_key[head, key])
        near = offset is not None and best >= at_key
        found.append(Look(max(best, at_key), offset if near else None, None if near else int(key), float(spread[head])))
    return tuple(found)


def _by_offset(weights: Step) -> dict[int, Array]:  # of (H,)
    """How much goes to the neighbours, where the queries are tokens of the same text as the keys."""
    queries, keys = weights.labels[-2:]
    shift = len(keys) - len(queries)
    if weights.site.block == "cross_attention" or shift < 0 or keys[shift:] != queries:
        return {}
    near = {each: np.diagonal(weights.value, shift + each, axis1=-2, axis2=-1) for each in OFFSETS}
    return {each: rows.mean(axis=-1) for each, rows in near.items() if rows.size}


@kept
def thumbnails(weights: Step) -> Array:  # (H,Tq,Tk) -> (H,≤SIDE,≤SIDE)
    """Each head with fewer cells: the largest weight of those that become one, so that a thin line stays in sight."""
    small = weights.value
    for axis in (-1, -2):
        count = small.shape[axis]
        if count > SIDE:
            small = np.maximum.reduceat(small, np.arange(SIDE) * count // SIDE, axis=axis)
    return small
