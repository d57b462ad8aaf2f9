"""From trees to French words.

Negation wraps the verb, object pronouns stand before it (before the infinitive, where there is one), and small words
give up their vowel before another: that, and "de le" to "du", is done last, over the whole sentence.
"""

from __future__ import annotations

from txviz.data.translation.conjugation import conjugated
from txviz.data.translation.lexicon import BE, HAVE, Phrase
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

_SUBJECTS = {"m": ("je", "tu", "il", "nous", "ils"), "f": ("je", "tu", "elle", "nous", "elles")}
_OBJECTS = {"m": ("me", "te", "le", "nous", "les"), "f": ("me", "te", "la", "nous", "les")}
_RECIPIENTS = ("me", "te", "lui", "nous", "leur")
_STRESSED = {"m": ("moi", "toi", "lui", "nous", "eux"), "f": ("moi", "toi", "elle", "nous", "elles")}
_DETERMINERS: dict[str, tuple[str, str, str]] = {  # masculine, feminine, plural
    "the": ("le", "la", "les"),
    "generic": ("le", "la", "les"),
    "a": ("un", "une", ""),
    "bare": ("de le", "de la", "de les"),
    "some": ("de le", "de la", "de les"),
    "this": ("ce", "cette", "ces"),
    "many": ("", "", "beaucoup de"),
    "two": ("", "", "deux"),
    "three": ("", "", "trois"),
    "my": ("mon", "ma", "mes"),
    "your": ("ton", "ta", "tes"),
    "his": ("son", "sa", "ses"),
    "her": ("son", "sa", "ses"),
    "our": ("notre", "notre", "nos"),
    "their": ("leur", "leur", "leurs"),
}
_BEFORE_VOWEL = {
    "je": "j'", "me": "m'", "te": "t'", "ne": "n'", "le": "l'", "la": "l'", "de": "d'", "que": "qu'",
    "ma": "mon", "ta": "ton", "sa": "son", "ce": "cet",
}  # fmt: skip
_ADJECTIVE_BEFORE_VOWEL = {"beau": "bel", "nouveau": "nouvel", "vieux": "vieil"}
_CONTRACTIONS = {("de", "le"): "du", ("de", "les"): "des", ("à", "le"): "au", ("à", "les"): "aux"}


def words(sentence: Sentence) -> list[str]:
    """The words of a sentence; one that ends in an apostrophe is written together with the next."""
    main = sentence.main
    match main:
        case Clause():
            said = _clause(main)
        case There():
            said = _there(main)
        case Where():
            be = ((main.past and BE.french.imperfect) or BE.french.present)[person(main.what)]
            said = ["où", be, *_nominal(main.what)]
    if sentence.conjunction and sentence.second:
        said += [*sentence.conjunction.french.split(), *_clause(sentence.second)]
    if sentence.question:
        ask = [] if isinstance(main, Where) else ["est-ce", "que"]
        said = [*ask, *said, "?"]
    return _contracted(_elided(said))


def _clause(clause: Clause) -> list[str]:
    """Subject, ne, pronoun, verb, pas, pronoun, infinitive, and the rest in the order of English."""
    negative = clause.negative
    finite, rest = conjugated(clause, "fr")
    clitic = _clitic(clause)
    if clause.modal:
        rest, clitic = clitic + rest, []
    ne = ["ne"] if negative else []
    adverbs = _phrase(clause.adverb) + _phrase(clause.manner)
    return [*_nominal(clause.subject), *ne, *clitic, finite, *adverbs, *rest, *_complements(clause, negative)]


def _clitic(clause: Clause) -> list[str]:
    if isinstance(clause.object, Pronoun):
        return [_OBJECTS[gender(clause.object, "fr")][clause.object.person]]
    if isinstance(clause.recipient, Pronoun):
        return [_RECIPIENTS[clause.recipient.person]]
    return []


def _complements(clause: Clause, negative: bool) -> list[str]:
    said = _phrase(clause.degree)
    if clause.quality:
        said.append(clause.quality.french.forms[agreement(clause.subject, "fr")])
    if isinstance(clause.object, NounPhrase):
        preposition = clause.verb.french.preposition.split()
        said += [*preposition, *_noun_phrase(clause.object, denied=negative and not preposition)]
    if isinstance(clause.recipient, NounPhrase):
        said += ["à", *_noun_phrase(clause.recipient)]
    return said + _phrase(clause.place) + _phrase(clause.time)


def _there(there: There) -> list[str]:
    have = ((there.past and HAVE.french.imperfect) or HAVE.french.present)[2]
    opening = ["il", "ne", "y", have, "pas"] if there.negative else ["il", "y", have]
    return [*opening, *_noun_phrase(there.what, there.negative), *_phrase(there.place)]


def _phrase(phrase: Phrase | Relation | None) -> list[str]:
    match phrase:
        case None:
            return []
        case Phrase():
            return phrase.french.split()
        case Relation(preposition, Pronoun() as who):
            return [*preposition.french.split(), _STRESSED[gender(who, "fr")][who.person]]
        case Relation(preposition, place):
            return [*preposition.french.split(), *_nominal(place)]


def _nominal(who: Nominal) -> list[str]:
    match who:
        case Pronoun():
            return [_SUBJECTS[gender(who, "fr")][who.person]]
        case Both():
            return [*_nominal(who.first), "et", *_nominal(who.second)]
        case NounPhrase():
            return _noun_phrase(who)


def _noun_phrase(phrase: NounPhrase, denied: bool = False) -> list[str]:
    """The noun with all that goes with it; of what is denied there is none: pas de lait."""
    i, noun = agreement(phrase, "fr"), phrase.noun.french.forms[phrase.plural]
    name, before = [noun], False
    if phrase.adjective:
        before, forms = phrase.adjective.french
        name = [_before(forms[i], noun) if i == 0 else forms[i], noun] if before else [noun, forms[i]]
    determiner = phrase.determiner.name
    if determiner == "all":
        return [("tous", "toutes")[i == 3], "les", *name]
    opening = _DETERMINERS[determiner][min(i, 2)]
    if determiner in ("a", "bare", "some") and (denied or (before and phrase.plural)):
        opening = "de"  # pas de chat; de petits chats
    return [*opening.split(), *name]


def _before(adjective: str, noun: str) -> str:
    return _ADJECTIVE_BEFORE_VOWEL.get(adjective, adjective) if _vowel(noun) else adjective


def _vowel(word: str) -> bool:
    """Whether a word begins with a vowel to the ear: the h of "homme" is mute, that of "hibou" isn't."""
    return word[0] in "aeiouyhàâéèêîôœ" and not word.startswith("hibou")


def _elided(said: list[str]) -> list[str]:
    """je aime, ma école: j'aime, mon école."""
    following = [*said[1:], "."]
    return [
        _BEFORE_VOWEL.get(word, word) if _vowel(after) else word for word, after in zip(said, following, strict=True)
    ]


def _contracted(said: list[str]) -> list[str]:
    """sur de le pain, à les filles: du, aux."""
    kept: list[str] = []
    for word in said:
        if kept and (kept[-1], word) in _CONTRACTIONS:
            kept[-1] = _CONTRACTIONS[kept[-1], word]
        else:
            kept.append(word)
    return kept
