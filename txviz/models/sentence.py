"""`sentence`: an encoder that gives each sentence a vector; two sentences give a cosine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from txviz.errors import TxvizError
from txviz.models.model import InputKind, Prepared, Token
from txviz.models.options import Option
from txviz.models.text import plain, read_words
from txviz.models.trained import TrainedModel, training_options
from txviz.nets import sentence_encoder
from txviz.nets.losses import squared_error_loss
from txviz.nets.optimiser import Recipe
from txviz.nets.parameters import Shapes
from txviz.trace import Run, Step

LONGEST = 40
GRADED = 4
"""How much the squared error of a cosine weighs in the training loss."""


class Sentence(TrainedModel):
    kind = "sentence"
    takes = InputKind("pair")
    recipe = Recipe(steps=6000, batch=64, rate=3e-3, warm_up=200, betas=(0.9, 0.99), seed=0)
    options: ClassVar[Mapping[str, Option]] = training_options(recipe)

    def prepare(self, source: object, options: Mapping[str, Any]) -> Prepared:
        texts = read_pair(source)
        target = None if options["target"] is None else _cosine(options["target"])
        if target is not None and len(texts) == 1:
            raise TxvizError("a target is the cosine of two sentences; give two, parted by |")

        def tokens(run: Run, i: int) -> Step:
            words = texts[i]
            run.details["vocabulary"] = list(self.vocabulary.words)
            return run.given("tokens", self.vocabulary.encode(words), axes="token", labels={"token": tuple(words)})

        def cosine(run: Run) -> Step:
            return sentence_encoder.similarity(
                run, lambda i: sentence_encoder.forward(run, self.config, tokens(run, i))
            )

        def loss(run: Run) -> Step:
            found = cosine(run)
            with run.at(part="similarity"):
                wanted = run.given("target", np.array(target, dtype=run.dtype), axes="")
            return squared_error_loss(run, found, wanted, GRADED)

        def forward(run: Run) -> str | Step:
            if len(texts) == 1:
                return sentence_encoder.forward(run, self.config, tokens(run, 0))
            return f"{float(cosine(run).value):.3f}" if target is None else self.learn(run, options, loss)

        places = ("tokens",) if len(texts) == 1 else ("first.tokens", "second.tokens")
        notes = {place: self.vocabulary.note(words) for place, words in zip(places, texts, strict=True)}
        return Prepared(self.parameters, forward, notes)

    def tokens(self, text: object, options: Mapping[str, Any]) -> list[Token]:
        texts = enumerate(read_pair(text))
        return [replace(token, part=i) for i, words in texts for token in self.vocabulary.tokens(words)]

    def configured(self, config: dict[str, Any]) -> sentence_encoder.SentenceEncoder:
        return sentence_encoder.SentenceEncoder(**{**config, "vocabulary": len(self.vocabulary)})

    def shapes(self, config: sentence_encoder.SentenceEncoder) -> Shapes:
        return sentence_encoder.shapes(config)


def read_pair(source: object) -> list[list[str]]:
    """One sentence or two: a pair, or one text with a bar between them."""
    texts = source.split("|") if isinstance(source, str) else source
    if not isinstance(texts, list | tuple) or not 1 <= len(texts) <= 2:
        raise TxvizError('this model reads one sentence or two, parted by "|"')
    return [read_words(plain(text), LONGEST) for text in texts]


def _cosine(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not -1 <= value <= 1:
        raise TxvizError(f"the target is {text!r}; it must be a cosine from −1 to 1")
    return value
