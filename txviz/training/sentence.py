"""How `sentence` learns: which of two sentences is nearer to a third, and how near the two of a pair are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from txviz import ops
from txviz.data import similarity
from txviz.models.sentence import GRADED, LONGEST, Sentence
from txviz.models.vocabulary import Vocabulary
from txviz.nets import sentence_encoder
from txviz.nets.blocks import Block
from txviz.nets.losses import cross_entropy_loss, squared_error_loss
from txviz.nets.optimiser import Recipe
from txviz.ops import Array
from txviz.spelling import split
from txviz.trace import Run, Step
from txviz.training.batches import padded
from txviz.training.course import Course

TEMPERATURE = 0.1
"""Cosines are divided by this before the softmax of the training loss."""


class Lesson(NamedTuple):
    """A batch: each row has a triple and a pair, five sentences in all, and the cosine that the pair should have."""

    sentences: Array  # (B,5,T)
    cosines: Array  # (B,1,1)


class SentenceCourse(Course[Sentence]):
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

    def examples(self) -> list[tuple[str, str]]:
        return [(" | ".join(pair), " | ".join(pair)) for pair in similarity.EXAMPLES]

    def batches(self, words: Any, recipe: Recipe) -> Iterator[Lesson]:
        rng = np.random.default_rng(recipe.seed)
        triples = [[words.encode(split(text)) for text in triple] for triple in self.corpus[0]]
        pairs = [[words.encode(split(text)) for text in pair[:2]] for pair in self.pairs]
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
        wanted = run.given("wanted", batch.cosines.astype(run.dtype), axes="sentence other")
        return run(ops.add, "sum", nearer, squared_error_loss(run, cosine, wanted, GRADED), axes="")

    def _units(self, run: Run, config: sentence_encoder.SentenceEncoder, ids: Array) -> Step:  # (...,T) -> (...,d)
        pooled = sentence_encoder.forward(run, config, run.given("tokens", ids, axes="token"))
        return sentence_encoder.unit(run, pooled)

    def measure(
        self, parameters: Mapping[str, Array], config: sentence_encoder.SentenceEncoder, words: Any
    ) -> dict[str, float]:
        run = Run(parameters, dtype="float32", record=False)
        held_out = self.corpus[1]
        a, p, n = (
            self._units(run, config, padded([words.encode(split(triple[k])) for triple in held_out])).value
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


COURSE = SentenceCourse
