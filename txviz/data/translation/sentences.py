"""Sentences: clauses by themselves, asked, or joined, made out of choices (see `phrases.py`)."""

from __future__ import annotations

from collections.abc import Callable

from txviz.data.translation import clauses, phrases
from txviz.data.translation import lexicon as lex
from txviz.data.translation.clauses import COLOURS
from txviz.data.translation.lexicon import PEOPLE, VERBS, Phrase, Verb, verbs
from txviz.data.translation.phrases import KINDS, Choose, DeadEndError, again, noun_phrase, nouns, subject
from txviz.data.translation.syntax import IT, Clause, Nominal, Pronoun, Sentence, There, Where

_THINGS_BECAUSE = {  # why one does this to a thing | why one doesn't
    "want": "beautiful good fast clever strong small big red black | old dirty slow expensive heavy big",
    "buy": "beautiful good fast clever strong small white black | old dirty slow expensive heavy big",
    "sell": "old slow heavy expensive dirty big | beautiful good fast clever strong young",
    "see": "big white red slow | small fast black",
    "find": "big white red slow | small fast black",
    "look": "beautiful clever good small expensive | old dirty",
    "lose": "small fast young | big slow clever",
    "chase": "fast slow small clever dirty | fast big strong beautiful",
    "eat": "good small beautiful | expensive big",
    "break": "old dirty heavy | beautiful expensive strong",
}
_PEOPLE_BECAUSE = {  # why somebody does this | why somebody doesn't
    "eat": "hungry | sad thirsty tired",
    "drink": "thirsty | hungry sad",
    "buy": "hungry happy | tired sad",
    "sleep": "tired sad | hungry thirsty happy",
    "sing": "happy | sad tired",
    "play": "happy | sad tired hungry",
    "run": "happy | tired",
    "work": "happy | tired sad",
    "go": "tired hungry | tired sad",
    "read": "sad happy | tired",
    "look": "sad hungry | tired happy",
}
_CONTRASTS = (
    ("old", "beautiful fast strong clean happy"),
    ("small", "beautiful strong fast expensive clean good heavy"),
    ("big", "slow clever"),
    ("young", "clever strong tired"),
    ("clever", "sad slow"),
    ("strong", "slow sad"),
    ("tired", "happy"),
    ("heavy", "fast"),
    ("expensive", "beautiful good"),
    ("dirty", "beautiful red white"),
    ("black", "beautiful"),
    ("good", "hot cold"),
)
_SEQUELS = (  # what one does with a thing, and then with the same thing; is it past?
    ("buy", "sell break lose lose", True),
    ("find", "sell break lose", True),
    ("buy", "eat", True),
    ("find", "eat", True),
    ("lose", "find", True),
    ("see", "love want", False),
    ("have", "love", False),
    ("look", "find", False),
)
_DENIABLE = verbs("find want love")
_REGRETTED = verbs("sell lose break find")


def _reasons(table: dict[str, str], verb: Verb, adverb: Phrase | None) -> list[str]:
    return table[verb.cues[0]].split("|")[adverb is lex.NOT].split()


def _because_of_it(choose: Choose) -> Sentence:
    """The dog chased the cat because it was fast."""
    conjunction = choose((lex.BECAUSE,))
    verb = choose(verbs(" ".join(_THINGS_BECAUSE)))
    past = phrases.has_past(verb) and choose((False, True))
    adverb = choose((None, None, None, lex.NOT))
    who = subject(choose, verb.subjects, "definite" if adverb else "subject", plain=True)
    kinds = tuple(kind for kind in verb.objects if kind not in PEOPLE)
    what = noun_phrase(choose, nouns(kinds), "definite", but=who, plain=True)
    reasons = _reasons(_THINGS_BECAUSE, verb, adverb)
    fitting = [adjective for adjective in phrases.adjectives(what.noun.kind) if adjective.cues[0] in reasons]
    quality = choose(fitting)
    degree = None if quality.cues[0] in COLOURS else choose((None, None, lex.VERY, lex.TOO if adverb else None))
    reason = Clause(again(what), lex.BE, past, degree=degree, quality=quality)
    return Sentence(Clause(who, verb, past, adverb, object=what), False, conjunction, reason)


