"""The laws that every operation keeps: its worked cell is the code's result, and it reads the cells that it says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from txviz import Trace, ops
from txviz.ops import Array, Index, Op

rng = np.random.default_rng(7)


def floats(*shape: int) -> Array:
    return rng.normal(size=shape)


HIDDEN = np.where(rng.random((3, 4)) < 0.4, -np.inf, 0.0)
ALL_HIDDEN = np.vstack([floats(2, 5), np.full((1, 5), -np.inf)])
SCORES = ALL_HIDDEN.copy()
SCORES[0, 2:] = -np.inf
EQUAL_ROW = np.vstack([floats(2, 4), np.full((1, 4), 0.7)])
IDS = np.array([[2, 0, 1], [4, 4, 3]])
BOTH_WAYS: dict[str, Any] = {"buckets": 16, "farthest": 18, "both_ways": True}

CASES: list[tuple[Op, tuple[Array, ...], dict[str, Any]]] = [
    (ops.matmul, (floats(2, 3, 4), floats(2, 4, 5)), {}),
    (ops.matmul, (floats(2, 3, 4), floats(2, 5, 4)), {"transpose": True}),
    (ops.matmul, (floats(2, 1, 3, 4), floats(3, 5, 4)), {"transpose": True}),
    (ops.matmul, (floats(3, 4), floats(5, 4)), {"transpose": True}),
    (ops.matmul, (floats(4), floats(4, 5)), {}),
    (ops.linear, (floats(3, 4), floats(4, 2)), {}),
    (ops.linear, (floats(2, 3, 40), floats(40, 2), floats(2)), {}),
    (ops.linear, (floats(4), floats(4, 2), floats(2)), {}),
    (ops.add, (floats(2, 3, 4), floats(3, 4)), {}),
    (ops.add, (floats(3, 4), floats(4)), {}),
    (ops.scale, (floats(3, 4),), {"base": 3, "exponent": -0.5}),
    (ops.scale, (floats(3, 4),), {"base": 16, "exponent": 0.5}),
    (ops.scale, (floats(3, 4),), {"base": 0.7, "exponent": -1}),
    (ops.scale, (floats(3, 4),), {"base": 4, "exponent": 1}),
    (ops.scale, (floats(3, 4),), {"base": 0.7, "exponent": 2}),
    (ops.mask, (floats(2, 3, 4), HIDDEN), {}),
    (ops.mask, (floats(2, 3, 4), HIDDEN[None], HIDDEN[:1]), {}),
    (ops.softmax, (SCORES,), {}),
    (ops.softmax, (floats(2, 2, 30),), {}),
    (ops.layer_norm, (EQUAL_ROW,), {"epsilon": 0}),
    (ops.layer_norm, (EQUAL_ROW, floats(4)), {"epsilon": 1e-5}),
    (ops.layer_norm, (floats(2, 3, 20), floats(20), floats(20)), {"epsilon": 1e-12}),
    (ops.relu, (floats(3, 4),), {}),
    (ops.gelu_tanh, (floats(3, 4) * 3,), {}),
    (ops.gelu_erf, (floats(3, 4) * 3,), {}),
    (ops.log, (np.abs(floats(3, 4)),), {}),
    (ops.log, (np.array([0.0, 1.0]),), {}),
    (ops.multiply, (floats(2, 3, 4), floats(3, 4)), {}),
    (ops.silu, (floats(3, 4) * 3,), {}),
    (ops.tanh, (floats(3, 4),), {}),
    (ops.silu_gradient, (floats(3, 4), floats(3, 4)), {}),
    (ops.tanh_gradient, (floats(3, 4), floats(3, 4)), {}),
    (ops.rms_norm, (floats(2, 3, 20), floats(20)), {"epsilon": 1e-5}),
    (ops.rms_norm, (floats(2, 20), floats(20)), {"epsilon": 1e-5, "offset": 1}),
    (ops.rms_norm_gradient, (floats(2, 4), floats(2, 4), floats(4)), {"epsilon": 1e-5, "offset": 1}),
    (ops.rms_norm_gradient, (floats(2, 3, 4), floats(2, 3, 4), floats(4)), {"epsilon": 1e-5}),
    (ops.rms_gain_gradient, (floats(2, 3, 4), floats(2, 3, 4)), {"epsilon": 1e-5}),
    (ops.rotate, (floats(2, 3, 6),), {"frequencies": [1.0, 0.1, 0.01]}),
    (ops.rotate, (floats(3, 4),), {"frequencies": [0.7, 0.03], "start": 5, "turn": -1}),
    (ops.repeat_heads, (floats(2, 3, 4),), {"times": 3}),
    (ops.repeat_heads_gradient, (floats(6, 3, 4),), {"times": 3}),
    (ops.standardise, (floats(2, 4, 3),), {"mean": [0.5, 0.4, 0.3], "spread": [0.2, 0.25, 1.5]}),
    (ops.standardise, (floats(3, 4),), {"mean": [0.5], "spread": [0.25]}),
    (ops.split_heads, (floats(2, 3, 6),), {"heads": 2}),
    (ops.merge_heads, (floats(2, 2, 3, 2),), {}),
    (ops.concat, (floats(1, 3), floats(4, 3), floats(2, 3)), {}),
    (ops.concat, (floats(1, 3), floats(2, 4, 3)), {}),
    (ops.select, (floats(4, 3),), {"at": 2}),
    (ops.select, (floats(2, 4, 3),), {"at": -1}),
    (ops.select, (floats(2, 4, 3),), {"at": [1, 3]}),
    (ops.patchify, (floats(6, 4),), {"patch": [3, 2]}),
    (ops.patchify, (floats(2, 4, 6, 3),), {"patch": [2, 3], "colours": 3}),
    (ops.unpatchify, (floats(4, 6),), {"size": [6, 4], "patch": [3, 2]}),
    (ops.unpatchify, (floats(2, 4, 18),), {"size": [4, 6], "patch": [2, 3], "colours": 3}),
    (ops.lookup, (IDS, floats(5, 3)), {}),
    (ops.mean_pool, (floats(4, 3),), {}),
    (ops.mean_pool, (floats(2, 4, 3), np.array([[3, 1, 0, 0], [1, 1, 2, 1]])), {"padding": 0}),
    (ops.argmax, (floats(2, 5),), {}),
    (ops.pick, (floats(2, 3, 5), IDS), {}),
    (ops.cross_entropy, (floats(2, 3, 5), IDS), {}),
    (ops.cross_entropy, (floats(2, 3, 5), IDS), {"smoothing": 0.1, "ignore": 4}),
    (ops.product_left, (floats(2, 3, 4), floats(2, 3, 5)), {}),
    (ops.product_left, (floats(2, 3, 4), floats(2, 3, 5)), {"shared": True}),
    (ops.product_left, (floats(4), floats(5)), {"shared": True}),
    (ops.sum_to, (floats(2, 3, 4),), {"shape": [4]}),
    (ops.sum_to, (floats(2, 3, 4),), {"shape": [1, 4]}),
    (ops.sum_to, (floats(3, 4),), {"shape": [3, 4]}),
    (ops.average, (floats(2, 3),), {}),
    (ops.average, (floats(2, 3), IDS), {"ignore": 4}),
    (ops.average_gradient, (floats(), floats(2, 3)), {}),
    (ops.average_gradient, (floats(), floats(2, 3), IDS), {"ignore": 4}),
    (ops.pass_on, (floats(2, 3),), {}),
    (ops.relu_gradient, (floats(3, 4), floats(3, 4)), {}),
    (ops.gelu_tanh_gradient, (floats(3, 4), floats(3, 4)), {}),
    (ops.gelu_erf_gradient, (floats(3, 4), floats(3, 4)), {}),
    (ops.log_gradient, (floats(3, 4), np.abs(floats(3, 4))), {}),
    (ops.softmax_gradient, (floats(3, 4), np.abs(floats(3, 4))), {}),
    (ops.layer_norm_gradient, (floats(3, 4), floats(3, 4)), {"epsilon": 0}),
    (ops.layer_norm_gradient, (floats(2, 3, 4), floats(2, 3, 4), floats(4)), {"epsilon": 1e-5}),
    (ops.gain_gradient, (floats(2, 3, 4), floats(2, 3, 4)), {"epsilon": 1e-5}),
    (ops.unit, (floats(3, 4),), {}),
    (ops.unit_gradient, (floats(3, 4), floats(3, 4)), {}),
    (ops.place, (floats(2, 3),), {"at": -1, "length": 4}),
    (ops.place, (floats(2, 2, 3),), {"at": [1, 3], "length": 4}),
    (ops.gather, (floats(2, 3, 4), IDS), {"rows": 6}),
    (ops.mean_pool_gradient, (floats(2, 3),), {"length": 4}),
    (ops.mean_pool_gradient, (floats(2, 4), IDS), {"length": 3, "padding": 4}),
    (ops.pick_gradient, (floats(2, 3), IDS), {"width": 5}),
    (ops.cross_entropy_gradient, (floats(2, 3), floats(2, 3, 5), IDS), {}),
    (ops.cross_entropy_gradient, (floats(2, 3), floats(2, 3, 5), IDS), {"smoothing": 0.1, "ignore": 4}),
    (ops.length, (floats(3), floats(2, 2)), {"limit": 1.0}),
    (ops.length, (floats(3),), {"limit": 100.0}),
    (ops.clip, (floats(2, 2), np.array(2.5)), {"limit": 0.5}),
    (ops.sgd, (floats(3), floats(3)), {"rate": 0.1}),
    (ops.blend, (floats(3),), {"beta": 0.9}),
    (ops.blend, (floats(3), floats(3)), {"beta": 0.99, "power": 2}),
    (ops.adam, (floats(3), floats(3), np.abs(floats(3))), {"time": 3, "rate": 0.01, "decay": 0.1}),
    (ops.squared_error, (floats(2, 3), floats(2, 3)), {}),
    (ops.squared_error_gradient, (floats(2, 3), floats(2, 3), floats(2, 3)), {}),
    (ops.top_k, (floats(6),), {"limit": 2}),
    (ops.top_p, (floats(6),), {"limit": 0.7}),
    (ops.draw, (np.array([0.1, 0.0, 0.6, 0.3]), np.array(0.65)), {}),
    (ops.stack, (floats(4), floats(4), floats(4)), {}),
    (ops.stack, (floats(2, 4), floats(2, 4)), {}),
    (ops.penalise, (floats(3, 4), np.array([[2], [5], [1]])), {"penalty": 0.6}),
    (ops.penalise, (SCORES, np.array([[2], [5], [1]])), {"penalty": 0.0}),
    (ops.best, (floats(3, 4),), {"limit": 5}),
    (ops.best, (SCORES,), {"limit": 40}),
    (ops.take, (floats(3, 4), np.array([[2, 0], [0, 3], [2, 0]])), {}),
    (ops.dot, (floats(5), floats(5)), {}),
    (ops.stretch, (floats(), floats(5)), {}),
    (ops.given, (floats(2, 3),), {}),
    (ops.sinusoid, (), {"length": 5, "width": 7, "start": 3}),
    (ops.sinusoid, (), {"length": 5, "width": 7, "start": 3, "halves": True, "single": True}),
    (ops.sinusoid_2d, (), {"rows": 2, "columns": 3, "width": 9}),
    (ops.distance_buckets, (), {"queries": 3, "keys": 40, "start": 20, **BOTH_WAYS}),
    (ops.distance_buckets, (), {"queries": 2, "keys": 40, "start": 38, **BOTH_WAYS, "both_ways": False}),
    (ops.bucket_bias, (IDS, floats(5, 4)), {}),
    (ops.bucket_bias_gradient, (floats(4, 2, 3), IDS), {"rows": 6}),
    (ops.causal_mask, (), {"queries": 3, "keys": 5, "start": 1}),
    (ops.padding_mask, (IDS,), {"padding": 4}),
]


def test_every_operation_is_here() -> None:
    assert {op.name for op, _, _ in CASES} == set(ops.BY_NAME)


@pytest.mark.parametrize(("op", "inputs", "params"), CASES, ids=[op.name for op, _, _ in CASES])
class TestLaws:
    def test_worked_cells_come_to_the_value(self, op: Op, inputs: tuple[Array, ...], params: dict[str, Any]) -> None:
        value = op.compute(*inputs, **params)
        for index in np.ndindex(*value.shape):
            check_cell(op, index, value, inputs, params)

    def test_float32_stays_float32(self, op: Op, inputs: tuple[Array, ...], params: dict[str, Any]) -> None:
        small = tuple(x.astype(np.float32) if x.dtype.kind == "f" else x for x in inputs)
        whole, double = (ops.argmax, ops.draw, ops.best, ops.distance_buckets), (ops.length, ops.penalise)
        if op is ops.padding_mask or (not inputs and op not in whole):
            params = {**params, "dtype": "float32"}
        result = op.compute(*small, **params)
        assert result.dtype == (np.int64 if op in whole else np.float64 if op in double else np.float32)
        np.testing.assert_allclose(result, op.compute(*inputs, **params), rtol=1e-3, atol=1e-5)

    def test_the_formula_is_latex_in_the_given_symbols(
        self, op: Op, inputs: tuple[Array, ...], params: dict[str, Any]
    ) -> None:
        symbols = [] if op is ops.given else [r"\xi", r"\eta", r"\zeta", r"\rho"][: len(inputs)]
        formula = op.formula(*symbols, **params)
        assert formula.count("{") == formula.count("}")
        unseen = {"average_gradient": 2, "mean_pool_gradient": 0}.get(op.name, 0)  # they read only the size
        assert all(symbol in formula for symbol in symbols[: len(symbols) - unseen])


def test_every_cell_of_every_example(example: Trace) -> None:
    """All cells of a small step, and some of a large one (or of one in a long trace)."""
    rng = np.random.default_rng(0)
    most = 400 if len(example) < 100 else 3
    for step in example:
        cells = list(np.ndindex(*step.value.shape))
        for place in rng.permutation(len(cells))[:most]:
            check_cell(step.operation, cells[place], step.value, step.operands, step.params)


def check_cell(op: Op, index: Index, value: Array, inputs: tuple[Array, ...], params: Any) -> None:
    """The arithmetic comes to the value, and so does the operation when it sees only the cells it says it reads."""
    worked = op.worked(index, *inputs, **params)
    np.testing.assert_allclose(worked.result, value[index], rtol=1e-12, atol=1e-12)
    if op is ops.given:
        return
    reads = op.reads(index, *inputs, **params)
    assert len(reads) == len(inputs)
    blinded = [blind(x, cells) for x, cells in zip(inputs, reads, strict=True)]
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(op.compute(*blinded, **params)[index], value[index], rtol=1e-12, atol=1e-12)


def blind(x: Array, cells: list[Index]) -> Array:
    """Only these cells are left; all others are NaN (or another number, where NaN can't be written)."""
    hidden = np.full_like(x, np.nan) if x.dtype.kind == "f" else np.zeros_like(x)
    for cell in cells:
        hidden[cell] = x[cell]
    return hidden
