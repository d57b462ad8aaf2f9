"""The trees of the sentences: what English, Italian and French have in common.

A tree says who does what to whom, when and where; it holds no word order and no agreement. Those are each language's,
and `english.py`, `italian.py` and `french.py` write the same tree three times.
"""

from __future__ import annotations

from typing import NamedTuple

from txviz.data.translation.lexicon import (
    NEVER,
    NOT,
    Adjective,
    Determiner,
    Gender,
    Language,
    Noun,
    Phrase,
    Verb,
)


class NounPhrase(NamedTuple):
    noun: Noun
    determiner: Determiner
    plural: bool = False
    adjective: Adjective | None = None


class Pronoun(NamedTuple):
    """A pronoun, with what it stands for when the sentence has said so; its cues are subject and object."""

    cues: tuple[str, str]
    person: int
    gender: Gender = "m"
    noun: NounPhrase | None = None


class Both(NamedTuple):
    first: NounPhrase
    second: NounPhrase


Nominal = NounPhrase | Pronoun | Both
"""Anything that can be a subject."""
Target = NounPhrase | Pronoun
"""Anything that can be an object."""

ME, YOU, WE = Pronoun(("i", "me"), 0), Pronoun(("you", "you"), 1), Pronoun(("we", "us"), 3)
HE, SHE = Pronoun(("he", "him"), 2), Pronoun(("she", "her"), 2, "f")
IT, THEY = Pronoun(("it", "it"), 2), Pronoun(("they", "them"), 4)


class Relation(NamedTuple):
    """Under the table, with me."""

    preposition: Phrase
    to: Target


class Clause(NamedTuple):
    subject: Nominal
    verb: Verb
    past: bool = False
    adverb: Phrase | None = None  # not, never, often, always
    modal: Verb | None = None  # can, must, want to
    degree: Phrase | None = None
    quality: Adjective | None = None
    object: Target | None = None
    recipient: Target | None = None
    manner: Phrase | None = None
    place: Relation | Phrase | None = None
    time: Phrase | None = None

    @property
    def negative(self) -> bool:
        return self.adverb is NOT or self.adverb is NEVER


class There(NamedTuple):
    """There is a cat under the table; there are no books here."""

    what: NounPhrase
    place: Relation | Phrase
    past: bool = False
    negative: bool = False


class Where(NamedTuple):
    """Where is my hat?"""

    what: NounPhrase
    past: bool = False


class Sentence(NamedTuple):
    main: Clause | There | Where
    question: bool = False
    conjunction: Phrase | None = None
    second: Clause | None = None


def person(who: Nominal) -> int:
    """0 to 4: I, you, he or she, we, they."""
    match who:
        case Pronoun():
            return who.person
        case NounPhrase():
            return 4 if who.plural else 2
        case Both():
            return 4


def gender(who: Nominal, language: Language) -> Gender:
    """Masculine or feminine. What is said of both sexes, or of nobody known, is masculine."""
    match who:
        case Pronoun():
            return gender(who.noun, language) if who.noun else who.gender
        case NounPhrase():
            return who.noun.italian.gender if language == "it" else who.noun.french.gender
        case Both():
            return "f" if gender(who.first, language) == gender(who.second, language) == "f" else "m"


def agreement(who: Nominal, language: Language) -> int:
    """Which of the four forms goes with it: masculine, feminine, masculine plural, feminine plural."""
    return 2 * (person(who) > 2) + (gender(who, language) == "f")
