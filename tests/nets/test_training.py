"""Training: one whole step against PyTorch, the recipe, and runs that must learn.

The fixture is made by tests/reference/make_torch_fixtures.py, which says what is in it. PyTorch is not needed here.
"""

from __future__ import annotations

from itertools import pairwise
from math import cos, inf, pi
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.nets.test_torch_parity import load
from txviz.nets import translator, writer
from txviz.nets.parameters import check
from txviz.nets.training import Recipe, Trainer, cross_entropy_loss, update
from txviz.nets.translator import Translator
from txviz.nets.writer import Writer
from txviz.ops import Array
from txviz.trace import Run, Step, Trace
from txviz.trace.backward import backward

PADDING = 0
WORDS = ("<PAD>", "<SOS>", "<EOS>", "a", "b", "c", "d", "e")


class Batch(NamedTuple):
    source: Array
    target: Array
    labels: Array


def translation_loss(run: Run, config: Translator, batch: Batch, smoothing: float = 0.0) -> Step:
    source, target = (run.given(name, getattr(batch, name), axes="token") for name in ("source", "target"))
    translator.forward(run, config, source, target)
    labels = run.given("labels", batch.labels, axes="token")
    return cross_entropy_loss(run, logits_of(run), labels, ignore=PADDING, smoothing=smoothing)


def writing_loss(run: Run, config: Writer, tokens: Array) -> Step:
    """After every token but the last, the next one is the answer."""
    writer.forward(run, config, run.given("tokens", tokens[:, :-1], axes="token"))
    return cross_entropy_loss(run, logits_of(run), run.given("labels", tokens[:, 1:], axes="token"))


def logits_of(run: Run) -> Step:
    return next(step for step in run.steps if step.name == "head.logits")


class Lesson(NamedTuple):
    """One case of the fixture: a model, a batch with padding on either side, and what PyTorch makes of them."""

    config: Translator
    parameters: dict[str, Array]
    batch: Batch
    smoothing: float
    recipes: dict[str, Recipe]
    expected: dict[str, Array]

    def loss(self, run: Run, batch: Batch) -> Step:
        return translation_loss(run, self.config, batch, self.smoothing)

    def after(self, optimiser: str) -> dict[str, Array]:
        return {name: self.expected[f"{optimiser}.update.{name}"] for name in self.parameters}


def lesson(name: str) -> Lesson:
    case = load("training_step", name)
    config = case._replace(config=case.config["model"]).configured(Translator)
    check(case.parameters, translator.shapes(config))
    recipes = {optimiser: constant(**fields) for optimiser, fields in case.config["recipes"].items()}
    return Lesson(config, case.parameters, Batch(**case.inputs), case.config["smoothing"], recipes, case.expected)


def constant(**fields: Any) -> Recipe:
    """Steps of one size, and gradients as they are."""
    pair = {"betas": tuple(fields["betas"])} if "betas" in fields else {}
    return Recipe(**{"steps": 1, "batch": 3, "decay_to_zero": False, "clip": inf, **fields, **pair})


def assert_close(actual: Array, expected: Array, tolerance: float, name: str = "") -> None:
    assert_allclose(actual, expected, rtol=0, atol=tolerance, equal_nan=False, strict=True, err_msg=name)


@pytest.mark.parametrize("name", ["untied", "tied"])
class TestAgainstPyTorch:
    def test_loss(self, name: str) -> None:
        given = lesson(name)
        run = Run(given.parameters)
        loss = given.loss(run, given.batch)
        assert loss is run.steps[-1]
        for step in run.steps[-2:]:
            assert_close(step.value, given.expected[step.name], 1e-13, step.name)
        assert {step.name for step in run.steps[-2:]} == {"loss.positions", "loss.mean"}

    def test_every_gradient(self, name: str) -> None:
        given = lesson(name)
        run = Run(given.parameters)
        found = backward(run, run.steps, given.loss(run, given.batch))
        assert set(found) == set(given.parameters)
        for parameter, gradient in found.items():
            assert gradient.name == f"backward.{parameter}"
            assert_close(gradient.value, given.expected[gradient.name], 1e-13, parameter)

    @pytest.mark.parametrize("optimiser", ["adam", "adamw", "sgd"])
    def test_update_from_the_same_gradients(self, name: str, optimiser: str) -> None:
        given = lesson(name)
        run = Run(given.parameters)
        gradients = {
            parameter: run.given(f"backward.{parameter}", given.expected[f"backward.{parameter}"], axes="feature")
            for parameter in given.parameters
        }
        moved = update(run, gradients, given.recipes[optimiser])
        for parameter, expected in given.after(optimiser).items():
            assert_close(moved[parameter].value, expected, 1e-15, parameter)

    @pytest.mark.parametrize("optimiser", ["adam", "adamw", "sgd"])
    def test_whole_step(self, name: str, optimiser: str) -> None:
        """Adam makes up to rate/ε = 10⁶ times as much of the rounding in a gradient that should be 0.

        There are such gradients: a key's bias adds the same to all scores of a query, and softmax takes it off again.
        """
        given = lesson(name)
        run = Run(given.parameters)
        gradients = backward(run, run.steps, given.loss(run, given.batch))
        moved = update(run, gradients, given.recipes[optimiser])
        trainer = Trainer(given.parameters, given.recipes[optimiser], given.loss)
        assert trainer.learn(given.batch) == pytest.approx(float(given.expected["loss.mean"]), abs=1e-13)
        assert Trace(run.steps, {}, run.steps[-1]).verify() == []
        for parameter, expected in given.after(optimiser).items():
            tolerance = 1e-13 if optimiser == "sgd" else 1e-8
            assert_close(moved[parameter].value, expected, tolerance, parameter)
            assert_close(trainer.parameters[parameter], expected, tolerance, parameter)


