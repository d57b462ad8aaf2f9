"""What the trained models share at run time: their files, and one step of training on the user's own example.

A model's folder has config.json (the architecture, and which model it is), weights.safetensors, vocabulary.json (where
there are words), examples.json, figures.json (what was measured on held-out data) and card.md, which says so in words.
``txviz.training`` writes such a folder; ``txviz.models.find`` reads it, wherever it is.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from txviz import resources
from txviz.errors import TxvizError
from txviz.models.model import InputKind, Prepared, Token
from txviz.models.options import Choice, Number, Option, Text
from txviz.models.registry import SHIPPED
from txviz.models.vocabulary import Vocabulary
from txviz.nets import stacks
from txviz.nets.blocks import Block
from txviz.nets.losses import cross_entropy_loss
from txviz.nets.optimiser import Recipe, training_step
from txviz.nets.parameters import Shapes, check
from txviz.ops import Array
from txviz.trace import Run, Step


def training_options(recipe: Recipe) -> dict[str, Option]:
    """A target makes a training step: the recipe's first, unless another rate or optimiser is wished for."""
    rate = Number(recipe.rate_at(1), 1e-9, 10.0)
    return {"target": Text(), "learning_rate": rate, "optimizer": Choice((recipe.optimiser, "sgd"))}


class TrainedModel(ABC):
    """A model that learnt its numbers. Subclasses say how it reads and runs."""

    kind: ClassVar[str]
    """Its name among those that ship; one in a folder is of the same kind."""

    takes: ClassVar[InputKind] = InputKind("sentence")
    options: ClassVar[Mapping[str, Option]]
    recipe: ClassVar[Recipe]

    def __init__(self, name: str, folder: Path | None = None) -> None:
        self.name = name
        self.folder = folder or resources.path("models", name)

    @property
    def title(self) -> str:
        own = "" if self.name == self.kind else f" ({Path(self.name).name})"
        return SHIPPED[self.kind].title + own

    @property
    def summary(self) -> str:
        return SHIPPED[self.kind].summary

    @property
    def example(self) -> str:
        return self.examples[0]

    @property
    def examples(self) -> tuple[str, ...]:
        return tuple(text for _, text in self._examples)

    @property
    def captions(self) -> tuple[str, ...]:
        return tuple(caption for caption, _ in self._examples)

    @cached_property
    def _examples(self) -> list[tuple[str, str]]:
        return [(caption, text) for caption, text in self._read("examples.json")]

    def tokens(self, text: object, options: Mapping[str, Any]) -> list[Token]:
        """The tokens that it reads in a sentence."""
        return []

    @abstractmethod
    def prepare(self, source: object, options: Mapping[str, Any]) -> Prepared:
        """The model and one input, ready to run."""

    @abstractmethod
    def configured(self, config: dict[str, Any]) -> Any:
        """The architecture from its JSON."""

    @abstractmethod
    def shapes(self, config: Any) -> Shapes: ...

    @cached_property
    def config(self) -> Any:
        described = self._read("config.json")
        described.pop("model", None)
        if "block" in described:
            described["block"] = Block(**described["block"])
        return self.configured(described)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        return Vocabulary(tuple(self._read("vocabulary.json")))

    @cached_property
    def parameters(self) -> dict[str, Array]:
        """The weights as float64, which is what traces are computed in."""
        from safetensors import SafetensorError  # imported only by those who need it
        from safetensors.numpy import load_file

        file = self.folder / "weights.safetensors"
        try:
            found = {name: value.astype(np.float64) for name, value in load_file(file).items()}
        except (OSError, SafetensorError) as error:
            raise self._damaged(file, error) from error
        check(found, self.shapes(self.config))
        return found

    def _read(self, name: str) -> Any:
        file = self.folder / name
        try:
            return json.loads(file.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise self._damaged(file, error) from error

    def _damaged(self, file: Path, error: Exception) -> TxvizError:
        return TxvizError(f"the model {self.name} can't be run: {file} is missing or damaged ({error})")

    def learn(self, run: Run, options: Mapping[str, Any], loss: Callable[[Run], Step]) -> str:
        """One step of training on this example: the recipe's, with the rate and the optimiser that were chosen."""
        rate, optimiser = options["learning_rate"], options["optimizer"]
        return training_step(
            run, loss, replace(self.recipe, rate=rate, warm_up=0, decay_to_zero=False, optimiser=optimiser)
        )

    def surprise(self, run: Run, logits: Step, labels: Step) -> Step:  # (...,V), (...) -> ()
        """Softmax at every position, to be looked at, and the loss at the labels."""
        stacks.probabilities(run, logits)
        return cross_entropy_loss(run, logits, labels, smoothing=self.recipe.smoothing)
