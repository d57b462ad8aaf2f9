"""Buckets of distances against their definition in whole numbers, where no logarithm can round."""

from __future__ import annotations

import numpy as np
import pytest

from txviz import ops
from txviz.errors import TxvizError


def bucket(distance: int, n: int, farthest: int) -> int:
    """The largest e + k with (farthest/e)^k ≤ (distance/e)^(n-e), and n − 1 at most."""
    e = n // 2
    if distance < e:
        return distance
    reached = [k for k in range(n - e) if farthest**k * e ** (n - e) <= distance ** (n - e) * e**k]
    return e + max(reached)


@pytest.mark.parametrize(("buckets", "farthest"), [(32, 128), (8, 20), (10, 6), (64, 256)])
@pytest.mark.parametrize("both_ways", [True, False])
def test_every_distance(buckets: int, farthest: int, both_ways: bool) -> None:
    n, middle = buckets // 2 if both_ways else buckets, 400
    found = ops.distance_buckets.compute(1, 2 * middle + 1, buckets, farthest, both_ways, start=middle)[0]
    for key, each in enumerate(found.tolist()):
        side, ahead = n if both_ways and key > middle else 0, key - middle
        assert each == side + bucket(abs(ahead) if both_ways else max(-ahead, 0), n, farthest), ahead
    assert found.max() < buckets


def test_buckets_that_reach_nowhere() -> None:
    with pytest.raises(TxvizError, match="2 buckets can't be shared out among distances up to 9"):
        ops.distance_buckets.compute(2, 2, 2, 9, True)


def test_a_number_for_each_distance() -> None:
    """Along a diagonal all pairs are equally far apart, and get the same number."""
    table = np.random.default_rng(1).normal(size=(8, 3))
    bias = ops.bucket_bias.compute(ops.distance_buckets.compute(6, 6, 8, 20, True), table)
    assert bias.shape == (3, 6, 6)
    for offset in range(-5, 6):
        assert np.ptp(np.diagonal(bias, offset, axis1=1, axis2=2), axis=1).max() == 0
    np.testing.assert_array_equal(bias[:, 2, 3], table[4 + 1])
