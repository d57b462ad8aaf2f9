"""Every gradient against central finite differences, over many shapes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from txviz import ops
from txviz.ops import Array, Op

STEP = 1e-5
NO_GRADIENT = {
    "argmax",
    "given",
    "sinusoid",
    "sinusoid_2d",
    "causal_mask",
    "distance_buckets",
    "padding_mask",
    "length",
    "clip",
    "sgd",
    "blend",
    "adam",
    "pass_on",
    "top_k",
    "top_p",
    "draw",
    "best",
    "take",
    "stretch",
}


class Value(NamedTuple):
    value: Array


class Shapes:
    """Random sizes and arrays for one case."""

    def __init__(self, draw: Any) -> None:
        self.rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
        self.t, self.n, self.m, self.k = (draw(st.integers(1, 4)) for _ in range(4))
        self.before = draw(st.sampled_from([(), (2,), (2, 3)]))
        self.coin = draw(st.booleans())

    def floats(self, *shape: int) -> Array:
        return self.rng.normal(size=shape)

    def ids(self, *shape: int, below: int) -> Array:
        return self.rng.integers(0, below, size=shape)


def case(op: str, s: Shapes) -> tuple[tuple[Array, ...], dict[str, Any]]:
    """Inputs and parameters for an operation."""
    b, t, n, m, k, f = s.before, s.t, s.n, s.m, s.k, s.floats
    match op:
        case "matmul" if s.coin:
            return (f(*b, t, k), f(*b, m, k)), {"transpose": True}
        case "matmul":
            return (f(*b, t, k), f(k, m)), {}
        case "linear":
            return (f(*b, t, k), f(k, m), *([f(m)] if s.coin else [])), {}
        case "add":
            return (f(*b, t, n), f(n) if s.coin else f(t, n), f(*b, t, n)), {}
        case "scale":
            return (f(*b, t, n),), {"base": 3.0, "exponent": -0.5}
        case "mask":
            return (f(*b, t, n), np.where(s.rng.random((t, n)) < 0.3, -np.inf, 0)), {}
        case "softmax" | "unit":
            return (f(*b, t, n + 1),), {}
        case "layer_norm":
            learned = [f(n + 2), f(n + 2)] if s.coin else []
            return (f(*b, t, n + 2), *learned), {"epsilon": 1e-3}
        case "multiply":
            return (f(*b, t, n), f(n) if s.coin else f(*b, t, n)), {}
        case "rms_norm":
            return (f(*b, t, n + 1), f(n + 1)), {"epsilon": 1e-3, **({"offset": 1} if s.coin else {})}
        case "rotate":
            return (f(*b, t, 2 * n),), {"frequencies": list(f(n)), "start": m, "turn": 1 if s.coin else -1}
        case "repeat_heads":
            return (f(*b, 2, t, n),), {"times": k}
        case "standardise":
            return (f(*b, t, 3),), {"mean": [0.5, 0.4, 0.3], "spread": [0.2, 0.25, 1.5]}
        case "relu" | "gelu_tanh" | "gelu_erf" | "silu" | "tanh":
            x = f(*b, t, n)
            return (x + 0.01 * np.sign(x),), {}
        case "log":
            return (np.abs(f(*b, t, n)) + 0.1,), {}
        case "split_heads":
            return (f(*b, t, n * 2),), {"heads": 2}
        case "merge_heads":
            return (f(*b, 2, t, n),), {}
        case "concat":
            return (f(1, n), f(*b, t, n), f(*b, k, n)), {}
        case "stack":
            return (f(*b, n), f(*b, n), f(*b, n)), {}
        case "penalise":
            return (f(t, n), s.ids(t, 1, below=5) + 1), {"penalty": 0.6}
        case "select":
            return (f(*b, t + 1, n),), {"at": 1 if s.coin else [0, t]}
        case "patchify":
            return (f(*b, 2 * t, 3 * n),), {"patch": [2, 3]}
        case "unpatchify":
            return (f(*b, t * n, 6),), {"size": [2 * t, 3 * n], "patch": [2, 3]}
        case "lookup":
            return (s.ids(*b, t, below=5), f(5, n)), {}
        case "bucket_bias":
            return (s.ids(t, m, below=5), f(5, n)), {}
        case "mean_pool" if s.coin:
            tokens = s.ids(*b, t + 1, below=3)
            tokens[..., 0] = 1
            return (f(*b, t + 1, n), tokens), {"padding": 0}
        case "mean_pool":
            return (f(*b, t, n),), {}
        case "pick":
            return (f(*b, t, 5), s.ids(*b, t, below=5)), {}
        case "cross_entropy":
            settings = {"smoothing": 0.1, "ignore": 0} if s.coin else {}
            return (f(*b, t, 5), s.ids(*b, t, below=5)), settings
        case "squared_error":
            return (f(*b, t), s.ids(*b, t, below=5)), {}
        case "dot":
            return (f(n), f(n)), {}
        case "average":
            labels = s.ids(*b, t, below=5)
            labels.flat[0] = 1
            return (f(*b, t), labels), {"ignore": 0}
        case _:
            raise KeyError(f"no inputs for {op}: it needs a case here, or a place in NO_GRADIENT")


DIFFERENTIABLE = sorted(
    name
    for name in ops.BY_NAME
    if name not in NO_GRADIENT
    and not name.endswith("_gradient")
    and name not in ("matmul_left", "sum_to", "place", "gather")
)


@pytest.mark.parametrize("name", DIFFERENTIABLE)
@settings(max_examples=25)
@given(st.data())
def test_gradient(name: str, data: st.DataObject) -> None:
    shapes = Shapes(data.draw)
    op = ops.BY_NAME[name]
    inputs, params = case(name, shapes)
    value = op.compute(*inputs, **params)
    weights = np.where(np.isinf(value), 0, shapes.floats(*value.shape))  # softmax sends nothing back to a closed cell
    sources = [Value(x) for x in inputs]
    found = op.gradients(Value(weights), Value(value), *sources, **params)
    for i, x in enumerate(inputs):
        gradient = found[i]
        differentiable = x.dtype.kind == "f" and not np.isinf(x).any() and not (name == "mask" and i > 0)
        assert (gradient is not None) == differentiable
        if gradient is None:
            continue
        made = gradient.op.compute(*(source.value for source in gradient.sources), **gradient.params)
        made = made if made.shape == x.shape else ops.sum_to.compute(made, list(x.shape))
        expected = numeric(op, inputs, params, i, weights)
        assert np.abs(made - expected).max() <= 1e-6 * max(1.0, np.abs(expected).max())


def numeric(op: Op, inputs: tuple[Array, ...], params: dict[str, Any], i: int, weights: Array) -> Array:
    """Central differences of Σ weights ⊙ op(inputs) in every cell of input i."""
    found = np.zeros_like(inputs[i])
    for cell in np.ndindex(*inputs[i].shape):
        sums = []
        for sign in (1, -1):
            moved = [x.copy() for x in inputs]
            moved[i][cell] += sign * STEP
            value = op.compute(*moved, **params)
            sums.append((np.where(np.isinf(value), 0, value) * weights).sum())
        found[cell] = (sums[0] - sums[1]) / (2 * STEP)
    return found


def test_what_is_not_differentiated_is_on_purpose() -> None:
    for name in NO_GRADIENT - {"pass_on"}:
        assert all(
            g is None for g in ops.BY_NAME[name].gradients(Value(np.zeros(1)), Value(np.zeros(1)), Value(np.zeros(1)))
        )
