"""Training: one whole step against PyTorch, the recipe, and runs that must learn.

The fixture is made by tests/reference/make_torch_fixtures.py, which says what is in it. PyTorch is not needed here.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import cos, inf, pi
from typing import Any, Literal, NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.nets.test_torch_parity import load
from txviz.nets import translator, writer
from txviz.nets.blocks import Block
from txviz.nets.losses import cross_entropy_loss
from txviz.nets.optimiser import Recipe, update
from txviz.nets.parameters import check, initialise
from txviz.nets.translator import Translator
from txviz.nets.writer import Writer
from txviz.ops import Array
from txviz.trace import Run, Step, Trace
from txviz.trace.backward import backward
from txviz.trace.site import read_name
from txviz.trace.step import equal_bits
from txviz.training.trainer import Trainer, train

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
            parameter: run.given(
                read_name(f"backward.{parameter}"), given.expected[f"backward.{parameter}"], axes="feature"
            )
            for parameter in given.parameters
        }
        moved = update(run, gradients, given.recipes[optimiser])
        for parameter, expected in given.after(optimiser).items():
            assert_close(moved[parameter].value, expected, 1e-14, parameter)

    @pytest.mark.parametrize("optimiser", ["adam", "adamw", "sgd"])
    def test_whole_step(self, name: str, optimiser: str) -> None:
        """A key's bias adds the same to all scores of a query, and softmax takes it off again, so its gradient is 0.

        Only rounding is left of it, which Adam multiplies by up to rate/ε = 10⁶.
        """
        given = lesson(name)
        run = Run(given.parameters)
        gradients = backward(run, run.steps, given.loss(run, given.batch))
        moved = update(run, gradients, given.recipes[optimiser])
        trainer = Trainer(given.parameters, given.recipes[optimiser], given.loss)
        assert trainer.learn(given.batch) == pytest.approx(float(given.expected["loss.mean"]), abs=1e-13)
        assert Trace(run.steps, {}, run.steps[-1]).verify() == []
        for parameter, expected in given.after(optimiser).items():
            tolerance = 1e-8 if parameter.endswith("key.bias") else 1e-12
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
    """The word for padding doesn't learn, and one more column of it changes no gradient."""
    given = lesson("untied")
    longer = Batch(*(np.pad(rows, ((0, 0), (0, 1))) for rows in given.batch))
    assert longer.target.shape[1] < given.config.longest
    found = []
    for batch in (given.batch, longer):
        run = Run(given.parameters)
        found.append(backward(run, run.steps, given.loss(run, batch)))
    for parameter, gradient in found[0].items():
        assert_allclose(found[1][parameter].value, gradient.value, rtol=0, atol=1e-13, err_msg=parameter)
    for table, tokens in {"embed": given.batch.source, "decoder.embed": given.batch.target}.items():
        learning = found[0][f"{table}.tokens.table"].value.any(axis=1)
        assert set(np.flatnonzero(learning)) == set(tokens.flat) - {PADDING}


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
        assert [recipe.rate_at(step) for step in range(1, 5)] == pytest.approx([0.5 + 0.5**1.5, 0.5, 0.5 - 0.5**1.5, 0])

    def test_stays(self) -> None:
        recipe = Recipe(steps=20, batch=1, rate=0.3, decay_to_zero=False)
        assert {recipe.rate_at(step) for step in range(1, 40)} == {0.3}

    def test_stays_after_the_warm_up(self) -> None:
        recipe = Recipe(steps=20, batch=1, rate=0.3, warm_up=5, decay_to_zero=False)
        assert recipe.rate_at(1) == pytest.approx(0.06)
        assert {recipe.rate_at(step) for step in range(5, 40)} == {0.3}

    def test_is_the_rate_of_each_step(self) -> None:
        """Gradients that are all clipped to the same length show the rates."""
        recipe = Recipe(steps=6, batch=2, rate=0.01, warm_up=2, optimiser="sgd", clip=1e-3)
        trainer = beginner(recipe)
        for step in range(1, 7):
            before = flat(trainer.parameters)
            trainer.learn(ROWS)
            assert trainer.step == step
            moved = np.linalg.norm(flat(trainer.parameters) - before)
            assert moved == pytest.approx(recipe.rate_at(step) * recipe.clip, rel=1e-9, abs=1e-15)


WRITER = Writer(Block(8, heads=2, d_ff=16, norm="pre", activation="gelu_tanh"), 1, WORDS, longest=8)
ROWS = np.array([[1, 3, 4, 5, 2], [1, 7, 6, 5, 2]])


