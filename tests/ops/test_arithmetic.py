"""Numbers and sums as text."""

from __future__ import annotations

import re

import numpy as np
import pytest

import txviz
from txviz import ops
from txviz.models import find
from txviz.ops.arithmetic import equals, grouped, number, sum_of


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
    assert equals(123456.0) == "= 123456"
    assert equals(1.0, inputs=[1 / 3, 2 / 3]) == "≈ 1"


def test_a_power_or_a_root_or_a_divisor_is_in_brackets_where_it_would_be_misread() -> None:
    assert [grouped(x) for x in (0.5, -0.5, 5.51e-5)] == ["0.5", "(−0.5)", "(5.51×10⁻⁵)"]
    square = ops.blend.worked((0,), np.array([5.51e-5]), np.array([0.0]), beta=0.98, power=2)
    assert square.text == "0.98×0 + 0.02×(5.51×10⁻⁵)² ≈ 6.072×10⁻¹¹"
    assert ops.log.worked((0,), np.array([2.5e-7])).text == "ln (2.5×10⁻⁷) ≈ −15.2"


def test_what_rounding_left_of_a_sum_is_called_so() -> None:
    worked = ops.add.worked((), np.array(0.1), np.array(0.2), np.array(-0.3))
    assert worked.text == "0.1 + 0.2 + (−0.3) = 0 up to rounding (5.551×10⁻¹⁷)"
    assert worked.result == 0.1 + 0.2 - 0.3


def test_a_small_sum_of_small_terms_means_something() -> None:
    assert sum_of([3e-20, -1e-20]).text == "3×10⁻²⁰ + (−1×10⁻²⁰) = 2×10⁻²⁰"
    among = np.array([[0.5, 3e-20], [0.1, 1e-20]])
    assert ops.sum_to.worked((1,), among, shape=[2]).text == "3×10⁻²⁰ + 1×10⁻²⁰ = 4×10⁻²⁰"


@pytest.mark.parametrize(("model", "given", "target"), [("digits", None, "7"), ("translator", "the cat", "le chat")])
def test_keys_learn_nothing_from_a_shift_of_all_scores(model: str, given: str | None, target: str) -> None:
    """A key's bias has the gradient 0, as softmax does not mind a shift; the rounding that is left is called so."""
    trace = txviz.trace(model, find(model).example if given is None else given, target=target)
    biases = [step for step in trace.find("backward.*.key.bias") if step.op == "sum_to"]
    assert biases
    for step in biases:
        for cell in range(len(step.value)):
            assert re.search(r"[=≈] 0( up to rounding \(.+\))?$", step.explain((cell,)).text)


def test_adams_line_shows_the_rate_the_decay_and_epsilon() -> None:
    inputs = (np.array([0.5]), np.array([0.02]), np.array([9e-5]))
    worked = ops.adam.worked((0,), *inputs, time=1, rate=0.001, epsilon=1e-9, decay=0.03)
    assert worked.text == (
        "0.5 − 0.001×(0.2 / (0.3 + 1×10⁻⁹) + 0.03×0.5) ≈ 0.5 − 0.0006817 ≈ 0.4993, "
        "where m̂ = 0.02 / 0.1 = 0.2 and √v̂ = √(9×10⁻⁵ / 0.001) = 0.3"
    )


def test_adams_formula_rounds_nothing() -> None:
    first = ops.adam.formula("w", "m", "v", time=1, rate=4e-6)
    assert first == r"w - 4 \cdot 10^{-6} \, \frac{m / 0.1}{\sqrt{v / 0.001} + 10^{-8}}"
    third = ops.adam.formula("w", "m", "v", time=3, rate=0.01)
    assert third == r"w - 0.01 \, \frac{m / (1 - 0.9^{3})}{\sqrt{v / (1 - 0.999^{3})} + 10^{-8}}"
    assert ops.sgd.formula("w", "g", rate=4e-6) == r"w - 4 \cdot 10^{-6} \, g"


