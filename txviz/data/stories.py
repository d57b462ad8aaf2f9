"""Little English stories, for the writer to learn from: a grammar of tables and templates.

A template is a story with holes. A `{slot}` names a column of a table. One row of that table is drawn per story, so the
same slot again is the same word again, and slots of one table agree: `{name} lost {his} {thing}` gives "anna lost her
hat" or "tom lost his map". A digit asks for another row: `{name2}` is somebody else, with another pronoun.
`[a|b]` is one of the two. `is/are` is the first form in a story about one thing and the second in a story about
many; only a template that has such a pair itself can be about many. What fills a slot may have slots of its own.

A text is lower-case, and spaces set its words and signs apart: `text.split()` are its tokens.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple, TypeVar

T = TypeVar("T")

TRAINING, HELD_OUT = 30_000, 1_000

EXAMPLES = (
    "the keys on the table",
    "anna lost her hat .",
    "tom found a map",
    "it was raining , so mia",
    "lucy gave ben a book .",
    "alex wanted to fly , but",
    "max had five apples .",
    "can a fish",
    "the bakers who live near the river",
    "who ate the cake ?",
)

# The first line of each table names its columns; no two columns share a name.
_TABLES = """
name | he   | him  | his   | was  | is
anna | she  | her  | her   | was  | is
mia  | she  | her  | her   | was  | is
lucy | she  | her  | her   | was  | is
emma | she  | her  | her   | was  | is
tom  | he   | him  | his   | was  | is
ben  | he   | him  | his   | was  | is
leo  | he   | him  | his   | was  | is
max  | he   | him  | his   | was  | is
alex | they | them | their | were | are
sam  | they | them | their | were | are

thing    | use                                              | keep
hat      | wore it [all day|in bed|to school]               | on {his} head
key      | opened the [old box|garden door|wrong door]      | in {his} pocket
book     | read it [in bed|all night|to {his} {pet}]        | in {his} bag
map      | looked for [gold|the sea|the old house]          | in {his} pocket
ball     | [played with|lost] it [in the garden|at school]  | in {his} bag
letter   | read it [in bed|all night|to {his} mother]         | in {his} pocket
phone    | called {his} [mother|sister|teacher]             | in {his} pocket
umbrella | opened it [in the rain|in bed|on the roof]       | in {his} bag
ring     | gave it to {his} [mother|sister|{pet}]           | in {his} pocket
coin     | bought [an apple|some bread|a kite]              | in {his} pocket
guitar   | played [a sad song|a funny song|it all night]    | behind the sofa
camera   | took a picture of [the moon|the sea|{his} {pet}] | in {his} bag

need    | cure
hungry  | ate {meal}
thirsty | drank {drink}
tired   | [went to bed|fell asleep on the sofa|slept all day|fell asleep on the bus]
cold    | [sat near the fire|put on a warm coat|drank some hot tea]
bored   | [played the guitar|watched the stars|painted the door green|told {his} {pet} a story]
sick    | [stayed in bed|called the doctor|drank some hot tea|slept all day]
late    | [ran to school|took the bus|ran to the station|ran all the way home]

weather             | answer
it was raining      | [took an umbrella|stayed at home|put on {his} boots|danced in the rain]
it was snowing      | [made a snowman|put on a warm coat|sat near the fire|stayed in bed]
the sun was shining | [went to the beach|swam in the lake|had lunch in the garden|wore a hat]
it was windy        | [flew a kite|closed the window|stayed at home|looked for {his} hat]
it was dark         | [turned on the lamp|watched the stars|went to bed|watched the moon]

mood   | why                                                                       | sign
happy  | {he} [won the race|found {his} {thing}|had a new {pet}|had a new {thing}] | [smiled|laughed] all day
happy  | it was [{his} birthday|sunday]                                            | danced [in the kitchen|all day]
sad    | {he} lost [{his} {thing}|the race]                                        | [sat in the rain|went to bed]
sad    | {his} {pet} was [sick|gone]                                               | cried [all night|in the kitchen]
angry  | {his} {pet} ate {his} [dinner|{thing}|birthday cake]                      | [shouted at it|said nothing]
angry  | {name2} [lost {his} {thing}|forgot {his} birthday]                        | shouted at {him2}
afraid | {he} [saw a spider|heard a noise] {spot}                                  | hid behind {name2}
afraid | there was a spider {spot}                                                 | [ran home|turned on the lamp]

