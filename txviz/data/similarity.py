"""Sentences whose meanings are known, for the sentence encoder to learn which of them are near.

A meaning says who does what to whom, where, how and why: each of these roles holds a concept. A concept has one or more
words that say the same (car, automobile), a category (car, van and bus are of the road) and a group (these and ships
are vehicles). A meaning can be put in several ways: other words, active or passive, giving or getting.

How far two meanings are apart, from 0 to 1:

    concepts  0 the same, 0.5 of one category (cat, dog), 0.8 of one group (cat, cow), 1 otherwise (cat, car)
    roles     the mean of the concepts' distances, role by role, the main roles weighing most; a role that only one of
              the two has counts 1, and so does a role whose concept has moved to another role
    topic     the mean distance of each concept to the nearest one of the other meaning, whatever its role
    distance  d = 0.6 roles + 0.4 topic; when just one of the two is negated, d + 0.3 (1 - d)

So "the cat chases the dog" is nearer to "the dog chases the cat", where only the roles differ, than to "the bus stops".
Tense, articles and a full stop don't count. Text is lower-case, and spaces set its tokens apart.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple, TypeVar

T = TypeVar("T")

TRAINING, HELD_OUT = 30_000, 1_000
MARGIN = 0.1
"""By how much an anchor is nearer to its positive than to its negative, at least."""

EXAMPLES = (
    ("the cat sleeps on the sofa", "the dog sleeps on the sofa"),
    ("the cat sleeps on the sofa", "the car stops on the street"),
    ("the cat is in the garden", "the car is in the garden"),
    ("the dog chases the cat", "the cat is chased by the dog"),
    ("the dog chases the cat", "the cat chases the dog"),
    ("the woman buys a car from the farmer", "the farmer sold an automobile to the woman"),
    ("the boy likes the soup", "the boy doesn't like the soup"),
    ("the teacher is happy because it is snowing", "the snow makes the teacher glad"),
    ("there is a big dog in the kitchen", "the large dog is in the kitchen"),
)

# group: category = concepts; ... A slash stands between words that say the same, a star marks what can't be counted.
_CONCEPTS = """
animal: pets = cat dog rabbit/bunny hamster parrot; livestock = cow horse sheep pig goat; beasts = lion wolf bear mouse
person: children = boy girl child/kid student/pupil; adults = man woman mother/mum father/dad
person: workers = doctor/physician nurse teacher farmer chef pilot singer
vehicle: road = car/automobile truck/lorry bus taxi/cab van; voyage = boat ship plane/aeroplane; rail = train
food: dishes = bread* soup* cheese* rice* cake; fruit = apple pear banana; drinks = milk* water* tea* coffee*
home: furniture = sofa/couch bed chair table mat/rug
place: rooms = kitchen bedroom bathroom garage; land = city village island; waters = river lake sea/ocean
place: town = street/road market school hospital station shop/store office
place: nature = park garden field forest beach mountain
thing: reading = book letter newspaper; clothes = coat hat shirt dress; toys = ball doll kite
thing: devices = phone/telephone computer radio clock
body: repose = sleep/nap rest/relax sit wait; motion = run walk/stroll swim play
deed: labour = work wash/clean repair/fix help/assist; exchange = buy/purchase give lend
travel: going = go/travel drive stop carry
mind: seeing = see/notice watch; liking = love/adore like; disliking = hate
hunt: hunting = chase/pursue follow
meal: eating = eat drink; cooking = make/prepare
sound: voicing = read sing
weather: wet = rain snow storm fog; dry = sunshine wind
size: great = big/large huge/enormous; slight = small/little tiny
speed: swift = fast/quick; lagging = slow
heat: heated = hot warm; chilled = cold cool
colour: bright = red blue green yellow; plain = black white
price: dear = expensive/costly; low = cheap
look: fine = beautiful/pretty; foul = ugly
taste: good = delicious/tasty; bad = awful/terrible
feeling: joy = happy/glad calm proud; sorrow = sad/unhappy angry/furious afraid/scared
feeling: want = tired/sleepy hungry thirsty ill/sick
"""

# What can be said: for each frame its roles, then its scenes. A role takes concepts, categories or groups.
_SCENES = """
acts: action | who | where
sleep  | pets             | furniture kitchen bedroom garden
sleep  | person           | sofa bed bedroom beach
sleep  | livestock beasts | field forest mountain
rest   | pets person      | sofa bed chair mat park garden beach
sit    | pets person      | sofa bed chair mat park garden
wait   | person           | town park kitchen
wait   | road             | street market school hospital station
stop   | road             | street market school hospital station
run    | animal person    | nature street
walk   | animal person    | nature street
swim   | dog bear person  | waters
play   | pets children    | rooms park garden beach street
work   | adults workers   | town garden kitchen garage
sing   | parrot person    | rooms town nature

