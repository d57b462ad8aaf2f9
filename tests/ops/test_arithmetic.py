"""Numbers and sums as text."""

from __future__ import annotations

import numpy as np
import pytest

from txviz import ops
from txviz.ops.arithmetic import equals, number


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (0.01, "0.01"),
        (-0.5, "−0.5"),
        (0.374250, "0.3743"),
        (-0.0, "0"),
        (123456.7, "123457"),
        (2.5e-7, "2.5×10⁻⁷"),
        (-3e12, "−3×10¹²"),
        (float("-inf"), "−∞"),
        (float("nan"), "not a number"),
    ],
)
def test_number(x: float, text: str) -> None:
    assert number(x) == text


def test_rounded_results_say_so() -> None:
    assert equals(0.25) == "= 0.25"
    assert equals(1 / 3) == "≈ 0.3333"


def test_the_guides_dot_product() -> None:
    query, keys = np.array([[0.8, 0.3, -0.5]]), np.array([[0.1, 0.1, 0.2]])
    worked = ops.matmul.worked((0, 0), query, keys, transpose=True)
    assert worked.text == "0.8×0.1 + 0.3×0.1 + (−0.5)×0.2 = 0.01"


def test_a_long_sum_is_shortened_in_the_text_and_not_in_the_number() -> None:
    worked = ops.linear.worked((0,), np.ones(387), np.ones((387, 1)), np.array([0.5]))
    assert worked.text == "1×1 + 1×1 + 1×1 + 1×1 + 1×1 + … 380 more terms … + 1×1 + 1×1 + 0.5 = 387.5"
    assert worked.result == 387.5


def test_softmax_shows_the_maximum_that_is_subtracted() -> None:
    worked = ops.softmax.worked((0,), np.array([1.0, 2.0]))
    assert worked.text == "exp(1 − 2) / (exp(1 − 2) + exp(2 − 2)) = 0.3679 / 1.368 ≈ 0.2689"


def test_a_wholly_masked_row_is_explained() -> None:
    assert ops.softmax.worked((0,), np.array([-np.inf, -np.inf])).text.startswith("every score of this row is −∞")
