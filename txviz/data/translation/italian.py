"""From trees to Italian words.

Subjects that are pronouns are dropped, object pronouns stand before the verb (before the modal, if there is one), and
articles take their form from the sound that follows and melt into the prepositions before them.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from txviz.data.translation.conjugation import conjugated
from txviz.data.translation.lexicon import BE, HAVE, IN, THE, TO, Phrase
from txviz.data.translation.syntax import (
    Both,
    Clause,
    Nominal,
    NounPhrase,
    Pronoun,
    Relation,
    Sentence,
    There,
    Where,
    agreement,
    gender,
    person,
)

_OBJECTS = {"m": ("mi", "ti", "lo", "ci", "li"), "f": ("mi", "ti", "la", "ci", "le")}
_RECIPIENTS = {"m": ("mi", "ti", "gli", "ci", "gli"), "f": ("mi", "ti", "le", "ci", "gli")}
_STRESSED = {"m": ("me", "te", "lui", "noi", "loro"), "f": ("me", "te", "lei", "noi", "loro")}
_POSSESSIVES: dict[str, tuple[str, str, str, str]] = {
    "my": ("mio", "mia", "miei", "mie"),
    "your": ("tuo", "tua", "tuoi", "tue"),
    "his": ("suo", "sua", "suoi", "sue"),
    "her": ("suo", "sua", "suoi", "sue"),
    "our": ("nostro", "nostra", "nostri", "nostre"),
    "their": ("loro", "loro", "loro", "loro"),
}
_CONTRACTIONS = {
    (preposition, article): stem + ending
    for preposition, stem in (("di", "de"), ("a", "a"), ("in", "ne"), ("su", "su"))
    for article, ending in (
        ("il", "l"), ("lo", "llo"), ("la", "lla"), ("l'", "ll'"), ("i", "i"), ("gli", "gli"), ("le", "lle"),
    )
}  # fmt: skip


def words(sentence: Sentence) -> list[str]:
    """The words of a sentence; one that ends in an apostrophe is written together with the next."""
    main = sentence.main
    match main:
        case Clause():
            said = _clause(main)
        case There():
            said = _there(main)
        case Where():
            be = _being(main.what, main.past)
            said = [*(["dov'"] if be[0] in "èe" else ["dove"]), be, *_nominal(main.what)]
    if sentence.conjunction and sentence.second:
        said += [sentence.conjunction.italian, *_clause(sentence.second)]
    if sentence.question:
        said.append("?")
    return _contracted(said)


def _clause(clause: Clause) -> list[str]:
    """Subject, non, pronoun, verb, adverb, and the rest in the order of English."""
    if clause.verb.italian.infinitive == "piacere":
        return _liking(clause)
    finite, rest = conjugated(clause, "it")
    adverb = clause.adverb.italian.split() if clause.adverb else []
    subject = [] if isinstance(clause.subject, Pronoun) else _nominal(clause.subject)
    return [*subject, *_non(clause), *_clitic(clause, finite), finite, *adverb, *rest, *_complements(clause)]


def _liking(clause: Clause) -> list[str]:
    """What English likes pleases in Italian: al gatto piace il latte, mi piacciono le mele."""
    liked, who = clause.object, clause.subject
    if not isinstance(liked, NounPhrase):
        raise ValueError("only things are liked")
    to, clitic = _after("a", who), [""]
    if isinstance(who, Pronoun) and who.person < 4:
        to, clitic = [], [_RECIPIENTS[gender(who, "it")][who.person]]
    pleases = clause.verb.italian.present[person(liked)]
    return [*to, *_non(clause), *filter(None, clitic), pleases, *_phrase(clause.manner), *_nominal(liked)]


def _non(clause: Clause) -> list[str]:
    return ["non"] if clause.negative else []


def _clitic(clause: Clause, finite: str) -> list[str]:
    if isinstance(clause.object, Pronoun):
        pronoun = _OBJECTS[gender(clause.object, "it")][clause.object.person]
        return ["l'"] if pronoun in ("lo", "la") and finite in HAVE.italian.present else [pronoun]
    if isinstance(clause.recipient, Pronoun):
        return [_RECIPIENTS[gender(clause.recipient, "it")][clause.recipient.person]]
    return []


def _complements(clause: Clause) -> list[str]:
    said = _phrase(clause.manner) + _phrase(clause.degree)
    if clause.quality:
        said.append(clause.quality.italian.forms[agreement(clause.subject, "it")])
    if isinstance(clause.object, NounPhrase):
        said += _after(clause.verb.italian.preposition, clause.object)
    if isinstance(clause.recipient, NounPhrase):
        said += _after("a", clause.recipient)
    return said + _phrase(clause.place) + _phrase(clause.time)


def _there(there: There) -> list[str]:
    be = _being(there.what, there.past)
    ci = "c'" if be[0] in "èe" else "ci"
    return [*["non"][: there.negative], ci, be, *_nominal(there.what), *_phrase(there.place)]


def _being(who: Nominal, past: bool) -> str:
    return ((past and BE.italian.imperfect) or BE.italian.present)[person(who)]


def _phrase(phrase: Phrase | Relation | None) -> list[str]:
    match phrase:
        case None:
            return []
        case Phrase():
            return phrase.italian.split()
        case Relation(preposition, Pronoun() as who):
            return [*preposition.italian.split(), _STRESSED[gender(who, "it")][who.person]]
        case Relation(preposition, NounPhrase() as place):
            if preposition in (IN, TO) and place == NounPhrase(place.noun, THE) and "bare" in place.noun.traits:
                return ["in", place.noun.italian.forms[0]]
            return _after(preposition.italian, place)
    raise TypeError(phrase)


def _after(preposition: str, who: Nominal) -> list[str]:
    """A preposition and what it leads to; it is said again before the second of two."""
    if isinstance(who, Both):
        return [*_after(preposition, who.first), "e", *_after(preposition, who.second)]
    return [*preposition.split(), *_nominal(who)]


def _nominal(who: Nominal) -> list[str]:
    match who:
        case Pronoun():
            return [_STRESSED[gender(who, "it")][who.person]]
        case Both():
            return [*_nominal(who.first), "e", *_nominal(who.second)]
        case NounPhrase():
            return _noun_phrase(who)


def _noun_phrase(phrase: NounPhrase) -> list[str]:
    i, noun = agreement(phrase, "it"), phrase.noun.italian.forms[phrase.plural]
    name = [noun]
    if phrase.adjective:
        before, forms = phrase.adjective.italian
        name = [_before(forms[i], noun), noun] if before else [noun, forms[i]]
    return [*_determiner(phrase, i, name[0]), *name]


def _determiner(phrase: NounPhrase, i: int, following: str) -> list[str]:
    determiner = phrase.determiner.name
    if determiner in _POSSESSIVES:
        possessive = _POSSESSIVES[determiner][i]
        close = phrase.noun.kind == "family" and not phrase.plural and not phrase.adjective
        return [possessive] if close and determiner != "their" else [_article(i, possessive), possessive]
    return _DETERMINERS[determiner](i, following)


def _this(i: int, following: str) -> str:
    return "quest'" if i < 2 and _sound(following) == "vowel" else "quest" + "oaie"[i]


def _article(i: int, following: str) -> str:
    """il, lo, l', la; i, gli, le."""
    sound = _sound(following)
    if sound == "vowel" and i < 2:
        return "l'"
    return ("il" if sound == "plain" else "lo", "la", "i" if sound == "plain" else "gli", "le")[i]


