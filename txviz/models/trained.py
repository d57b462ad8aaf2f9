"""What the trained models share: their files, and how they are trained again.

A model's folder in resources/models has config.json (the architecture), weights.safetensors, vocabulary.json (where
there are words), figures.json (what was measured on held-out data) and card.md, which says all of that in words.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from txviz import resources
from txviz.files import write_whole
from txviz.models.model import Prepared
from txviz.models.options import Option
from txviz.models.reading import InputKind, Token
from txviz.models.vocabulary import Vocabulary
from txviz.nets.blocks import Block
from txviz.nets.parameters import Shapes, check, initialise
from txviz.nets.training import Recipe
from txviz.ops import Array
from txviz.trace import Run, Step


class TrainedModel(ABC):
    """A model that learnt its numbers. Subclasses say how it reads, runs and learns."""

    name: ClassVar[str]
    summary: ClassVar[str]
    examples: ClassVar[tuple[str, ...]]
    takes: ClassVar[InputKind] = InputKind("sentence")
    options: ClassVar[Mapping[str, Option]]
    recipe: ClassVar[Recipe]

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or resources.path("models", self.name)

    @property
    def example(self) -> str:
        return self.examples[0]

    @property
    def captions(self) -> tuple[str, ...]:
        return self.examples

    def tokens(self, text: object, options: Mapping[str, Any]) -> list[Token]:
        """The tokens that it reads in a sentence."""
        return []

    @abstractmethod
    def prepare(self, source: object, options: Mapping[str, Any]) -> Prepared:
        """The model and one input, ready to run."""

    @abstractmethod
    def blueprint(self) -> tuple[Any, Vocabulary | None]:
        """The architecture, and the words of the training data: what training starts from."""

    @abstractmethod
    def configured(self, config: dict[str, Any]) -> Any:
        """The architecture from its JSON."""

    @abstractmethod
    def shapes(self, config: Any) -> Shapes: ...

    @abstractmethod
    def batches(self, config: Any, vocabulary: Any, recipe: Recipe) -> Iterator[Any]:
        """An endless stream of training batches, the same for the same seed."""

    @abstractmethod
    def loss(self, run: Run, config: Any, batch: Any, smoothing: float) -> Step:
        """The loss of a batch."""

    @abstractmethod
    def measure(self, parameters: Mapping[str, Array], config: Any, vocabulary: Any) -> dict[str, float]:
        """Figures on data that training never sees."""

    @abstractmethod
    def about(self, figures: Mapping[str, float]) -> str:
        """The part of the card that only this model can tell: its data, what the figures mean, what it can't do."""

    @cached_property
    def config(self) -> Any:
        return self.configured(json.loads((self.folder / "config.json").read_text("utf-8")))

    @cached_property
    def vocabulary(self) -> Vocabulary:
        return Vocabulary(tuple(json.loads((self.folder / "vocabulary.json").read_text("utf-8"))))

    @cached_property
    def parameters(self) -> dict[str, Array]:
        """The weights as float64, which is what traces are computed in."""
        from safetensors.numpy import load_file  # imported only by those who need it

        found = {
            name: value.astype(np.float64) for name, value in load_file(self.folder / "weights.safetensors").items()
        }
        check(found, self.shapes(self.config))
        return found

    def fresh(self, config: Any, seed: int) -> dict[str, Array]:
        return initialise(self.shapes(config), seed, dtype="float32")

    def save(self, config: Any, vocabulary: Vocabulary | None, parameters: Mapping[str, Array]) -> None:
        """Writes configuration, words and weights."""
        from safetensors.numpy import save

        self.folder.mkdir(parents=True, exist_ok=True)
        described = {key: value for key, value in asdict(config).items() if key != "vocabulary"}
        write_json(self.folder / "config.json", described)
        if vocabulary is not None:
            write_json(self.folder / "vocabulary.json", vocabulary.words)
        arrays = {name: np.ascontiguousarray(value, dtype=np.float32) for name, value in parameters.items()}
        write_whole(self.folder / "weights.safetensors", save(arrays))

    def save_card(self, figures: Mapping[str, float], parameters: Mapping[str, Array], minutes: float) -> None:
        """The held-out figures, as numbers and in words."""
        write_json(self.folder / "figures.json", dict(figures))
        count = sum(value.size for value in parameters.values())
        recipe = self.recipe
        card = (
            f"# {self.name}\n\n{self.summary[0].upper()}{self.summary[1:]}.\n\n"
            f"- {count:,} parameters, float32, trained by txviz with NumPy alone\n"
            f"- {recipe.steps:,} steps of {recipe.batch} examples, {minutes:.1f} minutes on two cores, "
            f"seed {recipe.seed}: `txviz train {self.name}` makes it again\n"
            f"- Adam, rate {recipe.rate:g}, {recipe.warm_up} steps of warm-up, then a cosine to 0; "
            f"label smoothing {recipe.smoothing:g}, weight decay {recipe.weight_decay:g}\n\n{self.about(figures)}\n"
        )
        write_whole(self.folder / "card.md", card.encode())


def block_of(config: dict[str, Any]) -> Block:
    return Block(**config["block"])


def write_json(path: Path, content: Any) -> None:
    write_whole(path, (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode())
