"""The first few of many numbers, against bringing all into order."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from txviz.analysis.ranking import first_places

NUMBERS = st.lists(st.sampled_from([-np.inf, -1.0, 0.0, 0.5, 2.0, np.nan]), min_size=1, max_size=30)


@given(NUMBERS, st.integers(1, 40))
def test_they_are_the_first_of_all_in_order(numbers: list[float], count: int) -> None:
    array = np.array(numbers)
    assert first_places(array, count).tolist() == np.argsort(-array, kind="stable")[:count].tolist()