does: action | who | whom | where
chase  | pets beasts children | animal children                            | nature street
follow | animal person    | animal person road                         | nature town
see    | pets person      | animal person vehicle thing food           | nature town
watch  | pets person      | animal person vehicle                      | nature town
love   | person           | animal person vehicle thing food furniture |
like   | person           | animal person vehicle thing food furniture |
hate   | person           | animal person vehicle thing food furniture |
help   | person           | animal person                              | nature town
wash   | person           | road boat clothes pets livestock furniture | garden garage street
repair | adults workers   | vehicle devices furniture toys             | garden garage street
buy    | person           | thing food furniture pets                  | market shop city
buy    | adults workers   | road boat livestock                        | market city village
eat    | person           | dishes fruit                               | kitchen park garden office school
eat    | pets livestock   | dishes fruit                               | kitchen garden field
drink  | person           | drinks                                     | kitchen park garden office school
drink  | pets livestock   | milk water                                 | kitchen garden field
make   | person           | dishes tea coffee                          | kitchen garden
read   | person           | reading                                    | sofa bed kitchen school park station
carry  | person           | reading clothes devices toys fruit pets    | street market school station
drive  | adults workers   | road                                       | city village street

gives: action | who | whom | other
give   | person           | thing fruit cake pets                      | person
give   | person           | fruit bread cheese                         | animal
lend   | adults workers   | thing road                                 | adults workers

trades: action | who | whom | other
buy    | adults workers   | thing road boat pets livestock furniture   | adults workers
buy    | children         | toys reading clothes fruit pets            | adults workers

goes: action | who | whom | where
go     | person           | road train                                 | market school hospital shop office beach city
go     | person           | boat ship plane                            | island city village

stands: who | where
pets             | furniture rooms nature
livestock beasts | nature street
person           | rooms town nature waters
road             | garage street market station hospital garden
thing            | furniture rooms office garden
food             | table kitchen

clouds: action | where
weather          | land nature

is: who | how
animal vehicle furniture clothes toys land | size
vehicle horse dog mouse                    | speed
soup drinks                                | heat
road boat clothes furniture toys devices   | colour
vehicle clothes furniture devices food     | price
clothes furniture land nature waters toys  | look
food                                       | taste

