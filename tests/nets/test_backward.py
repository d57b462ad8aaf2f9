"""Whole backward passes: against finite differences, and as a trace that can be explained."""

from __future__ import annotations

import numpy as np
import pytest

from tests.nets.architectures import ALL, Forward
from tests.ops.test_laws import check_cell
from txviz import ops
from txviz.nets.losses import cross_entropy_loss
from txviz.ops import Array
from txviz.trace import Run, Step, Trace
from txviz.trace.backward import backward

STEP = 1e-5


def loss_of(run: Run, forward: Forward) -> Step:
    """Cross-entropy where the net has logits, else the mean of the direction it points in."""
    output = forward(run)
    logits = next((step for step in run.steps if step.name == "head.logits"), None)
    if logits is None:
        return run(ops.average, "average", run(ops.unit, "direction", output, axes="feature"), axes="")
    axes = logits.axis_names.split()[:-1]
    labels = np.arange(logits.value[..., 0].size).reshape(logits.value.shape[:-1]) % 3
    return cross_entropy_loss(run, logits, run.given("labels", labels, axes=" ".join(axes)), smoothing=0.1)


def loss_at(parameters: dict[str, Array], forward: Forward, name: str, cell: tuple[int, ...], move: float) -> float:
    moved = {**parameters, name: parameters[name].copy()}
    moved[name][cell] += move
    run = Run(moved)
    return float(loss_of(run, forward).value)


@pytest.mark.parametrize("name", ALL)
def test_every_parameter_against_finite_differences(name: str) -> None:
    parameters, forward = ALL[name]
    run = Run(parameters)
    loss = loss_of(run, forward)
    found = backward(run, run.steps, loss)
    rng = np.random.default_rng(4)
    used = {source.name for step in run.steps for source in step.sources} & set(parameters)
    assert set(found) == used
    for parameter, gradient in found.items():
        assert gradient.value.shape == parameters[parameter].shape
        for _ in range(3):
            cell = tuple(int(rng.integers(n)) for n in gradient.value.shape)
            ends = [loss_at(parameters, forward, parameter, cell, sign * STEP) for sign in (1, -1)]
            expected = (ends[0] - ends[1]) / (2 * STEP)
            assert gradient.value[cell] == pytest.approx(expected, rel=1e-5, abs=1e-8), (parameter, cell)


@pytest.mark.parametrize("name", ALL)
def test_a_backward_pass_is_a_trace(name: str) -> None:
    parameters, forward = ALL[name]
    run = Run(parameters)
    loss = loss_of(run, forward)
    backward(run, run.steps, loss)
    trace = Trace(run.steps, {}, run.steps[-1])
    assert trace.verify() == []
    rng = np.random.default_rng(3)
    for step in trace.find("backward.*"):
        assert step.formula
        assert tuple(map(len, step.labels)) == step.value.shape
        index = tuple(int(rng.integers(n)) for n in step.value.shape)
        check_cell(step.operation, index, step.value, step.operands, step.params)


def test_a_step_that_reads_the_same_input_twice() -> None:
    """y = x xᵀ: both shares of the gradient are there, under names of their own."""
    x = np.random.default_rng(0).normal(size=(2, 3))
    run = Run({"weight": x})
    product = run(ops.matmul, "product", run.parameter("weight"), run.parameter("weight"), transpose=True, axes="a b")
    loss = run(ops.average, "mean", product, axes="")
    gradient = backward(run, run.steps, loss)["weight"]
    names = [step.name for step in run.steps]
    assert len(set(names)) == len(names)
    assert len([name for name in names if name.startswith("backward.weight.from.product")]) == 2
    np.testing.assert_allclose(gradient.value, np.tile(2 * x.sum(axis=0) / 4, (2, 1)))


def test_names_of_gradients() -> None:
    parameters, forward = ALL["encoder-decoder"]
    run = Run(parameters)
    loss = loss_of(run, forward)
    backward(run, run.steps, loss)
    names = {step.name for step in run.steps}
    assert "backward.decoder.0.cross_attention.weights" in names
    assert "backward.encoder.0.ffn.hidden.weight" in names
    memory = {name for name in names if name.startswith("backward.encoder.1.norm_2.from.")}
    assert len(memory) == 4  # keys and values of both decoder layers
    weights = next(step for step in run.steps if step.name == "backward.decoder.0.cross_attention.weights")
    assert weights.axes == ("head", "query", "key")