place       | task                      | did
the library | read [a book|old letters] | read [a book|old letters]
the market  | buy [eggs|cheese|a hat]   | bought [eggs|cheese|a hat]
the beach   | swim in the sea           | swam in the sea
the park    | fly a kite                | flew a kite
the station | catch the [train|bus]     | caught the [train|bus]
the lake    | catch a fish              | caught [a fish|an old shoe]
the zoo     | see the [monkeys|owls]    | saw the [monkeys|owls|elephants]
the river   | look for [gold|frogs]     | looked for [gold|frogs]

pet    | habit
cat    | slept [on {his} head|in {his} bag|on the roof]
dog    | barked at [the moon|{his} sister|{his} shoes]
parrot | [said hello to|laughed at|sang to] [the moon|{his} mother|{him}]
rabbit | ate [{his} letters|the flowers|{his} bread]
mouse  | hid in {his} [shoe|bed|bag|hat]

wish            | outcome
to fly          | {he} [fell on {his} {pet}|fell in the lake|forgot {his} umbrella]
to sleep        | [{his} {pet} sang all night|the moon was too bright|{name2} played the guitar]
to bake a cake  | [{his} {pet} ate the eggs|the cake was too hard|there was no milk]
to paint a door | {he} painted [{his} {pet}|the window|{his} shoes]
to write a book | [{he} forgot the story|{his} {pet} ate it|nobody read it]
to swim         | [the water was too cold|it was snowing|there was a duck in the water]
to win the race | [a snail was faster|{he} ran to the wrong house|{he} fell asleep]
to cook dinner  | [the soup was green|the fridge was full of shoes|{name2} ate the eggs]

object         | looks                        | does
key/keys       | [old|small|heavy|new]        | opens/open [the garden door|the old box|nothing]
flower/flowers | [red|yellow|fresh|beautiful] | needs/need [water|some sun]
book/books     | [old|open|heavy|boring]      | tells/tell [a long story|a funny story]
cup/cups       | [old|dirty|small|white]      | holds/hold [hot tea|cold milk]
lamp/lamps     | [bright|old|small|new]       | shines/shine all night
clock/clocks   | [slow|fast|small|old]        | stops/stop [every night|when it rains]
cake/cakes     | [sweet|fresh|small|hard]     | smells/smell [wonderful|of bananas]
letter/letters | [long|old|boring|open]       | tells/tell [a sad story|nothing new]

animal             | act                       | home                      | eats        | can          | cannot
dog/dogs           | barks/bark                | near the [door|boxes]     | some meat   | [run|swim]   | [fly|read]
cat/cats           | sleeps/sleep              | on the [sofa|chairs]      | some milk   | climb        | [fly|read]
bird/birds         | sings/sing                | in the [tree|trees]       | some bread  | [fly|sing]   | [read|bake]
fish/fish          | swims/swim                | in the [lake|river]       | some bread  | swim         | [fly|sing|run]
horse/horses       | runs/run                  | near the [river|trees]    | an apple    | [run|swim]   | [fly|climb]
duck/ducks         | swims/swim                | near the [boat|boats]     | some bread  | [swim|fly]   | [climb|read]
frog/frogs         | [jumps/jump|sings/sing]   | near the [lake|boats]     | a spider    | [jump|swim]  | [fly|read]
bee/bees           | dances/dance              | near the [flower|flowers] | some honey  | [fly|dance]  | [swim|read]
monkey/monkeys     | [dances/dance|jumps/jump] | in the [tree|trees]       | a banana    | climb        | [fly|bake]
elephant/elephants | [sleeps/sleep|runs/run]   | near the [river|trees]    | some leaves | [run|swim]   | [fly|climb]
mouse/mice         | [hides/hide|dances/dance] | behind the [fridge|boxes] | some cheese | [run|hide]   | [fly|read]
rabbit/rabbits     | [jumps/jump|hides/hide]   | behind the [tree|trees]   | some leaves | [jump|run]   | [fly|climb]
owl/owls           | watches/watch the moon    | on the [roof|boxes]       | some meat   | fly          | [swim|bake]
snail/snails       | [sleeps/sleep|hides/hide] | under the [flower|leaves] | some leaves | [hide|sleep] | [run|fly]

