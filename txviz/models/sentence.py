"""`sentence`: an encoder that gives each sentence a vector; two sentences give a cosine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from txviz import ops
from txviz.data import similarity
from txviz.errors import TxvizError
from txviz.models.model import Prepared
from txviz.models.options import Option, Text
from txviz.models.reading import InputKind, Token
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
from txviz.trace.backward import axes_of

LONGEST = 40
TEMPERATURE = 0.1
"""Cosines are divided by this before the softmax of the training loss."""
GRADED = 4
"""How much the squared error of a cosine weighs in the training loss."""


class Lesson(NamedTuple):
    """A batch: each row has a triple and a pair, five sentences in all, and the cosine that the pair should have."""

    sentences: Array  # (B,5,T)
    cosines: Array  # (B,1,1)


class Sentence(TrainedModel):
    name = "sentence"
    summary = "two sentences and the cosine between them (or one sentence and its vector): a small trained encoder"
    examples = tuple(" | ".join(pair[:2]) for pair in similarity.EXAMPLES)
    takes = InputKind("pair")
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
            return learn(run, graded_loss(run, cosine, wanted), self.recipe)

        notes = {}
        for part, words in zip(("",) if len(texts) == 1 else ("first.", "second."), texts, strict=True):
            notes[f"{part}tokens"] = self.vocabulary.note(words)
        return Prepared(self.parameters, forward, notes)

    def tokens(self, text: object, options: Mapping[str, Any]) -> list[Token]:
        return [token for words in read_pair(text) for token in self.vocabulary.tokens(words)]

    def _encode(self, run: Run, words: list[str]) -> Step:  # -> (d,)
        tokens = run.given("tokens", self.vocabulary.encode(words), axes="token", labels={"token": tuple(words)})
        return sentence_encoder.forward(run, self.config, tokens)

    @cached_property
    def corpus(self) -> tuple[list[similarity.Triple], list[similarity.Triple]]:
        return similarity.corpus(self.recipe.seed)

    @cached_property
    def pairs(self) -> list[similarity.Pair]:
        return similarity.graded_pairs(self.recipe.seed, len(self.corpus[0]))

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

    def batches(self, config: sentence_encoder.SentenceEncoder, vocabulary: Any, recipe: Recipe) -> Iterator[Lesson]:
        rng = np.random.default_rng(recipe.seed)
        triples = [[vocabulary.encode(split(text)) for text in triple] for triple in self.corpus[0]]
        pairs = [[vocabulary.encode(split(text)) for text in pair[:2]] for pair in self.pairs]
        cosines = np.array([pair.similarity for pair in self.pairs])
        while True:
            order, other = rng.permutation(len(triples)), rng.permutation(len(pairs))
            for start in range(0, len(order) - recipe.batch + 1, recipe.batch):
                rows, graded = (numbers[start : start + recipe.batch] for numbers in (order, other))
                texts = [text for i, j in zip(rows, graded, strict=True) for text in triples[i] + pairs[j]]
                yield Lesson(padded(texts).reshape(len(rows), 5, -1), cosines[graded].reshape(-1, 1, 1))

    def loss(self, run: Run, config: sentence_encoder.SentenceEncoder, batch: Lesson, smoothing: float) -> Step:
        """Which of two sentences is nearer to the anchor, and how near the two of a pair are."""
        units = self._units(run, config, batch.sentences)
        names = {"anchor": [0, 1], "others": [1, 3], "first": [3, 4], "second": [4, 5]}
        anchor, others, first, second = (
            run(ops.select, name, units, at=rows, axes="sentence feature") for name, rows in names.items()
        )
        cosines = run(ops.matmul, "cosines", anchor, others, transpose=True, axes="sentence other")
        sharp = run(ops.scale, "sharp", cosines, base=TEMPERATURE, exponent=-1, axes="sentence other")
        labels = run.given("labels", np.zeros((len(batch.sentences), 1), int), axes="sentence")
        nearer = cross_entropy_loss(run, sharp, labels, smoothing=smoothing)
        cosine = run(ops.matmul, "cosine", first, second, transpose=True, axes="sentence other")
        wanted = run.given("similarity.target", batch.cosines.astype(run.dtype), axes="sentence other")
        return run(ops.add, "loss.sum", nearer, graded_loss(run, cosine, wanted), axes="")

    def _units(self, run: Run, config: sentence_encoder.SentenceEncoder, ids: Array) -> Step:  # (...,T) -> (...,d)
        pooled = sentence_encoder.forward(run, config, run.given("tokens", ids, axes="token"))
        return run(ops.unit, "pool.unit", pooled, axes="feature")

    def measure(
        self, parameters: Mapping[str, Array], config: sentence_encoder.SentenceEncoder, vocabulary: Any
    ) -> dict[str, float]:
        run = Run(parameters, dtype="float32", record=False)
        held_out = self.corpus[1]
        a, p, n = (
            self._units(run, config, padded([vocabulary.encode(split(triple[k])) for triple in held_out])).value
            for k in range(3)
        )
        nearer = (a * p).sum(axis=-1) > (a * n).sum(axis=-1)
        swapped = np.array(similarity.swapped(self.recipe.seed))
        return {"held_out_triplets": float(nearer.mean()), "held_out_swapped_roles": float(nearer[swapped].mean())}

    def about(self, figures: Mapping[str, float]) -> str:
        training, held_out = self.corpus
        return (
            f"Data: {len(training):,} triples (a sentence, one nearer in meaning, one further away) and as many pairs "
            "with their similarity, both from `txviz/data/similarity`. The loss asks which of two sentences is nearer "
            f"to a third (a softmax over their cosines), and adds {GRADED} × the squared error of the pairs' cosines. "
            f"Held out: {len(held_out):,} triples whose first sentence training never sees, in any words; in "
            f"{figures['held_out_triplets']:.1%} the nearer one has the larger cosine. Where the further one has the "
            "same words in exchanged roles (“the dog chases the cat”, “the cat chases the dog”) it is "
            f"{figures['held_out_swapped_roles']:.1%}.\n\n"
            "Its world is small: a few hundred words in simple sentences. The cosine follows the similarity that its "
            "data defines; it is no probability. A word outside its vocabulary is read as <UNK>, which it was never "
            "taught."
        )


def graded_loss(run: Run, cosine: Step, wanted: Step) -> Step:  # (...), (...) -> ()
    """How far cosines are from those they should be: the mean squared error, and its weight."""
    squares = run(ops.squared_error, "loss.squares", cosine, wanted, axes=axes_of(cosine))
    mean = run(ops.average, "loss.error", squares, axes="")
    return run(ops.scale, "loss.graded", mean, base=GRADED, exponent=1, axes="")


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
