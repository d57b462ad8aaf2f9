"""What words mean to a model: the rows of its embedding table, and which of them point the same way."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np

from txviz import ops
from txviz.ops import Array
from txviz.trace import Parameter, Step, Trace

SPECIAL = "<["
"""How tokens begin that are no words."""


@dataclass(frozen=True, eq=False)
class Table:
    """All words that a model knows, and their vectors."""

    words: tuple[str, ...]
    vectors: Array  # (V,d)

    @cached_property
    def _directions(self) -> Array:  # -> (V,d), each of length 1
        lengths = np.linalg.norm(self.vectors, axis=1, keepdims=True)
        return np.asarray(self.vectors / np.where(lengths == 0, 1.0, lengths))

    def cosine(self, a: int, b: int) -> float:
        return float(self._directions[a] @ self._directions[b])

    def nearest(self, word: int, count: int) -> list[int]:
        """The words that are most alike, the nearest first, without itself and without special tokens."""
        order = np.argsort(-(self._directions @ self._directions[word]), kind="stable").tolist()
        return list(islice((i for i in order if i != word and self.is_word(i)), count))

    def is_word(self, number: int) -> bool:
        return self.words[number][:1] not in SPECIAL


def table(trace: Trace, looked_up: Step) -> Table | None:
    """The table that a step looks its tokens up in."""
    source = next((each for each in looked_up.sources if isinstance(each, Parameter)), None)
    if looked_up.operation is not ops.lookup or source is None:
        return None
    count = len(source.value)
    return Table(vocabulary(trace, count) or _as_read(looked_up, count), source.value)


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
