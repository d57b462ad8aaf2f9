"""Parts of sentences: who, what, where and when.

Every function makes a part of a tree out of choices, and leaves the choosing to its caller: choosing by chance makes
a corpus, and trying all choices, among the words of a given sentence, reads that sentence. An option that stands
several times in a list is chosen more often.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple, Protocol, TypeVar

from txviz.data.translation import lexicon as lex
from txviz.data.translation.lexicon import (
    ANIMATE,
    EDIBLE,
    GOODS,
    PEOPLE,
    PLACES,
    THINGS,
    Adjective,
    Determiner,
    Noun,
    Phrase,
    Verb,
)
from txviz.data.translation.syntax import (
    HE,
    IT,
    ME,
    SHE,
    THEY,
    WE,
    YOU,
    Both,
    Nominal,
    NounPhrase,
    Pronoun,
    Relation,
    person,
)

T = TypeVar("T")


class Choose(Protocol):
    """One of the options, which one is the caller's affair; of no options, a DeadEndError."""

    def __call__(self, options: Sequence[T], /) -> T: ...


class DeadEndError(Exception):
    """The choices so far lead to no sentence."""


class Opening(NamedTuple):
    """A determiner, and whether the noun after it is plural; the cue is the noun in that number."""

    determiner: Determiner
    plural: bool
    cues: tuple[str, ...]


KINDS = (*ANIMATE, *EDIBLE, "drink", *GOODS, "transport", "plant", *PLACES, "opening")
SMALL = (*EDIBLE, "text", *THINGS)
MOVABLE = (*ANIMATE, *SMALL, "furniture", "vehicle")
DEFINITE = (*[lex.THE] * 6, *lex.POSSESSIVES, lex.THIS, lex.THIS)
_COUNTED = (lex.TWO, lex.THREE, lex.MANY)
_ROLES: dict[str, tuple[Determiner, ...]] = {  # what can open a noun phrase, by what the phrase does
    "definite": DEFINITE,
    "subject": (*DEFINITE, *[lex.A] * 3, *_COUNTED, lex.ALL),
    "everybody": (*DEFINITE, lex.ALL, *[lex.GENERIC] * 3),
    "loved": (*DEFINITE, *[lex.GENERIC] * 6),
    "object": (*DEFINITE, *[lex.A] * 6, *_COUNTED, lex.ALL),
    "owned": (*DEFINITE, *[lex.A] * 6, *_COUNTED, lex.ALL, *[lex.SOME] * 3),
    "lacked": (*lex.POSSESSIVES, *[lex.A, lex.BARE] * 6, lex.MANY),
    "supply": (*DEFINITE, *[lex.A] * 6, *_COUNTED, lex.ALL, *[lex.SOME, lex.BARE] * 3),
    "denied": (*DEFINITE, *[lex.A, lex.BARE] * 3, lex.MANY),
    "place": (*[lex.THE] * 12, *lex.POSSESSIVES, lex.THIS, lex.THIS),
    "goal": (lex.THE,),
    "new": (*[lex.A] * 5, *_COUNTED, *[lex.SOME] * 2),
    "sequel": (*[lex.A] * 6, *[lex.THE] * 3, *lex.POSSESSIVES, lex.THIS, *_COUNTED),
    "none": (lex.BARE,),
}
_SOLID = ("furniture", "opening", "thing", "building")
_UPON = ("furniture", "text", *THINGS)
_ROOM = {  # what each kind of thing can be in, on, under, near and behind
    PEOPLE: ((*PLACES, "vehicle"), ("furniture", "vehicle", "outdoors"), ("plant",), KINDS, KINDS),
    ("animal",): (
        (*PLACES, "vehicle", *THINGS),
        ("furniture", "outdoors", "vehicle", "animal"),
        ("furniture", "plant", "vehicle"),
        KINDS,
        KINDS,
    ),
    SMALL: ((*PLACES, "vehicle", *THINGS), _UPON, _UPON, _SOLID, _SOLID),
    ("plant",): (("outdoors",), ("outdoors",), (), _SOLID, ("building",)),
    ("drink",): (("building",), ("furniture",), (), ("opening",), ()),
    ("furniture", "vehicle"): (PLACES, ("animal", "outdoors"), (), _SOLID, _SOLID),
}
_PREPOSITIONS = (lex.IN, lex.ON, lex.UNDER, lex.NEAR, lex.BEHIND)
CALM = lex.verbs("love like want have")
_UNWILLED = lex.verbs("lose")
_MAYBE = (*[None] * 12, *lex.verbs("can must want"))
_DENIED = (*[None] * 3, lex.NOT)
_THEN = (*[None] * 8, lex.NOT, lex.NOT, lex.NEVER)
_NOW = (*_THEN, lex.OFTEN, lex.ALWAYS)
_NOW_INDEFINITE = (*[None] * 8, lex.OFTEN, lex.ALWAYS)
_SPEAKERS = (*[ME, YOU, WE] * 3, HE, SHE, THEY, *[None] * 12)
_ONE_IN_TWELVE = (True, *[False] * 11)