def _because_of_oneself(choose: Choose) -> Sentence:
    """We went home because we were hungry; I help you because I love you."""
    conjunction = choose((lex.BECAUSE,))
    main = choose((clauses.journey, clauses.action, clauses.meeting, clauses.activity))(choose)
    who = again(main.subject)
    if main.modal or main.time or who.noun or main.adverb not in (None, lex.NOT):
        raise DeadEndError
    if main.verb in verbs("wait listen help look") and isinstance(main.object, Pronoun) and not main.adverb:
        if main.object is IT:
            raise DeadEndError
        reason = Clause(who, VERBS["love"], object=main.object)
    elif main.verb.cues[0] in _PEOPLE_BECAUSE and (main.verb.cues[0] != "go" or main.adverb or main.place is lex.HOME):
        reason = _feeling(who, choose(_reasons(_PEOPLE_BECAUSE, main.verb, main.adverb)), main.past)
    else:
        raise DeadEndError
    return Sentence(main, False, conjunction, reason)


def _feeling(who: Nominal, name: str, past: bool) -> Clause:
    for verb in (lex.HUNGRY, lex.THIRSTY):
        if verb.tail == name:
            return Clause(who, verb, past)
    mood = next(adjective for adjective in lex.ADJECTIVES if adjective.cues[0] == name)
    return Clause(who, lex.BE, past, quality=mood)


def _contrast(choose: Choose) -> Sentence:
    """The house is small but it is beautiful."""
    conjunction = choose((lex.BUT,))
    who = subject(choose, KINDS, "definite", plain=True)
    fitting = {adjective.cues[0]: adjective for adjective in phrases.adjectives(phrases.kind(who))}
    pairs = [(one, other) for one, others in _CONTRASTS for other in others.split() if {one, other} <= fitting.keys()]
    first, second = choose([*pairs, *(pair[::-1] for pair in pairs)])
    past = choose((False, False, True))
    degree = None if first in COLOURS else choose((None, None, lex.VERY))
    main = Clause(who, lex.BE, past, degree=degree, quality=fitting[first])
    return Sentence(main, False, conjunction, Clause(again(who), lex.BE, past, quality=fitting[second]))


def _sequel(choose: Choose) -> Sentence:
    """The girl bought a car and she sold it."""
    conjunction = choose((lex.AND, lex.BUT))
    begun, endings, past = choose(_SEQUELS)
    first, then = VERBS[begun], choose(verbs(endings))
    who = subject(choose, first.subjects, "definite", plain=True)
    kinds = tuple(kind for kind in first.objects if kind in then.objects and kind not in PEOPLE)
    what = noun_phrase(choose, nouns(kinds), "sequel", but=who)
    if again(who).noun:
        raise DeadEndError
    adverb = choose((None, lex.NOT)) if then in _DENIABLE and conjunction is lex.BUT else None
    if conjunction is lex.BUT and not adverb and then not in _REGRETTED:
        raise DeadEndError
    second = Clause(again(who), then, past, adverb, object=again(what))
    return Sentence(Clause(who, first, past, object=what), False, conjunction, second)


_STATED: dict[Callable[[Choose], Clause | There], int] = {  # and how often
    clauses.quality: 6,
    clauses.state: 2,
    clauses.fear: 4,
    clauses.location: 4,
    clauses.posture: 8,
    clauses.activity: 9,
    clauses.journey: 5,
    clauses.love: 4,
    clauses.action: 24,
    clauses.meeting: 8,
    clauses.gift: 4,
    clauses.there: 3,
}
_STATEMENTS = [clause for clause, times in _STATED.items() for _ in range(times)]
_QUESTIONS: tuple[Callable[[Choose], Clause | There | Where], ...] = (
    clauses.where,
    clauses.there,
    clauses.quality,
    clauses.location,
    clauses.activity,
    clauses.love,
    clauses.action,
    clauses.meeting,
)


def _statement(choose: Choose) -> Sentence:
    return Sentence(choose(_STATEMENTS)(choose))


def _question(choose: Choose) -> Sentence:
    choose((lex.QUESTION,))
    main = choose(_QUESTIONS)(choose)
    if not isinstance(main, Where) and (main.negative if isinstance(main, There) else main.adverb):
        raise DeadEndError
    return Sentence(main, question=True)


_SENTENCES: tuple[Callable[[Choose], Sentence], ...] = (
    *[_statement] * 20, *[_question] * 3, *[_because_of_it] * 2, *[_because_of_oneself] * 3, _contrast, *[_sequel] * 5,
)  # fmt: skip


def sentence(choose: Choose) -> Sentence:
    """Any sentence of the grammar; raises DeadEndError when the choices don't go together."""
    return choose(_SENTENCES)(choose)
