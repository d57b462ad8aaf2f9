"""Training that can be watched: step by step, stopped and gone on with, and kept as a model of one's own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

from txviz.errors import TxvizError
from txviz.files import saying
from txviz.models.registry import SHIPPED
from txviz.nets.parameters import initialise
from txviz.ops import Array
from txviz.trace import Run, Step
from txviz.training.course import as_json
from txviz.training.train import course
from txviz.training.trainer import Trainer

MEASURES = {"digits": "held-out digits read right", "translator": "held-out words right"}
"""Those that can be watched, and what is measured on the way."""


@dataclass(frozen=True)
class Plan:
    """What to train, and how; all else is as in the model's recipe."""

    model: str
    shipped: bool = False
    """From the weights that ship, and not from chance."""

    seed: int = 0
    rate: float | None = None
    optimiser: Literal["adam", "sgd"] = "adam"


class Lesson:
    def __init__(self, plan: Plan) -> None:
        self.plan, self._course = plan, course(plan.model)
        recipe = self._course.recipe
        self.recipe = replace(recipe, seed=plan.seed, rate=plan.rate or recipe.rate, optimiser=plan.optimiser)
        self._config, self._words = self._course.blueprint()
        self._trainer = Trainer(self._start(), self.recipe, self._loss)
        self._batches = self._course.batches(self._words, self.recipe)
        self.seconds = 0.0
        """Spent on learning, but for the first step, which gets the data ready."""

    def _start(self) -> dict[str, Array]:
        if not self.plan.shipped:
            return initialise(self._course.model.shapes(self._config), self.plan.seed, dtype="float32")
        shipped = self._course.model.parameters
        return {name: value.astype("float32") for name, value in shipped.items()}

    def _loss(self, run: Run, batch: Any) -> Step:
        return self._course.loss(run, self._config, batch, self.recipe.smoothing)

    @property
    def step(self) -> int:
        return self._trainer.step

    @property
    def parameters(self) -> dict[str, Array]:
        return {name: value.copy() for name, value in self._trainer.parameters.items()}

    def learn(self) -> float:
        """One step; returns the loss before it."""
        start, first = perf_counter(), not self.step
        loss = self._trainer.learn(next(self._batches))
        self.seconds += 0.0 if first else perf_counter() - start
        return loss

    def glance(self) -> float:
        """How much of what it never sees is right."""
        return self._course.glance(self._trainer.parameters, self._config, self._words)

    def keep(self, folder: Path) -> None:
        """Writes a folder that opens again like a model that ships: ``txviz.trace(folder, …)``."""
        with saying(folder):
            taken = folder.exists() and (not folder.is_dir() or any(folder.iterdir()))
        if taken:
            raise TxvizError(f"{folder} is there already; choose a new folder")
        kept = course(self.plan.model, folder)
        right = self.glance()
        files = kept.contents(self._config, self._words, self._trainer.parameters)
        kept.save({**files, "figures.json": as_json({"right": right}), "card.md": self._card(right).encode()})

    def _card(self, right: float) -> str:
        start = "the weights that ship" if self.plan.shipped else "chance"
        return (
            f"# {SHIPPED[self.plan.model].title}, trained by you\n\n"
            f"- {self.step:,} steps of {self.recipe.batch} examples from {start}, seed {self.plan.seed}\n"
            f"- {self.recipe.optimiser}, rate {self.recipe.rate:g}\n"
            f"- {MEASURES.get(self.plan.model, 'right')}: {right:.1%}\n"
        )
