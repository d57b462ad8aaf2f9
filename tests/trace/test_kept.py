"""Results that are kept as long as the array that they were made from."""

from __future__ import annotations

import gc

import numpy as np

from txviz.ops import Array
from txviz.trace.kept import kept_for_array


def test_what_can_not_change_is_looked_at_once_and_what_can_each_time() -> None:
    asked: list[float] = []

    @kept_for_array
    def largest(array: Array) -> float:
        asked.append(float(array.max()))
        return asked[-1]

    fixed, loose = np.arange(3.0), np.arange(3.0)
    fixed.flags.writeable = False
    assert [largest(fixed), largest(fixed), largest(loose)] == [2.0, 2.0, 2.0]
    loose[0] = 5
    assert largest(loose) == 5.0
    assert asked == [2.0, 2.0, 5.0]
    for n in range(1000):  # another array may stand where one was
        array = np.full(4, float(n))
        array.flags.writeable = False
        assert largest(array) == n
        del array
    gc.collect()
    assert largest(fixed) == 2.0
    assert len(asked) == 1003
