"""How `translator` learns: pairs of sentences from a small grammar, with teacher forcing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from txviz.data.translation import EXAMPLES, Pair, corpus, vocabulary
from txviz.models.translator import LONGEST, Translator
from txviz.models.vocabulary import END, START, Vocabulary
from txviz.nets import translator
from txviz.nets.blocks import Block
from txviz.nets.losses import cross_entropy_loss
from txviz.nets.optimiser import Recipe
from txviz.ops import Array
from txviz.spelling import source, tokenise
from txviz.trace import Run, Step
from txviz.training.batches import by_length, padded
from txviz.training.course import Course, as_json

BEAM_EXAMPLE = "<fr> He did not help me"
"""Greedy begins with “il n'”, which is a little likelier than “il ne”, and can't take it back; a beam finds “il ne m'a
pas aidé”, which is right, and likelier as a whole."""


GLANCE = 150
"""Held-out sentences for a quick look."""


class Batch(NamedTuple):
    source: Array  # (B,S)
    target: Array  # (B,T): <SOS>, then the words
    labels: Array  # (B,T): the words, then <EOS>


class TranslatorCourse(Course[Translator]):
    def blueprint(self) -> tuple[translator.Translator, Vocabulary]:
        words = Vocabulary.of(vocabulary(self.corpus[0]))
        block = Block(d_model=64, heads=4, d_ff=128, norm="pre")
        settings: dict[str, Any] = {"encoder_layers": 2, "decoder_layers": 2, "longest": LONGEST, "tied_head": True}
        return translator.Translator(block, vocabulary=words.words, **settings), words

    def examples(self) -> list[tuple[str, str]]:
        texts = (text if language == "it" else f"<{language}> {text}" for text, language in EXAMPLES)
        return [*((text, text) for text in texts), (f"{BEAM_EXAMPLE} (greedy loses to a beam)", BEAM_EXAMPLE)]

    def contents(self, config: Any, words: Vocabulary | None, parameters: Mapping[str, Array]) -> dict[str, bytes]:
        english = sorted({word for pair in self.corpus[0] for word in tokenise(pair.english)})
        return {**super().contents(config, words, parameters), "english.json": as_json(english)}

    @cached_property
    def corpus(self) -> tuple[list[Pair], list[Pair]]:
        return corpus(self.recipe.seed)

    def batches(self, words: Any, recipe: Recipe) -> Iterator[Batch]:
        rng = np.random.default_rng(recipe.seed)
        pairs = [encode_pair(words, pair) for pair in self.corpus[0]]
        sizes = np.array([len(pair[0]) + len(pair[1]) for pair in pairs])
        for chosen in by_length(sizes, recipe.batch, rng, looseness=2):
            yield batch_of([pairs[i] for i in chosen])

    def loss(self, run: Run, config: translator.Translator, batch: Batch, smoothing: float) -> Step:
        logits = self._logits(run, config, batch)
        labels = run.given("labels", batch.labels, axes="token")
        return cross_entropy_loss(run, logits, labels, ignore=config.padding, smoothing=smoothing)

    def _logits(self, run: Run, config: translator.Translator, batch: Batch) -> Step:  # -> (B,T,V)
        given = [
            run.given(name, ids, axes="token") for name, ids in (("source", batch.source), ("target", batch.target))
        ]
        return translator.forward(run, config, *given)

    def measure(self, parameters: Mapping[str, Array], config: Any, words: Any) -> dict[str, float]:
        """The share of held-out sentences that are translated exactly, in all and by language.

        Greedy decoding writes the target if, and only if, after each beginning of it the next word is the likeliest;
        and that is seen in one pass over the whole target.
        """
        pairs = self.corpus[1]
        run = Run(parameters, dtype="float32", record=False)
        right = np.concatenate(
            [self._exact(run, config, words, pairs[start : start + 250]) for start in range(0, len(pairs), 250)]
        )
        shares = {language: right[[pair.language == language for pair in pairs]].mean() for language in ("it", "fr")}
        return {
            "held_out_exact": float(right.mean()),
            "held_out_exact_it": float(shares["it"]),
            "held_out_exact_fr": float(shares["fr"]),
        }

    def glance(self, parameters: Mapping[str, Array], config: Any, words: Any) -> float:
        """The share of words that are right, of some held-out sentences: it grows long before whole sentences are."""
        batch = batch_of([encode_pair(words, pair) for pair in self.corpus[1][:GLANCE]])
        likeliest = self._logits(Run(parameters, dtype="float32", record=False), config, batch).value.argmax(axis=-1)
        real = batch.labels != config.padding
        return float((likeliest == batch.labels)[real].mean())

    def _exact(self, run: Run, config: translator.Translator, words: Vocabulary, pairs: Sequence[Pair]) -> Array:
        """Which of these are translated exactly."""
        batch = batch_of([encode_pair(words, pair) for pair in pairs])
        likeliest = self._logits(run, config, batch).value.argmax(axis=-1)
        return np.asarray(((likeliest == batch.labels) | (batch.labels == config.padding)).all(axis=-1))

    def about(self, figures: Mapping[str, float]) -> str:
        training, held_out = self.corpus
        return (
            f"Data: {len(training):,} pairs of sentences from the grammar in `txviz/data/translation`. Held out: "
            f"{len(held_out):,} pairs whose English sentence training never sees, in either language; "
            f"{figures['held_out_exact']:.1%} are translated exactly, word for word "
            f"({figures['held_out_exact_it']:.1%} Italian, {figures['held_out_exact_fr']:.1%} French).\n\n"
            "It knows the grammar's words and constructions and nothing else. A word outside its vocabulary is read as "
            "<UNK>, which it was never taught; a sentence of another shape, or of more than fourteen words, comes out "
            "as something near that the grammar has. “You” is always one friend, “it” the last noun."
        )


def batch_of(pairs: Sequence[tuple[Array, Array, Array]]) -> Batch:
    return Batch(*(padded([pair[part] for pair in pairs]) for part in range(3)))


def encode_pair(words: Vocabulary, pair: Pair) -> tuple[Array, Array, Array]:
    target = tokenise(pair.target)
    tokens = [START, *source(pair.english, pair.language), END]
    return words.encode(tokens), words.encode([START, *target]), words.encode([*target, END])


COURSE = TranslatorCourse