def _one(i: int, following: str) -> str:
    if i:
        return "un'" if _sound(following) == "vowel" else "una"
    return "uno" if _sound(following) == "complex" else "un"


def _before(adjective: str, noun: str) -> str:
    """bello goes like the article (bel, bell', bei, begli), buono like un."""
    sound = _sound(noun)
    if adjective == "bello":
        return {"plain": "bel", "vowel": "bell'", "complex": "bello"}[sound]
    if adjective == "belli":
        return "bei" if sound == "plain" else "begli"
    if adjective == "buono":
        return "buono" if sound == "complex" else "buon"
    return adjective


def _sound(word: str) -> str:
    """How a word begins, as far as the article before it cares."""
    if word[0] in "aeiouèé":
        return "vowel"
    if word[0] in "zxy" or word[:2] in ("gn", "ps", "pn") or (word[0] == "s" and word[1] not in "aeiou"):
        return "complex"
    return "plain"


_DETERMINERS: dict[str, Callable[[int, str], list[str]]] = {
    "the": lambda i, following: [_article(i, following)],
    "generic": lambda i, following: [_article(i, following)],
    "bare": lambda i, following: [],
    "a": lambda i, following: [_one(i, following)],
    "this": lambda i, following: [_this(i, following)],
    "some": lambda i, following: ["di", _article(i, following)],
    "many": lambda i, following: ["molt" + "oaie"[i]],
    "all": lambda i, following: ["tutt" + "oaie"[i], _article(i, following)],
    "two": lambda i, following: ["due"],
    "three": lambda i, following: ["tre"],
}


def _contracted(said: list[str]) -> list[str]:
    """su il divano, a le ragazze: sul divano, alle ragazze."""
    kept: list[str] = []
    for before, word in pairwise(["", *said]):
        if (before, word) in _CONTRACTIONS:
            kept[-1] = _CONTRACTIONS[before, word]
        else:
            kept.append(word)
    return kept
