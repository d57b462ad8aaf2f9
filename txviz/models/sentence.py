"""`sentence`: an encoder that gives each sentence a vector; two sentences give a cosine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from txviz import ops
from txviz.data import similarity
from txviz.errors import TxvizError
from txviz.models.model import Prepared
from txviz.models.options import Option, Text
from txviz.models.text import plain, read_words, split
from txviz.models.trained import TrainedModel, block_of
from txviz.models.training_step import learn
from txviz.models.vocabulary import Vocabulary, padded
from txviz.nets import sentence_encoder
from txviz.nets.blocks import Block
from txviz.nets.parameters import Shapes
from txviz.nets.training import Recipe, cross_entropy_loss
from txviz.ops import Array
from txviz.trace import Run, Step

LONGEST = 40
TEMPERATURE = 0.1
"""Cosines are divided by this before the softmax of the training loss."""


class Sentence(TrainedModel):
    name = "sentence"
    summary = "two sentences and the cosine between them (or one sentence and its vector): a small trained encoder"
    examples = tuple(" | ".join(pair[:2]) for pair in similarity.EXAMPLES)
    options: ClassVar[Mapping[str, Option]] = {"target": Text()}
    recipe = Recipe(steps=4000, batch=64, rate=3e-3, warm_up=200, betas=(0.9, 0.99), seed=0)

    def prepare(self, source: object, options: Mapping[str, Any]) -> Prepared:
        texts = read_pair(source)
        target = None if options["target"] is None else _cosine(options["target"])
        if target is not None and len(texts) == 1:
            raise TxvizError("a target is the cosine of two sentences; give two, parted by |")

        def forward(run: Run) -> str | Step:
            if len(texts) == 1:
                return self._encode(run, texts[0])
            units = []
            for part, words in zip(("first", "second"), texts, strict=True):
                with run.part(part):
                    units.append(run(ops.unit, "pool.unit", self._encode(run, words), axes="feature"))
            cosine = run(ops.dot, "similarity.cosine", *units, axes="")
            if target is None:
                return f"{float(cosine.value):.3f}"
            wanted = run.given("similarity.target", np.array(target, dtype=run.dtype), axes="")
            return learn(run, run(ops.squared_error, "loss.mean", cosine, wanted, axes=""), self.recipe)

        notes = {}
        for part, words in zip(("",) if len(texts) == 1 else ("first.", "second."), texts, strict=True):
            notes[f"{part}tokens"] = self.vocabulary.note(words)
        return Prepared(self.parameters, forward, notes)

    def _encode(self, run: Run, words: list[str]) -> Step:  # -> (d,)
        tokens = run.given("tokens", self.vocabulary.encode(words), axes="token", labels={"token": tuple(words)})
        return sentence_encoder.forward(run, self.config, tokens)

    @cached_property
    def corpus(self) -> tuple[list[similarity.Triple], list[similarity.Triple]]:
        return similarity.corpus(self.recipe.seed)

    def blueprint(self) -> tuple[sentence_encoder.SentenceEncoder, Vocabulary]:
        words = Vocabulary.of(word for triple in self.corpus[0] for text in triple for word in split(text))
        block = Block(d_model=48, heads=4, d_ff=96, norm="pre", activation="gelu_tanh")
        return sentence_encoder.SentenceEncoder(block, 2, len(words), LONGEST, "sinusoidal", "mean", padding=0), words

    def configured(self, config: dict[str, Any]) -> sentence_encoder.SentenceEncoder:
        return sentence_encoder.SentenceEncoder(
            **{**config, "block": block_of(config), "vocabulary": len(self.vocabulary)}
        )

    def shapes(self, config: sentence_encoder.SentenceEncoder) -> Shapes:
        return sentence_encoder.shapes(config)

    def batches(
        self, config: sentence_encoder.SentenceEncoder, vocabulary: Any, recipe: Recipe
    ) -> Iterator[tuple[Array, Array, Array]]:
        rng = np.random.default_rng(recipe.seed)
        triples = [[vocabulary.encode(split(text)) for text in triple] for triple in self.corpus[0]]
        while True:
            order = rng.permutation(len(triples))
            for start in range(0, len(order) - recipe.batch + 1, recipe.batch):
                chosen = [triples[i] for i in order[start : start + recipe.batch]]
                yield tuple(padded([triple[k] for triple in chosen]) for k in range(3))  # type: ignore[misc]

    def loss(
        self, run: Run, config: sentence_encoder.SentenceEncoder, batch: tuple[Array, Array, Array], smoothing: float
    ) -> Step:
        """Each anchor should be nearest to its own positive, among all positives and negatives of the batch."""
        anchors, positives, negatives = (
            self._units(run, config, name, ids)
            for name, ids in zip(("anchor", "positive", "negative"), batch, strict=True)
        )
        others = run(ops.concat, "others", positives, negatives, axes="sentence feature")
        cosines = run(ops.matmul, "cosines", anchors, others, transpose=True, axes="anchor sentence")
        sharp = run(ops.scale, "sharp", cosines, base=TEMPERATURE, exponent=-1, axes="anchor sentence")
        labels = run.given("labels", np.arange(len(batch[0])), axes="anchor")
        return cross_entropy_loss(run, sharp, labels, smoothing=smoothing)

    def _units(
        self, run: Run, config: sentence_encoder.SentenceEncoder, name: str, ids: Array
    ) -> Step:  # (B,T) -> (B,d)
        with run.part(name):
            pooled = sentence_encoder.forward(run, config, run.given("tokens", ids, axes="token"))
            return run(ops.unit, "pool.unit", pooled, axes="feature")

    def measure(
        self, parameters: Mapping[str, Array], config: sentence_encoder.SentenceEncoder, vocabulary: Any
    ) -> dict[str, float]:
        run = Run(parameters, dtype="float32", record=False)
        held_out = self.corpus[1]
        a, p, n = (
            self._units(run, config, "x", padded([vocabulary.encode(split(triple[k])) for triple in held_out])).value
            for k in range(3)
        )
        nearer = (a * p).sum(axis=-1) > (a * n).sum(axis=-1)
        return {"held_out_triplets": float(nearer.mean())}

    def about(self, figures: Mapping[str, float]) -> str:
        training, held_out = self.corpus
        return (
            f"Data: {len(training):,} triples (a sentence, one nearer in meaning, one further away) from "
            "`txviz/data/similarity`; the loss asks each sentence for its nearer one among all of the batch. "
            f"Held out: {len(held_out):,} triples whose first sentence training never sees; in "
            f"{figures['held_out_triplets']:.1%} the nearer one has the larger cosine.\n\n"
            "Its world is small: a few hundred words in simple sentences. The cosine ranks sentences; it is no "
            "probability. Swapped roles (“the dog chases the cat”, “the cat chases the dog”) it does not always tell "
            "apart. A word outside its vocabulary is read as <UNK>, which it was never taught."
        )


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
