"""Where colours end: at the largest number of some tensors, or where somebody wishes."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, isfinite
from typing import Any, NamedTuple

import numpy as np

from txviz.errors import TxvizError
from txviz.ops import Array
from txviz.trace import Parameter, Step
from txviz.trace.bounds import bounds
from txviz.trace.kept import kept_for_array

SCALES = {
    "auto": "one scale for what is added, copied or compared, and for all else its own",
    "shared": "one scale for all of a figure",
    "each": "every tensor its own",
}
"""By name; any other scale has ends that are given."""

FIXED = "fixed:"

FEATURES = ("feature", "hidden")
"""Axes along which a few numbers may be many times as large as all others and say no more than these: trained models
have one or two such features. An answer that stands out is what is looked for."""

CROWD, FAR, FEWEST, SAMPLE = 0.99, 3.0, 1000, 2**16
"""Numbers are far beyond the others where they are larger by this factor than such a share of all that are not 0. Among
fewer numbers than these nothing is called far; of more than the last, so many are looked at."""


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

    @property
    def crowd(self) -> Span:
        """Where nearly all numbers lie: everywhere, unless a few lie far beyond the others."""
        return self

    def mirrored(self) -> Span:
        """As far below 0 as above, if there is anything below; and the other way round.

        >>> Span(-0.5, 2).mirrored(), Span(0, 2).mirrored()
        (Span(low=-2, high=2), Span(low=0.0, high=2))
        """
        limit = self.limit
        return Span(-limit if self.low < 0 else 0.0, limit if self.high > 0 else 0.0)


class SpanWithFew(Span):
    """Of numbers, a few of which lie far beyond the others."""

    _crowd: Span

    @classmethod
    def around(cls, crowd: Span, whole: Span) -> Span:
        if crowd == whole:
            return whole
        made = cls(*whole)
        made._crowd = crowd
        return made

    @property
    def crowd(self) -> Span:
        return self._crowd


NOTHING = Span(0.0, 0.0)

Scale = str | Span


def union(spans: Iterable[Span]) -> Span:
    """From the lowest number of all to the highest, and 0 in any case."""
    known = [NOTHING, *spans]
    return SpanWithFew.around(_hull(span.crowd for span in known), _hull(known))


def _hull(spans: Iterable[Span]) -> Span:
    lows, highs = zip(*spans, strict=True)
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


def reach(source: Step | Parameter) -> Span:
    """The extent of its numbers; of features that were learned or computed, with where nearly all of them lie."""
    many = source.value.size >= FEWEST and source.value.dtype.kind == "f"
    return _with_crowd(source.value) if many and _has_features(source) else extent(source.value)


def _has_features(source: Step | Parameter) -> bool:
    return isinstance(source, Parameter) or (source.site.pass_ == "forward" and source.axes[-1] in FEATURES)


@kept_for_array
def _with_crowd(value: Array) -> Span:
    whole, some = extent(value), value.reshape(-1)
    if some.size > SAMPLE:
        some = some[np.random.default_rng(0).integers(some.size, size=SAMPLE)]
    sizes = np.abs(some[np.isfinite(some) & (some != 0)])
    if sizes.size < FEWEST:
        return whole
    place = ceil(CROWD * sizes.size) - 1
    limit = float(np.partition(sizes, place)[place])
    if whole.limit <= FAR * limit:
        return whole
    return SpanWithFew.around(Span(max(whole.low, -limit), min(whole.high, limit)), whole)


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
