"""What must hold for any input."""

from __future__ import annotations

from math import erf as exact_erf
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from txviz import TxvizError, ops
from txviz.ops.base import Array
from txviz.ops.erf import erf

SCORES = arrays(np.float64, array_shapes(min_dims=1, max_dims=3, max_side=6), elements=st.floats(-1e300, 1e300))


@given(SCORES, st.randoms(use_true_random=False))
def test_softmax_rows_sum_to_one_under_any_mask_with_an_open_cell(scores: Array, random: Random) -> None:
    rng = np.random.default_rng(random.randrange(2**32))
    closed: Array = np.less(rng.random(scores.shape), 0.5)
    closed[..., rng.integers(scores.shape[-1])] = False
    masked = ops.mask.compute(scores, np.where(closed, -np.inf, 0.0))
    weights = ops.softmax.compute(masked)
    np.testing.assert_allclose(weights.sum(axis=-1), 1, rtol=1e-12)
    assert (weights >= 0).all()
    assert (weights[closed] == 0).all()


def test_a_wholly_masked_row_looks_at_nothing() -> None:
    weights = ops.softmax.compute(np.array([[-np.inf, -np.inf], [0.0, -np.inf]]))
    np.testing.assert_array_equal(weights, [[0, 0], [1, 0]])


@given(SCORES, st.floats(-100, 100))
def test_softmax_does_not_mind_a_shift(scores: Array, shift: float) -> None:
    scores = np.clip(scores, -50, 50)
    np.testing.assert_allclose(ops.softmax.compute(scores + shift), ops.softmax.compute(scores), rtol=1e-9)


@given(st.data())
def test_patchify_then_unpatchify_is_the_identity(data: st.DataObject) -> None:
    patch = data.draw(st.tuples(st.integers(1, 3), st.integers(1, 3)))
    size = tuple(side * data.draw(st.integers(1, 4)) for side in patch)
    colours = data.draw(st.sampled_from([1, 3]))
    batch = data.draw(st.sampled_from([(), (2,)]))
    shape = (*batch, *size) if colours == 1 else (*batch, *size, colours)
    image = np.random.default_rng(0).random(shape)
    patches = ops.patchify.compute(image, patch, colours)
    assert patches.shape == (*batch, size[0] * size[1] // (patch[0] * patch[1]), patch[0] * patch[1] * colours)
    np.testing.assert_array_equal(ops.unpatchify.compute(patches, size, patch, colours), image)


def test_patches_must_fit() -> None:
    with pytest.raises(TxvizError, match="6×6 can't be cut into whole patches of 4×2"):
        ops.patchify.compute(np.zeros((6, 6)), (4, 2))


@given(arrays(np.float64, (3, 5), elements=st.floats(-1e6, 1e6)))
def test_layer_norm_rows_have_mean_0_and_variance_1(x: Array) -> None:
    x[:, 0] += np.abs(x).max() + 1  # some spread in every row
    normed = ops.layer_norm.compute(x, epsilon=0)
    np.testing.assert_allclose(normed.mean(axis=-1), 0, atol=1e-9)
    np.testing.assert_allclose(normed.var(axis=-1), 1, rtol=1e-9)


@given(st.integers(1, 4), st.integers(1, 5), st.integers(1, 4))
def test_split_then_merge_is_the_identity(heads: int, length: int, width: int) -> None:
    x = np.random.default_rng(0).random((2, length, heads * width))
    np.testing.assert_array_equal(ops.merge_heads.compute(ops.split_heads.compute(x, heads)), x)


@given(st.floats(allow_nan=False))
def test_erf(x: float) -> None:
    assert erf(np.array([x]))[0] == pytest.approx(exact_erf(x), abs=4e-16)


def test_unknown_tokens_are_an_error() -> None:
    with pytest.raises(TxvizError, match="from 0 to 4, not 2 to 5"):
        ops.lookup.compute(np.array([2, 5]), np.zeros((5, 3)))


def test_parts_lead_to_the_result() -> None:
    scores = np.array([[1.0, 2.0, -np.inf]])
    parts = ops.softmax.parts(scores)
    assert list(parts) == ["maximum", "shifted", "exponentials", "sum", "probabilities"]
    np.testing.assert_array_equal(parts["probabilities"], ops.softmax.compute(scores))
    np.testing.assert_array_equal(parts["shifted"], [[-1, 0, -np.inf]])
    row = np.array([[0.42, 0.49, 0.52, 0.19]])
    norm = ops.layer_norm.parts(row, epsilon=0)
    np.testing.assert_allclose([norm["mean"][0, 0], norm["variance"][0, 0]], [0.405, 0.016725])
