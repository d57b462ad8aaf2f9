"""The attention of two models that cut a text into other tokens, brought together by word (see ``same_words``)."""

from __future__ import annotations

from typing import NamedTuple

from txviz.analysis.same_words import merged, shared, stretches
from txviz.figures.place import full_place
from txviz.ops import Array, Index
from txviz.trace import Step

AXES = ("head", "query", "key")


class ByWord(NamedTuple):
    queries: tuple[str, ...]
    keys: tuple[str, ...]
    a: Array  # (heads,queries,keys)
    b: Array

    def matrices(self, place: Index) -> tuple[Array, Array]:  # -> (queries,keys) of both
        """Of the head at a place in each. Heads of two models need have nothing to do with each other."""
        a, b = (each[full_place(place, each.shape[:-2])] for each in (self.a, self.b))
        return a, b

    @property
    def shared(self) -> float:
        """How much of the attention goes to the same words, by the mean of all heads."""
        return shared(self.a.mean(axis=0), self.b.mean(axis=0))


def by_word(a: Step, b: Step) -> ByWord | None:
    """Both by the words that they have in common; None where these are no attention, no word is in both, or it is not
    one text in two models."""
    if a.about.get("model") == b.about.get("model") or a.about.get("input") != b.about.get("input"):
        return None
    if a.axes != AXES or b.axes != AXES or "softmax" not in (a.op, b.op) or a.op != b.op:
        return None
    queries, keys = (stretches(a.labels[axis], b.labels[axis]) for axis in (-2, -1))
    if not queries or not keys:
        return None
    of_a = merged(a.value, [each.a for each in queries], [each.a for each in keys])
    of_b = merged(b.value, [each.b for each in queries], [each.b for each in keys])
    return ByWord(tuple(each.text for each in queries), tuple(each.text for each in keys), of_a, of_b)
