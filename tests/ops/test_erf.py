"""Φ in single precision, against Python's own erfc: as exact as its docstring says, everywhere."""

from __future__ import annotations

from math import erfc, sqrt

import numpy as np
import pytest

from txviz import ops
from txviz.ops import Array
from txviz.ops.erf import normal


def exact(x: Array) -> Array:  # (n,) -> (n,) in double precision
    return np.array([0.5 * erfc(-cell / sqrt(2)) for cell in x.tolist()])


GRID = np.arange(-14, 14, 2**-12, dtype=np.float32)
NEAR_0 = np.array([sign * 2.0**power for power in range(-149, 0) for sign in (-1, 1)], dtype=np.float32)


@pytest.mark.parametrize("x", [GRID, NEAR_0], ids=["grid", "next to 0, and denormal"])
def test_single_precision_is_exact_to_2e_7(x: Array) -> None:
    found = normal(x)
    assert found.dtype == np.float32
    assert np.abs(found - exact(x)).max() <= 2e-7
    assert found.min() >= 0
    assert found.max() <= 1


@pytest.mark.parametrize(("lowest", "bound"), [(-4, 1e-6), (-13, 5e-6)])
def test_what_is_left_of_very_negative_numbers_is_right_too(lowest: float, bound: float) -> None:
    """1 + erf would leave one digit of it, or none."""
    x = GRID[lowest <= GRID]
    np.testing.assert_allclose(normal(x), exact(x), rtol=bound)


def test_ends_and_what_is_no_number() -> None:
    x = np.array([-np.inf, -3e38, -20, -0.0, 0.0, 20, 3e38, np.inf, np.nan], dtype=np.float32)
    np.testing.assert_array_equal(normal(x), [0, 0, 0, 0.5, 0.5, 1, 1, 1, np.nan])


def test_a_cell_is_the_same_wherever_it_stands() -> None:
    """Also beyond what is computed at once, in another order of the axes, and alone."""
    x = np.random.default_rng(0).normal(size=(300, 257)).astype(np.float32)
    whole = ops.gelu_erf.compute(x)
    np.testing.assert_array_equal(ops.gelu_erf.compute(x.T), whole.T)
    np.testing.assert_array_equal(ops.gelu_erf.compute(x[1:, 3:]), whole[1:, 3:])
    assert [float(ops.gelu_erf.compute(x[i, i])) for i in range(200)] == np.diagonal(whole)[:200].tolist()


def test_single_and_double_precision_have_the_same_gelu_and_slope() -> None:
    for function in (ops.gelu_erf.compute, ops.gelu_erf.slope):
        np.testing.assert_allclose(function(GRID), function(GRID.astype(float)), rtol=2e-6, atol=3e-7)
