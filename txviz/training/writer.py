"""How `writer` learns: little stories, and at every word the next one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from math import exp
from typing import Any

import numpy as np

from txviz.data import stories
from txviz.models.vocabulary import END, START, Vocabulary
from txviz.models.writer import LONGEST, Writer
from txviz.nets import writer
from txviz.nets.blocks import Block
from txviz.nets.losses import cross_entropy_loss
from txviz.nets.optimiser import Recipe
from txviz.ops import Array
from txviz.spelling import split
from txviz.trace import Run, Step
from txviz.training.batches import by_length, padded
from txviz.training.course import Course


class WriterCourse(Course[Writer]):
    @cached_property
    def corpus(self) -> tuple[list[str], list[str]]:
        return stories.corpus(self.recipe.seed)

    def blueprint(self) -> tuple[writer.Writer, Vocabulary]:
        words = Vocabulary.of(word for text in self.corpus[0] for word in split(text))
        block = Block(d_model=64, heads=4, d_ff=128, norm="pre", activation="gelu_tanh")
        return writer.Writer(block, layers=2, vocabulary=words.words, longest=LONGEST, padding=0), words

    def examples(self) -> list[tuple[str, str]]:
        return [(text, text) for text in stories.EXAMPLES]

    def batches(self, words: Any, recipe: Recipe) -> Iterator[Array]:
        rng = np.random.default_rng(recipe.seed)
        texts = [encode_text(words, text) for text in self.corpus[0]]
        sizes = np.array([len(text) for text in texts])
        for chosen in by_length(sizes, recipe.batch, rng, looseness=3):
            yield padded([texts[i] for i in chosen])

    def loss(self, run: Run, config: writer.Writer, batch: Array, smoothing: float) -> Step:
        logits = writer.forward(run, config, run.given("tokens", batch[:, :-1], axes="token"))
        labels = run.given("labels", batch[:, 1:], axes="token")
        return cross_entropy_loss(run, logits, labels, ignore=config.padding, smoothing=smoothing)

    def measure(self, parameters: Mapping[str, Array], config: writer.Writer, words: Any) -> dict[str, float]:
        train, held_out = self.corpus
        texts = sorted((encode_text(words, text) for text in held_out), key=len)
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


COURSE = WriterCourse
