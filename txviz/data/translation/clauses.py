"""Clauses: what can be said with one verb, made out of choices (see `phrases.py`)."""

from __future__ import annotations

from txviz.data.translation import lexicon as lex
from txviz.data.translation import phrases
from txviz.data.translation.lexicon import ANIMATE, EDIBLE, PEOPLE, VERBS, Phrase, verbs
from txviz.data.translation.phrases import KINDS, MOVABLE, SMALL, Choose, noun_phrase, nouns, subject
from txviz.data.translation.syntax import (
    HE,
    IT,
    ME,
    SHE,
    THEY,
    WE,
    YOU,
    Clause,
    NounPhrase,
    Relation,
    There,
    Where,
)

_SUPPLIES = verbs("want have see eat drink read write buy sell find")
_ELSEWHERE_RARE = verbs("listen eat drink read write buy sell lose break")  # these stand twice among the actions
_ACTIONS = (*_SUPPLIES, *_ELSEWHERE_RARE, *verbs("lose look wait listen help chase break"))
_IN_SIGHT = verbs("see find")
_MET = verbs("see find wait help")
_TOWARDS_SOMEBODY = verbs("love wait listen help")
_ENCOUNTERS = (*_TOWARDS_SOMEBODY, *verbs("see find look chase want see help"), *_MET, *_MET)
_ACTIVITIES = verbs("sleep run sing play work")
_DENIALS = (lex.NOT, lex.NEVER)
_AROUND = (lex.IN, lex.NEAR, lex.BEHIND)
COLOURS = ("red", "white", "black")
_PASSING = ("happy", "sad", "tired", "clean", "dirty", "hot", "cold")
_TOO_WIDE = (*_PASSING, *COLOURS, "old", "young")  # true of this cat, not of all cats


def quality(choose: Choose) -> Clause:
    """The house is not very big."""
    who = subject(choose, KINDS, "everybody", plain=True)
    generic = isinstance(who, NounPhrase) and who.determiner is lex.GENERIC
    unfit = (*_TOO_WIDE, "new") if generic else ("new",)
    fitting = phrases.adjectives(phrases.kind(who))
    adjective = choose([adjective for adjective in fitting if adjective.cues[0] not in unfit])
    always = (lex.ALWAYS, lex.NEVER) if adjective.cues[0] in _PASSING else ()
    adverb = choose((*[None] * 4, lex.NOT, *always)) if phrases.definite(who) else None
    plain = adverb in (lex.ALWAYS, lex.NEVER) or adjective.cues[0] in COLOURS
    degree = None if plain else choose((None, None, None, lex.VERY, lex.TOO))
    past = not generic and choose((False, False, True))
    return Clause(who, lex.BE, past, adverb, degree=degree, quality=adjective)


def state(choose: Choose) -> Clause:
    """The cat is always hungry."""
    verb = choose((lex.HUNGRY, lex.THIRSTY, lex.RIGHT))
    who = subject(choose, verb.subjects, "definite")
    adverb = choose((None, None, None, lex.NOT, lex.ALWAYS, lex.NEVER, lex.OFTEN))
    return Clause(who, verb, choose((False, False, True)), adverb)


def fear(choose: Choose) -> Clause:
    """The mouse is afraid of the cat; I need a key."""
    verb = choose((lex.AFRAID, lex.NEED))
    who = subject(choose, verb.subjects, "definite")
    past = phrases.has_past(verb) and choose((False, False, True))
    role = "loved" if verb is lex.AFRAID else "object"
    what = noun_phrase(choose, nouns(verb.objects), role, but=who)
    return Clause(who, verb, past, choose((None, None, None, lex.NOT)), object=what)


def location(choose: Choose) -> Clause:
    """The keys are not in the kitchen."""
    who = subject(choose, MOVABLE)
    adverb = choose((*[None] * 5, lex.NOT, lex.OFTEN, lex.NEVER)) if phrases.definite(who) else None
    where = phrases.place(choose, phrases.kind(who), but=who)
    return Clause(who, lex.BE, choose((False, False, True)), adverb, place=where)


def posture(choose: Choose) -> Clause:
    """The cat lies on the sofa."""
    verb = choose((lex.SIT, lex.SIT, lex.LIE, lex.LIE_THING))
    who = subject(choose, verb.subjects)
    where = phrases.place(choose, phrases.kind(who), but=who)
    return Clause(who, verb, choose((False, False, True)), place=where)


def activity(choose: Choose) -> Clause:
    """The child sleeps well; we sang with him in the garden."""
    verb = choose(_ACTIVITIES)
    who = subject(choose, verb.subjects)
    past, modal, adverb = phrases.setting(choose, verb, who)
    manner = choose((None, None, lex.WELL)) if not modal and adverb is None and verb is not VERBS["run"] else None
    extra = choose(("place", "place", "companion", "time", ""))
    clause = Clause(who, verb, past, adverb, modal, manner=manner)
    if extra == "place":
        return clause._replace(place=phrases.place(choose, phrases.kind(who), but=who, prepositions=_AROUND))
    if extra == "companion" and verb is not VERBS["sleep"]:
        return clause._replace(place=phrases.companion(choose, lex.WITH, who))
    return clause._replace(time=phrases.time(choose, past, adverb)) if extra == "time" else clause