class TestLabelSmoothing:
    logits, labels = np.array([[1.0, 2.0]]), np.array([1])

    def test_in_the_loss(self) -> None:
        worked = ops.cross_entropy.worked((0,), self.logits, self.labels, smoothing=0.1)
        assert worked.text == (
            "ln(exp(1) + exp(2)) − 0.9×2 − 0.1×1.5 ≈ 2.313 − 0.9×2 − 0.1×1.5 ≈ 0.3633, where label smoothing weighs "
            "the label's logit by 0.9 and the mean of all by 0.1, and that mean = (1 + 2) / 2 = 1.5"
        )

    def test_in_the_gradient(self) -> None:
        grad = np.array([1.0])
        texts = [
            ops.cross_entropy_gradient.worked((0, j), grad, self.logits, self.labels, smoothing=0.1).text
            for j in (0, 1)
        ]
        assert texts[0].endswith("where softmax ≈ 0.2689 and label smoothing makes the target = 0.9×0 + 0.1 / 2 = 0.05")
        assert texts[1].endswith("where softmax ≈ 0.7311 and label smoothing makes the target = 0.9×1 + 0.1 / 2 = 0.95")

    def test_in_the_formulas(self) -> None:
        loss, gradient = ops.cross_entropy.formula, ops.cross_entropy_gradient.formula
        assert loss("z", "y", smoothing=0.1) == r"\ln \sum_j e^{z_{j}} - 0.9 \, z_{y} - 0.1 \, \overline{z}"
        said = r"g \, \bigl(\mathrm{softmax}(z)_j - "
        assert gradient("g", "z", "y", smoothing=0.1) == said + r"0.9 \, [j = y] - \tfrac{0.1}{n}\bigr)"
        assert gradient("g", "z", "y") == said + r"[j = y]\bigr)"

    def test_no_smoothing_no_word_of_it(self) -> None:
        worked = ops.cross_entropy.worked((0,), self.logits, self.labels)
        assert worked.text == "ln(exp(1) + exp(2)) − 2 ≈ 2.313 − 2 ≈ 0.3133"


def test_formulas_leave_padding_out_as_the_code_does() -> None:
    assert ops.cross_entropy.formula("z", "y", ignore=0).startswith(r"[y \ne 0] \, \bigl(")
    assert ops.cross_entropy_gradient.formula("g", "z", "y", ignore=0).startswith(r"[y \ne 0] \, g")
    assert ops.average_gradient.formula("g", "x", "y", ignore=0) == r"[y \ne 0] \, \frac{g}{n}"
    assert ops.mean_pool_gradient.formula("g", "t", padding=0) == r"[t_{i} \ne 0] \, \frac{g}{n}"


def test_a_row_of_equal_numbers_has_no_spread_to_divide_by() -> None:
    """The mean of three times 0.1 is not 0.1 to the last digit; the row becomes zeros all the same."""
    x = np.array([[0.1, 0.1, 0.1], [1.0, 2.0, 3.0]])
    np.testing.assert_array_equal(ops.layer_norm.compute(x, epsilon=0)[0], 0)
    worked = ops.layer_norm.worked((0, 1), x, np.array([2.0, 2.0, 2.0]), np.array([0.5, 0.5, 0.5]), epsilon=0)
    assert worked.text.startswith("0 × 2 + 0.5 = 0.5, where the numbers of the row are all equal")


def test_a_vector_without_a_length_is_not_divided_by_it() -> None:
    worked = ops.unit.worked((0,), np.zeros(2))
    assert worked.text == "0 / (1×10⁻¹²) = 0, where the length √(0² + 0²) is too short to divide by"


def test_a_draw_from_shares_that_do_not_sum_to_1() -> None:
    """0.5 of all is 0.25 here, in the share of the second answer; of a sum of 1 it would be in none."""
    worked = ops.draw.worked((), np.array([0.2, 0.3]), np.array(0.5))
    assert worked.text == "0.5×0.5 lies between 0.2 and 0.5, the share of answer 1"
    assert r"\sum_k p_{k}" in ops.draw.formula("p", "u")


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
    assert worked.text == "exp(1 − 2) / (exp(1 − 2) + exp(2 − 2)) ≈ 0.3679 / 1.368 ≈ 0.2689"


def test_a_wholly_masked_row_is_explained() -> None:
    assert ops.softmax.worked((0,), np.array([-np.inf, -np.inf])).text.startswith("every score of this row is −∞")
