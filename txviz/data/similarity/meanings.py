"""Meanings, and how far two of them are apart."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from txviz.data.similarity.world import CONCEPTS
from txviz.ops.arithmetic import added

_WEIGHTS = {"action": 3, "who": 3, "whom": 3, "other": 3, "where": 2, "how": 2, "which": 2, "why": 2}


class Meaning(NamedTuple):
    """What fills each role. The frame knows how to say it, and has no part in the distance."""

    frame: str
    roles: dict[str, str]
    negated: bool = False


def distance(first: Meaning, second: Meaning) -> float:
    """How far two meanings are apart, from 0 to 1: see the top of this package."""
    a, b = first.roles, second.roles
    if first == second:
        return 0.0
    weights = {role: _WEIGHTS[role] for role in a | b}
    roles = added(weight * _role_apart(a, b, role) for role, weight in weights.items()) / sum(weights.values())
    nearest = [min([_apart(x, y) for y in there.values()]) for here, there in ((a, b), (b, a)) for x in here.values()]
    d = 0.6 * roles + 0.4 * added(nearest) / len(nearest)
    return d if first.negated == second.negated else d + 0.3 * (1 - d)


def _role_apart(a: dict[str, str], b: dict[str, str], role: str) -> float:
    here, there = a.get(role, ""), b.get(role, "")
    moved = here != there and (here in b.values() or there in a.values())
    return 1.0 if moved else _apart(here, there)


@cache
def _apart(first: str, second: str) -> float:
    if first == second:
        return 0.0
    if not (first and second):
        return 1.0
    a, b = CONCEPTS[first], CONCEPTS[second]
    return 0.5 if a.category == b.category else 0.8 if a.group == b.group else 1.0


def key(meaning: Meaning) -> tuple[object, ...]:
    """Equal for equal meanings, and good for a set."""
    return meaning.frame, frozenset(meaning.roles.items()), meaning.negated
