"""What is done otherwise with large arrays comes to the same: products by halves, and the largest of a long row."""

from __future__ import annotations

import numpy as np
import pytest

from txviz import ops
from txviz.ops.normalise import largest


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("queries", "keys"), [(128, 128), (129, 131), (130, 257), (200, 100), (1, 20_000)])
def test_a_stack_of_large_products_has_every_cell(queries: int, keys: int, dtype: str) -> None:
    rng = np.random.default_rng(0)
    q, k = (rng.normal(size=(3, length, 8)).astype(dtype) for length in (queries, keys))
    found = ops.matmul.compute(q, k, transpose=True)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, np.einsum("hqd,hkd->hqk", q, k), atol=1e-12 if dtype == "float64" else 1e-5)


def test_one_stack_of_large_matrices_serves_every_example() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 3, 140, 4)), rng.normal(size=(3, 4, 150))
    np.testing.assert_allclose(ops.matmul.compute(a, b), np.einsum("bhqd,hdk->bhqk", a, b), atol=1e-12)


@pytest.mark.parametrize("length", [1, 31, 32, 33, 500])
def test_the_largest_of_a_row_is_found_among_any_numbers(length: int) -> None:
    rows = np.random.default_rng(length).normal(size=(2, 6, length)).astype(np.float32)
    rows[0, 0] = -np.inf
    rows[0, 1, length // 2] = np.inf
    rows[0, 2, length // 2] = np.nan
    rows[0, 3] = 0
    np.testing.assert_array_equal(largest(rows), rows.max(axis=-1, keepdims=True))
