"""Where colours end: at the largest number of some tensors, or where somebody wishes."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from txviz.errors import TxvizError
from txviz.ops import Array
from txviz.trace.bounds import bounds
from txviz.trace.kept import kept_for_array

SCALES = {
    "auto": "one scale for what is added, copied or compared, and for all else its own",
    "shared": "one scale for all of a figure",
    "each": "every tensor its own",
}
"""By name; any other scale has ends that are given."""

FIXED = "fixed:"


class Span(NamedTuple):
    """From the lowest number to the highest."""

    low: float
    high: float

    @classmethod
    def around_0(cls, limit: float) -> Span:
        return cls(-limit, limit)

    @property
    def limit(self) -> float:
        """The largest size of a number; 0 where there is none."""
        return max(-self.low, self.high)

    @property
    def zero(self) -> float:
        """What has the colour of 0: that itself, or the end which is nearest to it."""
        return max(self.low, min(self.high, 0.0))

    @property
    def text(self) -> str:
        """As on the command line."""
        return f"{FIXED}{self.low!r},{self.high!r}"

    def mirrored(self) -> Span:
        """As far below 0 as above, if there is anything below; and the other way round.

        >>> Span(-0.5, 2).mirrored(), Span(0, 2).mirrored()
        (Span(low=-2, high=2), Span(low=0.0, high=2))
        """
        limit = self.limit
        return Span(-limit if self.low < 0 else 0.0, limit if self.high > 0 else 0.0)


NOTHING = Span(0.0, 0.0)

Scale = str | Span


def union(spans: Iterable[Span]) -> Span:
    """From the lowest number of all to the highest, and 0 in any case."""
    lows, highs = zip(NOTHING, *spans, strict=True)
    return Span(min(lows), max(highs))


@kept_for_array
def extent(value: Array) -> Span:
    """From the lowest finite number to the highest, and 0 in any case."""
    if not value.size:
        return NOTHING
    low, high = bounds(value)
    if not isfinite(high - low):
        finite = value[np.isfinite(value)]
        low, high = float(finite.min(initial=0.0)), float(finite.max(initial=0.0))
    return Span(min(low, 0.0), max(high, 0.0))


def read_scale(said: Any) -> Scale:
    """
    >>> read_scale("each"), read_scale("fixed:-1,2"), read_scale((-1, 2)), read_scale(2)
    ('each', Span(low=-1.0, high=2.0), Span(low=-1.0, high=2.0), Span(low=-2.0, high=2.0))
    """
    if isinstance(said, str) and said in SCALES:
        return said
    ends = _ends(said)
    if len(ends) != 2 or not all(map(isfinite, ends)):
        named = ", ".join(SCALES)
        raise TxvizError(f'the scale is "{said}"; it must be {named}, or {FIXED}LO,HI with numbers, as in {FIXED}-1,1')
    if not ends[0] < ends[1]:
        raise TxvizError(f'the scale is "{said}"; its first number must be below its second, as in {FIXED}-1,1')
    return Span(*ends)


def _ends(said: Any) -> list[float]:
    """The numbers that were given; one alone is as far below 0 as above."""
    try:
        if isinstance(said, str):
            return [float(end) for end in said.removeprefix(FIXED).split(",")] if said.startswith(FIXED) else []
        return [-float(said), float(said)] if isinstance(said, int | float) else [float(end) for end in said]
    except (TypeError, ValueError):
        return []
