"""The words of the translator: English, Italian and French side by side.

Nouns, adjectives and verbs are tables in `resources/data/translation/`, with all their forms written out, so that a
native reader can check them by eye and a new word is a new line. The small words are here.

A *kind* says what a noun is. Adjectives, verbs and prepositions say which kinds they go with, so that sentences make
sense: people read, animals chase, milk is hot. Persons are numbered 0 to 4: I, you, he or she, we, they. Forms that
agree come in fours: masculine, feminine, masculine plural, feminine plural. *Cues* are the English forms of a word:
an English sentence that has none of them doesn't have the word.
"""

from __future__ import annotations

from functools import cache
from typing import Literal, NamedTuple

from txviz import resources

Language = Literal["it", "fr"]
Gender = Literal["m", "f"]
Four = tuple[str, str, str, str]
Five = tuple[str, str, str, str, str]


class Inflected(NamedTuple):
    """A noun in Italian or French: singular and plural, which are the same for what isn't counted."""

    gender: Gender
    forms: tuple[str, str]


class Noun(NamedTuple):
    """A noun; its cues are the singular and, where the grammar uses it, the plural."""

    cues: tuple[str, ...]
    italian: Inflected
    french: Inflected
    kind: str
    traits: tuple[str, ...]
    places: tuple[str, ...]


class Placed(NamedTuple):
    """An adjective in Italian or French, and whether it stands before its noun."""

    before: bool
    forms: Four


class Adjective(NamedTuple):
    cues: tuple[str, ...]
    italian: Placed
    french: Placed
    kinds: tuple[str, ...]


class Forms(NamedTuple):
    """A verb in Italian or French. Its past is compound (auxiliary and participle) or the imperfect."""

    infinitive: str
    present: Five
    imperfect: Five | None = None
    auxiliary: Literal["have", "be"] = "have"
    participle: Four | None = None
    tail: Four = ("", "", "", "")  # what always follows: è "seduto", ho "fame"
    preposition: str = ""  # what leads to its object: ho bisogno "di"


class Verb(NamedTuple):
    """A verb; its cues are the base, the third person and, where the grammar uses it, the past."""

    cues: tuple[str, ...]
    italian: Forms
    french: Forms
    subjects: tuple[str, ...]
    objects: tuple[str, ...] = ()
    tail: str = ""
    preposition: str = ""

    def said_in(self, language: Language) -> Forms:
        return self.italian if language == "it" else self.french


class Determiner(NamedTuple):
    """What opens a noun phrase. English before a singular, a plural, and what isn't counted; None: it can't stand."""

    name: str
    english: tuple[str | None, str | None, str | None]

    @property
    def cues(self) -> tuple[str, ...]:
        return ("a", "an") if self.name == "a" else tuple(form for form in self.english if form)


class Phrase(NamedTuple):
    """A word or fixed phrase that never changes: adverb, preposition, conjunction."""

    cues: tuple[str, ...]
    english: str
    italian: str
    french: str


PEOPLE = ("person", "youth", "family")
ANIMATE = (*PEOPLE, "animal")
EDIBLE = ("food", "staple")
THINGS = ("thing", "present")
GOODS = ("text", *THINGS, "furniture", "vehicle")
PLACES = ("building", "outdoors")
_GROUPS = {"people": PEOPLE, "animate": ANIMATE, "edible": EDIBLE, "things": THINGS, "goods": GOODS, "places": PLACES}


