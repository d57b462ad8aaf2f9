"""English grammar: the forms of verbs, and verbs that agree with those who act."""

from __future__ import annotations

import re
from functools import cache

from txviz.data.similarity.world import CONCEPTS

FORMS = ("verb", "s", "ing", "ed", "en")

_IRREGULAR = """sleep slept slept, sit sat sat, lie lay lain, run ran run, swim swam swum, sing sang sung, see saw seen,
eat ate eaten, drink drank drunk, buy bought bought, sell sold sold, make made made, read read read, drive drove driven,
give gave given, get got got, lend lent lent, go went gone"""
_DOUBLING = ("sit", "run", "swim", "nap", "stop", "get", "travel")

_ARE = {"is": "are", "was": "were", "isn't": "aren't", "wasn't": "weren't", "does": "do", "doesn't": "don't"}
_AM = {"is": "am", "isn't": "am not", "does": "do", "doesn't": "don't"}
_VERBS = ("body", "deed", "travel", "mind", "hunt", "meal", "sound")  # groups of concepts
_OTHER_VERBS = ("get", "receive", "borrow", "sell", "take", "make", "feel")

_MANY = "|".join(word for concept in CONCEPTS.values() if concept.many for word in concept.words)
_OBJECT = re.compile(r"(?<=.)\bi\b")
_SUBJECT = re.compile(rf"\b({_MANY}|you|i)( that)? (\S+)")
_THERE_IS = re.compile(rf"\bthere is (?=(?:no|some) (?:{_MANY})\b)")


@cache
def forms(verb: str) -> tuple[str, ...]:
    """chase, chases, chasing, chased, chased"""
    irregular = {base: past for base, *past in (line.split() for line in _IRREGULAR.split(","))}
    stem = verb + verb[-1] if verb in _DOUBLING else verb if verb == "see" else verb.removesuffix("e")
    third = verb.replace("rry", "rrie") + ("es" if verb.endswith(("ch", "sh", "x", "o")) else "s")
    past = "carried" if verb == "carry" else stem + "ed"
    return verb, third, re.sub("i$", "y", stem) + "ing", *irregular.get(verb, (past, past))


def agreed(sentence: str) -> str:
    """Of one it is said that it plays; the children play, I play, and somebody sees me.

    >>> agreed("the children isn't chased by i")
    "the children aren't chased by me"
    """
    return _THERE_IS.sub("there are ", _SUBJECT.sub(_with_plural_verb, _OBJECT.sub("me", sentence)))


def _with_plural_verb(found: re.Match[str]) -> str:
    who, that, word = found[1], found[2] or "", found[3]
    special = _AM if who == "i" else _ARE
    return f"{who}{that} {special.get(word) or _bases().get(word, word)}"


@cache
def _bases() -> dict[str, str]:
    """plays: play"""
    verbs = (word for concept in CONCEPTS.values() for word in (concept.words if concept.group in _VERBS else ()))
    return {forms(verb)[1]: verb for verb in (*verbs, *_OTHER_VERBS)}
