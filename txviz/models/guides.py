"""The guides' worked examples: their numbers from resources/models/*/guide.json, run on the guides' own blocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from txviz import resources
from txviz.errors import TxvizError
from txviz.models import made_up, variants
from txviz.models.audit import check_prints, guide_numbers
from txviz.models.damage import content_of, unsealed
from txviz.models.images import image_text, read_image
from txviz.models.model import InputKind, Prepared, Token
from txviz.models.options import Choice, Option, differences, read_options
from txviz.models.registry import SHIPPED
from txviz.models.text import read_words
from txviz.models.variants import Variant
from txviz.models.vocabulary import nearest
from txviz.nets import guides, stacks
from txviz.ops import Array
from txviz.trace import Printed, Run, Step
from txviz.trace.step import equal_bits

LONGEST = 128
"""Tokens of a sentence, [CLS] included."""


@dataclass(frozen=True)
class GuideModel:
    """Shared by all guides: the file with the guide's numbers, and what the guide prints about its own example."""

    name: str

    @cached_property
    def guide(self) -> dict[str, Any]:
        with content_of(resources.path("models", self.name, "guide.json"), self.name) as content:
            return unsealed(content)

    def check_files(self) -> None:
        """A DamagedError unless the guide's numbers are those that were written."""
        self.guide  # noqa: B018

    @property
    def options(self) -> Mapping[str, Option]:
        return {}

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
        return check_prints(self.guide, self._own)

    @cached_property
    def _own(self) -> Prepared:
        """The guide's example on the guide's model."""
        return self.plain(self.read(self.example), read_options(self.name, self.options, {}))

    def prepare(self, source: object, options: Mapping[str, Any]) -> Prepared:
        given = self.read(source)
        plain = self.plain(given, options)
        if given != self.read(self.example):
            return plain
        known = replace(plain, prints=self.prints, guide=guide_numbers(self.guide))
        return self._still_so(known) if self.changed(options) else known

    def changed(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """What is chosen other than the guide has it."""
        return differences(self.options, options)

    def built(self, options: Mapping[str, Any]) -> Variant:
        return variants.build(self.parameters, self.guide["notes"], self.changed(options), options)

    def _still_so(self, known: Prepared) -> Prepared:
        """With what the guide prints of those steps that an option has not changed, and its numbers where they fit."""
        own, now = _values(self._own), _values(known)
        fits = {step for step in own if step in now and own[step].shape == now[step].shape}
        same = {step for step in fits if equal_bits(own[step], now[step])}
        prints = {step: found for step, found in known.prints.items() if step in same}
        return replace(known, prints=prints, guide={step: at for step, at in known.guide.items() if step in fits})

    def read(self, source: object) -> list[Any]:
        """The input as plain lists, checked."""
        raise TypeError(f"{self.name} reads nothing")

    def plain(self, given: list[Any], options: Mapping[str, Any]) -> Prepared:
        """The model on any input, with no word about what the guide prints."""
        raise TypeError(f"{self.name} runs nothing")


class SentenceGuide(GuideModel):
    """Any sentence; words and positions that the guide's tables lack get repeatable vectors of their own."""

    @property
    def options(self) -> Mapping[str, Option]:
        pooling, positions = Choice(("mean", "cls")), Choice(("learned", "none", "sinusoidal"))
        return {"pooling": pooling, "positions": positions, **variants.layer_options(("1", "3"))}

    def read(self, source: object) -> list[str]:
        return ["[CLS]", *read_words(source, LONGEST - 1)]

    def tokens(self, text: object, options: Mapping[str, Any]) -> list[Token]:
        given = self.read(text)
        ids, made = self._numbers(given)
        known = tuple(self.guide["words"][1:])  # [CLS] is for nobody to type
        return [
            Token(word, i, special=place == 0)
            if word.casefold() not in made
            else Token(word, i, False, nearest(word, known))
            for place, (word, i) in enumerate(zip(given, ids, strict=True))
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
        built = self.built(options)
        table = self.parameters["embed.tokens.table"]
        built.parameters["embed.tokens.table"] = made_up.extend(table, made, largest=0.9)
        if made:
            quoted = ", ".join(f"“{word}”" for word in dict.fromkeys(given) if word.casefold() in made)
            built.notes["embed.tokens"] = f"Not in the guide's table, so made from the word itself: {quoted}."
        variants.give_positions(built, options["positions"], len(given))
        changed = {name: value for name, value in self.changed(options).items() if name != "pooling"}  # is the guide's
        told = variants.about(self.title, built, changed, first="tokens")

        def forward(run: Run) -> Step:
            run.details |= told
            tokens = run.given("tokens", ids, axes="token", labels={"token": tuple(given)})
            return guides.sentence(run, built.guide, tokens, options["positions"])

        return Prepared(built.parameters, forward, built.notes)


class ImageGuide(GuideModel):
    """Any 6×6 image."""

    @property
    def example(self) -> str:
        return image_text(np.array(self.guide["image"]))

    @property
    def captions(self) -> tuple[str, ...]:
        return ("The guide's image",)

    @property
    def options(self) -> Mapping[str, Option]:
        return variants.image_options("x".join(map(str, self.guide["patch"])))

    @property
    def takes(self) -> InputKind:
        rows, columns = np.shape(self.guide["image"])
        return InputKind("image", (rows, columns))

    def read(self, source: object) -> list[list[float]]:
        rows: list[list[float]] = read_image(source, self.takes.size).tolist()
        return rows

    def plain(self, given: list[list[float]], options: Mapping[str, Any]) -> Prepared:
        classes, patch = tuple(self.guide["classes"]), variants.size(options["patch"])
        own = list(patch) == self.guide["patch"]
        used = self.guide["used"] if own else None
        rows, columns = np.shape(given)
        tokens = 1 + (used or rows // patch[0] * (columns // patch[1]))
        built = self.built(options)
        if not own:
            variants.give_patches(built, options["patch"])
        variants.give_positions(built, options["positions"], tokens)
        told = variants.about(self.title, built, self.changed(options), first="image")

        def forward(run: Run) -> str | Step:
            run.details |= told
            pixels = np.array(given, dtype=run.dtype)
            image = run.given("image", pixels, axes="row column")
            pooled = guides.image(run, built.guide, image, variants.grid(options["positions"]), patch, used)
            if not classes:
                return pooled
            scores = stacks.logits(run, pooled, "class", classes)
            return stacks.predict(run, stacks.probabilities(run, scores), classes)

        return Prepared(built.parameters, forward, built.notes)


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


def _values(prepared: Prepared) -> dict[str, Array]:
    """Of every step, by its name."""
    run = Run(prepared.parameters)
    prepared.forward(run)
    return {step.name: step.value for step in run.steps}
