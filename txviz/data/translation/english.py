"""From trees to English words."""

from __future__ import annotations

from txviz.data.translation.lexicon import BE, NOT, WANT, Phrase, Verb
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
    person,
)

_BE = ("am", "are", "is", "are", "are"), ("was", "were", "was", "were", "were")


def words(sentence: Sentence) -> list[str]:
    """The words of a sentence, lower-case, with the question mark of a question."""
    main = sentence.main
    match main:
        case Clause():
            said = _question(main) if sentence.question else _statement(main)
        case There():
            said = _there(main, sentence.question)
        case Where():
            said = ["where", _be(main.what, main.past), *_nominal(main.what)]
    if sentence.conjunction and sentence.second:
        said += [sentence.conjunction.english, *_statement(sentence.second)]
    if sentence.question:
        said.append("?")
    return said


def _statement(clause: Clause) -> list[str]:
    auxiliary, verb = _verb(clause, do=clause.adverb is NOT)
    adverb = [clause.adverb.english] if clause.adverb else []
    if auxiliary == ["can"] and clause.adverb is NOT:
        auxiliary, adverb = ["cannot"], []
    return [*_nominal(clause.subject), *auxiliary, *adverb, *verb, *_rest(clause)]


def _question(clause: Clause) -> list[str]:
    auxiliary, verb = _verb(clause, do=True)
    return [*auxiliary, *_nominal(clause.subject), *verb, *_rest(clause)]


def _verb(clause: Clause, do: bool) -> tuple[list[str], list[str]]:
    """The auxiliary, if there is one (with `do`: there must be), and the verb after it."""
    verb, who = clause.verb, clause.subject
    base = [verb.cues[0]]
    if clause.modal and clause.modal is not WANT:
        return [clause.modal.cues[0]], base
    if verb.cues is BE.cues:
        return [_be(who, clause.past)], []
    if clause.modal:
        verb, base = clause.modal, [clause.modal.cues[0], "to", *base]
    if do:
        return ["did" if clause.past else "does" if person(who) == 2 else "do"], base
    return [], [_finite(verb, who, clause.past), *base[1:]]


def _finite(verb: Verb, who: Nominal, past: bool) -> str:
    return verb.cues[2 if past else person(who) == 2]


def _be(who: Nominal, past: bool) -> str:
    return _BE[past][person(who)]


def _rest(clause: Clause) -> list[str]:
    """All that follows the verb."""
    verb, receiver = clause.verb, clause.recipient
    said = [*verb.tail.split(), *verb.preposition.split()]
    if clause.degree:
        said.append(clause.degree.english)
    if clause.quality:
        said += clause.quality.cues
    if isinstance(receiver, Pronoun):
        said.append(receiver.cues[1])
    if clause.object:
        said += _target(clause.object)
    if isinstance(receiver, NounPhrase):
        said += ["to", *_nominal(receiver)]
    for phrase in (clause.manner, clause.place, clause.time):
        said += _phrase(phrase)
    return said


def _there(there: There, question: bool) -> list[str]:
    be = _be(there.what, there.past)
    opening = [be, "there"] if question else ["there", be]
    return [*opening, *["no"][: there.negative], *_nominal(there.what), *_phrase(there.place)]


def _phrase(phrase: Phrase | Relation | None) -> list[str]:
    match phrase:
        case None:
            return []
        case Phrase():
            return phrase.english.split()
        case Relation():
            return [phrase.preposition.english, *_target(phrase.to)]


def _target(target: NounPhrase | Pronoun) -> list[str]:
    return [target.cues[1]] if isinstance(target, Pronoun) else _nominal(target)


def _nominal(who: Nominal) -> list[str]:
    match who:
        case Pronoun():
            return [who.cues[0]]
        case Both():
            return [*_nominal(who.first), "and", *_nominal(who.second)]
        case NounPhrase():
            name = [*(who.adjective.cues if who.adjective else ()), who.noun.cues[who.plural]]
            opening = who.determiner.english[2 if "mass" in who.noun.traits else who.plural] or ""
            if opening == "a" and name[0][0] in "aeiou":
                opening = "an"
            return [*opening.split(), *name]
