"""One head's attention weights, or the scores that they are made of, and the pair of a query and a key in words."""

from __future__ import annotations

from typing import NamedTuple

from txviz.figures.numerals import percent
from txviz.ops import Array
from txviz.ops.arithmetic import number
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
    """The largest weight of all heads, by size: the end of the colour scale."""

    leaf: str = "weights"
    """What the numbers are called in their block: weights, or scores of some kind."""

    @property
    def signed(self) -> bool:
        """Whether they are scores, which may be below 0, and no shares."""
        return self.leaf != "weights"

    def written(self, query: int, key: int) -> str:
        """A weight in percent; a score as it is."""
        return self._text(float(self.weights[query, key]))

    def end_text(self, end: float) -> str:
        """An end of the colours."""
        return self._text(end) if end else "0"

    def _text(self, x: float) -> str:
        return number(x, 3) if self.signed else percent(x)

    def sentence(self, pair: Pair) -> str:
        """The pair in words: “cat” → “sat”: 37 %."""
        query, key = pair
        if query is None and key is None:
            least = self._text(-self.limit) if self.signed else "0"
            return f"Colours: {least} to {self._text(self.limit)}. Point at a cell."
        if query is not None and key is not None:
            return f"“{self.queries[query]}” → “{self.keys[key]}”: {self.written(query, key)}"
        if query is not None:
            best = int(self.weights[query].argmax())
            looks = "scores highest with" if self.signed else "looks most at"
            colours = " (orange is above 0, blue below)" if self.signed else ""
            return f"“{self.queries[query]}” {looks} “{self.keys[best]}”: {self.written(query, best)}{colours}"
        return self._looked_at(key or 0)

    def _looked_at(self, key: int) -> str:
        best = int(self.weights[:, key].argmax())
        looked_at = "scores highest with" if self.signed else "is looked at most by"
        return f"“{self.keys[key]}” {looked_at} “{self.queries[best]}”: {self.written(best, key)}"
