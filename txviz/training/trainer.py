"""The loop: batch after batch, forward, backward, update. P is how many numbers all parameters have together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from txviz.models.tracing import keep_freed_memory
from txviz.nets.optimiser import Learner, Recipe, Updated, optimise
from txviz.ops import Array
from txviz.ops.keeping import keeping
from txviz.trace import Parameter, Run, Step
from txviz.trace.backward import backward
from txviz.trace.site import Site

Forward = Callable[[Run, Any], Step]
"""From a run and a batch to the loss, one number."""


class Progress(NamedTuple):
    step: int
    loss: float
    seconds: float


class Trainer:
    """Parameters that learn. All of them lie in one flat vector, so that an update is a handful of operations."""

    def __init__(self, parameters: Mapping[str, Array], recipe: Recipe, forward: Forward) -> None:
        keep_freed_memory()
        self.recipe = recipe
        self.forward = forward
        self.dtype = next(iter(parameters.values())).dtype.name
        self._shapes = {name: value.shape for name, value in parameters.items()}
        self._ends = np.cumsum([value.size for value in parameters.values()])[:-1]
        self._flat = np.concatenate([value.ravel() for value in parameters.values()])
        self._moved: Updated | None = None
        self.step = 0

    @property
    def parameters(self) -> dict[str, Array]:
        """Views of the flat vector, by name."""
        parts = zip(self._shapes.items(), np.split(self._flat, self._ends), strict=True)
        return {name: part.reshape(shape) for (name, shape), part in parts}

    def learn(self, batch: Any) -> float:
        """One step of training; returns the loss before it."""
        run = Run(self.parameters, dtype=self.dtype)
        quick = Run(run.parameters, dtype=self.dtype, record=False)
        self.step += 1
        with keeping():
            loss = self.forward(run, batch)
            gradients = backward(quick, run.steps, loss)
        self._moved = self._updated(quick, gradients)
        self._flat = self._moved.parameter.value
        return float(loss.value)

    def _updated(self, run: Run, gradients: Mapping[str, Step]) -> Updated:
        """All parameters as one. What the loss does not depend on has no gradient, and stays."""
        shapes = self._shapes.items()
        flat = [
            gradients[name].value.ravel() if name in gradients else np.zeros(int(np.prod(shape)), dtype=self.dtype)
            for name, shape in shapes
        ]
        before, gradient = (Parameter("", array, Site()) for array in (self._flat, np.concatenate(flat)))
        means = self._moved[1:] if self._moved else ()
        (moved,) = optimise(run, [Learner(before, gradient, *means)], self.recipe, self.step)
        return moved


def train(trainer: Trainer, batches: Iterator[Any], every: int = 50) -> Iterator[Progress]:
    """Trains to the end of the recipe, and tells how it goes (mean loss since the last time) every few steps."""
    start, losses = perf_counter(), []
    while trainer.step < trainer.recipe.steps:
        losses.append(trainer.learn(next(batches)))
        if trainer.step % every == 0 or trainer.step == trainer.recipe.steps:
            yield Progress(trainer.step, float(np.mean(losses)), perf_counter() - start)
            losses = []
