"""The corpus: triples of sentences to learn from and to test on, and pairs with their similarity."""

from __future__ import annotations

import random
from typing import NamedTuple

from txviz.data.similarity.chance import pick
from txviz.data.similarity.drawing import CHANGES, draw_changed, draw_triple
from txviz.data.similarity.meanings import Meaning, distance, key
from txviz.data.similarity.wording import say_all

TRAINING, HELD_OUT = 30_000, 1_000


class Triple(NamedTuple):
    """Three sentences; the anchor is nearer in meaning to the positive than to the negative."""

    anchor: str
    positive: str
    negative: str


def corpus(seed: int = 0) -> tuple[list[Triple], list[Triple]]:
    """Triples to learn from and triples to test on. What a held-out anchor means is never said in training."""
    rng = random.Random(seed)
    held_out = [draw_triple(rng) for _ in range(HELD_OUT)]
    unseen = {key(anchor) for anchor, _, _ in held_out}
    training: list[tuple[Meaning, ...]] = []
    while len(training) < TRAINING:
        triple = draw_triple(rng)
        if unseen.isdisjoint(map(key, triple)):
            training.append(triple)
    return [Triple(*say_all(rng, triple)) for triple in training], [Triple(*say_all(rng, t)) for t in held_out]


def graded_pairs(seed: int, count: int) -> list[tuple[str, str, float]]:
    """Pairs of sentences with their similarity, 1 - distance: from the same in other words to unrelated."""
    rng = random.Random(seed)
    pairs = []
    for _ in range(count):
        first, second = draw_changed(rng, pick(rng, CHANGES))
        if rng.random() < 0.15:
            second = first
        a, b = say_all(rng, (first, second))
        pairs.append((a, b, 1 - distance(first, second)))
    return pairs