def journey(choose: Choose) -> Clause:
    """My sister went to the market yesterday."""
    verb = VERBS["go"]
    who = subject(choose, verb.subjects)
    past, modal, adverb = phrases.setting(choose, verb, who)
    goal: Relation | Phrase = choose((lex.HOME, lex.TO_SCHOOL, lex.TO))
    if goal is lex.TO:
        goal = Relation(lex.TO, noun_phrase(choose, nouns(("outdoors",), "to"), "goal"))
    return Clause(who, verb, past, adverb, modal, place=goal, time=phrases.time(choose, past, adverb))


def love(choose: Choose) -> Clause:
    """I love my sister very much; cats like milk."""
    verb = choose(verbs("love like"))
    who = subject(choose, verb.subjects, "everybody")
    kinds = verb.objects
    if phrases.kind(who) == "animal":
        kinds = tuple(kind for kind in kinds if kind in (*ANIMATE, *EDIBLE, "drink"))
    what = noun_phrase(choose, nouns(kinds), "loved", but=who)
    adverb = choose((None, None, lex.NOT)) if phrases.definite(who) else None
    return Clause(who, verb, adverb=adverb, object=what, manner=choose((None, None, lex.VERY_MUCH)))


def action(choose: Choose) -> Clause:
    """The boy did not find his keys yesterday; I bought a flower for her."""
    verb = choose(_ACTIONS)
    who = subject(choose, verb.subjects)
    past, modal, adverb = phrases.setting(choose, verb, who)
    role = "object"
    if verb in _SUPPLIES:
        given, denied = ("owned", "lacked") if verb is lex.HAVE else ("supply", "denied")
        role = denied if adverb in _DENIALS else given
    what = noun_phrase(choose, nouns(verb.objects), role, but=who)
    clause = Clause(who, verb, past, adverb, modal, object=what)
    if verb is VERBS["buy"] and choose((True, False, False)):
        return clause._replace(place=phrases.companion(choose, lex.FOR, who))
    if verb in _IN_SIGHT and what.noun.kind in MOVABLE and choose((True, False, False)):
        return clause._replace(place=phrases.place(choose, what.noun.kind, but=what))
    return clause if verb in phrases.CALM else clause._replace(time=phrases.time(choose, past, adverb))


def meeting(choose: Choose) -> Clause:
    """She can see me; I love you very much."""
    verb = choose(_ENCOUNTERS)
    who = subject(choose, verb.subjects)
    past, modal, adverb = phrases.setting(choose, verb, who, past=verb in _MET)
    options = [one for one in (ME, YOU, WE, HE, SHE, SHE) if not phrases.same(one, who)] if verb is not lex.WANT else []
    whom = choose((*options, THEY, THEY) if verb in _TOWARDS_SOMEBODY else (*options, THEY, THEY, IT))
    manner = choose((None, lex.VERY_MUCH)) if verb is VERBS["love"] else None
    when = None if verb in phrases.CALM else phrases.time(choose, past, adverb)
    return Clause(who, verb, past, adverb, modal, object=whom, manner=manner, time=when)


def gift(choose: Choose) -> Clause:
    """He gave me a flower; he gave a flower to the girl."""
    verb = VERBS["give"]
    who = subject(choose, verb.subjects, plain=True)
    past, modal, adverb = phrases.setting(choose, verb, who)
    role = "denied" if adverb in _DENIALS else "supply"
    what = noun_phrase(choose, nouns(verb.objects), role)
    whom = choose((*(one for one in (ME, YOU, HE, SHE, WE) if not phrases.same(one, who)), *[None] * 4))
    receivers = ANIMATE if what.noun.kind in (*EDIBLE, "drink") else PEOPLE
    receiver = whom or noun_phrase(choose, nouns(receivers), "definite", but=who, plain=True)
    when = phrases.time(choose, past, adverb)
    return Clause(who, verb, past, adverb, modal, object=what, recipient=receiver, time=when)


def there(choose: Choose) -> There:
    """There are no books under the bed."""
    choose((lex.THERE,))
    negative = choose((False, False, True))
    kinds = (*SMALL, "drink") if negative else ("person", "youth", "animal", *SMALL, "furniture", "vehicle", "plant")
    what = noun_phrase(choose, nouns(kinds), "none" if negative else "new")
    where = phrases.place(choose, what.noun.kind, but=what)
    return There(what, where, choose((False, False, True)), negative)


def where(choose: Choose) -> Where:
    """Where is my hat?"""
    what = noun_phrase(choose, nouns((*MOVABLE, "plant", "building")), "definite")
    return Where(what, choose((False, False, True)))