feels: who | how | why
person pets | feeling              |
person      | happy sad angry calm | weather
person      | afraid               | storm fog wind
"""

# How it can be said. A slot for a role that a meaning lacks leaves nothing behind.
_WORDINGS = """
acts: {who} {s} {where} | {who} is {ing} {where} | {who} {ed} {where} | there is {a who} {ing} {where}
not acts: {who} {doesnt} {verb} {where} | {who} {isnt} {ing} {where} | {who} {didnt} {verb} {where}
does: {who} {s} {whom} {where} | {who} is {ing} {whom} {where} | {who} {ed} {whom} {where}
does: {whom} is {en} by {who} {where} | {whom} was {en} by {who} {where} | it is {who} that {s} {whom} {where}
not does: {who} {doesnt} {verb} {whom} {where} | {who} {isnt} {ing} {whom} {where} | {whom} {isnt} {en} by {who} {where}
not does: {who} {didnt} {verb} {whom} {where} | {whom} {wasnt} {en} by {who} {where}
gives: {who} {s} {whom} to {other} | {who} {s} {other} {whom} | {who} {ed} {whom} to {other} | {who} {ed} {other} {whom}
gives: {other} {back s} {whom} from {who} | {other} {back ed} {whom} from {who} | {whom} was {en} to {other} by {who}
not gives: {who} {doesnt} {verb} {whom} to {other} | {who} {didnt} {verb} {other} {whom}
not gives: {other} {doesnt} {back verb} {whom} from {who} | {other} {didnt} {back verb} {whom} from {who}
trades: {who} {s} {whom} from {other} | {who} is {ing} {whom} from {other} | {who} {ed} {whom} from {other}
trades: {other} {back s} {whom} to {who} | {other} {back ed} {whom} to {who} | {whom} was {back en} to {who} by {other}
not trades: {who} {doesnt} {verb} {whom} from {other} | {who} {didnt} {verb} {whom} from {other}
not trades: {other} {doesnt} {back verb} {whom} to {who} | {other} {didnt} {back verb} {whom} to {who}
goes: {who} {s} to {place} by {no whom} | {who} is {ing} to {place} by {no whom} | {who} {ed} to {place} by {no whom}
goes: {who} takes {whom} to {place} | {who} took {whom} to {place}
not goes: {who} {doesnt} {verb} to {place} by {no whom} | {who} {didnt} {verb} to {place} by {no whom}
not goes: {who} {doesnt} take {whom} to {place} | {who} {didnt} take {whom} to {place}
stands: {who} is {where} | {who} was {where} | there is {a who} {where} | {where} there is {a who}
not stands: {who} {isnt} {where} | {who} {wasnt} {where} | there is no {no who} {where}
clouds: it is {raining} {where} | there is {a rain} {where} | the weather is {rainy} {where}
not clouds: it {isnt} {raining} {where} | there is no {no rain} {where} | the weather {isnt} {rainy} {where}
is: {the who} is {how} | {the who} was {how} | it is {a who} | this is {a who}
not is: {the who} {isnt} {how} | {the who} {wasnt} {how} | it {isnt} {a who} | this {isnt} {a who}
feels: {the who} is {how} {why} | {the who} feels {how} {why} | {the rain} makes {the who} {how}
not feels: {the who} {isnt} {how} {why} | {the who} {doesnt} feel {how} {why} | {the rain} {doesnt} make {the who} {how}
"""

_BACK = {"give": ["get", "receive"], "lend": ["borrow"], "buy": ["sell"]}  # when you buy, the other one sells
_WEATHER = {"rain": ["rainy", "raining"], "snow": ["snowy", "snowing"], "storm": ["stormy"], "fog": ["foggy"]}
_WEATHER |= {"sunshine": ["sunny"], "wind": ["windy"]}
_PREPOSITIONS = {"on": "furniture street beach mountain island", "at": "market school hospital station office"}
_PREPOSITIONS |= {"by": "waters"}
_IRREGULAR = """sleep slept slept, sit sat sat, run ran run, swim swam swum, sing sang sung, see saw seen,
eat ate eaten, drink drank drunk, buy bought bought, sell sold sold, make made made, read read read, drive drove driven,
give gave given, get got got, lend lent lent, go went gone"""
_DOUBLING = ("sit", "run", "swim", "nap", "stop", "get", "travel")
_STILL = ("see", "love", "like", "hate")  # nobody is hating a soup: these have no -ing form, and go with "the"
_LOOKALIKES = (
    "cat car, cat hat, goat boat, goat coat, boat coat, bear pear, sheep ship, dog doll, man van, mat hat, bed bread"
)

_WEIGHTS = {"action": 3, "who": 3, "whom": 3, "other": 3, "where": 2, "how": 2, "why": 2}
_SHARES = {"acts": 4, "does": 8, "gives": 2, "trades": 2, "goes": 2, "stands": 4, "clouds": 1, "is": 4, "feels": 3}
_TWO_PARTIES = ("does", "does", "does", "does", "gives", "trades")
_WHERE_IS_SAID = {"acts": 0.85, "does": 0.4, "clouds": 0.8}


class Triple(NamedTuple):
    """Three sentences; the anchor is nearer in meaning to the positive than to the negative."""

    anchor: str
    positive: str
    negative: str


class Meaning(NamedTuple):
    """What fills each role. The frame knows how to say it, and has no part in the distance."""

    frame: str
    roles: dict[str, str]
    negated: bool = False


def corpus(seed: int = 0) -> tuple[list[Triple], list[Triple]]:
    """Triples to learn from and triples to test on. What a held-out anchor means is never said in training."""
    rng = random.Random(seed)
    held_out = [draw_triple(rng) for _ in range(HELD_OUT)]
    unseen = {_key(anchor) for anchor, _, _ in held_out}
    training: list[tuple[Meaning, ...]] = []
    while len(training) < TRAINING:
        triple = draw_triple(rng)
        if unseen.isdisjoint(map(_key, triple)):
            training.append(triple)
    return [Triple(*_say_all(rng, triple)) for triple in training], [Triple(*_say_all(rng, t)) for t in held_out]


def graded_pairs(seed: int, count: int) -> list[tuple[str, str, float]]:
    """Pairs of sentences with their similarity, 1 - distance: from the same in other words to unrelated."""
    rng = random.Random(seed)
    pairs = []
    for _ in range(count):
        first, second = _draw_changed(rng, _pick(rng, _CHANGES))
        if rng.random() < 0.15:
            second = first
        a, b = _say_all(rng, (first, second))
        pairs.append((a, b, 1 - distance(first, second)))
    return pairs


def distance(first: Meaning, second: Meaning) -> float:
    """How far two meanings are apart, from 0 to 1: see the top of this module."""
    a, b = first.roles, second.roles
    if first == second:
        return 0.0
    weights = {role: _WEIGHTS[role] for role in a | b}
    roles = sum(weight * _role_apart(a, b, role) for role, weight in weights.items()) / sum(weights.values())
    nearest = [min([_apart(x, y) for y in there.values()]) for here, there in ((a, b), (b, a)) for x in here.values()]
    d = 0.6 * roles + 0.4 * sum(nearest) / len(nearest)
    return d if first.negated == second.negated else d + 0.3 * (1 - d)


def _role_apart(a: dict[str, str], b: dict[str, str], role: str) -> float:
    here, there = a.get(role, ""), b.get(role, "")
    moved = here != there and (here in b.values() or there in a.values())
    return 1.0 if moved else _apart(here, there)


@cache
def _apart(first: str, second: str) -> float:
    if first == second:
        return 0.0
    if not (first and second):
        return 1.0
    a, b = _CONCEPT[first], _CONCEPT[second]
    return 0.5 if a.category == b.category else 0.8 if a.group == b.group else 1.0


def _pick(rng: random.Random, options: Sequence[T]) -> T:
    """One of them. Python promises that `random()` stays as it is from version to version; `choice` may change."""
    return options[int(rng.random() * len(options))]


# Meanings: drawing them, and changing them a little or a lot

Change = Callable[[random.Random, Meaning], Meaning | None]
"""What makes another meaning out of one, or nothing where that would make no sense."""


def draw(rng: random.Random, frame: str = "") -> Meaning:
    """Something to say, in any frame or in this one."""
    frame = frame or _pick(rng, _FRAMES)
    roles = {role: _pick(rng, concepts) for role, concepts in _pick(rng, _SCENE[frame]).items() if concepts}
    if rng.random() > _WHERE_IS_SAID.get(frame, 1):
        roles.pop("where", "")
    if frame in ("acts", "does", "stands") and rng.random() < 0.25 and _qualities(roles["who"]):
        roles["how"] = _pick(rng, _qualities(roles["who"]))
    if len(set(roles.values())) < len(roles):  # nobody follows themselves
        return draw(rng, frame)
    return Meaning(frame, roles, negated=rng.random() < 0.15)


def draw_triple(rng: random.Random) -> tuple[Meaning, Meaning, Meaning]:
    """An anchor, a meaning that is the same or near, and one that is further away by the margin at least."""
    while True:
        anchor, negative = _draw_changed(rng, _pick(rng, _CHANGES))
        positive = anchor if rng.random() < 0.5 else _near(rng, anchor)
        if positive and distance(anchor, negative) - distance(anchor, positive) >= MARGIN:
            return anchor, positive, negative


def _draw_changed(rng: random.Random, change: Change) -> tuple[Meaning, Meaning]:
    """A meaning that can be changed in this way, and what it becomes."""
    while True:
        meaning = draw(rng, _pick(rng, _TWO_PARTIES) if change is _swap else "")
        if changed := change(rng, meaning):
            return meaning, changed


def _near(rng: random.Random, meaning: Meaning) -> Meaning | None:
    """One concept becomes another of its category: the cat a dog."""
    role, concept = _pick(rng, list(meaning.roles.items()))
    return _with(meaning, {role: _pick(rng, _members(_CONCEPT[concept].category))})


def _edit(rng: random.Random, meaning: Meaning) -> Meaning | None:
    """One concept becomes any other that makes sense."""
    role = _pick(rng, list(meaning.roles))
    rest = {r: concept for r, concept in meaning.roles.items() if r != role}
    scenes = [scene for scene in _scenes(meaning.frame, rest) if scene.get(role)]
    return _with(meaning, {role: _pick(rng, _pick(rng, scenes)[role])}) if scenes else None


def _edit_twice(rng: random.Random, meaning: Meaning) -> Meaning | None:
    once = _edit(rng, meaning)
    return once and _edit(rng, once)


def _swap(rng: random.Random, meaning: Meaning) -> Meaning | None:
    """The same words, the roles exchanged: the dog chases the cat, the cat chases the dog."""
    role = "other" if "other" in meaning.roles else "whom"
    if role not in meaning.roles or "how" in meaning.roles:
        return None
    return _with(meaning, {"who": meaning.roles[role], role: meaning.roles["who"]})


def _misread(rng: random.Random, meaning: Meaning) -> Meaning | None:
    """One concept becomes another that is spelt nearly the same: the cat a car."""
    options = [(role, other) for role, concept in meaning.roles.items() for other in _lookalikes(concept)]
    return _with(meaning, dict([_pick(rng, options)])) if options else None


@cache
def _lookalikes(concept: str) -> list[str]:
    pairs = [pair.split() for pair in _LOOKALIKES.split(", ")]
    return [b if concept == a else a for a, b in pairs if concept in (a, b)]


_CHANGES: tuple[Change, ...] = (
    *(_near, _edit, _edit, _edit_twice, _edit_twice, _swap, _swap, _swap, _misread),
    lambda rng, meaning: meaning._replace(negated=not meaning.negated),
    lambda rng, meaning: draw(rng),
)


def _with(meaning: Meaning, changes: dict[str, str]) -> Meaning | None:
    """The meaning with other concepts in some roles, if it is another one and makes sense."""
    roles = meaning.roles | changes
    fitting = meaning.frame in ("is", "feels") or "how" not in roles or roles["how"] in _qualities(roles["who"])
    if roles == meaning.roles or not fitting or len(set(roles.values())) < len(roles):
        return None
    return meaning._replace(roles=roles) if _scenes(meaning.frame, roles) else None


def _scenes(frame: str, roles: dict[str, str]) -> list[_Scene]:
    """The scenes of a frame in which all these roles can be filled so."""
    scenes = _scenes_with(frame, roles.get("action", ""))
    for role, concept in roles.items():
        scenes = [scene for scene in scenes if role not in scene or concept in scene[role]]
    return scenes


@cache
def _scenes_with(frame: str, action: str) -> list[_Scene]:
    return [scene for scene in _SCENE[frame] if not action or action in scene["action"]]


def _key(meaning: Meaning) -> tuple[object, ...]:
    return meaning.frame, frozenset(meaning.roles.items()), meaning.negated


# Words


def say(rng: random.Random, meaning: Meaning) -> str:
    """One of the ways to put it."""
    wordings = _wordings(meaning.frame, meaning.negated, "why" in meaning.roles, meaning.roles.get("action") in _STILL)
    tokens = _pick(rng, wordings).format_map(_Words(rng, meaning)).split()
    stop = ["."] if rng.random() < 0.2 else []
    return re.sub(r"\ba(?= [aeiou])", "an", " ".join(tokens + stop))


def _say_all(rng: random.Random, meanings: tuple[Meaning, ...]) -> list[str]:
    """One sentence for each; no two differ only in what doesn't count."""
    while True:
        sentences = [say(rng, meaning) for meaning in meanings]
        if len({" ".join(_LITTLE.sub("", sentence).split()) for sentence in sentences}) == len(sentences):
            return sentences


