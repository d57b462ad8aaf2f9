"""The guides' worked examples: their numbers from resources/models/*/guide.json, run on the guides' own blocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any, ClassVar

import numpy as np

from txviz import resources
from txviz.errors import TxvizError
from txviz.models.audit import check_prints, guide_numbers
from txviz.models.damage import content_of, unsealed
from txviz.models.images import image_text, read_image
from txviz.models.model import InputKind, Prepared, Token
from txviz.models.options import Choice, Option
from txviz.models.registry import SHIPPED
from txviz.models.text import read_words
from txviz.models.vocabulary import nearest
from txviz.nets import guides, stacks
from txviz.ops import Array
from txviz.trace import Printed, Run, Step

LONGEST = 128
"""Tokens of a sentence, [CLS] included."""


@dataclass(frozen=True)
class GuideModel:
    """Shared by all guides: the file with the guide's numbers, and what the guide prints about its own example."""

    name: str
    options: ClassVar[Mapping[str, Option]] = {}

    @cached_property
    def guide(self) -> dict[str, Any]:
        with content_of(resources.path("models", self.name, "guide.json"), self.name) as content:
            return unsealed(content)

    def check_files(self) -> None:
        """A DamagedError unless the guide's numbers are those that were written."""
        self.guide  # noqa: B018

    @property
    def title(self) -> str:
        return SHIPPED[self.name].title

    @property
    def summary(self) -> str:
        return SHIPPED[self.name].summary

    @property
    def example(self) -> str:
        return str(self.guide["example"])

    @property
    def examples(self) -> tuple[str, ...]:
        return (self.example,)

    @property
    def captions(self) -> tuple[str, ...]:
        return self.examples

    @property
    def takes(self) -> InputKind:
        return InputKind("sentence")

    def tokens(self, text: object, options: Mapping[str, Any]) -> list[Token]:
        """The tokens that it reads in a sentence."""
        return []

    @cached_property
    def parameters(self) -> dict[str, Array]:
        return {name: np.array(rows, dtype=np.float64) for name, rows in self.guide["parameters"].items()}

    @cached_property
    def prints(self) -> dict[str, tuple[Printed, ...]]:
        """What the guide prints, checked; by step."""
        defaults = {name: option.default for name, option in self.options.items()}
        return check_prints(self.guide, self.plain(self.read(self.example), defaults))

    def prepare(self, source: object, options: Mapping[str, Any]) -> Prepared:
        given = self.read(source)
        plain = self.plain(given, options)
        if given != self.read(self.example):
            return plain
        return replace(plain, prints=self.prints, guide=guide_numbers(self.guide))

    def read(self, source: object) -> list[Any]:
        """The input as plain lists, checked."""
        raise TypeError(f"{self.name} reads nothing")

    def plain(self, given: list[Any], options: Mapping[str, Any]) -> Prepared:
        """The model on any input, with no word about what the guide prints."""
        raise TypeError(f"{self.name} runs nothing")


class SentenceGuide(GuideModel):
    """Any sentence; words and positions that the guide's tables lack get repeatable vectors of their own."""

    options: ClassVar[Mapping[str, Option]] = {"pooling": Choice(("mean", "cls"))}

    def read(self, source: object) -> list[str]:
        return ["[CLS]", *read_words(source, LONGEST - 1)]

    def tokens(self, text: object, options: Mapping[str, Any]) -> list[Token]:
        given = self.read(text)
        ids, made = self._numbers(given)
        known = tuple(self.guide["words"][1:])  # [CLS] is for nobody to type
        return [
            Token(word, i) if word.casefold() not in made else Token(word, i, False, nearest(word, known))
            for word, i in zip(given, ids, strict=True)
        ]

    def _numbers(self, given: list[str]) -> tuple[list[int], list[str]]:
        """The words' numbers, and those that are not in the guide's table: they are numbered after it."""
        words = [word.casefold() for word in given]
        known = [word.casefold() for word in self.guide["words"]]
        made = [word for word in dict.fromkeys(words) if word not in known]
        return [[*known, *made].index(word) for word in words], made

    def plain(self, given: list[str], options: Mapping[str, Any]) -> Prepared:
        numbers, made = self._numbers(given)
        ids = np.array(numbers)
        table, positions = self.parameters["embed.tokens.table"], self.parameters["embed.positions.table"]
        later = range(len(positions), len(given))
        parameters = {
            **self.parameters,
            "embed.tokens.table": _extend(table, made, largest=0.9),
            "embed.positions.table": _extend(positions, (f"position {i}" for i in later), largest=0.1),
        }

        def forward(run: Run) -> Step:
            tokens = run.given("tokens", ids, axes="token", labels={"token": tuple(given)})
            return guides.sentence(run, tokens, options["pooling"])

        notes = {**self.guide["notes"], **_made_up([word for word in given if word.casefold() in made], later)}
        return Prepared(parameters, forward, notes)


