"""How matrices side by side share a width."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from txviz.figures.levels.widths import Wish, share, spread

LENGTHS = st.floats(1, 400)
WISHES = st.lists(st.builds(Wish, LENGTHS, LENGTHS, LENGTHS, st.integers(0, 3)), min_size=1, max_size=7)


@given(WISHES, st.floats(0, 3000))
def test_all_fits_and_nobody_gets_more_than_the_most(wishes: list[Wish], free: float) -> None:
    widths = share(wishes, free)
    assert sum(widths) <= free + 1e-6
    enough = sum(wish.least for wish in wishes) <= free
    for wish, width in zip(wishes, widths, strict=True):
        assert width <= max(wish.most, wish.least, wish.numbers) + 1e-6
        assert width >= wish.least - 1e-6 or not enough


def test_numbers_come_first_where_the_rank_is_lower() -> None:
    wishes = [Wish(50, 100, 100, rank) for rank in (2, 0, 1)]
    assert share(wishes, 250) == pytest.approx([50, 100, 100])
    assert share(wishes, 200) == pytest.approx([50, 100, 50])


def test_what_is_left_over_enlarges_all_or_goes_between_them() -> None:
    wishes = [Wish(50, 0, 500), Wish(100, 0, 120)]
    widths = share(wishes, 400)
    assert widths == pytest.approx([280, 120], rel=1e-3)
    assert spread(10, [5, 20], [30, 40], 105) == [15, 75]


def test_too_little_is_shared_in_proportion() -> None:
    assert share([Wish(100, 0, 100), Wish(300, 0, 300)], 100) == [25, 75]
