"""float32 and float64 agree within the bound that is stated, in every model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import txviz
from tests.models.checkpoints.reference import ALL, path, source
from txviz.models import find
from txviz.trace.precision import BOUND, MOST, rounding, rounding_text


@pytest.mark.parametrize("model", [*txviz.models(), *map(path, ALL)], ids=lambda model: Path(model).name)
def test_a_run_in_float32_is_that_in_float64(model: str) -> None:
    name, found = Path(model).name, find(model)
    options: dict[str, Any] = {"max_steps": 3} if "max_steps" in found.options else {}
    given = source(name) if name in ALL else found.example
    single, double = (txviz.trace(model, given, dtype=dtype, **options) for dtype in ("float32", "float64"))
    assert [step.name for step in single] == [step.name for step in double]
    for a, b in zip(single, double, strict=True):
        finite = np.isfinite(b.value)
        np.testing.assert_array_equal(finite, np.isfinite(a.value))
        largest = float(np.abs(b.value[finite]).max(initial=0.0))
        apart = np.abs(a.value[finite].astype(float) - b.value[finite])
        assert apart.max(initial=0.0) <= BOUND * max(1.0, largest), a.name


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_step_by_itself(dtype: Any) -> None:
    """By hand: the product of two matrices whose numbers are those of float32."""
    trace = txviz.trace("digits", find("digits").example, dtype=dtype)
    step = trace["encoder.0.attention.scores"]
    queries, keys = (each.astype(np.float32) for each in step.operands)
    exact = queries.astype(float) @ keys.astype(float).swapaxes(-1, -2)
    by_hand = np.abs(queries @ keys.swapaxes(-1, -2) - exact)
    assert rounding(step) == pytest.approx(by_hand.max(), rel=0.5)  # a product may be summed in another order
    assert 0 < by_hand.max() < 1e-5


def test_what_is_not_told() -> None:
    trace = txviz.trace("digits", find("digits").example, edits=["encoder.0.attention.weights[0]=0"])
    assert rounding_text(trace["encoder.0.attention.weights"]) == ""
    assert rounding_text(trace[0]) == ""
    assert rounding(trace["head.prediction"]) is None
    assert trace["encoder.0.attention.weights"].value.size <= MOST


def test_the_sentence() -> None:
    trace = txviz.trace("sentence-guide", "The cat sat.")
    said = rounding_text(trace["encoder.0.attention.weights"])
    assert said.startswith("float32 and float64 differ by at most ")
    assert "×10⁻" in said
