"""Drawing meanings by chance, and changing them a little or a lot."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache

from txviz.data.similarity.chance import pick
from txviz.data.similarity.meanings import Meaning, distance
from txviz.data.similarity.world import CONCEPTS, SCENES, Scene, members, qualities

MARGIN = 0.1
"""By how much an anchor is nearer to its positive than to its negative, at least."""

Change = Callable[[random.Random, Meaning], Meaning | None]
"""What makes another meaning out of one, or nothing where that would make no sense."""

_SHARES = {"acts": 4, "lies": 2, "does": 8, "gives": 2, "trades": 2, "goes": 2, "stands": 4, "clouds": 1}
_SHARES |= {"is": 4, "kinds": 1, "names": 1, "feels": 3}
_WHERE_IS_SAID = {"acts": 0.85, "does": 0.4, "clouds": 0.8}
_FRAMES = [frame for frame, share in _SHARES.items() for _ in range(share)]
_LOOKALIKES = (
    "cat car, cat hat, goat boat, goat coat, boat coat, bear pear, sheep ship, dog doll, man van, mat hat, bed bread"
)


def draw(rng: random.Random, frame: str = "") -> Meaning:
    """Something to say, in any frame or in this one."""
    frame = frame or pick(rng, _FRAMES)
    roles = {role: pick(rng, concepts) for role, concepts in pick(rng, SCENES[frame]).items() if concepts}
    if rng.random() > _WHERE_IS_SAID.get(frame, 1):
        roles.pop("where", "")
    if frame in ("acts", "does", "stands") and rng.random() < 0.25 and qualities(roles["who"]):
        roles["how"] = pick(rng, qualities(roles["who"]))
    if frame == "does" and rng.random() < 0.15 and qualities(roles["whom"]):
        roles["which"] = pick(rng, qualities(roles["whom"]))
    if len(set(roles.values())) < len(roles):  # nobody follows themselves
        return draw(rng, frame)
    return Meaning(frame, roles, negated=rng.random() < 0.15)


def draw_triple(rng: random.Random) -> tuple[Meaning, Meaning, Meaning]:
    """An anchor, a meaning that is the same or near, and one that is further away by the margin at least."""
    while True:
        anchor, negative = draw_changed(rng, pick(rng, CHANGES))
        positive = anchor if rng.random() < 0.5 else _near(rng, anchor)
        if positive and distance(anchor, negative) - distance(anchor, positive) >= MARGIN:
            return anchor, positive, negative


def draw_changed(rng: random.Random, change: Change) -> tuple[Meaning, Meaning]:
    """A meaning that can be changed in this way, and what it becomes."""
    while True:
        meaning = draw(rng, pick(rng, _TRIED_ON.get(change, [""])))
        if changed := change(rng, meaning):
            return meaning, changed


def _near(rng: random.Random, meaning: Meaning) -> Meaning | None:
    """One concept becomes another of its category: the cat a dog."""
    role, concept = pick(rng, list(meaning.roles.items()))
    return _with(meaning, {role: pick(rng, members(CONCEPTS[concept].category))})


def _edit(rng: random.Random, meaning: Meaning) -> Meaning | None:
    """One concept becomes any other that makes sense."""
    role = pick(rng, list(meaning.roles))
    rest = {r: concept for r, concept in meaning.roles.items() if r != role}
    scenes = [scene for scene in _scenes(meaning.frame, rest) if scene.get(role)]
    return _with(meaning, {role: pick(rng, pick(rng, scenes)[role])}) if scenes else None


def _edit_twice(rng: random.Random, meaning: Meaning) -> Meaning | None:
    once = _edit(rng, meaning)
    return once and _edit(rng, once)


def _swap(rng: random.Random, meaning: Meaning) -> Meaning | None:
    """The same words, the roles exchanged: the dog chases the cat, the cat chases the dog."""
    role = _second_party(meaning)
    if not role or "how" in meaning.roles or "which" in meaning.roles:
        return None
    return _with(meaning, {"who": meaning.roles[role], role: meaning.roles["who"]})


def _swap_alike(rng: random.Random, meaning: Meaning) -> Meaning | None:
    """The same where the two are of one category, as a dog and a cat are: their words are the hardest to tell apart."""
    who, other = (CONCEPTS.get(meaning.roles.get(role, "")) for role in ("who", _second_party(meaning)))
    return _swap(rng, meaning) if who and other and who.category == other.category else None


def _second_party(meaning: Meaning) -> str:
    """Whom, or what, the first one could change places with."""
    return next((role for role in ("other", "whom", "where") if role in meaning.roles), "")


def _ascribe(rng: random.Random, meaning: Meaning) -> Meaning | None:
    """The quality is another's: the fast dog chases the cat, the dog chases the fast cat."""
    here, there = ("how", "which") if "how" in meaning.roles else ("which", "how")
    if meaning.frame != "does" or here not in meaning.roles or there in meaning.roles:
        return None
    return _with(meaning, {here: "", there: meaning.roles[here]})


def _misread(rng: random.Random, meaning: Meaning) -> Meaning | None:
    """One concept becomes another that is spelt nearly the same: the cat a car."""
    options = [(role, other) for role, concept in meaning.roles.items() for other in _lookalikes(concept)]
    return _with(meaning, dict([pick(rng, options)])) if options else None


@cache
def _lookalikes(concept: str) -> list[str]:
    pairs = [pair.split() for pair in _LOOKALIKES.split(", ")]
    return [b if concept == a else a for a, b in pairs if concept in (a, b)]


CHANGES: tuple[Change, ...] = (
    *(_near, _edit, _edit, _edit_twice, _edit_twice, _edit_twice, _edit_twice),
    *(_swap, _swap, _swap_alike, _swap_alike, _ascribe, _misread, _misread),
    lambda rng, meaning: meaning._replace(negated=not meaning.negated),
    lambda rng, meaning: draw(rng),
)

_TRIED_ON: dict[Change, list[str]] = {
    _swap: ["does", "does", "does", "does", "lies", "gives", "trades"],
    _swap_alike: ["does", "does", "gives"],
    _ascribe: ["does"],
}
"""The frames in which such a change can be made; all others can be in any."""


def _with(meaning: Meaning, changes: dict[str, str]) -> Meaning | None:
    """The meaning with other concepts, or none, in some roles, if it is another one and makes sense."""
    roles = {role: concept for role, concept in (meaning.roles | changes).items() if concept}
    if roles == meaning.roles or not _fitting(meaning.frame, roles) or len(set(roles.values())) < len(roles):
        return None
    return meaning._replace(roles=roles) if _scenes(meaning.frame, roles) else None


def _fitting(frame: str, roles: dict[str, str]) -> bool:
    """Whether who and whom can be as they are said to be."""
    said = {"how": "who", "which": "whom"} if frame in ("acts", "does", "stands") else {}
    return all(role not in roles or roles[role] in qualities(roles[noun]) for role, noun in said.items())


def _scenes(frame: str, roles: dict[str, str]) -> list[Scene]:
    """The scenes of a frame in which all these roles can be filled so."""
    scenes = _scenes_with(frame, roles.get("action", ""))
    for role, concept in roles.items():
        scenes = [scene for scene in scenes if role not in scene or concept in scene[role]]
    return scenes


@cache
def _scenes_with(frame: str, action: str) -> list[Scene]:
    return [scene for scene in SCENES[frame] if not action or action in scene["action"]]
