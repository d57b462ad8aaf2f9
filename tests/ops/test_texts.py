"""The printed arithmetic of cells is true as it is printed: it is read, evaluated and compared (see ``reading``)."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import txviz
from tests.ops.reading import false_claims, final, meet, one_number, read
from tests.ops.test_laws import CASES
from txviz import ops
from txviz.models import find
from txviz.ops import Array, Index, Op

KINDS = ("plain", "short", "tiny", "huge", "mixed")


def numbers(kind: str, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Numbers as they come, with few digits, in scientific notation, or all of these beside zeros."""
    plain = rng.normal(size=shape)
    short = np.round(plain, 1)
    tiny = plain * 10.0 ** rng.integers(-30, -4, size=shape)
    huge = plain * 10.0 ** rng.integers(4, 12, size=shape)
    kinds = {"plain": plain, "short": short, "tiny": tiny, "huge": huge}
    return kinds.get(kind, np.choose(rng.integers(0, 5, size=shape), [plain, short, tiny, huge, 0 * plain]))


def like(x: Array, op: Op, kind: str, rng: np.random.Generator) -> Array:
    """Other numbers in place of these, where any will do: −∞ stays, and what must not be negative is not."""
    if x.dtype.kind != "f" or op is ops.draw:
        return x
    other = numbers(kind, rng, x.shape)
    if op in (ops.cross_entropy, ops.cross_entropy_gradient, ops.silu):
        other = other.clip(-500, 500)  # beyond, e^x is too large for the reader's floating-point numbers
    if op is ops.log_gradient:
        other = np.where(other == 0, 1, other)  # the logarithm of 0 has no slope
    return np.where(np.isinf(x), x, np.abs(other) if (x >= 0).all() else other)


def check(op: Op, index: Index, inputs: tuple[Array, ...], params: Any) -> None:
    text, result = op.worked(index, *inputs, **params)
    if op is ops.argmax:
        check_largest(text, [float(x) for x in inputs[0][index]], int(result))
    elif op is ops.draw:
        mark, below, above = map(read, re.findall(r"(.+) lies between (.+) and (.+), the share", text)[0])
        assert below.low <= mark.high
        assert mark.low <= above.high
    else:
        assert false_claims(text) == [], text
        assert comes_to(final(text), result), f"{text} is not {result}"


def check_largest(text: str, row: list[float], place: int) -> None:
    largest, count, at = re.findall(r"(.+) is the largest of (\d+), at place (\d+)", text)[0]
    assert comes_to(largest, max(row))
    assert (int(count), int(at)) == (len(row), place)


def comes_to(printed: str, result: float) -> bool:
    return meet(read(printed), one_number(result))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("op", "inputs", "params"), CASES, ids=[op.name for op, _, _ in CASES])
def test_every_operation(op: Op, inputs: tuple[Array, ...], params: dict[str, Any], kind: str) -> None:
    rng = np.random.default_rng(3)
    for _ in range(3):
        changed = tuple(like(x, op, kind, rng) for x in inputs)
        cells = list(np.ndindex(*op.compute(*changed, **params).shape))
        for place in rng.permutation(len(cells))[:5]:
            check(op, cells[place], changed, params)


RUNS: list[tuple[str, Any, dict[str, Any]]] = [
    *((name, find(name).example, {}) for name in txviz.models()),
    ("digits", find("digits").example, {"target": "7"}),
    ("translator", "the house is big", {"target": "la maison est grande"}),
]


@pytest.mark.parametrize(("model", "given", "options"), RUNS, ids=[" ".join([name, *more]) for name, _, more in RUNS])
def test_every_step_of_a_run(model: str, given: Any, options: dict[str, Any]) -> None:
    rng = np.random.default_rng(5)
    trace = txviz.trace(model, given, **options)
    for step in trace:
        for _ in range(40 if len(trace) < 100 else 5):
            index = tuple(int(rng.integers(size)) for size in step.value.shape)
            check(step.operation, index, step.operands, step.params)


@pytest.mark.parametrize(
    "text",
    [
        "0.5×0.25 = 0.126",
        "0.3333 + 0.3333 + 0.3333 = 1",
        "1 + 2.5×10⁻¹² = 1",
        "0.02×5.51×10⁻⁵² ≈ 6.072×10⁻¹¹",
        "0.4 / 2×10⁻⁵ = 20000",
        "ln 2.5×10⁻⁷ ≈ −15.2",
        "√4×10⁻⁶ = 0.002",
        "2 × −0.3 × (0.5 − 0.1) = −0.24",
        "exp(1 − 2) / (exp(1 − 2) + exp(2 − 2)) = 0.3679 / 1.368 ≈ 0.2689",
        "0 / √(0²) = 0",
        "0.5 − 0.001352 ≈ 0.4986, where m̂ = 0.02 / 0.1 = 0.2",
        "0.5 + 0.25 = 0 up to rounding (0.75)",
        "(0.5 + 0.1 / 2 = 0.3",
        "8 + ⌊1.9⌋ = 10",
        "a_function_that_the_reader_does_not_know(0.3) ≈ 0.5",
    ],
)
def test_what_is_false_is_found(text: str) -> None:
    assert false_claims(text)


@pytest.mark.parametrize(
    "text",
    [
        "0.8×0.1 + 0.3×0.1 + (−0.5)×0.2 = 0.01",
        "0.3333 + 0.3333 + 0.3333 ≈ 1",
        "0.02×(5.51×10⁻⁵)² ≈ 6.072×10⁻¹¹",
        "−0.5² = −0.25",
        "0.1 + 0.2 + (−0.3) = 0 up to rounding (5.551×10⁻¹⁷)",
        "1×2 + … 9 more terms … + 3×4 ≈ 77",
        "0.3 + (−∞) = −∞",
        "10² / 10⁷ = 1×10⁻⁵",
        "sin(3 / 10000^(2/4)) ≈ 0.03",
        "0.5×2 = 1, where the slope at 0.3 = 2",
    ],
)
def test_what_is_true_is_let_pass(text: str) -> None:
    assert not false_claims(text)
