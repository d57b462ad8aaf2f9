"""`translator`: English to Italian and French, with the encoder–decoder of the paper."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from txviz.models.decoding import write_on
from txviz.models.model import Prepared, Token
from txviz.models.options import DECODING, Choice, Number, Option
from txviz.models.text import plain, read_words
from txviz.models.trained import TrainedModel, training_options
from txviz.models.vocabulary import END, PADDING, START
from txviz.nets import translator
from txviz.nets.attention import Cache
from txviz.nets.decoding import NextLogits, last
from txviz.nets.optimiser import Recipe
from txviz.nets.parameters import Shapes
from txviz.spelling import Language, join, source, tokenise
from txviz.trace import Run, Step

LONGEST = 40
"""Tokens of a sentence, special ones included."""

_TAG = re.compile(r"\s*<(it|fr)>\s*")


class Translator(TrainedModel):
    kind = "translator"
    recipe = Recipe(steps=6000, batch=64, rate=2e-3, warm_up=500, smoothing=0.1, seed=0)
    options: ClassVar[Mapping[str, Option]] = {
        "language": Choice(("it", "fr")),
        **training_options(recipe),
        **DECODING,
        "pad": Number(0, 0, LONGEST),
    }

    def prepare(self, source_text: object, options: Mapping[str, Any]) -> Prepared:
        language, words = self._read_source(source_text, options["language"])
        tokens, longest = padded(words, options["pad"]), options["pad"]
        target = None if options["target"] is None else read_target(options["target"])

        def encode(run: Run) -> tuple[Step, Sequence[Step]]:
            ids, labels = self.vocabulary.encode(tokens), {"token": tuple(tokens)}
            return translator.encode(run, self.config, run.given("tokens", ids, axes="token", labels=labels))

        def forward(run: Run) -> str:
            if target is not None:
                return self.learn(run, options, lambda run: self._loss(run, target, longest, *encode(run)))
            start = (self.vocabulary.numbers[START],)
            end = self.vocabulary.numbers[END]
            written = write_on(run, self._next(*encode(run)), start, self.vocabulary.words, end, options)
            return join(self.vocabulary.decode(written.tokens), language)

        notes = {"tokens": self.vocabulary.note(words, self.english)}
        if target is not None:
            notes |= dict.fromkeys(("decoder.tokens", "labels"), self.vocabulary.note(target, self.written))
        return Prepared(self.parameters, forward, notes)

    def _read_source(self, text: object, language: Language) -> tuple[Language, list[str]]:
        """The language to translate into, and the tokens. A tag in the text goes before the language given."""
        tag = _TAG.match(text) if isinstance(text, str) else None
        if tag and isinstance(text, str):
            language, text = ("it" if tag[1] == "it" else "fr"), text[tag.end() :]
        return language, [START, *source(" ".join(read_words(text, LONGEST - 3)), language), END]

    def tokens(self, text: object, options: Mapping[str, Any]) -> list[Token]:
        words = self._read_source(text, options["language"])[1]
        return self.vocabulary.tokens(padded(words, options["pad"]), self.english)

    def _next(self, memory: Step, masks: Sequence[Step]) -> NextLogits:
        def next_logits(run: Run, tokens: tuple[int, ...], cache: Cache | None) -> Step:  # -> (V,)
            start = cache.advance(len(tokens)) if cache else 0
            words = tuple(self.vocabulary.words[i] for i in tokens[start:])
            given = _given(run, np.array(tokens[start:]), words)
            return last(run, translator.decode(run, self.config, given, memory, masks, cache, start))

        return next_logits

    def _loss(
        self, run: Run, target: Sequence[str], longest: int, memory: Step, masks: Sequence[Step]
    ) -> Step:  # (S,d) -> ()
        """Teacher forcing: the target shifted to the right goes in, and every position should say the next word."""
        shifted, right = padded((START, *target), longest), padded((*target, END), longest)
        given = _given(run, self.vocabulary.encode(shifted), shifted)
        logits = translator.decode(run, self.config, given, memory, masks)
        labels = run.given("labels", self.vocabulary.encode(right), axes="token", labels={"token": right})
        return self.surprise(run, logits, labels, self.config.padding if PADDING in right else None)

    def configured(self, config: dict[str, Any]) -> translator.Translator:
        return translator.Translator(**{**config, "vocabulary": self.vocabulary.words})

    def shapes(self, config: translator.Translator) -> Shapes:
        return translator.shapes(config)

    @cached_property
    def english(self) -> list[str]:
        """The words that it can read; the others of its vocabulary it can only write."""
        with self._content("english.json") as content:
            return [str(word) for word in json.loads(content)]

    @cached_property
    def written(self) -> list[str]:
        """The words that it can only write."""
        english = set(self.english)
        return [word for word in self.vocabulary.words if word not in english]


def padded(words: Sequence[str], length: int) -> tuple[str, ...]:
    """Filled up to a length; what is longer stays as it is.

    >>> padded(("ti", "amo"), 3), padded(("ti", "amo"), 0)
    (('ti', 'amo', '<PAD>'), ('ti', 'amo'))
    """
    return (*words, *[PADDING] * (length - len(words)))


def read_target(text: object) -> list[str]:
    """The tokens of a translation that somebody typed."""
    return tokenise(" ".join(read_words(plain(text), LONGEST - 1)))


def _given(run: Run, ids: Any, words: tuple[str, ...]) -> Step:  # (T,)
    """What the decoder reads: the tokens written so far, or the target."""
    with run.at(part="decoder"):
        return run.given("tokens", ids, axes="token", labels={"token": words})
