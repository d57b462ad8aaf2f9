"""Words: a meaning as an English sentence, in one of many ways."""

from __future__ import annotations

import random
import re
from functools import cache

from txviz.data.similarity.chance import pick
from txviz.data.similarity.meanings import Meaning
from txviz.data.similarity.world import CONCEPTS, members

# How it can be said. A slot for a role that a meaning lacks leaves nothing behind.
_WORDINGS = """
acts: {who} {s} {where} | {who} is {ing} {where} | {who} {ed} {where} | there is {a who} {ing} {where}
not acts: {who} {doesnt} {verb} {where} | {who} {isnt} {ing} {where} | {who} {didnt} {verb} {where}
does: {who} {s} {whom} {where} | {who} is {ing} {whom} {where} | {who} {ed} {whom} {where}
does: {whom} is {en} by {who} {where} | {whom} was {en} by {who} {where} | it is {who} that {s} {whom} {where}
not does: {who} {doesnt} {verb} {whom} {where} | {who} {isnt} {ing} {whom} {where} | {whom} {isnt} {en} by {who} {where}
not does: {who} {didnt} {verb} {whom} {where} | {whom} {wasnt} {en} by {who} {where}
gives: {who} {s} {whom} to {other} | {who} {s} {other} {whom} | {who} {ed} {whom} to {other} | {who} {ed} {other} {whom}
gives: {other} {back s} {whom} from {who} | {other} {back ed} {whom} from {who} | {whom} was {en} to {other} by {who}
not gives: {who} {doesnt} {verb} {whom} to {other} | {who} {didnt} {verb} {other} {whom}
not gives: {other} {doesnt} {back verb} {whom} from {who} | {other} {didnt} {back verb} {whom} from {who}
trades: {who} {s} {whom} from {other} | {who} is {ing} {whom} from {other} | {who} {ed} {whom} from {other}
trades: {other} {back s} {whom} to {who} | {other} {back ed} {whom} to {who} | {whom} was {back en} to {who} by {other}
not trades: {who} {doesnt} {verb} {whom} from {other} | {who} {didnt} {verb} {whom} from {other}
not trades: {other} {doesnt} {back verb} {whom} to {who} | {other} {didnt} {back verb} {whom} to {who}
goes: {who} {s} to {place} by {no whom} | {who} is {ing} to {place} by {no whom} | {who} {ed} to {place} by {no whom}
goes: {who} takes {whom} to {place} | {who} took {whom} to {place}
not goes: {who} {doesnt} {verb} to {place} by {no whom} | {who} {didnt} {verb} to {place} by {no whom}
not goes: {who} {doesnt} take {whom} to {place} | {who} {didnt} take {whom} to {place}
stands: {who} is {where} | {who} was {where} | there is {a who} {where} | {where} there is {a who}
not stands: {who} {isnt} {where} | {who} {wasnt} {where} | there is no {no who} {where}
clouds: it is {raining} {where} | there is {a rain} {where} | the weather is {rainy} {where}
not clouds: it {isnt} {raining} {where} | there is no {no rain} {where} | the weather {isnt} {rainy} {where}
is: {the who} is {how} | {the who} was {how} | it is {a who} | this is {a who}
not is: {the who} {isnt} {how} | {the who} {wasnt} {how} | it {isnt} {a who} | this {isnt} {a who}
feels: {the who} is {how} {why} | {the who} feels {how} {why} | {the rain} makes {the who} {how}
not feels: {the who} {isnt} {how} {why} | {the who} {doesnt} feel {how} {why} | {the rain} {doesnt} make {the who} {how}
"""

_BACK = {"give": ["get", "receive"], "lend": ["borrow"], "buy": ["sell"]}  # when you buy, the other one sells
_WEATHER = {"rain": ["rainy", "raining"], "snow": ["snowy", "snowing"], "storm": ["stormy"], "fog": ["foggy"]}
_WEATHER |= {"sunshine": ["sunny"], "wind": ["windy"]}
_PREPOSITIONS = {"on": "furniture street beach mountain island", "at": "market school hospital station office"}
_PREPOSITIONS |= {"by": "waters"}
_IRREGULAR = """sleep slept slept, sit sat sat, run ran run, swim swam swum, sing sang sung, see saw seen,
eat ate eaten, drink drank drunk, buy bought bought, sell sold sold, make made made, read read read, drive drove driven,
give gave given, get got got, lend lent lent, go went gone"""
_DOUBLING = ("sit", "run", "swim", "nap", "stop", "get", "travel")
_STILL = ("see", "love", "like", "hate")  # nobody is hating a soup: these have no -ing form, and go with "the"