job              | work                                       | away
baker/bakers     | bakes/bake [bread|cakes|cookies]           | at the market
farmer/farmers   | feeds/feed the [cows|horses|ducks]         | in the city
teacher/teachers | reads/read [books|stories] to the children | at the zoo
doctor/doctors   | helps/help [sick children|sick dogs]       | sick in bed
painter/painters | paints/paint [the sky|the sea|flowers]     | on the roof
cook/cooks       | makes/make [hot soup|dinner|cakes]         | hungry
pilot/pilots     | flies/fly over the [sea|city|river]        | on the bus

mislaid
{he} looked {spot} and {spot2}, but the {thing} was [gone|not there|{spot3}].
{he} looked {spot}, but {he} found only a {thing2}. {his} {pet} had the {thing}!
{he} asked {name2} about it, but {he2} [only laughed|said nothing|{was2} asleep].
{name2} found the {thing} {spot} and [gave it back|told nobody|said nothing].
{he} {was} [sad|angry], but {name2} bought {him} a new {thing} at the market.
{his} {pet} had it {spot}!

kept
{he} {use}. [{laugh}.|]
{he} put the {thing} {keep} and {then}.
it was [wonderful|too heavy|too small], so {he} [took it home|gave it to {his} mother|told {name2} about it].
{he} gave the {thing} to {name2}, and {he2} [thanked {him}|smiled at {him}|gave {him} a {thing2}].
{he} wanted the {thing}, but {his} {pet} [took|ate|hid] it!

given
{he} [thanked|smiled at|laughed at] {him2} and {use}.
{he} wanted a {thing2}, so {he} gave the {thing} [to {his} {pet}|to {his} mother|back].
{he} put the {thing} {keep} and {then}.
it was [{his} birthday|sunday|raining], so {he} {use}.
{his} {pet} [took|ate|hid] it, and {he} {was} [sad|angry].

refused
{he2} had only a {thing2}. {he} [laughed|took the {thing2}|thanked {him2}|{was} angry].
{he2} wanted it too. {he} [laughed|shouted at {him2}|gave {him2} a {thing2}].
it was gone. {his} {pet} had the {thing}!

after
now {he} {was} [happy|tired].
{name2} did the same.
{name2} only laughed. {he} laughed too.
{his} {pet} did the same.
it was a good plan.
[everybody|nobody] was surprised.
{he} told {name2} about it, and {he2} [laughed|smiled|did the same].

