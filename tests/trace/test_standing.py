"""Where a word stands in a softmax, against sorting it all."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import txviz
from txviz import Step, TxvizError
from txviz.trace.standing import WordList, standing


@pytest.fixture(scope="module")
def likely() -> Step:
    return txviz.trace("translator", "The house is big")["time.2.head.probabilities"]


def test_a_word_has_its_probability_rank_and_score(likely: Step) -> None:
    (found,) = likely.standing("casa")
    entry = likely.labels[-1].index("casa")
    assert (found.cell, found.entry, found.label) == ((entry,), entry, "casa")
    assert found.probability == likely.value[entry]
    assert found.score == likely.sources[0].value[entry]
    assert np.argsort(-likely.value, kind="stable")[found.rank - 1] == entry


def test_every_rank_is_the_place_in_the_order(likely: Step) -> None:
    order = np.argsort(-likely.value, kind="stable").tolist()
    assert [standing(likely, (i,)).rank for i in order] == list(range(1, len(order) + 1))


def test_those_that_are_alike_share_a_rank() -> None:
    weights = txviz.trace("translator", "The house is big", edits=["time.1.head.logits=0"])["time.1.head.probabilities"]
    assert {standing(weights, (i,)).rank for i in range(20)} == {1}


def test_a_word_is_found_in_every_row() -> None:
    weights = txviz.trace("digits", np.eye(6))["head.probabilities"]
    assert [each.cell for each in weights.standing("3")] == [(3,)]


def test_a_word_that_is_not_there_says_what_is_like_it(likely: Step) -> None:
    with pytest.raises(TxvizError, match=r"none of the 1,185 entries of .* is “cas”; these have it: “casa”, “"):
        likely.standing("cas")
    with pytest.raises(TxvizError, match=r"is “xyzzy”$"):
        likely.standing("xyzzy")


def test_what_is_no_softmax_has_no_ranks() -> None:
    with pytest.raises(TxvizError, match="tokens is no softmax, so no word has a rank there"):
        txviz.trace("sentence-guide", "The cat")["tokens"].standing("cat")


def test_the_word_itself_comes_first_then_what_begins_with_it() -> None:
    words = WordList(["scat", "·Cat", "cats", "##cat", "cat", "dog", "·cat"])
    weights = np.array([0.9, 0.1, 0.2, 0.3, 0.05, 0.8, 0.2])
    assert [words.labels[i] for i in words.find("cat", weights)] == ["cat", "##cat", "·cat", "·Cat", "cats", "scat"]
    assert [words.labels[i] for i in words.find(" cat", weights)] == ["·cat", "·Cat"]
    assert [words.labels[i] for i in words.find("##", weights)] == ["##cat"]
    assert words.find("", weights) == []
    assert [words.labels[i] for i in words.named("CAT")] == ["·Cat", "##cat", "cat", "·cat"]


@given(st.lists(st.text("ab·# É", max_size=4), max_size=20), st.text("ab·# É", max_size=3))
def test_all_that_have_the_text_are_found_and_nothing_else(labels: list[str], text: str) -> None:
    found = WordList(labels).find(text, np.arange(float(len(labels))))
    wanted = text.casefold().replace(" ", "·")
    assert all(wanted in labels[i].casefold() for i in found)
    if wanted and not wanted.startswith(("·", "##")):
        bare = [label.casefold().removeprefix("·").removeprefix("##") for label in labels]
        assert {i for i, word in enumerate(bare) if wanted in word} <= {*found}
