"""The best cells of a matrix, against sorting all of them; and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from txviz import TxvizError, ops
from txviz.ops import Array


def by_sorting(x: Array, limit: int) -> list[tuple[int, int]]:
    """All cells above −∞, the largest first, of equals the first by row, then by column."""
    rows, columns = x.shape
    cells = [(i, j) for i in range(rows) for j in range(columns) if x[i, j] > -np.inf]
    return sorted(cells, key=lambda cell: (-x[cell], cell))[:limit]


@pytest.mark.parametrize("seed", range(20))
def test_the_best_are_those_that_sorting_finds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = (int(rng.integers(1, 6)), int(rng.integers(1, 9)))
    x = rng.integers(-3, 3, size=shape).astype(float)  # few numbers, so that many are equal
    x[rng.random(shape) < 0.3] = -np.inf
    x[0, 0] = -2.0
    for limit in (1, 3, 100):
        assert list(map(tuple, ops.best.compute(x, limit).tolist())) == by_sorting(x, limit)


def test_the_place_among_all_is_told() -> None:
    x = np.array([[-1.5, -0.25], [-3.0, -0.5]])
    assert ops.best.worked((1, 0), x, 3).text == "number 2 of 4 by size is −0.5, in row: 1"
    assert ops.best.worked((2, 1), x, 3) == ("number 3 of 4 by size is −1.5, in column: 0", 0)


def test_a_penalty_of_nothing_changes_nothing() -> None:
    totals = np.random.default_rng(0).normal(size=(3, 5)).astype(np.float32)
    scores = ops.penalise.compute(totals, np.array([[1], [4], [7]]), 0.0)
    assert (scores == totals).all()
    assert ops.penalise.worked((1, 2), np.full((2, 3), -3.0), np.array([[1], [4]]), 0.5).text == "−3 / 4^0.5 = −1.5"


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(TxvizError, match="nothing is left to choose from"):
        ops.best.compute(np.full((2, 3), -np.inf), 4)
    for place in ([2, 0], [0, 3], [-1, 0]):
        with pytest.raises(TxvizError, match="places go from 0, 0 to 1, 2; one of these is outside"):
            ops.take.compute(np.zeros((2, 3)), np.array([place]))


def test_a_long_stack_is_shortened_in_its_formula() -> None:
    assert (
        ops.stack.formula("a", "b", "c", "d", "e", "f") == r"\left[\, a \,;\, b \,;\, c \,;\, \ldots \,;\, f \,\right]"
    )
