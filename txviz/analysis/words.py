"""What words mean to a model: the rows of its embedding table, and which of them point the same way."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from txviz import ops
from txviz.ops import Array
from txviz.trace import Parameter, Step, Trace

SPECIAL = "<["
"""How tokens begin that are no words."""


class Table(NamedTuple):
    """All words that a model knows, and their vectors."""

    words: tuple[str, ...]
    vectors: Array  # (V,d)

    def cosines(self, word: int) -> Array:  # -> (V,)
        lengths = np.linalg.norm(self.vectors, axis=1)
        products = self.vectors @ self.vectors[word]
        return np.asarray(products / np.maximum(lengths * lengths[word], 1e-300))

    def nearest(self, word: int, count: int) -> list[int]:
        """The words that are most alike, the nearest first, without itself and without special tokens."""
        order = np.argsort(-self.cosines(word), kind="stable").tolist()
        return [i for i in order if i != word and self.is_word(i)][:count]

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


def _seen(looked_up: Step) -> dict[int, str]:
    """The words that stand in the sentence, by their numbers."""
    tokens = looked_up.sources[0]
    labels = tokens.labels[-1] if isinstance(tokens, Step) and tokens.value.ndim == 1 else ()
    return {int(number): label for number, label in zip(tokens.value.ravel(), labels, strict=False)}
