"""`writer`: a decoder-only model that goes on with a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from txviz.models.decoding import write_on
from txviz.models.model import Prepared, Token
from txviz.models.options import DECODING, MOST_STEPS, Option
from txviz.models.text import plain, read_words
from txviz.models.trained import TrainedModel, training_options
from txviz.models.vocabulary import END, START
from txviz.nets import writer
from txviz.nets.attention import Cache
from txviz.nets.decoding import last
from txviz.nets.optimiser import Recipe
from txviz.nets.parameters import Shapes
from txviz.trace import Run, Step

LONGEST = 80
"""Tokens of a text, special ones included."""


class Writer(TrainedModel):
    kind = "writer"
    recipe = Recipe(steps=5000, batch=64, rate=3e-3, warm_up=300, seed=0)
    options: ClassVar[Mapping[str, Option]] = {**training_options(recipe), **DECODING}

    def prepare(self, source: object, options: Mapping[str, Any]) -> Prepared:
        words = self._read_source(source)
        target = None if options["target"] is None else read_words(plain(options["target"]), LONGEST - len(words))

        def forward(run: Run) -> str:
            if target is not None:
                return self.learn(run, options, lambda run: self._loss(run, (*words, *target)))
            start = tuple(int(i) for i in self.vocabulary.encode(words))
            end = self.vocabulary.numbers[END]
            written = write_on(run, self._next(words), start, self.vocabulary.words, end, options)
            return join([*words[1:], *self.vocabulary.decode(written.tokens)])

        note = self.vocabulary.note([*words, *(target or ())])
        first = ("tokens", "time.1.tokens", "time.1.beam.0.tokens")  # with a target; one by one; with a beam
        return Prepared(self.parameters, forward, {**dict.fromkeys(first, note), "labels": note})

    def _read_source(self, source: object) -> list[str]:
        return [START, *read_words(plain(source), LONGEST - 1 - MOST_STEPS)]

    def tokens(self, text: object, options: Mapping[str, Any]) -> list[Token]:
        return self.vocabulary.tokens(self._read_source(text))

    def _next(self, typed: Sequence[str]) -> Any:
        def next_logits(run: Run, tokens: tuple[int, ...], cache: Cache | None) -> Step:  # -> (V,)
            start = cache.advance(len(tokens)) if cache else 0
            words = (*typed, *(self.vocabulary.words[i] for i in tokens[len(typed) :]))
            labels = {"token": words[start:]}
            given = run.given("tokens", np.array(tokens[start:]), axes="token", labels=labels)
            return last(run, writer.forward(run, self.config, given, cache, start))

        return next_logits

    def _loss(self, run: Run, words: tuple[str, ...]) -> Step:  # -> ()
        """Every position should say the next word, in one pass."""
        given = run.given("tokens", self.vocabulary.encode(words), axes="token", labels={"token": words})
        logits, right = writer.forward(run, self.config, given), (*words[1:], END)
        labels = run.given("labels", self.vocabulary.encode(right), axes="token", labels={"token": right})
        return self.surprise(run, logits, labels)

    def configured(self, config: dict[str, Any]) -> writer.Writer:
        return writer.Writer(**{**config, "vocabulary": self.vocabulary.words})

    def shapes(self, config: writer.Writer) -> Shapes:
        return writer.shapes(config)


def join(words: Sequence[str]) -> str:
    """Words as a sentence: no space before a sign."""
    text = " ".join(words)
    for sign in ".,!?":
        text = text.replace(f" {sign}", sign)
    return text
