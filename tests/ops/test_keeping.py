"""What is kept for a gradient is made once, changes no bit of it, and is gone after the step of training."""

from __future__ import annotations

from itertools import islice
from threading import Thread

import numpy as np
import pytest

from txviz.ops import Array
from txviz.ops.keeping import keeping, kept
from txviz.ops.normalise import standardised
from txviz.trace import Run
from txviz.trace.backward import backward
from txviz.training.train import course


def test_it_is_made_once_for_each_array_and_setting() -> None:
    made: list[float] = []

    @kept
    def times(x: Array, factor: float) -> Array:
        made.append(factor)
        return x * factor

    ones, zeros = np.ones(3), np.zeros(3)
    with keeping():
        assert times(ones, 2.0) is times(ones, 2.0)
        assert (times(ones, 3.0) == 3).all()
        assert (times(zeros, 2.0) == 0).all()
    assert made == [2.0, 3.0, 2.0]


def test_an_array_that_is_gone_lends_its_number_to_no_other() -> None:
    with keeping():
        for i in range(100):
            row = np.array([[0.0, i, 1.0]])
            expected = (row - row.mean()) / np.sqrt(row.var() + 1e-5)
            np.testing.assert_allclose(standardised(row, 1e-5)[0], expected)


def test_nothing_is_kept_outside_nor_by_another_thread() -> None:
    row = np.array([[1.0, 2.0, 4.0]])
    found = []
    with keeping():
        inside = standardised(row, 1e-5)
        thread = Thread(target=lambda: found.append(standardised(row, 1e-5)))
        thread.start()
        thread.join()
    assert found[0] is not inside
    assert standardised(row, 1e-5) is not standardised(row, 1e-5)


@pytest.mark.parametrize("name", ["translator", "writer", "digits"])
def test_gradients_are_the_same_to_the_last_bit(name: str) -> None:
    learning = course(name)
    model = learning.model
    words = None if name == "digits" else model.vocabulary
    (batch,) = islice(learning.batches(words, learning.recipe), 1)

    def gradients() -> dict[str, bytes]:
        run = Run(model.parameters)
        loss = learning.loss(run, model.config, batch, 0.1)
        return {name: step.value.tobytes() for name, step in backward(run, run.steps, loss).items()}

    alone = gradients()
    with keeping():
        assert gradients() == alone
