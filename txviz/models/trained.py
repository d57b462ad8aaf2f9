"""What the trained models share at run time: their files, and one step of training on the user's own example.

A model's folder has config.json (the architecture, which model it is, and the checksum of its weights),
weights.safetensors, vocabulary.json (where there are words), examples.json, figures.json (what was measured on held-out
data) and card.md, which says so in words.
``txviz.training`` writes such a folder; ``txviz.models.find`` reads it, wherever it is.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from copy import copy
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from txviz import resources
from txviz.files import finish
from txviz.models.damage import INSTALL_AGAIN, check_fields, check_sum, content_of, unsealed
from txviz.models.folders import folder_title
from txviz.models.model import InputKind, Prepared, Token
from txviz.models.options import Choice, Number, Option, Text
from txviz.models.registry import SHIPPED
from txviz.models.vocabulary import SPECIAL, Vocabulary
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
        finish(self.folder)  # what a killed training had yet to do
        self._remedy = "copy or train it again" if folder else INSTALL_AGAIN
        self._state = ""

    @property
    def title(self) -> str:
        state = self._state or ("" if self.name == self.kind else folder_title(self.name))
        return SHIPPED[self.kind].title + (f" ({state})" if state else "")

    def with_parameters(self, parameters: Mapping[str, Array], state: str) -> Self:
        """The same model with other numbers, as one that is learning has; ``state`` says so in its title."""
        made = copy(self)
        made.parameters, made._state = {name: value.astype(np.float64) for name, value in parameters.items()}, state
        return made

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
        with self._content("examples.json") as content:
            (first, *others) = json.loads(content)
            return [(str(caption), str(text)) for caption, text in (first, *others)]

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
        with self._content("config.json") as content:
            described = unsealed(content)
            for about_the_folder in ("model", "weights_crc32"):
                described.pop(about_the_folder, None)
            if "block" in described:
                described["block"] = Block(**described["block"])
                check_fields(described["block"])
            config = self.configured(described)
            check_fields(config)
            return config

    @cached_property
    def vocabulary(self) -> Vocabulary:
        with self._content("vocabulary.json") as content:
            words = tuple(json.loads(content))
            readable = all(isinstance(word, str) and word.isprintable() for word in words)
            if not readable or words[: len(SPECIAL)] != SPECIAL:
                raise ValueError(f"it is not a list of words that begins with {', '.join(SPECIAL)}")
            return Vocabulary(words)

    @cached_property
    def parameters(self) -> dict[str, Array]:
        """The weights as float64, which is what traces are computed in."""
        from safetensors.numpy import load  # imported only by those who need it

        with self._weights() as content:
            found = {name: value.astype(np.float64) for name, value in load(content).items()}
            check(found, self.shapes(self.config))
            return found

    def check_files(self) -> None:
        """A DamagedError unless all that running needs is there, and the weights are those that were written."""
        with self._weights():
            self.config, self.example  # noqa: B018

    @contextmanager
    def _weights(self) -> Iterator[bytes]:
        with self._content("config.json") as config:
            expected = unsealed(config).get("weights_crc32")
        with self._content("weights.safetensors") as content:
            if expected is not None:
                check_sum(content, expected)
            yield content

    def _content(self, name: str) -> AbstractContextManager[bytes]:
        return content_of(self.folder / name, self.name, self._remedy)

    def learn(self, run: Run, options: Mapping[str, Any], loss: Callable[[Run], Step]) -> str:
        """One step of training on this example: the recipe's, with the rate and the optimiser that were chosen."""
        rate, optimiser = options["learning_rate"], options["optimizer"]
        return training_step(
            run, loss, replace(self.recipe, rate=rate, warm_up=0, decay_to_zero=False, optimiser=optimiser)
        )

    def surprise(self, run: Run, logits: Step, labels: Step, ignore: int | None = None) -> Step:  # (...,V), (...) -> ()
        """Softmax at every position, to be looked at, and the loss at the labels that are not to be ignored."""
        stacks.probabilities(run, logits)
        return cross_entropy_loss(run, logits, labels, ignore, self.recipe.smoothing)
