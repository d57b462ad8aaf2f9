"""How `translator` learns: pairs of sentences from a small grammar, with teacher forcing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from txviz.data.translation import EXAMPLES, Pair, corpus, vocabulary
from txviz.models.translator import LONGEST, Translator, next_logits
from txviz.models.vocabulary import END, START, Vocabulary
from txviz.nets import translator
from txviz.nets.blocks import Block
from txviz.nets.decoding import Strategy, write
from txviz.nets.losses import cross_entropy_loss
from txviz.nets.optimiser import Recipe
from txviz.ops import Array
from txviz.spelling import join, source, tokenise
from txviz.trace import Run, Step
from txviz.training.batches import by_length, padded
from txviz.training.course import Course, write_json

BEAM_EXAMPLE = "<fr> The dog is happy and hungry and tired"
"""Outside the grammar: greedy stumbles into “et et”, and a beam finds a likelier sentence."""


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
        return [(text, text) for text in (*texts, BEAM_EXAMPLE)]

    def save(self, config: Any, words: Vocabulary | None, parameters: Mapping[str, Array]) -> None:
        super().save(config, words, parameters)
        english = sorted({word for pair in self.corpus[0] for word in tokenise(pair.english)})
        write_json(self.model.folder / "english.json", english)

    @cached_property
    def corpus(self) -> tuple[list[Pair], list[Pair]]:
        return corpus(self.recipe.seed)

    def batches(self, words: Any, recipe: Recipe) -> Iterator[Batch]:
        rng = np.random.default_rng(recipe.seed)
        pairs = [encode_pair(words, pair) for pair in self.corpus[0]]
        sizes = np.array([len(pair[0]) + len(pair[1]) for pair in pairs])
        for chosen in by_length(sizes, recipe.batch, rng, looseness=2):
            yield Batch(*(padded([pairs[i][part] for i in chosen]) for part in range(3)))

    def loss(self, run: Run, config: translator.Translator, batch: Batch, smoothing: float) -> Step:
        given = [
            run.given(name, ids, axes="token") for name, ids in zip(("tokens", "decoder.tokens"), batch, strict=False)
        ]
        logits = translator.forward(run, config, *given)
        labels = run.given("labels", batch.labels, axes="token")
        return cross_entropy_loss(run, logits, labels, ignore=config.padding, smoothing=smoothing)

    def translation(self, run: Run, config: translator.Translator, words: Vocabulary, pair: Pair) -> str:
        """What the decoder that everybody uses writes for the English side of a pair."""
        memory, masks = translator.encode(run, config, run.given("tokens", encode_pair(words, pair)[0], axes="token"))
        following = next_logits(config, words, memory, masks)
        found = write(run, following, (words.numbers[START],), words.numbers[END], Strategy(max_steps=LONGEST - 1))
        return join(words.decode(found.tokens), pair.language)

    def measure(self, parameters: Mapping[str, Array], config: Any, words: Any) -> dict[str, float]:
        """The share of held-out sentences that are translated exactly, in all and by language."""
        run = Run(parameters, dtype="float32", record=False)
        right: dict[str, list[bool]] = {"it": [], "fr": []}
        for pair in self.corpus[1]:
            right[pair.language].append(self.translation(run, config, words, pair) == pair.target)
        everything = right["it"] + right["fr"]
        return {
            "held_out_exact": float(np.mean(everything)),
            "held_out_exact_it": float(np.mean(right["it"])),
            "held_out_exact_fr": float(np.mean(right["fr"])),
        }

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


def encode_pair(words: Vocabulary, pair: Pair) -> tuple[Array, Array, Array]:
    target = tokenise(pair.target)
    tokens = [START, *source(pair.english, pair.language), END]
    return words.encode(tokens), words.encode([START, *target]), words.encode([*target, END])


COURSE = TranslatorCourse