@cache
def _wordings(frame: str, negated: bool, with_why: bool, still: bool) -> list[str]:
    lines = [line.split(": ") for line in _WORDINGS.strip().splitlines()]
    every = [wording for head, line in lines if head == "not " * negated + frame for wording in line.split(" | ")]
    return [w for w in every if (with_why or "{the rain}" not in w) and not (still and "{ing}" in w)]


class _Words:
    """What stands in each slot of a wording; `str.format_map` asks."""

    def __init__(self, rng: random.Random, meaning: Meaning) -> None:
        self._rng = rng
        self._roles = meaning.roles
        self._exact = meaning.negated or meaning.roles.get("action") in _STILL

    def __getitem__(self, slot: str) -> str:
        before, _, key = slot.rpartition(" ")
        if key in ("who", "whom", "other"):
            return self._noun(before, key)
        if key in _FORMS:
            verbs = _BACK[self._roles["action"]] if before else _CONCEPT[self._roles["action"]].words
            return _forms(_pick(self._rng, verbs))[_FORMS.index(key)]
        if key.endswith("nt"):
            return _pick(self._rng, (key[:-2] + " not", key[:-2] + "n't"))
        if key in ("place", "where"):
            return self._place(key)
        if key == "how":
            return self._word("how")
        if key == "why":
            because = _pick(self._rng, ("because of {the rain}", "because it is {raining}"))
            return because.format_map(self) if "why" in self._roles else ""
        return self._weather(before, key)

    def _word(self, role: str) -> str:
        return _pick(self._rng, _CONCEPT[self._roles[role]].words)

    def _noun(self, article: str, role: str) -> str:
        """the car, a fast car, some soup; "no" is no article, and "the" no quality"""
        quality = self._word("how") if role == "who" and "how" in self._roles and article != "the" else ""
        noun = f"{quality} {self._word(role)}"
        article = article or ("the" if self._exact or self._rng.random() < 0.75 else "a")
        if article == "a" and _CONCEPT[self._roles[role]].countless:
            article = "no" if quality else "some"
        return noun if article == "no" else f"{article} {noun}"

    def _place(self, key: str) -> str:
        where = self._roles.get("where")
        if not where:
            return ""
        swims = self._roles.get("action") == "swim"
        on = "in" if swims else next((on for on, places in _PREPOSITIONS.items() if where in _members(places)), "in")
        return f"{on} the {self._word('where')}" if key == "where" else f"the {self._word('where')}"

    def _weather(self, article: str, key: str) -> str:
        """the rain; rain, or a storm; rainy, or raining"""
        concept = self._roles.get("why") or self._roles["action"]
        if key == "rainy":
            return _WEATHER[concept][0]
        if key == "raining":
            return _pick(self._rng, _WEATHER[concept])
        counted = article == "the" or (article == "a" and concept == "storm")
        return f"{article} {concept}" if counted else concept


