"""`writer`: a decoder-only model that goes on with a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from math import exp
from typing import Any, ClassVar

import numpy as np

from txviz import ops
from txviz.data import stories
from txviz.models.decoding import write_on
from txviz.models.model import Prepared
from txviz.models.options import DECODING, MOST_STEPS, Option, Text
from txviz.models.reading import Token
from txviz.models.text import plain, read_words, split
from txviz.models.trained import TrainedModel, block_of
from txviz.models.training_step import learn_labels
from txviz.models.vocabulary import END, START, Vocabulary, by_length, padded
from txviz.nets import writer
from txviz.nets.attention import Cache
from txviz.nets.blocks import Block
from txviz.nets.parameters import Shapes
from txviz.nets.training import Recipe, cross_entropy_loss
from txviz.ops import Array
from txviz.trace import Run, Step

LONGEST = 80
"""Tokens of a text, special ones included."""


class Writer(TrainedModel):
    name = "writer"
    summary = "goes on with a sentence: a small decoder-only model"
    examples = stories.EXAMPLES
    options: ClassVar[Mapping[str, Option]] = {"target": Text(), **DECODING}
    recipe = Recipe(steps=5000, batch=64, rate=3e-3, warm_up=300, seed=0)

    def prepare(self, source: object, options: Mapping[str, Any]) -> Prepared:
        words = self._read(source)
        target = None if options["target"] is None else read_words(plain(options["target"]), LONGEST - len(words))

        def forward(run: Run) -> str:
            if target is not None:
                return self._train_on(run, [*words, *target])
            start = tuple(int(i) for i in self.vocabulary.encode(words))
            written = write_on(run, self._next(words), start, self.vocabulary, options)
            return join([*words[1:], *self.vocabulary.decode(written.tokens)])

        note = self.vocabulary.note(words)
        first = ("tokens", "time.1.tokens", "time.1.beam.0.tokens")  # with a target; one by one; with a beam
        return Prepared(self.parameters, forward, dict.fromkeys(first, note))

    def _read(self, source: object) -> list[str]:
        return [START, *read_words(plain(source), LONGEST - 1 - MOST_STEPS)]

    def tokens(self, text: object, options: Mapping[str, Any]) -> list[Token]:
        return self.vocabulary.tokens(self._read(text))

    def _next(self, typed: Sequence[str]) -> Any:
        def next_logits(run: Run, tokens: tuple[int, ...], cache: Cache | None) -> Step:  # -> (V,)
            start = cache.advance(len(tokens)) if cache else 0
            words = (*typed, *(self.vocabulary.words[i] for i in tokens[len(typed) :]))
            labels = {"token": words[start:]}
            given = run.given("tokens", np.array(tokens[start:]), axes="token", labels=labels)
            logits = writer.forward(run, self.config, given, cache, start)
            return run(ops.select, "head.last", logits, at=-1, axes="vocabulary")

        return next_logits

    def _train_on(self, run: Run, words: list[str]) -> str:
        """Every position should say the next word, in one pass."""
        given = run.given("tokens", self.vocabulary.encode(words), axes="token", labels={"token": tuple(words)})
        logits = writer.forward(run, self.config, given)
        right = [*words[1:], END]
        labels = run.given("labels", self.vocabulary.encode(right), axes="token", labels={"token": tuple(right)})
        return learn_labels(run, logits, labels, self.recipe)

    @cached_property
    def corpus(self) -> tuple[list[str], list[str]]:
        return stories.corpus(self.recipe.seed)

    def blueprint(self) -> tuple[writer.Writer, Vocabulary]:
        words = Vocabulary.of(word for text in self.corpus[0] for word in split(text))
        block = Block(d_model=64, heads=4, d_ff=128, norm="pre", activation="gelu_tanh")
        return writer.Writer(block, layers=2, vocabulary=words.words, longest=LONGEST, padding=0), words

    def configured(self, config: dict[str, Any]) -> writer.Writer:
        return writer.Writer(**{**config, "block": block_of(config), "vocabulary": self.vocabulary.words})

    def shapes(self, config: writer.Writer) -> Shapes:
        return writer.shapes(config)

    def batches(self, config: writer.Writer, vocabulary: Any, recipe: Recipe) -> Iterator[Array]:
        rng = np.random.default_rng(recipe.seed)
        texts = [encode_text(vocabulary, text) for text in self.corpus[0]]
        sizes = np.array([len(text) for text in texts])
        for chosen in by_length(sizes, recipe.batch, rng, looseness=3):
            yield padded([texts[i] for i in chosen])

    def loss(self, run: Run, config: writer.Writer, batch: Array, smoothing: float) -> Step:
        logits = writer.forward(run, config, run.given("tokens", batch[:, :-1], axes="token"))
        labels = run.given("labels", batch[:, 1:], axes="token")
        return cross_entropy_loss(run, logits, labels, ignore=config.padding, smoothing=smoothing)

    def measure(self, parameters: Mapping[str, Array], config: writer.Writer, vocabulary: Any) -> dict[str, float]:
        train, held_out = self.corpus
        texts = sorted((encode_text(vocabulary, text) for text in held_out), key=len)
        total, count = 0.0, 0
        for start in range(0, len(texts), 100):
            batch = padded(texts[start : start + 100])
            tokens = int((batch[:, 1:] != config.padding).sum())
            loss = self.loss(Run(parameters, dtype="float32", record=False), config, batch, 0.0)
            total, count = total + float(loss.value) * tokens, count + tokens
        return {
            "held_out_perplexity": exp(total / count),
            "unigram_perplexity": stories.ngram_perplexity(train, held_out, 1),
            "bigram_perplexity": stories.ngram_perplexity(train, held_out, 2),
        }

    def about(self, figures: Mapping[str, float]) -> str:
        training, held_out = self.corpus
        return (
            f"Data: {len(training):,} short texts from the grammar in `txviz/data/stories.py`. Held out: "
            f"{len(held_out):,} texts that training never sees; perplexity {figures['held_out_perplexity']:.2f}, "
            f"beside {figures['bigram_perplexity']:.2f} for a bigram model and {figures['unigram_perplexity']:.2f} "
            "for a unigram model of the same texts.\n\n"
            "It knows a few hundred words and the little stories of its grammar, and no facts. A word outside its "
            "vocabulary is read as <UNK>, which it was never taught."
        )


def encode_text(vocabulary: Vocabulary, text: str) -> Array:  # -> (T,)
    return vocabulary.encode([START, *split(text), END])


def join(words: Sequence[str]) -> str:
    """Words as a sentence: no space before a sign."""
    text = " ".join(words)
    for sign in ".,!?":
        text = text.replace(f" {sign}", sign)
    return text
