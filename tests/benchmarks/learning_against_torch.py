"""A step of training against PyTorch, eager: same weights, batch, loss, clipping and optimiser, in float32.

Both may use two threads and are measured turn about, and the quickest of many steps counts. Before that they must agree
on the loss and on every gradient. Needs torch (``make bench-torch`` installs it).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from itertools import count, islice
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from tests.benchmarks.against_torch import THREADS
from tests.benchmarks.measure import Result, ratio_of_best
from txviz.nets.optimiser import Recipe
from txviz.nets.parameters import initialise
from txviz.ops import Array
from txviz.trace import Run
from txviz.trace.backward import backward
from txviz.training.train import course
from txviz.training.trainer import Trainer

ONE_THREAD = "what is no matrix product runs on one thread in NumPy, and on two in PyTorch"

SPLIT: dict[str, Callable[[Any], tuple[tuple[Array, ...], Array]]] = {
    "translator": lambda batch: ((batch.source, batch.target), batch.labels),
    "writer": lambda batch: ((batch[:, :-1],), batch[:, 1:]),
    "digits": lambda batch: ((batch[0].astype(np.float32),), batch[1]),
}
"""From a batch to what the model reads, and the right answers."""


def results() -> Iterator[Result]:
    if find_spec("torch") is None:
        print("learning against torch: skipped, since torch is not installed (make bench-torch installs it)")
        return
    import torch

    torch.set_num_threads(THREADS)
    with threadpool_limits(THREADS):
        for name in SPLIT:
            found = ratio_of_best(*_learners(name), times=10)
            yield Result(f"a training step / PyTorch eager: {name}", found, "×", 1.0, ONE_THREAD)


def _learners(name: str) -> tuple[Callable[[], float], Callable[[], float]]:
    """A step of training in txviz, and one in PyTorch, from the same start."""
    from tests.benchmarks.torch_models import MODELS, as_ours

    learning = course(name)
    recipe, (config, words) = learning.recipe, learning.blueprint()
    some = islice(learning.batches(words, recipe), 9)
    batch = sorted(some, key=lambda batch: SPLIT[name](batch)[1].size)[4]  # neither short nor long
    start = initialise(learning.model.shapes(config), recipe.seed, dtype="float32")
    trainer = Trainer(start, recipe, lambda run, batch: learning.loss(run, config, batch, recipe.smoothing))
    model = MODELS[name](config)
    for key, view in as_ours(model, lambda parameter: parameter.data).items():
        view[:] = _tensor(start[key])
    their_loss = _their_loss(model, *SPLIT[name](batch), recipe.smoothing, getattr(config, "padding", None))
    _check_gradients(trainer, batch, model, their_loss)
    theirs = _their_learner(model, their_loss, recipe)

    def ours() -> float:
        return trainer.learn(batch)

    for _ in range(3):
        assert np.isclose(ours(), theirs(), rtol=1e-4), "they learn differently"
    return ours, theirs


def _their_loss(
    model: Any, inputs: tuple[Array, ...], labels: Array, smoothing: float, ignore: int | None
) -> Callable[[], Any]:
    from torch.nn import CrossEntropyLoss

    given, answers = [_tensor(each) for each in inputs], _tensor(labels).flatten()
    loss = CrossEntropyLoss(ignore_index=-100 if ignore is None else ignore, label_smoothing=smoothing)
    numbers = next(model.parameters())
    return lambda: loss(model(*[_like(numbers, each) for each in given]).flatten(0, -2), answers)


def _like(numbers: Any, given: Any) -> Any:
    """In their precision, if it is no choice."""
    return given.to(numbers.dtype) if given.is_floating_point() else given


def _their_learner(model: Any, loss_of: Callable[[], Any], recipe: Recipe) -> Callable[[], float]:
    import torch

    settings: dict[str, Any] = {"betas": recipe.betas, "eps": recipe.epsilon, "weight_decay": recipe.weight_decay}
    optimiser = torch.optim.AdamW(model.parameters(), **settings)
    steps = count(1)

    def learn() -> float:
        optimiser.param_groups[0]["lr"] = recipe.rate_at(next(steps))
        optimiser.zero_grad()
        loss = loss_of()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), recipe.clip)
        optimiser.step()
        return float(loss.item())

    return learn


def _check_gradients(trainer: Trainer, batch: Any, model: Any, their_loss: Callable[[], Any]) -> None:
    """Both compute the same thing; else comparing their speed would mean nothing. In double precision: in single
    precision a number next to the bend of a ReLU may be on either side of it.
    Their waves of the positions stay rounded to single precision, hence not closer than 1e-7."""
    from tests.benchmarks.torch_models import as_ours

    run = Run({name: value.astype(float) for name, value in trainer.parameters.items()}, dtype="float64")
    model.double()
    loss, their = trainer.forward(run, batch), their_loss()
    their.backward()
    assert np.isclose(loss.value, their.item(), rtol=1e-7), f"a loss of {loss.value}, and not {their.item()}"
    gradients = backward(run, run.steps, loss)
    theirs = as_ours(model, lambda parameter: parameter.grad)
    assert set(gradients) == set(theirs) == set(trainer.parameters)
    for name, gradient in gradients.items():
        apart = np.abs(gradient.value - theirs[name].numpy()).max()
        assert apart <= 1e-7 * max(1, np.abs(gradient.value).max()), f"the gradients of {name} are {apart} apart"
    model.float().zero_grad()


def _tensor(array: Array) -> Any:
    import torch

    return torch.from_numpy(np.ascontiguousarray(array))