@cache
def nouns(kinds: tuple[str, ...], preposition: str = "") -> tuple[Noun, ...]:
    """The nouns of these kinds; with a preposition: those that make a place with it."""
    return tuple(noun for noun in lex.NOUNS if noun.kind in kinds and (not preposition or preposition in noun.places))


@cache
def adjectives(kind: str) -> tuple[Adjective, ...]:
    return tuple(adjective for adjective in lex.ADJECTIVES if kind in adjective.kinds)


@cache
def _descriptions(kind: str) -> tuple[Adjective | None, ...]:
    """The adjectives of a kind, and more often none."""
    return (*[None] * (3 * len(adjectives(kind)) // 2), *adjectives(kind))


@cache
def _openings(noun: Noun, role: str) -> tuple[Opening, ...]:
    """The determiners that a noun can have in a role, each with a number."""
    fitting = [determiner for determiner in _ROLES[role] if _fits(determiner, noun, role)]
    if "own" in noun.traits and lex.THE in fitting:  # my mother far more often than the mother
        fitting = [lex.THE, *(determiner for determiner in fitting if determiner is not lex.THE)]
    if "mass" in noun.traits:
        return tuple(Opening(it, False, noun.cues) for it in fitting if it.english[2] is not None)
    singular = [Opening(it, False, noun.cues[:1]) for it in fitting if it.english[0] is not None]
    plural = [Opening(it, True, noun.cues[1:]) for it in fitting if it.english[1] is not None and noun.cues[1:]]
    return (*singular, *plural)


def _fits(determiner: Determiner, noun: Noun, role: str) -> bool:
    if noun.kind == "family" and role in ("owned", "lacked"):  # I have a sister, or two
        return determiner in (lex.A, lex.TWO, lex.THREE) and len(noun.cues) > 1
    if noun.kind == "family":
        return determiner is lex.THE or determiner in lex.POSSESSIVES
    if "own" in noun.traits and determiner is lex.THIS:
        return False
    if determiner in lex.POSSESSIVES:
        return "free" not in noun.traits
    if determiner is lex.GENERIC:
        return noun.kind == "animal" or (role == "loved" and noun.kind in (*EDIBLE, "drink", "text"))
    if determiner is lex.BARE or (determiner is lex.SOME and role != "new"):
        return noun.kind in (*SMALL, "drink")
    return True


def noun_phrase(
    choose: Choose, among: Sequence[Noun], role: str, but: Nominal | None = None, plain: bool = False
) -> NounPhrase:
    """One of the nouns (but not that of another phrase) with what its role lets it have; plain: without adjective."""
    noun = choose(among)
    if (isinstance(but, NounPhrase) and noun is but.noun) or (
        isinstance(but, Both) and noun in (but.first.noun, but.second.noun)
    ):
        raise DeadEndError
    determiner, plural, _ = choose(_openings(noun, role))
    if plain or noun.kind == "family":
        return NounPhrase(noun, determiner, plural)
    return NounPhrase(noun, determiner, plural, choose(_descriptions(noun.kind)))


def subject(choose: Choose, kinds: tuple[str, ...], role: str = "subject", plain: bool = False) -> Nominal:
    """Who does it: a pronoun, a noun phrase, or two of them."""
    speaker = choose(_SPEAKERS) if "youth" in kinds else None
    if speaker:
        return speaker
    among = nouns(kinds)
    if choose(_ONE_IN_TWELVE):
        first = noun_phrase(choose, among, "place", plain=True)
        if first.noun.kind in ANIMATE:
            return Both(first, noun_phrase(choose, nouns((first.noun.kind,)), "place", but=first, plain=True))
        return first
    return noun_phrase(choose, among, role, plain=plain)


def kind(who: Nominal) -> str:
    """The kind that decides what can be said of it; a pronoun is a person."""
    match who:
        case NounPhrase():
            return who.noun.kind
        case Both():
            return who.first.noun.kind
        case Pronoun():
            return kind(who.noun) if who.noun else "person"


def definite(who: Nominal) -> bool:
    """Whether it is known who is meant, so that "not" has one meaning only."""
    return not isinstance(who, NounPhrase) or who.determiner in DEFINITE


def place(
    choose: Choose, of: str, but: Nominal | None = None, prepositions: tuple[Phrase, ...] = _PREPOSITIONS
) -> Relation | Phrase:
    """Somewhere that a thing of this kind can be."""
    room = next(room for kinds, room in _ROOM.items() if of in kinds)
    preposition = choose((*prepositions, *prepositions, lex.HERE))
    if preposition is lex.HERE:
        return lex.HERE
    among = nouns(room[_PREPOSITIONS.index(preposition)], preposition.english)
    return Relation(preposition, noun_phrase(choose, among, "place", but))


def companion(choose: Choose, preposition: Phrase, of: Nominal) -> Relation:
    """With the teacher, for me."""
    pronoun = choose((ME, YOU, HE, SHE, WE, *[None] * 4))
    if pronoun and not same(pronoun, of):
        return Relation(preposition, pronoun)
    return Relation(preposition, noun_phrase(choose, nouns(PEOPLE), "definite", but=of, plain=True))


def same(one: Nominal, other: Nominal) -> bool:
    """Whether English would want "myself" here; I am one of us."""
    return {person(one), person(other)} in ({0}, {1}, {3}, {0, 3})


def again(who: Nominal) -> Pronoun:
    """The pronoun that takes up what was said: he for the boy; it and they for what isn't a person."""
    match who:
        case Pronoun(person=0 | 1 | 2 | 3):
            return who
        case NounPhrase() if who.noun.kind not in PEOPLE:
            return (THEY if who.plural else IT)._replace(noun=who)
        case NounPhrase(plural=False) if "male" in who.noun.traits:
            return HE
        case NounPhrase(plural=False) if "female" in who.noun.traits:
            return SHE
    raise DeadEndError


def has_past(verb: Verb) -> bool:
    return verb.cues[2:] != ()


def setting(choose: Choose, verb: Verb, who: Nominal, past: bool = True) -> tuple[bool, Verb | None, Phrase | None]:
    """Past or present, can or must or neither, and not, never, often. Only what is definite is denied."""
    known, calm = definite(who), verb in CALM
    speaks = isinstance(who, Pronoun) and who.person != 2  # I, you, we and they are mostly present
    if past and has_past(verb) and choose((True, *[False] * 5) if speaks else (True, False)):
        return True, None, choose((_DENIED if calm else _THEN) if known else (None,))
    if calm:
        return False, None, choose(_DENIED if known else (None,))
    modal = choose(_MAYBE) if verb not in _UNWILLED else None
    if modal:
        return False, modal, choose(_DENIED if known else (None,))
    return False, None, choose(_NOW if known else _NOW_INDEFINITE)


def time(choose: Choose, past: bool, adverb: Phrase | None) -> Phrase | None:
    """Today, yesterday, every day, or most often nothing."""
    if adverb and adverb is not lex.NOT:
        return None
    return choose((*[None] * 6, lex.TODAY, lex.YESTERDAY if past else None if adverb else lex.EVERY_DAY))
