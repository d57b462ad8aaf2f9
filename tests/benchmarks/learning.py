"""What a step of training costs beside its matrix products, what a cache saves, and how quick a live re-run is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from threadpoolctl import threadpool_limits

import txviz
from tests.benchmarks.measure import Result, products_of, ratio, seconds
from txviz.models import find
from txviz.trace import Run, Step
from txviz.trace.backward import backward
from txviz.training.train import course
from txviz.training.trainer import Trainer

SENTENCE = "The dog chased the cat because it was fast."


def results() -> Iterator[Result]:
    with threadpool_limits(1):
        yield Result("training step / its matrix products: translator, batch 64", _training_step(), "×", 4)
    yield Result("decode of 20 time steps, cache / no cache: writer", _cache(), "×")
    for model, inputs in {"digits": find("digits"), "translator": find("translator")}.items():
        examples = inputs.examples[:2]
        yield Result(f"live re-run after a change, traced: {model}", 1000 * _live(model, examples), "ms")


def _training_step() -> float:
    learning = course("translator")
    model, recipe = learning.model, learning.recipe
    batch = next(learning.batches(model.vocabulary, recipe))
    parameters = {name: value.astype("float32") for name, value in model.parameters.items()}

    def loss(run: Run, batch: Any) -> Step:
        return learning.loss(run, model.config, batch, recipe.smoothing)

    trainer = Trainer(parameters, recipe, loss)
    run = Run(parameters, dtype="float32")
    backward(run, run.steps, loss(run, batch))
    return ratio(lambda: trainer.learn(batch), products_of(run.steps), times=2)


def _cache() -> float:
    def decoding(cache: bool) -> Callable[[], Any]:
        return lambda: txviz.trace("writer", "anna", cache=cache, max_steps=20, strategy="sample", seed=1)

    return ratio(decoding(True), decoding(False), rounds=7)


def _live(model: str, examples: Sequence[str]) -> float:
    def change() -> None:
        for example in examples:
            txviz.trace(model, example)

    change()
    return seconds(change, 10) / len(examples)
