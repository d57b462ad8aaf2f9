"""Edits in words, and where they first matter."""

from __future__ import annotations

import pytest

import txviz
from txviz.figures.edit_words import in_words, step_of
from txviz.figures.first_matter import first_matter
from txviz.models import find
from txviz.trace import Trace
from txviz.trace.edits import WORDS

LOVE = "I love you very much"


@pytest.fixture(scope="module")
def trace() -> Trace:
    return txviz.trace("translator", LOVE)


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        ("encoder.0.attention.weights[1]=0", "head 1 of encoder 0 attention weights = 0"),
        ("encoder.0.attention.weights[1,:,2]*=-0.5", "head 1, key “i” of encoder 0 attention weights × −0.5"),
        ("encoder.0.norm_1[0,3]=untouched", "<SOS>, feature 3 of encoder 0 norm 1 = frozen, as it is without edits"),
        ("encoder.0.attention.query.weight[0,2]=7", "row 0, column 2 of encoder.0.attention.query.weight = 7"),
        ("time.*.decoder.*.self_attention.masked=@1", "time.*.decoder.*.self_attention.masked = its operand 1"),
        ("time.2.choice.token=ama", "time 2 choice token = ama"),
        ("no.such.step=1", "no.such.step=1"),
        ("encoder.0.norm_1[0,3,1]=1", "encoder.0.norm_1[0,3,1]=1"),  # of a run that had more axes there
        ("nonsense", "nonsense"),
    ],
)
def test_an_edit_in_words(trace: Trace, edit: str, words: str) -> None:
    assert in_words(edit, trace) == words


@pytest.mark.parametrize("word", WORDS)
def test_every_word_that_stands_for_numbers_is_said_in_others(trace: Trace, word: str) -> None:
    said = in_words(f"encoder.0.attention.weights={word}", trace)
    assert not said.endswith(f"= {word}"), f"{word} has no row in the words of edits"


def test_many_numbers_are_told_by_the_first_ones() -> None:
    guide = txviz.trace("vit-guide-2x2", find("vit-guide-2x2").example)
    assert in_words("pool.cls=2.3,-1.1,3.2,1.4", guide) == "pool [CLS] = 2.3, −1.1, 3.2, 1.4"
    assert in_words("patches[0]=1,2,3,4,5", guide).endswith("= 1, 2, 3, 4, …")
    assert in_words("pool.cls=guide", guide) == "pool [CLS] = the guide's numbers"


def test_where_an_edit_is_seen(trace: Trace) -> None:
    weight = "encoder.1.attention.query.weight"
    seen = step_of(f"{weight}=0", trace)
    assert seen is not None
    assert seen.name == "encoder.1.attention.query_projection"
    assert step_of("no.such.step=1", trace) is None


def test_an_edit_first_matters_where_something_made_from_it_changes(trace: Trace) -> None:
    forced = txviz.trace("translator", LOVE, edits=["time.1.choice.token=la"])
    assert forced.output != trace.output
    found = first_matter(trace, forced, ("time.1.choice.token=la",))
    assert found.changed is not None
    assert found.changed.name == "time.1.choice.probability"
    weight = "encoder.1.attention.query.weight[0,0]=3"
    other = "encoder.0.attention.weights[1]=0"
    both = txviz.trace("translator", LOVE, edits=[other, weight])
    found = first_matter(trace, both, (weight,))
    assert found.changed is not None
    assert found.changed.name == "encoder.1.attention.query_projection"
    found = first_matter(trace, both, (other, weight))
    assert found.changed is not None
    assert found.changed.name == "encoder.0.attention.context"


def test_an_edit_that_changes_nothing_matters_nowhere(trace: Trace) -> None:
    same = txviz.trace("translator", LOVE, edits=["encoder.0.norm_1=untouched"])
    assert first_matter(trace, same, ("encoder.0.norm_1=untouched",)) == (None, None)
