"""How `digits` learns: handwritten digits and synthetic strokes, in batches of many shades."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from txviz.data import digits
from txviz.models.digits import SIZE, Digits
from txviz.models.images import image_text
from txviz.nets import vit
from txviz.nets.blocks import Block
from txviz.nets.losses import cross_entropy_loss
from txviz.nets.optimiser import Recipe
from txviz.ops import Array
from txviz.trace import Run, Step
from txviz.training.course import Course


class DigitsCourse(Course[Digits]):
    def blueprint(self) -> tuple[vit.ViT, None]:
        block = Block(d_model=16, heads=4, d_ff=76, norm="pre", activation="gelu_tanh")
        return vit.ViT(block, layers=2, image=SIZE, patch=(2, 2), classes=digits.CLASSES, pooling="mean"), None

    def examples(self) -> list[tuple[str, str]]:
        return [(f"Digit {c}", image_text(digits.EXAMPLES[c])) for c in digits.CLASSES]

    def batches(self, words: Any, recipe: Recipe) -> Iterator[Any]:
        return digits.batches(recipe.seed, recipe.batch)

    def loss(self, run: Run, config: vit.ViT, batch: tuple[Array, Array], smoothing: float) -> Step:
        images, labels = batch
        logits = vit.forward(run, config, run.given("image", images.astype(run.dtype), axes="row column"))
        return cross_entropy_loss(run, logits, run.given("labels", labels, axes=""), smoothing=smoothing)

    def accuracy(self, parameters: Mapping[str, Array], config: vit.ViT, images: Array, labels: Array) -> float:
        run = Run(parameters, dtype="float32", record=False)
        logits = vit.forward(run, config, run.given("image", images.astype(np.float32), axes="row column"))
        return float((logits.value.argmax(axis=-1) == labels).mean())

    def measure(self, parameters: Mapping[str, Array], config: vit.ViT, words: Any) -> dict[str, float]:
        _, _, images, labels = digits.split()
        drawn, meant = digits.drawings()
        return {
            "held_out_accuracy": self.accuracy(parameters, config, images, labels),
            "held_out_accuracy_inverted": self.accuracy(parameters, config, 1 - images, labels),
            "drawings_accuracy": self.accuracy(parameters, config, drawn, meant),
            "drawings_accuracy_inverted": self.accuracy(parameters, config, 1 - drawn, meant),
        }

    def glance(self, parameters: Mapping[str, Array], config: vit.ViT, words: Any) -> float:
        _, _, images, labels = digits.split()
        return self.accuracy(parameters, config, images, labels)

    def about(self, figures: Mapping[str, float]) -> str:
        return (
            "Data: the UCI handwritten digits (CC BY 4.0), reduced from 8×8 to 6×6, moved and stretched a little, and "
            "synthetic strokes as a mouse or a brush would draw them, all in many shades, half of them inverted; see "
            "`txviz/data/digits.py`. "
            f"Held out: a fifth of the UCI images, {figures['held_out_accuracy']:.1%} right "
            f"({figures['held_out_accuracy_inverted']:.1%} inverted), and hand-made drawings of all ten digits that "
            f"training never sees, {figures['drawings_accuracy']:.1%} right "
            f"({figures['drawings_accuracy_inverted']:.1%} inverted). "
            "Pooling, positions, augmentation, share of strokes, rate, weight decay and label smoothing were chosen by "
            "five-fold cross-validation inside the training images, in a PyTorch copy of the model, by the mistakes on "
            "each fold's written digits and on strokes of hands left out of its training: 98.3% of the written digits "
            "right, from 97.2% to 99.5% by fold. Another rate came out as good. The number of steps was set beforehand "
            "and the seed is 0 by convention; neither the held-out fifth nor the drawings had a say in these choices. "
            "The recipe they started from, though, had once been adjusted by that fifth. Seeds 0 to 4 read 97.5%, "
            "97.8%, 97.5%, 96.9% and 97.2% of the held-out fifth (mean 97.4%, standard deviation 0.3; inverted 96.7% ± "
            "0.5) and 98.8%, 98.8%, 97.5%, 96.3% and 95.0% of the drawings (mean 97.3% ± 1.6; inverted 93.8% ± "
            "2.9).\n\n"
            "It answers with a digit whatever is drawn: a letter, a face or an empty board, too. A digit that fills "
            "only a corner of the board is often misread."
        )


COURSE = DigitsCourse
