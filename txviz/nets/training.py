"""Learning: the loss, one step of an optimiser, its schedule, and the loop around it.

The forward pass, the backward pass and the update are the operations of ``txviz.ops``, on a batch as on one example.
Letters: B examples in a batch, T tokens, V entries of a vocabulary, P numbers in all the parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import cos, pi, sqrt
from time import perf_counter
from typing import Any, Literal, NamedTuple

import numpy as np

from txviz import ops
from txviz.ops import Array
from txviz.trace import Parameter, Run, Step, names
from txviz.trace.backward import axes_of, backward

Forward = Callable[[Run, Any], Step]
"""From a run and a batch to the loss, one number."""


@dataclass(frozen=True)
class Recipe:
    """How to train. The rate rises over ``warm_up`` steps and falls to 0 along a cosine, or stays as it is."""

    steps: int
    batch: int
    rate: float
    warm_up: int = 0
    decay_to_zero: bool = True
    optimiser: Literal["adam", "sgd"] = "adam"
    betas: tuple[float, float] = (0.9, 0.98)
    epsilon: float = 1e-9
    weight_decay: float = 0.0
    smoothing: float = 0.0
    clip: float = 1.0
    seed: int = 0

    def rate_at(self, step: int) -> float:
        """The learning rate of step 1, 2, …"""
        if step <= self.warm_up:
            return self.rate * step / self.warm_up
        if not self.decay_to_zero:
            return self.rate
        done = (step - self.warm_up) / max(1, self.steps - self.warm_up)
        return self.rate * 0.5 * (1 + cos(pi * min(1.0, done)))


def cross_entropy_loss(
    run: Run, logits: Step, labels: Step, ignore: int | None = None, smoothing: float = 0.0
) -> Step:  # (...,V), (...) -> ()
    """The surprise at each position, and its mean over those that are not padding."""
    axes = axes_of(labels)
    each = run(
        ops.cross_entropy, "loss.positions", logits, labels, smoothing=smoothing, ignore=ignore, axes=axes, like=logits
    )
    if ignore is None:
        return run(ops.average, "loss.mean", each, axes="")
    return run(ops.average, "loss.mean", each, labels, ignore=ignore, axes="")


def update(run: Run, gradients: Mapping[str, Step], recipe: Recipe) -> dict[str, Step]:
    """Every parameter after the first step of training, by name; Adam's running means start at 0."""
    return {name: _update_one(run, name, gradient, recipe) for name, gradient in gradients.items()}


def _update_one(run: Run, name: str, gradient: Step, recipe: Recipe) -> Step:
    before = Parameter(name, run.parameters[name])
    where, axes = names.join("update", name), axes_of(before)
    if recipe.optimiser == "sgd":
        return run(ops.sgd, where, before, gradient, rate=recipe.rate, axes=axes)
    mean = run(ops.blend, f"{where}.mean", gradient, beta=recipe.betas[0], axes=axes)
    square = run(ops.blend, f"{where}.square", gradient, beta=recipe.betas[1], power=2, axes=axes)
    settings: dict[str, Any] = {"betas": recipe.betas, "epsilon": recipe.epsilon, "decay": recipe.weight_decay}
    return run(ops.adam, where, before, mean, square, time=1, rate=recipe.rate, axes=axes, **settings)


class Progress(NamedTuple):
    step: int
    loss: float
    seconds: float


class Trainer:
    """Parameters that learn. All of them lie in one flat vector, so that an update is a handful of operations."""

    def __init__(self, parameters: Mapping[str, Array], recipe: Recipe, forward: Forward) -> None:
        self.recipe = recipe
        self.forward = forward
        self.dtype = next(iter(parameters.values())).dtype.name
        self._shapes = {name: value.shape for name, value in parameters.items()}
        self._flat = np.concatenate([value.ravel() for value in parameters.values()])
        self._mean: Array | None = None
        self._square: Array | None = None
        self.step = 0

    @property
    def parameters(self) -> dict[str, Array]:
        """Views of the flat vector, by name."""
        return self._views(self._flat)

    def _views(self, flat: Array) -> dict[str, Array]:  # (P,) -> each parameter
        found, start = {}, 0
        for name, shape in self._shapes.items():
            size = int(np.prod(shape))
            found[name] = flat[start : start + size].reshape(shape)
            start += size
        return found

    def learn(self, batch: Any) -> float:
        """One step of training; returns the loss before it."""
        run = Run(self.parameters, dtype=self.dtype)
        loss = self.forward(run, batch)
        gradients = backward(Run(run.parameters, dtype=self.dtype, record=False), run.steps, loss)
        flat = np.concatenate(
            [gradients[name].value.ravel() if name in gradients else np.zeros(int(np.prod(shape)), dtype=self.dtype)
             for name, shape in self._shapes.items()]
        )  # fmt: skip
        self._apply(self._clipped(flat))
        return float(loss.value)

    def _clipped(self, gradient: Array) -> Array:  # (P,) -> (P,)
        length = sqrt(float(gradient @ gradient))
        if length <= self.recipe.clip:
            return gradient
        return ops.scale.compute(gradient, base=length / self.recipe.clip, exponent=-1)

    def _apply(self, gradient: Array) -> None:  # (P,)
        self.step += 1
        recipe, rate = self.recipe, self.recipe.rate_at(self.step)
        if recipe.optimiser == "sgd":
            self._flat = ops.sgd.compute(self._flat, gradient, rate)
            return
        self._mean = ops.blend.compute(gradient, self._mean, recipe.betas[0])
        self._square = ops.blend.compute(gradient, self._square, recipe.betas[1], power=2)
        self._flat = ops.adam.compute(
            self._flat, self._mean, self._square, self.step, rate, recipe.betas, recipe.epsilon, recipe.weight_decay
        )


def train(trainer: Trainer, batches: Iterator[Any], every: int = 50) -> Iterator[Progress]:
    """Trains to the end of the recipe, and tells how it goes (mean loss since the last time) every few steps."""
    start, losses = perf_counter(), []
    while trainer.step < trainer.recipe.steps:
        losses.append(trainer.learn(next(batches)))
        if trainer.step % every == 0 or trainer.step == trainer.recipe.steps:
            yield Progress(trainer.step, float(np.mean(losses)), perf_counter() - start)
            losses = []