def _lines(table: str) -> list[str]:
    text = resources.path("data", "translation", f"{table}.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("|")]


def _kinds(text: str) -> tuple[str, ...]:
    return tuple(kind for word in text.split() for kind in _GROUPS.get(word, (word,)))


def _noun(line: str) -> Noun:
    english, italian, french, traits, places = _cells(line)
    kind, *others = traits.split()
    cues, prepositions = tuple(english.split()), tuple(places.split())
    return Noun(cues, _inflected(italian), _inflected(french), kind, tuple(others), prepositions)


def _inflected(cell: str) -> Inflected:
    gender, *forms = cell.split()
    return Inflected("f" if gender == "f" else "m", (forms[0], forms[-1]))


def _adjective(line: str) -> Adjective:
    english, italian, french, kinds = _cells(line)
    return Adjective((english,), _placed(italian), _placed(french), _kinds(kinds))


def _placed(cell: str) -> Placed:
    where, *forms = cell.split()
    if len(forms) == 2:  # one singular and one plural for both genders
        forms = [forms[0], forms[0], forms[1], forms[1]]
    m, f, mm, ff = forms
    return Placed(where == "before", (m, f, mm, ff))


def _verb(english: str, italian: str, french: str) -> Verb:
    words, kinds = _cells(english)
    cues = words.split()
    preposition = cues.pop() if cues[-1] in ("for", "to") else ""
    subjects, _, objects = kinds.partition(">")
    forms = _forms(italian, "it"), _forms(french, "fr")
    return Verb(tuple(cues), *forms, _kinds(subjects), _kinds(objects), preposition=preposition)


def _forms(line: str, language: Language) -> Forms:
    infinitive, _, forms = line.strip().partition(": ")
    present, _, past = forms.partition("; ")
    verb = Forms(infinitive, _five(present))
    if len(past.split()) == 2:
        auxiliary, participle = past.split()
        has: Literal["have", "be"] = "have" if auxiliary in ("ha", "a") else "be"
        return verb._replace(auxiliary=has, participle=agreeing(participle, language))
    return verb._replace(imperfect=_five(past)) if past else verb


def _five(text: str) -> Five:
    i, you, he, we, they = text.split()
    return (i, you, he, we, they)


def agreeing(masculine: str, language: Language) -> Four:
    """The four forms of a participle: visto, vista, visti, viste; assis, assise, assis, assises."""
    if language == "it":
        return (masculine, masculine[:-1] + "a", masculine[:-1] + "i", masculine[:-1] + "e")
    return (masculine, masculine + "e", masculine if masculine[-1] == "s" else masculine + "s", masculine + "es")


NOUNS = tuple(_noun(line) for line in _lines("nouns"))
ADJECTIVES = tuple(_adjective(line) for line in _lines("adjectives"))
_VERB_LINES = _lines("verbs")
VERBS = {
    english.split()[0]: _verb(english, italian, french)
    for english, italian, french in zip(_VERB_LINES[0::3], _VERB_LINES[1::3], _VERB_LINES[2::3], strict=True)
}


@cache
def verbs(names: str) -> tuple[Verb, ...]:
    """Several verbs by their English names."""
    return tuple(VERBS[name] for name in names.split())


BE, HAVE, WANT = VERBS["be"], VERBS["have"], VERBS["want"]


def _having(italian: str, french: str, of: bool = False) -> tuple[Forms, Forms]:
    """To have hunger, fear, need (of something)."""
    return (
        HAVE.italian._replace(tail=(italian,) * 4, preposition="di" if of else ""),
        HAVE.french._replace(tail=(french,) * 4, preposition="de" if of else ""),
    )


HUNGRY = Verb(BE.cues, *_having("fame", "faim"), ANIMATE, tail="hungry")
THIRSTY = Verb(BE.cues, *_having("sete", "soif"), ANIMATE, tail="thirsty")
RIGHT = Verb(BE.cues, *_having("ragione", "raison"), PEOPLE, tail="right")
AFRAID = Verb(BE.cues, *_having("paura", "peur", of=True), ANIMATE, ANIMATE, tail="afraid", preposition="of")
NEED = Verb(("need", "needs"), *_having("bisogno", "besoin", of=True), PEOPLE, ("animal", *GOODS))


def _being(italian: str, french: str) -> tuple[Forms, Forms]:
    """To be seated, and the like."""
    return (
        BE.italian._replace(tail=agreeing(italian, "it")),
        BE.french._replace(tail=agreeing(french, "fr")),
    )


SIT = Verb(("sit", "sits", "sat"), *_being("seduto", "assis"), ANIMATE)
LIE = VERBS["lie"]._replace(french=_being("", "couché")[1])
LIE_THING = LIE._replace(french=_being("", "posé")[1], subjects=(*EDIBLE, *GOODS))

THE = Determiner("the", ("the", "the", "the"))
A = Determiner("a", ("a", None, None))
THIS = Determiner("this", ("this", "these", "this"))
SOME = Determiner("some", (None, "some", "some"))
ALL = Determiner("all", (None, "all the", None))
MANY, TWO, THREE = (Determiner(word, (None, word, None)) for word in ("many", "two", "three"))
MY, YOUR, HIS, HER, OUR, THEIR = POSSESSIVES = tuple(
    Determiner(word, (word, word, word)) for word in ("my", "your", "his", "her", "our", "their")
)
BARE = Determiner("bare", (None, "", ""))
"""No word, and some of them are meant. "I eat apples": mangio mele, je mange des pommes."""
GENERIC = Determiner("generic", (None, "", ""))
"""No word, and all of them are meant. "I love apples": amo le mele, j'aime les pommes."""


def _phrase(english: str, italian: str, french: str) -> Phrase:
    return Phrase((english,), english, italian, french)


NOT = Phrase(("not", "cannot"), "not", "", "pas")
NEVER, OFTEN, ALWAYS = (
    _phrase("never", "mai", "jamais"),
    _phrase("often", "spesso", "souvent"),
    _phrase("always", "sempre", "toujours"),
)
VERY, TOO = _phrase("very", "molto", "très"), _phrase("too", "troppo", "trop")
VERY_MUCH, WELL = _phrase("very much", "molto", "beaucoup"), _phrase("well", "bene", "bien")
TODAY, YESTERDAY = _phrase("today", "oggi", "aujourd'hui"), _phrase("yesterday", "ieri", "hier")
EVERY_DAY = _phrase("every day", "ogni giorno", "tous les jours")
HERE, HOME = _phrase("here", "qui", "ici"), _phrase("home", "a casa", "à la maison")
TO_SCHOOL = _phrase("to school", "a scuola", "à l' école")
IN, ON, UNDER = _phrase("in", "in", "dans"), _phrase("on", "su", "sur"), _phrase("under", "sotto", "sous")
NEAR, BEHIND = _phrase("near", "vicino a", "près de"), _phrase("behind", "dietro", "derrière")
TO, WITH, FOR = _phrase("to", "a", "à"), _phrase("with", "con", "avec"), _phrase("for", "per", "pour")
AND, BUT, BECAUSE = _phrase("and", "e", "et"), _phrase("but", "ma", "mais"), _phrase("because", "perché", "parce que")
THERE, QUESTION = _phrase("there", "ci", "y"), _phrase("?", "?", "?")  # the signs of whole kinds of sentences