_LITTLE = re.compile(r"\b(an?|the|some)\b|\.")
_FORMS = ("verb", "s", "ing", "ed", "en")


@cache
def _forms(verb: str) -> tuple[str, ...]:
    """chase, chases, chasing, chased, chased"""
    irregular = {base: past for base, *past in (line.split() for line in _IRREGULAR.split(","))}
    stem = verb + verb[-1] if verb in _DOUBLING else verb if verb == "see" else verb.removesuffix("e")
    third = verb.replace("rry", "rrie") + ("es" if verb.endswith(("ch", "sh", "x", "o")) else "s")
    past = "carried" if verb == "carry" else stem + "ed"
    return verb, third, stem + "ing", *irregular.get(verb, (past, past))


# Reading the tables


_Scene = dict[str, list[str]]
"""For each role, the concepts that may fill it."""


class _Concept(NamedTuple):
    words: list[str]
    category: str
    group: str
    countless: bool


def _read_concepts() -> dict[str, _Concept]:
    concepts = {}
    for line in _CONCEPTS.strip().splitlines():
        group, categories = line.split(": ")
        for category, entries in (part.split(" = ") for part in categories.split("; ")):
            for entry in entries.split():
                words = entry.removesuffix("*").split("/")
                concepts[words[0]] = _Concept(words, category, group, entry.endswith("*"))
    return concepts


@cache
def _members(names: str) -> list[str]:
    """The concepts that are named, or whose category or group is."""
    wanted = names.split()
    return [name for name, c in _CONCEPT.items() if not {name, c.category, c.group}.isdisjoint(wanted)]


def _read_scenes() -> dict[str, list[_Scene]]:
    scenes = {}
    for block in _SCENES.strip().split("\n\n"):
        head, *lines = block.splitlines()
        frame, roles = head.split(": ")
        rows = [[_members(field) for field in line.split("|")] for line in lines]
        scenes[frame] = [dict(zip(roles.split(" | "), row, strict=True)) for row in rows]
    return scenes


@cache
def _qualities(noun: str) -> list[str]:
    return [quality for scene in _SCENE["is"] if noun in scene["who"] for quality in scene["how"]]


_CONCEPT = _read_concepts()
_SCENE = _read_scenes()
_FRAMES = [frame for frame, share in _SHARES.items() for _ in range(share)]
