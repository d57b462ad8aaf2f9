"""One step of training: from gradients to new parameters, by Adam or plain gradient descent.

The same operations move one parameter after the other, where a person looks at them, and all of them in one flat
vector, where a trainer makes thousands of steps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import cos, isfinite, pi
from typing import Any, Literal, NamedTuple

from txviz import ops
from txviz.trace import Parameter, Run, Step
from txviz.trace.backward import backward
from txviz.trace.leaves import Leaf, add_headings, declare
from txviz.trace.site import Site

declare("after", {"loss": Leaf("L'", "The loss of the same example again, with the new parameters.", key="each")})
add_headings("after", {"loss": "Loss afterwards: the same example, new parameters"})


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
    learners = [Learner(run.learned(name, gradient.site.owner), gradient) for name, gradient in gradients.items()]
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
