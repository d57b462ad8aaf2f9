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


class Pair(NamedTuple):
    """Two sentences and how similar they are: 1 - distance."""

    first: str
    second: str
    similarity: float


def corpus(seed: int = 0) -> tuple[list[Triple], list[Triple]]:
    """Triples to learn from and triples to test on. What a held-out anchor means is never said in training."""
    rng = random.Random(seed)
    held_out = _draw_held_out(rng)
    unseen = {key(anchor) for anchor, _, _ in held_out}
    training: list[tuple[Meaning, ...]] = []
    while len(training) < TRAINING:
        triple = draw_triple(rng)
        if unseen.isdisjoint(map(key, triple)):
            training.append(triple)
    return [Triple(*say_all(rng, triple)) for triple in training], [Triple(*say_all(rng, t)) for t in held_out]


def swapped(seed: int = 0) -> list[bool]:
    """For each held-out triple, whether its negative says the anchor's concepts in exchanged roles."""
    triples = _draw_held_out(random.Random(seed))
    return [a.roles != n.roles and {*a.roles.values()} == {*n.roles.values()} for a, _, n in triples]


def graded_pairs(seed: int, count: int) -> list[Pair]:
    """Pairs to learn from: from the same in other words to unrelated, and no held-out anchor of this seed's corpus."""
    rng = random.Random(seed)
    unseen = {key(anchor) for anchor, _, _ in _draw_held_out(rng)}
    pairs: list[Pair] = []
    while len(pairs) < count:
        first, second = draw_changed(rng, pick(rng, CHANGES))
        if rng.random() < 0.15:
            second = first
        if unseen.isdisjoint((key(first), key(second))):
            one, other = say_all(rng, (first, second))
            pairs.append(Pair(one, other, 1 - distance(first, second)))
    return pairs


def _draw_held_out(rng: random.Random) -> list[tuple[Meaning, Meaning, Meaning]]:
    """The first that a seed draws."""
    return [draw_triple(rng) for _ in range(HELD_OUT)]
