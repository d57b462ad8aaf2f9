"""Learning: the loss, one step of an optimiser, its schedule, and the loop around it.

The forward pass, the backward pass and the update are the operations of ``txviz.ops``, on a batch as on one example.
Letters: B examples in a batch, T tokens, V entries of a vocabulary, P numbers in all the parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import cos, isfinite, pi
from time import perf_counter
from typing import Any, Literal, NamedTuple

import numpy as np

from txviz import ops
from txviz.ops import Array
from txviz.trace import Parameter, Run, Step
from txviz.trace.backward import backward
from txviz.trace.leaves import Leaf, declare
from txviz.trace.site import Site

declare("input", {"labels": Leaf("y^{*}", "The right answers.")})
declare(
    "loss",
    {
        "positions": Leaf("L_t", "How surprised the model is by each right answer."),
        "mean": Leaf("L", "The loss: the one number that training makes smaller."),
        "squares": Leaf("e^2", "How far the cosine is from the one it should be, squared."),
        "error": Leaf("E", "The mean squared error: here of one pair of sentences, in training of a whole batch."),
        "graded": Leaf("L", "The error times its weight in the loss: the one number that this step makes smaller."),
    },
)
declare("similarity", {"target": Leaf("s^{*}", "How alike the two sentences should be.")})
declare("after", {"loss": Leaf("L'", "The loss of the same example again, with the new parameters.")})

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
    settings: dict[str, Any] = {"smoothing": smoothing, "ignore": ignore}
    with run.at(pass_="loss", part="loss"):
        each = run(ops.cross_entropy, "positions", logits, labels, axes=labels.axis_names, like=logits, **settings)
        if ignore is None:
            return run(ops.average, "mean", each, axes="")
        return run(ops.average, "mean", each, labels, ignore=ignore, axes="")


def squared_error_loss(run: Run, cosine: Step, wanted: Step, weight: float) -> Step:  # (...), (...) -> ()
    """How far cosines are from those they should be: the mean squared error, and its weight."""
    with run.at(pass_="loss", part="loss"):
        squares = run(ops.squared_error, "squares", cosine, wanted, axes=cosine.axis_names)
        mean = run(ops.average, "error", squares, axes="")
        return run(ops.scale, "graded", mean, base=weight, exponent=1, axes="")


class Learner(NamedTuple):
    """A parameter with its gradient, and Adam's running means from the step before."""

    parameter: Parameter
    gradient: Step | Parameter
    mean: Step | None = None
    square: Step | None = None


class Updated(NamedTuple):
    """The parameter after a step, and Adam's running means."""

    parameter: Step
    mean: Step | None = None
    square: Step | None = None


def update(run: Run, gradients: Mapping[str, Step], recipe: Recipe) -> dict[str, Step]:
    """Every parameter after the first step of the recipe, by name."""
    learners = [
        Learner(Parameter(name, run.parameters[name], gradient.site.owner), gradient)
        for name, gradient in gradients.items()
    ]
    moved = optimise(run, learners, recipe)
    return {name: each.parameter for name, each in zip(gradients, moved, strict=True)}


def optimise(run: Run, learners: Sequence[Learner], recipe: Recipe, number: int = 1) -> list[Updated]:
    """Step 1, 2, … of the recipe: gradients that are too long all together are clipped, then each parameter moves."""
    gradients = [learner.gradient for learner in learners]
    if isfinite(recipe.clip):
        length = run(ops.length, Site(pass_="update", role="length"), *gradients, axes="", limit=recipe.clip)
        if length.value > recipe.clip:
            learners = [_clipped(run, learner, length, recipe.clip) for learner in learners]
    move = _sgd if recipe.optimiser == "sgd" else _adam
    return [move(run, learner, recipe, number) for learner in learners]


def _clipped(run: Run, learner: Learner, length: Step, limit: float) -> Learner:
    site, axes = _site(learner, "clipped"), learner.parameter.axis_names
    return learner._replace(gradient=run(ops.clip, site, learner.gradient, length, limit=limit, axes=axes))


def _sgd(run: Run, learner: Learner, recipe: Recipe, number: int) -> Updated:
    before, gradient, *_ = learner
    rate = recipe.rate_at(number)
    return Updated(run(ops.sgd, _site(learner), before, gradient, rate=rate, axes=before.axis_names))


def _adam(run: Run, learner: Learner, recipe: Recipe, number: int) -> Updated:
    before, gradient, old_mean, old_square = learner
    axes = before.axis_names
    means = (gradient,) if old_mean is None else (gradient, old_mean)
    squares = (gradient,) if old_square is None else (gradient, old_square)
    mean = run(ops.blend, _site(learner, "mean"), *means, beta=recipe.betas[0], axes=axes)
    square = run(ops.blend, _site(learner, "square"), *squares, beta=recipe.betas[1], power=2, axes=axes)
    settings: dict[str, Any] = {"betas": recipe.betas, "epsilon": recipe.epsilon, "decay": recipe.weight_decay}
    rate = recipe.rate_at(number)
    after = run(ops.adam, _site(learner), before, mean, square, time=number, rate=rate, axes=axes, **settings)
    return Updated(after, mean, square)


def _site(learner: Learner, role: str | None = None) -> Site:
    return learner.parameter.site._replace(pass_="update", role=role)


def training_step(run: Run, forward: Callable[[Run], Step], recipe: Recipe) -> str:
    """One step of training on one example: its loss, the backward pass, the updates, and the loss after them."""
    loss = forward(run)
    moved = update(run, backward(run, run.steps, loss), recipe)
    again = run.again({name: step.value for name, step in moved.items()})
    after = run.given(Site("loss", pass_="after"), forward(again).value, axes="")
    return f"loss {float(loss.value):.6g} → {float(after.value):.6g}"


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
        self._moved: Updated | None = None
        self.step = 0

    @property
    def parameters(self) -> dict[str, Array]:
        """Views of the flat vector, by name."""
        found, start = {}, 0
        for name, shape in self._shapes.items():
            size = int(np.prod(shape))
            found[name] = self._flat[start : start + size].reshape(shape)
            start += size
        return found

    def learn(self, batch: Any) -> float:
        """One step of training; returns the loss before it."""
        run = Run(self.parameters, dtype=self.dtype)
        loss = self.forward(run, batch)
        quick = Run(run.parameters, dtype=self.dtype, record=False)
        self.step += 1
        self._moved = self._updated(quick, backward(quick, run.steps, loss))
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
