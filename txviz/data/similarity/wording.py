"""Words: a meaning as an English sentence, in one of many ways."""

from __future__ import annotations

import random
import re
from functools import cache

from txviz.data.similarity.chance import pick
from txviz.data.similarity.grammar import FORMS, agreed, forms
from txviz.data.similarity.meanings import Meaning
from txviz.data.similarity.world import CONCEPTS, members

# How it can be said. A slot for a role that a meaning lacks leaves nothing behind.
_WORDINGS = """
acts lies: {who} {s} {where} | {who} is {ing} {where} | {who} {ed} {where} | there is {a who} {ing} {where}
not acts lies: {who} {doesnt} {verb} {where} | {who} {isnt} {ing} {where} | {who} {didnt} {verb} {where}
does: {who} {s} {whom} {much} {where} | {who} is {ing} {whom} {where} | {who} {ed} {whom} {much} {where}
does: {who} {s} {the whom} {where} because it is {which} | {who} {ed} {the whom} {where} because it was {which}
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
is: {the who} is {very} {how} | {the who} was {how} | it is {a who} | this is {a who} | {the who} is {a who}
not is: {the who} {isnt} {how} | {the who} {wasnt} {how} | it {isnt} {a who} | this {isnt} {a who}
kinds: {the who} is a {how} | {the who} was a {how}
not kinds: {the who} {isnt} a {how} | {the who} {wasnt} a {how}
names: {no who} | {who} | it is {a who} | this is {a who}
not names: it {isnt} {a who} | this {isnt} {a who}
feels: {the who} is {very} {how} {why} | {the who} feels {how} {why} | {the rain} makes {the who} {how}
not feels: {the who} {isnt} {how} {why} | {the who} {doesnt} feel {how} {why} | {the rain} {doesnt} make {the who} {how}
"""

_BACK = {"give": ["get", "receive"], "lend": ["borrow"], "buy": ["sell"]}  # when you buy, the other one sells
_WEATHER = {"rain": ["rainy", "raining"], "snow": ["snowy", "snowing"], "storm": ["stormy"], "fog": ["foggy"]}
_WEATHER |= {"sunshine": ["sunny"], "wind": ["windy"]}
_PREPOSITIONS = {"on": "furniture clothes animal person street beach mountain island", "by": "waters"}
_PREPOSITIONS |= {"at": "market school hospital station office"}
_STILL = ("see", "love", "like", "hate")  # nobody is hating a soup: these have no -ing form, and go with "the"

_KEEN = ("love", "like", "hate")
_DEFINITE = ("the",) * 8 + ("your", "my")

_LITTLE = re.compile(r"\b(an?|the|some|your|my|very much|a lot|very)\b|\.")


def say(rng: random.Random, meaning: Meaning) -> str:
    """One of the ways to put it."""
    roles, still = meaning.roles, meaning.roles.get("action") in _STILL
    wordings = _wordings(meaning.frame, meaning.negated, "why" in roles, "which" in roles, still)
    tokens = pick(rng, wordings).format_map(_Words(rng, meaning)).split()
    stop = ["."] if rng.random() < 0.2 else []
    return agreed(re.sub(r"\ba(?= [aeiou])", "an", " ".join(tokens + stop)))


def say_all(rng: random.Random, meanings: tuple[Meaning, ...]) -> list[str]:
    """One sentence for each; no two differ only in what doesn't count."""
    while True:
        sentences = [say(rng, meaning) for meaning in meanings]
        if len({" ".join(_LITTLE.sub("", sentence).split()) for sentence in sentences}) == len(sentences):
            return sentences


@cache
def _wordings(frame: str, negated: bool, with_why: bool, with_which: bool, still: bool) -> list[str]:
    lines = [line.split(": ") for line in _WORDINGS.strip().splitlines()]
    fitting = [line for head, line in lines if frame in head.split() and negated == head.startswith("not ")]
    left_out = ["{the rain}"] * (not with_why) + ["{which}"] * (not with_which) + ["{ing}"] * still
    every = [wording for line in fitting for wording in line.split(" | ")]
    return [wording for wording in every if not any(slot in wording for slot in left_out)]


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
        if key in FORMS:
            verbs = _BACK[self._roles["action"]] if before else CONCEPTS[self._roles["action"]].words
            return forms(pick(self._rng, verbs))[FORMS.index(key)]
        if key.endswith("nt"):
            return pick(self._rng, (key[:-2] + " not", key[:-2] + "n't"))
        if key in ("place", "where"):
            return self._place(key)
        if key in ("how", "which"):
            return self._word(key)
        if key in ("much", "very"):
            return self._degree(key)
        if key == "why":
            because = pick(self._rng, ("because of {the rain}", "because it is {raining}"))
            return because.format_map(self) if "why" in self._roles else ""
        return self._weather(before, key)

    def _word(self, role: str) -> str:
        return pick(self._rng, CONCEPTS[self._roles[role]].words)

    def _noun(self, article: str, role: str) -> str:
        """the car, a fast car, some soup, you; "no" is no article, and "the" no quality"""
        concept = CONCEPTS[self._roles[role]]
        said = {"who": "how", "whom": "which"}.get(role, "")
        quality = self._word(said) if said in self._roles and article != "the" else ""
        noun = f"{quality} {self._word(role)}"
        article = article or ("the" if self._exact or self._rng.random() < 0.75 else "a")
        if article == "a" and (concept.countless or concept.many):
            article = "no" if quality else "some"
        if article == "no" or concept.group == "speaker":
            return noun
        return f"{pick(self._rng, _DEFINITE) if article == 'the' else article} {noun}"

    def _degree(self, key: str) -> str:
        """How much: very big, loves you very much; mostly it is not said."""
        if self._rng.random() < 0.75:
            return ""
        if key == "very":
            return key
        return pick(self._rng, ("very much", "a lot")) if self._roles["action"] in _KEEN else ""

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
