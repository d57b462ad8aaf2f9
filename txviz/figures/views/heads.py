"""One head's attention weights, which step has them, and the pair of a query and a key in words."""

from __future__ import annotations

from typing import NamedTuple

from txviz.figures.numerals import percent
from txviz.ops import Array
from txviz.trace import Step

AXES = ("head", "query", "key")

Pair = tuple[int | None, int | None]
"""A query and a key; None where any is meant."""

NOTHING: Pair = (None, None)


def pair_of(step: Step, index: tuple[int, ...] | None, weights: Step) -> Pair:
    """The query and the key that a cell of a step belongs to, as far as its tokens are those of the weights."""
    at = {} if index is None else dict(zip(step.axes, zip(index, step.labels, strict=True), strict=True))
    query, key = at.get("query", at.get("token")), at.get("key")
    return _same(query, weights.labels[-2]), _same(key, weights.labels[-1])


def _same(at: tuple[int, tuple[str, ...]] | None, labels: tuple[str, ...]) -> int | None:
    return at[0] if at is not None and at[1] == labels else None


class Head(NamedTuple):
    weights: Array  # (queries,keys)
    queries: tuple[str, ...]
    keys: tuple[str, ...]
    limit: float
    """The largest weight of all heads: the end of the colour scale."""

    def sentence(self, pair: Pair) -> str:
        """The pair in words: “cat” → “sat”: 37 %."""
        query, key = pair
        if query is None and key is None:
            return f"Colours: 0 to {percent(self.limit)}. Point at a cell."
        if query is not None and key is not None:
            return f"“{self.queries[query]}” → “{self.keys[key]}”: {percent(self.weights[query, key])}"
        if query is not None:
            best = int(self.weights[query].argmax())
            share = percent(self.weights[query, best])
            return f"“{self.queries[query]}” looks most at “{self.keys[best]}”: {share}"
        return self._looked_at(key or 0)

    def _looked_at(self, key: int) -> str:
        best = int(self.weights[:, key].argmax())
        share = percent(self.weights[best, key])
        return f"“{self.keys[key]}” is looked at most by “{self.queries[best]}”: {share}"
