"""Sentence pairs by chance: what the translator learns from, and what it is examined on."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from txviz.data.translation import english, french, italian
from txviz.data.translation.phrases import DeadEndError
from txviz.data.translation.reading import readings
from txviz.data.translation.sentences import sentence
from txviz.data.translation.syntax import Sentence
from txviz.spelling import Language, join, normalise, tokenise

TRAINING, HELD_OUT = 40_000, 1_500
LEVELLED, TRIES = 6_000, 4
"""For the last so many pairs, chance has several tries, so that no word stays too rare to be learnt."""
LONGEST = 14
"""No English sentence of the corpus has more words and signs."""

EXAMPLES: tuple[tuple[str, Language], ...] = (
    ("I love you very much", "it"),
    ("The house is big", "fr"),
    ("The cat lies on the sofa", "it"),
    ("The sofa lies on the cat", "it"),
    ("The dog chased the cat because it was fast.", "fr"),
    ("The mouse is afraid of the elephants.", "fr"),
    ("My sister does not like this coffee.", "it"),
    ("She gave me two red flowers yesterday.", "fr"),
    ("The girl lost her keys but she found them.", "it"),
    ("We went home because we were hungry.", "it"),
    ("There are no apples on the table.", "fr"),
    ("Do you see the beautiful birds near the old tree?", "fr"),
)
"""For the menu. All of them are held out: a model that translates them right hasn't seen them."""
_SEEDS = tuple(text for text, _ in EXAMPLES[:5])

_RENDERERS = {"it": italian.words, "fr": french.words}
T = TypeVar("T")


class Pair(NamedTuple):
    """An English sentence and its translation, as people write them, but in lower case."""

    english: str
    language: Language
    target: str


def translate(text: str, language: Language) -> str | None:
    """The translation of an English sentence, or None if it isn't in the grammar."""
    words = tokenise(normalise(text))
    stop = ["."] if words[-1:] == ["."] else []
    tree = next(readings(" ".join(words[: len(words) - len(stop)])), None)
    if tree is None or (stop and tree.question):
        return None
    return join([*_RENDERERS[language](tree), *stop], language)


def corpus(seed: int = 0) -> tuple[list[Pair], list[Pair]]:
    """(training, held out). No sentence is on both sides, not even without its full stop or in the other language."""
    rng = random.Random(seed)
    training: list[Pair] = []
    held_out = list(_examples())
    sentences: defaultdict[str, list[Pair]] = defaultdict(list)
    for pair in _sample(rng, TRAINING + HELD_OUT - len(held_out), without={_bare(pair.english) for pair in held_out}):
        sentences[_bare(pair.english)].append(pair)
    for pairs in sorted(sentences.values(), key=lambda _: rng.random()):
        side = held_out if len(held_out) + len(pairs) <= HELD_OUT else training
        side += pairs
    return training, held_out


def vocabulary(pairs: Iterable[Pair]) -> list[str]:
    """The words that a translator of these pairs reads and writes: the languages' tags, then all tokens, sorted."""
    tokens = {token for pair in pairs for text in (pair.english, pair.target) for token in tokenise(text)}
    return ["<it>", "<fr>", *sorted(tokens)]


def _examples() -> Iterator[Pair]:
    for text, language in EXAMPLES:
        for either in ("it", "fr") if text in _SEEDS else (language,):
            target = translate(text, either)
            if target is None:
                raise ValueError(f"{text!r} is not in the grammar")
            yield Pair(normalise(text), either, target)


def _bare(text: str) -> str:
    return text.removesuffix(".")


def _sample(rng: random.Random, count: int, without: set[str]) -> Iterator[Pair]:
    """Different pairs by chance. For the last few, chance has several tries, and the one with the rarest word wins."""
    said: set[tuple[str, Language]] = set()
    heard: dict[Language, Counter[str]] = {"it": Counter(), "fr": Counter()}
    while len(said) < count:
        tries = 1 if len(said) < count - LEVELLED else TRIES
        drafts = [_draft(rng) for _ in range(tries)]
        tree, language, target = min(drafts, key=lambda draft: min(heard[draft[1]][word] for word in draft[2]))
        text = [*english.words(tree), *(["."] if target[-1] == "." else [])]
        pair = Pair(join(text), language, join(target, language))
        if pair[:2] not in said and _bare(pair.english) not in without and len(text) <= LONGEST:
            said.add(pair[:2])
            heard[language].update(target)
            yield pair


def _draft(rng: random.Random) -> tuple[Sentence, Language, list[str]]:
    """A tree and its translation; a third of the statements end in a full stop."""

    def choose(options: Sequence[T], /) -> T:
        if not options:
            raise DeadEndError
        return options[int(rng.random() * len(options))]  # random() alone is the same in all versions of Python

    while True:
        try:
            tree = sentence(choose)
        except DeadEndError:
            continue
        language: Language = "it" if rng.random() < 0.5 else "fr"
        target = _RENDERERS[language](tree)
        if not tree.question and rng.random() < 1 / 3:
            target.append(".")
        return tree, language, target
