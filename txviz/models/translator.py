"""`translator`: English to Italian and French, with the encoder–decoder of the paper."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from txviz import ops
from txviz.data.translation.lexicon import Language
from txviz.data.translation.pairs import EXAMPLES, Pair, corpus, join, source, tokenise, vocabulary
from txviz.models.decoding import write_on
from txviz.models.model import Prepared
from txviz.models.options import DECODING, Choice, Option, Text
from txviz.models.reading import Token
from txviz.models.text import plain, read_words
from txviz.models.trained import TrainedModel, block_of, write_json
from txviz.models.training_step import learn_labels
from txviz.models.vocabulary import END, START, Vocabulary, by_length, padded
from txviz.nets import translator
from txviz.nets.attention import Cache
from txviz.nets.blocks import Block
from txviz.nets.parameters import Shapes
from txviz.nets.training import Recipe, cross_entropy_loss
from txviz.ops import Array
from txviz.trace import Run, Step

LONGEST = 40
"""Tokens of a sentence, special ones included."""

BEAM_EXAMPLE = "<fr> The dog is happy and hungry and tired"
"""Outside the grammar: greedy stumbles into “et et”, and a beam finds a likelier sentence."""

_TAG = re.compile(r"\s*<(it|fr)>\s*")


class Batch(NamedTuple):
    source: Array  # (B,S)
    target: Array  # (B,T): <SOS>, then the words
    labels: Array  # (B,T): the words, then <EOS>


class Translator(TrainedModel):
    name = "translator"
    summary = "English to Italian or French: a small encoder–decoder, two layers each"
    examples = (
        *(text if language == "it" else f"<{language}> {text}" for text, language in EXAMPLES),
        BEAM_EXAMPLE,
    )
    options: ClassVar[Mapping[str, Option]] = {"language": Choice(("it", "fr")), "target": Text(), **DECODING}
    recipe = Recipe(steps=6000, batch=64, rate=2e-3, warm_up=500, smoothing=0.1, seed=0)

    def prepare(self, source_text: object, options: Mapping[str, Any]) -> Prepared:
        language, tokens = self._read(source_text, options["language"])
        ids = self.vocabulary.encode(tokens)
        labels = {"token": tuple(tokens)}
        target = (
            None if options["target"] is None else tokenise(" ".join(read_words(plain(options["target"]), LONGEST - 1)))
        )

        def forward(run: Run) -> str:
            given = run.given("tokens", ids, axes="token", labels=labels)
            memory, masks = translator.encode(run, self.config, given)
            if target is not None:
                return self._train_on(run, target, memory, masks)
            start = (self.vocabulary.numbers[START],)
            written = write_on(run, self._next(memory, masks), start, self.vocabulary, options)
            return join(self.vocabulary.decode(written.tokens), language)

        return Prepared(self.parameters, forward, {"tokens": self.vocabulary.note(tokens, self.english)})

    def _read(self, text: object, language: Language) -> tuple[Language, list[str]]:
        """The language to translate into, and the tokens. A tag in the text goes before the language given."""
        tag = _TAG.match(text) if isinstance(text, str) else None
        if tag and isinstance(text, str):
            language, text = ("it" if tag[1] == "it" else "fr"), text[tag.end() :]
        return language, [START, *source(" ".join(read_words(text, LONGEST - 3)), language), END]

    def tokens(self, text: object, options: Mapping[str, Any]) -> list[Token]:
        return self.vocabulary.tokens(self._read(text, options["language"])[1], self.english)

    def _next(self, memory: Step, masks: Sequence[Step]) -> Any:
        def next_logits(run: Run, tokens: tuple[int, ...], cache: Cache | None) -> Step:  # -> (V,)
            start = cache.advance(len(tokens)) if cache else 0
            words = tuple(self.vocabulary.words[i] for i in tokens[start:])
            given = run.given("decoder.tokens", np.array(tokens[start:]), axes="token", labels={"token": words})
            logits = translator.decode(run, self.config, given, memory, masks, cache, start)
            return run(ops.select, "head.last", logits, at=-1, axes="vocabulary")

        return next_logits

    def _train_on(self, run: Run, target: Sequence[str], memory: Step, masks: Sequence[Step]) -> str:
        """Teacher forcing: the target shifted to the right goes in, and every position should say the next word."""
        shifted = run.given(
            "decoder.tokens", self.vocabulary.encode([START, *target]), axes="token", labels={"token": (START, *target)}
        )
        logits = translator.decode(run, self.config, shifted, memory, masks)
        right = {"token": (*target, END)}
        labels = run.given("labels", self.vocabulary.encode([*target, END]), axes="token", labels=right)
        return learn_labels(run, logits, labels, self.recipe)

    def configured(self, config: dict[str, Any]) -> translator.Translator:
        return translator.Translator(**{**config, "block": block_of(config), "vocabulary": self.vocabulary.words})

    def shapes(self, config: translator.Translator) -> Shapes:
        return translator.shapes(config)

    def blueprint(self) -> tuple[translator.Translator, Vocabulary]:
        words = Vocabulary.of(vocabulary(self.corpus[0]))
        block = Block(d_model=64, heads=4, d_ff=128, norm="pre")
        settings: dict[str, Any] = {"encoder_layers": 2, "decoder_layers": 2, "longest": LONGEST, "tied_head": True}
        return translator.Translator(block, vocabulary=words.words, **settings), words

    @cached_property
    def english(self) -> list[str]:
        """The words that it can read; the others of its vocabulary it can only write."""
        words: list[str] = json.loads((self.folder / "english.json").read_text("utf-8"))
        return words

    def save(self, config: Any, vocabulary: Any, parameters: Mapping[str, Array]) -> None:
        super().save(config, vocabulary, parameters)
        english = sorted({word for pair in self.corpus[0] for word in tokenise(pair.english)})
        write_json(self.folder / "english.json", english)

    @cached_property
    def corpus(self) -> tuple[list[Pair], list[Pair]]:
        return corpus(self.recipe.seed)

    def batches(self, config: Any, words: Any, recipe: Recipe) -> Iterator[Batch]:
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

    def translate_all(
        self, pairs: Sequence[Pair], parameters: Mapping[str, Array], config: Any, words: Vocabulary
    ) -> list[str]:
        """Greedy translations of many sentences at once."""
        sources = padded([encode_pair(words, pair)[0] for pair in pairs])
        run = Run(parameters, dtype="float32", record=False)
        memory, masks = translator.encode(run, config, run.given("tokens", sources, axes="token"))
        target = np.full((len(pairs), 1), words.numbers[START])
        ended = np.zeros(len(pairs), dtype=bool)
        while target.shape[1] < LONGEST and not ended.all():
            logits = translator.decode(run, config, run.given("decoder.tokens", target, axes="token"), memory, masks)
            best = np.where(ended, config.padding, logits.value[:, -1].argmax(axis=-1))
            target = np.concatenate([target, best[:, None]], axis=1)
            ended |= best == words.numbers[END]
        return [join(words.decode(row), pair.language) for row, pair in zip(target, pairs, strict=True)]

    def measure(self, parameters: Mapping[str, Array], config: Any, vocabulary: Any) -> dict[str, float]:
        """The share of held-out sentences that are translated exactly, in all and by language."""
        pairs = self.corpus[1]
        right: dict[str, list[bool]] = {"it": [], "fr": []}
        for start in range(0, len(pairs), 250):
            some = pairs[start : start + 250]
            said = self.translate_all(some, parameters, config, vocabulary)
            for one, pair in zip(said, some, strict=True):
                right[pair.language].append(one == pair.target)
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
