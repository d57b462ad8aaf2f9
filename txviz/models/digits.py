"""`digits`: a vision transformer that reads a digit drawn on a 6×6 board."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from txviz.errors import TxvizError
from txviz.models.images import read_image
from txviz.models.model import InputKind, Prepared
from txviz.models.options import Option
from txviz.models.trained import TrainedModel, training_options
from txviz.nets import stacks, vit
from txviz.nets.optimiser import Recipe
from txviz.nets.parameters import Shapes
from txviz.trace import Run, Step

SIZE = (6, 6)


class Digits(TrainedModel):
    kind = "digits"
    takes = InputKind("image", SIZE)
    recipe = Recipe(
        steps=12_000, batch=128, rate=1e-2, warm_up=200, betas=(0.9, 0.99), epsilon=1e-8, weight_decay=0.03, seed=0
    )
    options: ClassVar[Mapping[str, Option]] = training_options(recipe)

    def prepare(self, source: object, options: Mapping[str, Any]) -> Prepared:
        pixels, classes, target = read_image(source, SIZE), self.config.classes, options["target"]
        if target is not None and target not in classes:
            raise TxvizError(f"the target is {target!r}; it must be a digit from 0 to 9")

        def logits(run: Run) -> Step:
            return vit.forward(run, self.config, run.given("image", pixels.astype(run.dtype), axes="row column"))

        def loss(run: Run) -> Step:
            scores = logits(run)
            return self.surprise(run, scores, run.given("labels", np.array(classes.index(target)), axes=""))

        def forward(run: Run) -> str:
            if target is not None:
                return self.learn(run, options, loss)
            return stacks.predict(run, stacks.probabilities(run, logits(run)), classes)

        return Prepared(self.parameters, forward)

    def configured(self, config: dict[str, Any]) -> vit.ViT:
        return vit.ViT(**{**config, **{name: tuple(config[name]) for name in ("image", "patch", "classes")}})

    def shapes(self, config: vit.ViT) -> Shapes:
        return vit.shapes(config)