petlife
every night, the {pet} {habit}. [{laugh}.|]
the {pet} {habit}, and {he} {was} [angry|happy|surprised].
one day, the {pet} was gone. {he} found it {spot}!
{name2} wanted a {pet} too, but {he2} found only a {pet2}.
the {pet} was hungry, so {he} gave it {meal}.
{he} and the {pet} went to {place} and {did}.
"""

# Tables of one column.
_LISTS = {
    "spot": "under {his} bed; behind the sofa; in the kitchen; in the garden; on the table; behind the door; "
    "near the window; in the fridge; under the old chair; on the roof",
    "beside": "on the table; near the tables; near the window; near the windows; in the box; in the boxes; "
    "behind the chair; behind the chairs; under the tree; under the trees",
    "from": "from the city; near the station; near the trees; with the two dogs; with the red hat; with the red shoes; "
    "who lives/live near the river; who lives/live behind the school; who likes/like flowers",
    "group": "the children; the twins; {name} and {name2}; {name} and {his} sister",
    "meal": "some bread; some soup; an apple; two eggs; some cheese; a cake; three bananas",
    "drink": "some milk; some water; a cup of tea; two cups of hot milk",
    "snack": "cake; soup; bread; cheese; eggs; cookies; bananas",
    "treasure": "apples; bananas; eggs; coins; cookies; books",
    "kind": "; ; ; old; new; small; red; beautiful",
    "breed": "; ; ; old; small; lazy; clever; funny",
    "trait": "lazy; clever; funny; small; black; white; old",
    "mind": "hungry; happy; bored; afraid; sick",
    "when": "all day; every night; when it rains; when the sun shines; when nobody is at home",
    "then": "went home; ran home; said nothing; smiled; forgot about it; told nobody",
    "once": "; ; ; one day,; one night,; one morning,; today",
    "meanwhile": "but {name2} laughed at {him}; but {name2} went to {place} and {did}; and {name2} did the same",
    "felt": "{he} {sign}; {name2} gave {him} {meal}; {name2} laughed at {him}; {he} told {name2} about it",
    "laugh": "{he} laughed; everybody laughed; nobody was surprised; {name2} laughed at {him}; it was a long day",
}

_NUMBERS = ("one", "two", "three", "four", "five", "six")
_SMALL_TO_BIG = ("bee", "mouse", "rabbit", "dog", "horse", "elephant")

_TEMPLATES = """
{once} {name} lost {his} {kind} {thing}. {mislaid}
{once} {name} found a {kind} {thing} {spot}. {kept}
{once} {name2} gave {name} a {kind} {thing}. {given}
{once} {name} asked {name2} for a {kind} {thing}, but {refused}
{once} {name} was {need}, so {he} {cure}. {after}
{name} {cure} because {he} {was} {need}. {after}
{weather}, so {name} {answer}. {after}
{weather}. {name} {answer}, {meanwhile}.
{once} {name} was {mood} because {why}. {felt}.
why was {name} {mood}? {why}, so {he} {sign}.
{once} {name} went to {place} to {task}, but [it was closed|{he} forgot {his} {thing}]. {he} [ran|went] home.
{once} {name} went to {place} and {did}. {after}
{once} {name} went to {place} and found a {kind} {thing} there. {kept}
{once} {group} went to {place} and {did}. they were [happy|tired|late|hungry], so they [went|ran|took the bus] home.
{name} had a {trait} {pet}. {petlife}
{once} {name} bought a {trait} {pet} at the market. {petlife}
{name} had {count} {treasure}. {he} gave {less} to {name2}, so {he} had {rest} left.
{name} had {count} {treasure}. {his} {pet} [took|ate|hid] {less}, so now {he} had only {rest}!
{once} {name} wanted {wish}, but {outcome}. {laugh}.
where is {name}? {he} {is} {spot} with {his} {pet} because {he} {is} {mood}.
who ate the {snack}? {name} did! {he} {was} [hungry|bored|sad|happy], and {his} {pet} wanted some too.
who ate the {snack}? it was the {pet}! there was nothing left for {name}, so {he} [{was} angry|{was} sad|drank {drink}].
the {object} {beside} is/are {looks}. {name} [found|bought|saw] it/them at [the market|the station|the zoo|school].
the {object} {beside} is/are {looks}, but it/they {does}.
the {object} {beside} {does}, [and|but] {name} thinks that it/they is/are {looks}.
is/are the {object} {beside} {looks}? [yes, it/they is/are|no, but it/they {does}].
{name} likes the {object} {beside} because it/they {does}.
where is/are the {object}? it/they is/are {beside}. {name} put it/them there because it/they is/are {looks}.
the {breed} {animal} {home} {act} {when} because it/they is/are {mind}.
the {breed} {animal} {home} {act} {when}, [and|but] {name} thinks that it/they is/are [clever|lazy|funny|hungry].
{name} saw a {breed} {animal} {home}. {he} gave it {eats}, [and it danced|but it was sick|so it came home with {him}].
{name} saw a {animal} {home} and a {animal2} {home2}. the {animal} wanted {eats}, but {name} had only a {thing}.
can a {animal} {can}? yes, it can, but it cannot {cannot}. [a {animal2} can {can2}.|]
can a {animal} {cannot}? no, it cannot, but it can {can}. [{name} saw a {animal} {home}.|]
{name} thinks that a {animal} can {can}. {he} {is} right, but it cannot {cannot}.
{name} thinks that a {animal} can {cannot}. {he} {is} wrong, but it can {can}!
{name} thinks that a {small} is [smaller than a {big}. {he} {is} right|bigger than a {big}. {he} {is} wrong]!
the {job} {from} {work} [all day|every morning|every night]. today the {job} is/are {away}.
the {job} {from} {work}, but today it is sunday, so the {job} is/are [asleep|at the beach|at home|{away}].
who {work}? the {job} {from} does, and {name} [watches|helps|sleeps].
"""


def corpus(seed: int = 0) -> tuple[list[str], list[str]]:
    """The texts to learn from and the texts to test on. No two are equal."""
    stories = _stories(random.Random(seed))
    texts: dict[str, None] = {}
    while len(texts) < TRAINING + HELD_OUT:
        texts.setdefault(next(stories))
    distinct = list(texts)
    return distinct[HELD_OUT:], distinct[:HELD_OUT]


def ngram_perplexity(train: list[str], held_out: list[str], n: int) -> float:
    """Perplexity per token, the end of each text included, of counting words (n = 1) or pairs of words (n = 2).

    Words: add-one, p(w) = (count(w) + 1) / (tokens + types + 1); the last 1 is for a word never seen.
    Pairs, after Witten and Bell: p(w|v) = (count(v, w) + followers(v) p(w)) / (count(v) + followers(v)), where
    followers(v) is how many different words come after v.
    """
    if n not in (1, 2):
        raise ValueError(f"n is {n}; 1 and 2 are known")
    pairs = Counter(pair for text in train for pair in _pairs(text))
    words, before, followers = Counter[str](), Counter[str](), Counter[str]()
    for (v, w), count in pairs.items():
        words[w] += count
        before[v] += count
        followers[v] += 1
    total = words.total() + len(words) + 1

    def probability(v: str, w: str) -> float:
        alone = (words[w] + 1) / total
        if n == 1 or v not in before:
            return alone
        return (pairs[v, w] + followers[v] * alone) / (before[v] + followers[v])

    losses = [-math.log(probability(v, w)) for text in held_out for v, w in _pairs(text)]
    return math.exp(math.fsum(losses) / len(losses))


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """Each token with the one before it; "" stands before the first and after the last."""
    return pairwise(["", *text.split(), ""])


def _pick(rng: random.Random, options: Sequence[T]) -> T:
    """One of them. Python promises that `random()` stays as it is from version to version; `choice` may change."""
    return options[int(rng.random() * len(options))]


def _stories(rng: random.Random) -> Iterator[str]:
    tables = _read_tables()
    templates = _TEMPLATES.strip().splitlines()
    while True:
        yield _Story(rng, tables).tell(_pick(rng, templates))


class _Table(NamedTuple):
    columns: list[str]
    rows: list[list[str]]


def _read_tables() -> dict[str, _Table]:
    """For each column, the table that has it."""
    blocks = [[re.split(r"\s+\|\s+", line) for line in block.splitlines()] for block in _TABLES.strip().split("\n\n")]
    tables = [_Table(columns, rows) for columns, *rows in blocks]
    tables += [_Table([name], [[entry] for entry in entries.split("; ")]) for name, entries in _LISTS.items()]
    takings = [[_NUMBERS[i] for i in (have, less, have - less - 1)] for have in range(1, 6) for less in range(have)]
    tables += [_Table(["count", "less", "rest"], takings)]
    tables += [_Table(["small", "big"], [list(pair) for pair in combinations(_SMALL_TO_BIG, 2)])]
    return {column: table for table in tables for column in table.columns}


class _Story:
    """One story while it is told: the rows drawn so far, and whether it is about one thing or many."""

    def __init__(self, rng: random.Random, tables: dict[str, _Table]) -> None:
        self._rng = rng
        self._tables = tables
        self._rows: dict[str, dict[str, list[str]]] = {}
        self._filled: dict[str, str] = {}
        self._form = 0

    def tell(self, template: str) -> str:
        self._form = _pick(self._rng, (0, 1)) if "/" in template else 0
        tokens = re.findall(r"[a-z]+|[.,?!]", self._fill(template))
        return re.sub(r"\ba(?= [aeiou])", "an", " ".join(tokens))

    def _fill(self, text: str) -> str:
        if "[" in text:
            text = re.sub(r"\[(.*?)\]", lambda found: _pick(self._rng, found[1].split("|")), text)
        if "/" in text:
            text = re.sub(r"\w+/\w+", lambda found: found[0].split("/")[self._form], text)
        return re.sub(r"{([a-z]+)(\d?)}", lambda found: self._slot(found[1], found[2]), text) if "{" in text else text

    def _slot(self, column: str, digit: str) -> str:
        slot = column + digit
        if slot not in self._filled:
            table = self._tables[column]
            self._filled[slot] = self._fill(self._row(table, digit)[table.columns.index(column)])
        return self._filled[slot]

    def _row(self, table: _Table, digit: str) -> list[str]:
        """The row drawn for this digit: another than the table's other rows, in its second column too."""
        drawn = self._rows.setdefault(table.columns[0], {})
        if digit not in drawn:
            taken = {field for row in drawn.values() for field in row[:2]}
            drawn[digit] = _pick(self._rng, [row for row in table.rows if taken.isdisjoint(row[:2])])
        return drawn[digit]
