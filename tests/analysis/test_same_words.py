"""Two cuts of one text, and attention between what they have in common; against sums that are written out."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from txviz.analysis.same_words import merged, shared, stretches


def cut(text: str, at: set[int]) -> list[str]:
    ends = [0, *sorted(i for i in at if 0 < i < len(text)), len(text)]
    return [text[i:j] for i, j in pairwise(ends)]


@given(st.sets(st.integers(1, 19)), st.sets(st.integers(1, 19)))
def test_the_shortest_stretches_that_both_cuts_have(one: set[int], other: set[int]) -> None:
    """Letters that are all different leave no choice: boundaries are those of both."""
    text = "abcdefghijklmnopqrst"
    a, b = ["[CLS]", *cut(text, one), "[SEP]"], cut(text, other)
    found = stretches(a, b)
    assert [each.text for each in found] == cut(text, one & other)
    assert ["".join(a[k] for k in each.a) for each in found] == ["".join(b[k] for k in each.b) for each in found]


@pytest.mark.parametrize(
    ("a", "b", "texts"),
    [
        (["[CLS]", "the", "cat", "##s", "[SEP]"], ["The", "·c", "ats"], ["the", "cats"]),
        (["<s>", "·", "The·", "cat"], ["The", "·cat"], ["the", "cat"]),
        (["a", "[UNK]", "b"], ["a", "xyz", "b"], ["a", "xyz", "b"]),
        (["the", "cat"], ["le", "chien"], None),
        (["[CLS]", "[SEP]"], ["a"], []),
    ],
)
def test_pieces_of_words(a: list[str], b: list[str], texts: list[str] | None) -> None:
    found = [each.text for each in stretches(a, b)]
    assert texts is None or found == texts


def test_weights_to_the_pieces_of_a_word_are_added_and_those_from_them_averaged() -> None:
    weights = np.random.default_rng(3).dirichlet(np.ones(5), size=(2, 5))
    groups = [(1, 2), (3,)]
    small = merged(weights, groups, groups)
    for head in range(2):
        for i, rows in enumerate(groups):
            for j, columns in enumerate(groups):
                wanted = sum(weights[head, q, k] for q in rows for k in columns) / len(rows)
                assert small[head, i, j] == pytest.approx(wanted)


def test_what_is_shared() -> None:
    a, b = np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([[0.0, 1.0], [0.5, 0.5]])
    assert shared(a, a) == 1
    assert shared(a, b) == pytest.approx(0.5)
    assert shared(a, 3 * a) == 1  # each row is made 1: special tokens are left out
