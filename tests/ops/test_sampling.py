"""The edges of choosing by chance: equals, exact sums, and numbers that fall on a boundary."""

from __future__ import annotations

import numpy as np
import pytest

from txviz import ops

EQUAL = np.zeros(4)
"""Four answers with a probability of exactly a quarter each."""


@pytest.mark.parametrize(("limit", "kept"), [(0.2, 1), (0.25, 1), (0.3, 2), (0.5, 2), (0.75, 3), (0.76, 4), (1.0, 4)])
def test_top_p_keeps_as_few_as_reach_it(limit: float, kept: int) -> None:
    assert np.isfinite(ops.top_p.compute(EQUAL, limit=limit)).tolist() == [i < kept for i in range(4)]


def test_top_p_keeps_the_answer_that_reaches_it() -> None:
    likely = np.log([0.1, 0.6, 0.3])
    assert np.isfinite(ops.top_p.compute(likely, limit=0.7)).tolist() == [False, True, True]


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_top_k_takes_the_first_of_equals(limit: int) -> None:
    assert np.isfinite(ops.top_k.compute(EQUAL, limit=limit)).tolist() == [i < limit for i in range(4)]


@pytest.mark.parametrize(
    ("chance", "drawn"), [(0.0, 1), (0.25, 1), (0.4999, 1), (0.5, 3), (0.75, 3), (np.nextafter(1.0, 0.0), 3)]
)
def test_a_draw_on_a_boundary_is_never_an_answer_without_a_share(chance: float, drawn: int) -> None:
    assert ops.draw.compute(np.array([0.0, 0.5, 0.0, 0.5, 0.0]), np.array(chance)) == drawn
