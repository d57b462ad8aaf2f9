"""What training a model needs beyond running it: data, batches, a loss, measuring, and writing its folder."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from txviz.files import checksum, saying, write_all
from txviz.models.damage import sealed
from txviz.models.registry import SHIPPED
from txviz.models.trained import TrainedModel
from txviz.models.vocabulary import Vocabulary
from txviz.nets.optimiser import Recipe
from txviz.ops import Array
from txviz.trace import Run, Step

M = TypeVar("M", bound=TrainedModel)


class Course(ABC, Generic[M]):
    """How one model learns. ``config`` is its architecture, ``words`` its vocabulary, or None."""

    def __init__(self, model: M, kind: str) -> None:
        self.model = model
        self.kind = kind
        self.recipe: Recipe = model.recipe

    @abstractmethod
    def blueprint(self) -> tuple[Any, Vocabulary | None]:
        """The architecture, and the words of the training data: what training starts from."""

    @abstractmethod
    def examples(self) -> list[tuple[str, str]]:
        """Inputs for the menu, each behind its caption; training never sees them."""

    @abstractmethod
    def batches(self, words: Any, recipe: Recipe) -> Iterator[Any]:
        """An endless stream of training batches, the same for the same seed."""

    @abstractmethod
    def loss(self, run: Run, config: Any, batch: Any, smoothing: float) -> Step:
        """The loss of a batch."""

    @abstractmethod
    def measure(self, parameters: Mapping[str, Array], config: Any, words: Any) -> dict[str, float]:
        """Figures on data that training never sees."""

    def glance(self, parameters: Mapping[str, Array], config: Any, words: Any) -> float:
        """How much of what training never sees is right, from 0 to 1: the first of the figures, or a quicker one."""
        return next(iter(self.measure(parameters, config, words).values()))

    @abstractmethod
    def about(self, figures: Mapping[str, float]) -> str:
        """The part of the card that only this model can tell: its data, what the figures mean, what it can't do."""

    def contents(self, config: Any, words: Vocabulary | None, parameters: Mapping[str, Array]) -> dict[str, bytes]:
        """All files that running the model needs."""
        from safetensors.numpy import save

        weights = save({name: np.ascontiguousarray(value, np.float32) for name, value in parameters.items()})
        described = {key: value for key, value in asdict(config).items() if key != "vocabulary"}
        files = {
            "weights.safetensors": weights,
            "config.json": as_json(sealed({"model": self.kind, "weights_crc32": checksum(weights), **described})),
            "examples.json": as_json(self.examples()),
        }
        return files if words is None else {**files, "vocabulary.json": as_json(words.words)}

    def make_folder(self) -> Path:
        """Where the model is written to."""
        folder = self.model.folder
        with saying(folder):
            folder.mkdir(parents=True, exist_ok=True)
        return folder

    def card(self, figures: Mapping[str, float], parameters: Mapping[str, Array], minutes: float) -> dict[str, bytes]:
        """The files with the held-out figures, as numbers and in words."""
        recipe, summary = self.recipe, self.model.summary
        count = sum(value.size for value in parameters.values())
        card = (
            f"# {SHIPPED[self.kind].title}\n\n{summary[0].upper()}{summary[1:]}.\n\n"
            f"- {count:,} parameters, float32, trained by txviz with NumPy alone\n"
            f"- {recipe.steps:,} steps of {recipe.batch} examples, {minutes:.1f} minutes on two cores, "
            f"seed {recipe.seed}: `txviz train {self.kind}` makes it again\n"
            f"- Adam, rate {recipe.rate:g}, {recipe.warm_up} steps of warm-up, then a cosine to 0; "
            f"label smoothing {recipe.smoothing:g}, weight decay {recipe.weight_decay:g}\n\n{self.about(figures)}\n"
        )
        return {"figures.json": as_json(dict(figures)), "card.md": card.encode()}

    def save(self, files: Mapping[str, bytes]) -> None:
        """Writes the whole folder, or nothing: weights never stand beside the card of others."""
        folder = self.make_folder()
        write_all({folder / name: content for name, content in files.items()})


def as_json(content: Any) -> bytes:
    return (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode()
