"""What words mean to a model: the rows of its embedding table, and which of them point the same way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from txviz import ops
from txviz.analysis.ranking import first_places
from txviz.ops import Array
from txviz.trace import Parameter, Step, Trace
from txviz.trace.kept import kept

SPECIAL = "<["
"""How tokens begin that are no words."""


@dataclass(frozen=True, eq=False)
class Table:
    """All words that a model knows, and their vectors."""

    words: tuple[str, ...]
    vectors: Array  # (V,d)

    _known: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    """The nearest of each word that was asked for: with 50,000 words, looking through them takes a while."""

    @cached_property
    def _lengths(self) -> Array:  # -> (V,)
        lengths = np.linalg.norm(self.vectors, axis=1)
        return np.where(lengths == 0, 1.0, lengths)

    @cached_property
    def _are_words(self) -> Array:  # -> (V,) of true and false
        return np.array([self.is_word(i) for i in range(len(self.words))])

    def cosine(self, a: int, b: int) -> float:
        return float(self.vectors[a] @ self.vectors[b] / (self._lengths[a] * self._lengths[b]))

    def nearest(self, word: int, count: int) -> list[int]:
        """The words that are most alike, the nearest first, without itself and without special tokens."""
        return self.nearest_of([word], count)[word]

    def nearest_of(self, words: Sequence[int], count: int) -> dict[int, list[int]]:
        """The same for some words: one product of matrices for all of them."""
        unknown = [word for word in words if (word, count) not in self._known]
        if unknown:
            cosines = self.vectors[unknown] @ self.vectors.T / self._lengths  # but for the word's own length
            cosines[:, ~self._are_words] = -np.inf
            cosines[np.arange(len(unknown)), unknown] = -np.inf
            for word, row in zip(unknown, cosines, strict=True):
                self._known[word, count] = [i for i in first_places(row, count).tolist() if row[i] > -np.inf]
        return {word: self._known[word, count] for word in words}

    def is_word(self, number: int) -> bool:
        return self.words[number][:1] not in SPECIAL


def table(trace: Trace, looked_up: Step) -> Table | None:
    """The table that a step looks its tokens up in."""
    source = next((each for each in looked_up.sources if isinstance(each, Parameter)), None)
    if looked_up.operation is not ops.lookup or source is None:
        return None
    found = _found(trace)
    if looked_up.name not in found:
        count = len(source.value)
        found[looked_up.name] = Table(vocabulary(trace, count) or _as_read(looked_up, count), source.value)
    return found[looked_up.name]


@kept
def _found(trace: Trace) -> dict[str, Table]:
    """By the step that looks up in it: filled as it is asked for."""
    return {}


def _as_read(looked_up: Step, count: int) -> tuple[str, ...]:
    """The words that were read, as they were written; of all others their numbers are known."""
    read = dict(zip(looked_up.sources[0].value.ravel().tolist(), looked_up.labels[0], strict=False))
    return tuple(read.get(i, f"number {i}") for i in range(count))


def vocabulary(trace: Trace, count: int) -> tuple[str, ...] | None:
    """The words by their numbers, where the trace knows them: it says so, or it has a score for each."""
    said = trace.about.get("vocabulary")
    if isinstance(said, list) and len(said) == count and all(isinstance(word, str) for word in said):
        return tuple(said)
    scored = (step for step in trace if step.axes[-1:] == ("vocabulary",) and step.value.shape[-1] == count)
    return next((step.labels[-1] for step in scored), None)
