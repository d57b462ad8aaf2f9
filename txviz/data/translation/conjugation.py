"""Finite verbs of French and Italian, which go by the same rules."""

from __future__ import annotations

from txviz.data.translation.lexicon import BE, HAVE, Language
from txviz.data.translation.syntax import Clause, Pronoun, agreement, person


def conjugated(clause: Clause, language: Language) -> tuple[str, list[str]]:
    """The finite verb, and the participle, infinitive or fixed word that belongs to it."""
    verb, i, who = clause.verb.said_in(language), person(clause.subject), clause.subject
    if clause.modal:
        return clause.modal.said_in(language).present[i], [verb.infinitive]
    tail = verb.tail[agreement(who, language)].split()
    if not clause.past:
        return verb.present[i], tail
    if verb.imperfect:
        return verb.imperfect[i], tail
    if not verb.participle:
        raise ValueError(f"{verb.infinitive} has no past")
    if verb.auxiliary == "be":
        return BE.said_in(language).present[i], [verb.participle[agreement(who, language)]]
    with_ = agreement(clause.object, language) if isinstance(clause.object, Pronoun) else 0
    return HAVE.said_in(language).present[i], [verb.participle[with_]]