class ImageGuide(GuideModel):
    """Any 6×6 image."""

    @property
    def example(self) -> str:
        return image_text(np.array(self.guide["image"]))

    @property
    def captions(self) -> tuple[str, ...]:
        return ("The guide's image",)

    @property
    def takes(self) -> InputKind:
        rows, columns = np.shape(self.guide["image"])
        return InputKind("image", (rows, columns))

    def read(self, source: object) -> list[list[float]]:
        rows: list[list[float]] = read_image(source, self.takes.size).tolist()
        return rows

    def plain(self, given: list[list[float]], options: Mapping[str, Any]) -> Prepared:
        classes = tuple(self.guide["classes"])

        def forward(run: Run) -> str | Step:
            pixels = np.array(given, dtype=run.dtype)
            image = run.given("image", pixels, axes="row column")
            pooled = guides.image(run, image, tuple(self.guide["patch"]), self.guide["used"])
            if not classes:
                return pooled
            scores = stacks.logits(run, pooled, "class", classes)
            return stacks.predict(run, stacks.probabilities(run, scores), classes)

        return Prepared(self.parameters, forward, self.guide["notes"])


class MaskedAttentionGuide(GuideModel):
    """The guide's sentence, or its first words: its table has numbers for no others."""

    def read(self, source: object) -> list[str]:
        words = [word.upper() for word in read_words(source, LONGEST)]
        if words != self.guide["words"][: len(words)]:
            raise TxvizError(f'the guide has numbers for its own words only: type "{self.example}" or its first words')
        return words

    def tokens(self, text: object, options: Mapping[str, Any]) -> list[Token]:
        return [Token(word) for word in self.read(text)]

    def plain(self, given: list[str], options: Mapping[str, Any]) -> Prepared:
        size = len(given)
        labels = {"query": tuple(given), "key": tuple(given)}
        vocabulary = list(dict.fromkeys(self.guide["words"]))
        ids = np.array([vocabulary.index(word) for word in given])

        def forward(run: Run) -> Step:
            table = np.array(self.guide["table"], dtype=run.dtype)[None, :size, :size]
            run.given("tokens", ids, axes="token", labels={"token": tuple(given)})
            with run.at(part="decoder", layer=0, block="self_attention"):
                return guides.masked_attention(run, run.given("table", table, axes="head query key", labels=labels))

        return Prepared({}, forward, self.guide["notes"])


def _extend(table: Array, names: Iterable[str], largest: float) -> Array:  # (V,d) -> (V+n,d)
    """The table with a row for each name: numbers with one decimal, made from the name and the same every time."""
    rows = [_vector(name, table.shape[1], largest) for name in names]
    return np.concatenate([table, np.array(rows).reshape(-1, table.shape[1])])


def _vector(name: str, width: int, largest: float) -> list[float]:
    steps = round(largest * 10)
    digest = blake2b(name.encode(), digest_size=2 * width).digest()
    whole = (int.from_bytes(digest[2 * i : 2 * i + 2]) for i in range(width))
    return [(number % (2 * steps + 1) - steps) / 10 for number in whole]


def _made_up(words: list[str], positions: range) -> dict[str, str]:
    """The notes that say which vectors are not the guide's."""
    notes = {}
    if words:
        quoted = ", ".join(f"“{word}”" for word in dict.fromkeys(words))
        notes["embed.tokens"] = f"Not in the guide's table, so made from the word itself: {quoted}."
    if positions:
        notes["embed.positions"] = f"The guide has {positions.start} positions; those after it are made up, repeatably."
    return notes
