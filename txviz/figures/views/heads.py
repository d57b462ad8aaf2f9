"""One head's attention weights, which step has them, and the pair of a query and a key in words."""

from __future__ import annotations

from typing import NamedTuple

from txviz.figures.numerals import percent
from txviz.ops import Array
from txviz.trace import Step, Trace

AXES = ("head", "query", "key")

Pair = tuple[int | None, int | None]
"""A query and a key; None where any is meant."""

NOTHING: Pair = (None, None)


def find_weights(trace: Trace, step: Step) -> Step | None:
    """The attention weights of the block that the step is in: the step itself, or its neighbour of that name."""
    name = step.site._replace(leaf="weights").name
    found = trace.get(name)
    is_weights = found is not None and found.axes[-3:] == AXES and found.op in ("softmax", "given")
    return found if is_weights else None


def pair_of(step: Step, index: tuple[int, ...] | None) -> Pair:
    """The query and the key of a cell, as far as the step has such axes."""
    at = {} if index is None else dict(zip(step.axes, index, strict=True))
    return at.get("query"), at.get("key")


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