def beginner(recipe: Recipe, dtype: str = "float64") -> Trainer:
    """A tiny writer before its first step."""
    return Trainer(initialise(writer.shapes(WRITER), recipe.seed, dtype), recipe, lesson_in_writing)


def lesson_in_writing(run: Run, tokens: Array) -> Step:
    return writing_loss(run, WRITER, tokens)


def flat(parameters: dict[str, Array]) -> Array:  # -> (P,)
    return np.concatenate([value.ravel() for value in parameters.values()])


def first_gradient(parameters: dict[str, Array]) -> dict[str, Step]:
    run = Run(parameters)
    return backward(run, run.steps, lesson_in_writing(run, ROWS))


class TestClip:
    def test_a_long_gradient_is_cut_to_the_clip(self) -> None:
        trainer = beginner(constant(optimiser="sgd", rate=0.5, clip=0.01))
        before = trainer.parameters
        gradient = flat({name: step.value for name, step in in_order(first_gradient(before), before)})
        length = np.linalg.norm(gradient)
        assert length > 1
        trainer.learn(ROWS)
        moved = flat(trainer.parameters) - flat(before)
        assert np.linalg.norm(moved) == pytest.approx(0.5 * 0.01, rel=1e-12)
        assert_allclose(moved, gradient * (-0.5 * 0.01 / length), rtol=0, atol=1e-15)

    @pytest.mark.parametrize("share", [0.5, 0.99, 1.01, 1.5])
    def test_the_clip_is_where_it_begins(self, share: float) -> None:
        """A gradient that is a little too long is cut, one that is a little shorter than allowed stays."""
        gradients = first_gradient(initialise(writer.shapes(WRITER), 0))
        length = float(np.linalg.norm(flat({name: step.value for name, step in gradients.items()})))
        trainer = beginner(constant(optimiser="sgd", rate=0.5, clip=length / share))
        before = flat(trainer.parameters)
        trainer.learn(ROWS)
        assert np.linalg.norm(flat(trainer.parameters) - before) == pytest.approx(
            0.5 * length / max(share, 1), rel=1e-9
        )

    def test_a_short_gradient_stays(self) -> None:
        free, bounded = (beginner(constant(optimiser="sgd", rate=0.5, clip=clip)) for clip in (inf, 1000.0))
        for trainer in (free, bounded):
            trainer.learn(ROWS)
        assert equal_bits(flat(free.parameters), flat(bounded.parameters))


def in_order(gradients: dict[str, Step], parameters: dict[str, Array]) -> list[tuple[str, Step]]:
    """A backward pass finds the last parameters first."""
    return [(name, gradients[name]) for name in parameters]


@pytest.mark.parametrize("fields", [{"optimiser": "adam"}, {"weight_decay": 0.1}, {"optimiser": "sgd"}])
def test_the_first_step_is_the_one_that_is_traced(fields: dict[str, Any]) -> None:
    trainer = beginner(constant(rate=0.01, **fields))
    start = trainer.parameters
    run = Run(start)
    loss = lesson_in_writing(run, ROWS)
    moved = update(run, backward(run, run.steps, loss), trainer.recipe)
    assert trainer.learn(ROWS) == float(loss.value)
    assert set(moved) == set(start)
    assert np.abs(flat(trainer.parameters) - flat(start)).max() > 1e-3
    for name, after in trainer.parameters.items():
        assert moved[name].name == f"update.{name}"
        assert_close(moved[name].value, after, 1e-12, name)


def test_adam_over_several_steps() -> None:
    """Against the paper's algorithm, written out: the means go on from step to step and are corrected for their age."""
    recipe = constant(rate=0.01, weight_decay=0.1, warm_up=2, clip=0.5)
    trainer = beginner(recipe)
    x, m, v = flat(trainer.parameters), 0.0, 0.0
    for t in range(1, 6):
        found = first_gradient(trainer.parameters)
        g = flat({name: step.value for name, step in in_order(found, trainer.parameters)})
        g = g * min(1, 0.5 / np.linalg.norm(g))
        m, v = 0.9 * m + 0.1 * g, 0.98 * v + 0.02 * g**2
        m_hat, v_hat = m / (1 - 0.9**t), v / (1 - 0.98**t)
        x = x - recipe.rate_at(t) * (m_hat / (np.sqrt(v_hat) + 1e-9) + 0.1 * x)
        trainer.learn(ROWS)
        assert_close(flat(trainer.parameters), x, 1e-12)