_LITTLE = re.compile(r"\b(an?|the|some)\b|\.")
_FORMS = ("verb", "s", "ing", "ed", "en")


def say(rng: random.Random, meaning: Meaning) -> str:
    """One of the ways to put it."""
    wordings = _wordings(meaning.frame, meaning.negated, "why" in meaning.roles, meaning.roles.get("action") in _STILL)
    tokens = pick(rng, wordings).format_map(_Words(rng, meaning)).split()
    stop = ["."] if rng.random() < 0.2 else []
    return re.sub(r"\ba(?= [aeiou])", "an", " ".join(tokens + stop))


def say_all(rng: random.Random, meanings: tuple[Meaning, ...]) -> list[str]:
    """One sentence for each; no two differ only in what doesn't count."""
    while True:
        sentences = [say(rng, meaning) for meaning in meanings]
        if len({" ".join(_LITTLE.sub("", sentence).split()) for sentence in sentences}) == len(sentences):
            return sentences


@cache
def _wordings(frame: str, negated: bool, with_why: bool, still: bool) -> list[str]:
    lines = [line.split(": ") for line in _WORDINGS.strip().splitlines()]
    every = [wording for head, line in lines if head == "not " * negated + frame for wording in line.split(" | ")]
    return [w for w in every if (with_why or "{the rain}" not in w) and not (still and "{ing}" in w)]


class _Words:
    """What stands in each slot of a wording; `str.format_map` asks."""

    def __init__(self, rng: random.Random, meaning: Meaning) -> None:
        self._rng = rng
        self._roles = meaning.roles
        self._exact = meaning.negated or meaning.roles.get("action") in _STILL

    def __getitem__(self, slot: str) -> str:
        before, _, key = slot.rpartition(" ")
        if key in ("who", "whom", "other"):
            return self._noun(before, key)
        if key in _FORMS:
            verbs = _BACK[self._roles["action"]] if before else CONCEPTS[self._roles["action"]].words
            return _forms(pick(self._rng, verbs))[_FORMS.index(key)]
        if key.endswith("nt"):
            return pick(self._rng, (key[:-2] + " not", key[:-2] + "n't"))
        if key in ("place", "where"):
            return self._place(key)
        if key == "how":
            return self._word("how")
        if key == "why":
            because = pick(self._rng, ("because of {the rain}", "because it is {raining}"))
            return because.format_map(self) if "why" in self._roles else ""
        return self._weather(before, key)

    def _word(self, role: str) -> str:
        return pick(self._rng, CONCEPTS[self._roles[role]].words)

    def _noun(self, article: str, role: str) -> str:
        """the car, a fast car, some soup; "no" is no article, and "the" no quality"""
        quality = self._word("how") if role == "who" and "how" in self._roles and article != "the" else ""
        noun = f"{quality} {self._word(role)}"
        article = article or ("the" if self._exact or self._rng.random() < 0.75 else "a")
        if article == "a" and CONCEPTS[self._roles[role]].countless:
            article = "no" if quality else "some"
        return noun if article == "no" else f"{article} {noun}"

    def _place(self, key: str) -> str:
        where = self._roles.get("where")
        if not where:
            return ""
        swims = self._roles.get("action") == "swim"
        on = "in" if swims else next((on for on, places in _PREPOSITIONS.items() if where in members(places)), "in")
        return f"{on} the {self._word('where')}" if key == "where" else f"the {self._word('where')}"

    def _weather(self, article: str, key: str) -> str:
        """the rain; rain, or a storm; rainy, or raining"""
        concept = self._roles.get("why") or self._roles["action"]
        if key == "rainy":
            return _WEATHER[concept][0]
        if key == "raining":
            return pick(self._rng, _WEATHER[concept])
        counted = article == "the" or (article == "a" and concept == "storm")
        return f"{article} {concept}" if counted else concept


@cache
def _forms(verb: str) -> tuple[str, ...]:
    """chase, chases, chasing, chased, chased"""
    irregular = {base: past for base, *past in (line.split() for line in _IRREGULAR.split(","))}
    stem = verb + verb[-1] if verb in _DOUBLING else verb if verb == "see" else verb.removesuffix("e")
    third = verb.replace("rry", "rrie") + ("es" if verb.endswith(("ch", "sh", "x", "o")) else "s")
    past = "carried" if verb == "carry" else stem + "ed"
    return verb, third, stem + "ing", *irregular.get(verb, (past, past))