def test_a_tied_table_learns_from_both_its_uses() -> None:
    given = lesson("tied")
    run = Run(given.parameters)
    found = backward(run, run.steps, given.loss(run, given.batch))["decoder.embed.tokens.table"]
    assert {source.name.partition(".from.")[2] for source in found.sources} == {"decoder.embed.tokens", "head.logits"}
    for source in found.sources:
        assert np.abs(source.value).max() > 1e-3
    assert_allclose(found.value, sum(source.value for source in found.sources), rtol=0, atol=1e-15)


def test_padding_teaches_nothing() -> None:
    """Neither the words that stand at padded places, nor how much padding there is."""
    given = lesson("untied")
    longer = Batch(*(np.pad(rows, ((0, 0), (0, 1))) for rows in given.batch))
    assert longer.target.shape[1] < given.config.longest
    found = []
    for batch in (given.batch, longer):
        run = Run(given.parameters)
        found.append(backward(run, run.steps, given.loss(run, batch)))
    for parameter, gradient in found[0].items():
        assert_allclose(found[1][parameter].value, gradient.value, rtol=0, atol=1e-14, err_msg=parameter)
    for table in ("embed.tokens.table", "decoder.embed.tokens.table"):
        assert not found[0][table].value[PADDING].any()
        assert found[0][table].value[3:].any(axis=1).all()


class TestRate:
    def test_rises_along_a_line(self) -> None:
        recipe = Recipe(steps=100, batch=1, rate=0.02, warm_up=10)
        assert [recipe.rate_at(step) for step in range(1, 11)] == pytest.approx([0.002 * n for n in range(1, 11)])

    def test_falls_to_zero_along_a_cosine(self) -> None:
        recipe = Recipe(steps=110, batch=1, rate=0.02, warm_up=10)
        falling = [recipe.rate_at(step) for step in range(10, 111)]
        assert all(later < earlier for earlier, later in pairwise(falling))
        assert falling == pytest.approx([0.01 * (1 + cos(pi * n / 100)) for n in range(101)], abs=1e-15)
        assert recipe.rate_at(60) == pytest.approx(0.01)
        assert recipe.rate_at(110) == recipe.rate_at(1000) == 0

    def test_falls_from_the_start_without_warm_up(self) -> None:
        recipe = Recipe(steps=4, batch=1, rate=1.0)
        assert [recipe.rate_at(step) for step in range(5)] == pytest.approx([1, 0.5 + 0.5**1.5, 0.5, 0.5 - 0.5**1.5, 0])

    def test_stays(self) -> None:
        recipe = Recipe(steps=20, batch=1, rate=0.3, decay_to_zero=False)
        assert {recipe.rate_at(step) for step in range(1, 40)} == {0.3}

    def test_stays_after_the_warm_up(self) -> None:
        recipe = Recipe(steps=20, batch=1, rate=0.3, warm_up=5, decay_to_zero=False)
        assert recipe.rate_at(1) == pytest.approx(0.06)
        assert {recipe.rate_at(step) for step in range(5, 40)} == {0.3}

    def test_is_the_size_of_each_step(self) -> None:
        """A loss that is a sum of the parameters has a gradient of ones, so the parameters show the rates."""
        lesson_ = toy()
        recipe = Recipe(steps=6, batch=2, rate=0.01, warm_up=2, optimiser="sgd", clip=1e-6)
        trainer = Trainer(lesson_.parameters, recipe, lesson_.loss)
        for step in range(1, 7):
            before = flat(trainer.parameters)
            trainer.learn(lesson_.batch)
            assert trainer.step == step
            moved = np.linalg.norm(flat(trainer.parameters) - before)
            assert moved == pytest.approx(recipe.rate_at(step) * 1e-6, rel=1e-6, abs=1e-15)