def test_a_parameter_that_the_loss_does_not_use_stays() -> None:
    start = {**initialise(writer.shapes(WRITER), seed=0), "unused": np.ones((2, 3))}
    trainer = Trainer(start, constant(rate=0.1), lesson_in_writing)
    trainer.learn(ROWS)
    assert equal_bits(trainer.parameters["unused"], np.ones((2, 3)))


@pytest.mark.parametrize("optimiser", ["adam", "sgd"])
def test_float32_learns_in_float32(optimiser: str) -> None:
    recipe = constant(optimiser=optimiser, rate=0.01, clip=0.5, epsilon=1e-3)  # so that rounding stays small
    single, double = beginner(recipe, "float32"), beginner(recipe)
    for trainer in (single, double):
        trainer.learn(ROWS)
    assert {value.dtype.name for value in single.parameters.values()} == {"float32"}
    assert_allclose(flat(single.parameters), flat(double.parameters), rtol=0, atol=1e-5)


def test_learning_leaves_the_given_parameters_alone() -> None:
    start = initialise(writer.shapes(WRITER), seed=0)
    before = flat(start)
    Trainer(start, constant(rate=0.1), lesson_in_writing).learn(ROWS)
    assert equal_bits(flat(start), before)


def circle(recipe: Recipe) -> Iterator[Array]:  # -> (B,T)
    """The letters in order, round and round, from any one of them."""
    rng = np.random.default_rng(recipe.seed)
    while True:
        yield 3 + (rng.integers(5, size=(recipe.batch, 1)) + np.arange(7)) % 5


def reading_back(recipe: Recipe) -> Iterator[Batch]:
    """One to three letters, to be written backwards."""
    rng = np.random.default_rng(recipe.seed)
    while True:
        batch = Batch(*(np.full((recipe.batch, length), PADDING) for length in (3, 4, 4)))
        for i in range(recipe.batch):
            n = int(rng.integers(1, 4))
            letters = rng.integers(3, len(WORDS), n)
            batch.source[i, :n] = letters
            batch.target[i, : n + 1] = [1, *letters[::-1]]
            batch.labels[i, : n + 1] = [*letters[::-1], 2]
        yield batch


@pytest.mark.parametrize("optimiser", ["adam", "sgd"])
def test_the_same_seed_gives_the_same_bits(optimiser: Literal["adam", "sgd"]) -> None:
    ends = []
    for seed in (5, 5, 6):
        recipe = Recipe(steps=12, batch=4, rate=0.05, warm_up=3, optimiser=optimiser, seed=seed)
        trainer = beginner(recipe)
        told = list(train(trainer, circle(recipe), every=5))
        ends.append((flat(trainer.parameters), [progress.loss for progress in told]))
    assert equal_bits(ends[0][0], ends[1][0])
    assert ends[0][1] == ends[1][1]
    assert not np.array_equal(ends[0][0], ends[2][0])


def test_progress_is_the_mean_loss_since_the_last() -> None:
    recipe = Recipe(steps=7, batch=4, rate=0.05)
    alone, batches = beginner(recipe), circle(recipe)
    losses = [alone.learn(next(batches)) for _ in range(7)]
    told = list(train(beginner(recipe), circle(recipe), every=3))
    assert [progress.step for progress in told] == [3, 6, 7]
    assert [progress.loss for progress in told] == pytest.approx([np.mean(losses[:3]), np.mean(losses[3:6]), losses[6]])
    assert all(earlier.seconds <= later.seconds for earlier, later in pairwise(told))


def test_a_writer_learns_to_go_round() -> None:
    recipe = Recipe(steps=100, batch=8, rate=0.03, warm_up=10)
    told = list(train(beginner(recipe), circle(recipe), every=20))
    assert told[0].loss > 1
    assert told[-1].loss < 0.02


def test_a_translator_learns_to_write_backwards() -> None:
    """It must look at the source, from its end, and stop in time; then it is also right about words in new orders."""
    config = Translator(Block(16, heads=2, d_ff=32), 1, 1, WORDS, longest=8)
    recipe = Recipe(steps=300, batch=32, rate=0.01, warm_up=30)
    start = initialise(translator.shapes(config), recipe.seed)
    trainer = Trainer(start, recipe, lambda run, batch: translation_loss(run, config, batch))
    told = list(train(trainer, reading_back(recipe), every=50))
    assert told[0].loss > 0.7
    assert told[-1].loss < 0.02
    test = next(reading_back(Recipe(steps=1, batch=200, rate=0.0, seed=1)))
    run = Run(trainer.parameters)
    translation_loss(run, config, test)
    right = logits_of(run).value.argmax(axis=-1) == test.labels
    assert right[test.labels != PADDING].mean() > 0.99
