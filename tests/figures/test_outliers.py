"""A few numbers that are many times as large as all others, as trained models have them, do not make the rest pale."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import txviz
from tests.figures.levels.checks import drawn
from tests.figures.levels.test_level_scales import matrices
from tests.figures.test_sharing import coloured, legend
from txviz.figures.colour_scale import CROWD, SAMPLE, Span, SpanWithFew, reach, union
from txviz.figures.sentences import sentences
from txviz.figures.stage import stage
from txviz.figures.style import Style
from txviz.ops import Array
from txviz.trace import Parameter, Trace
from txviz.trace.site import Site

TEXT = "the cat sleeps on the sofa and the dog sleeps on the bed near the door of the house in the garden"
STEP, FEATURE, FACTOR = "encoder.0.residual_1", 5, 500.0


@cache
def trace(factor: float = FACTOR) -> Trace:
    """A run with a feature that is so many times as large in a few tokens."""
    return txviz.trace("sentence", TEXT, edits=[f"{STEP}[{token},{FEATURE}]*={factor:g}" for token in range(4)])


def parameter(value: Array) -> Parameter:
    return Parameter("some.weight", value, Site(leaf="weight"))


def test_the_others_are_as_strong_as_without_them() -> None:
    plain, made = (stage(trace(factor)[STEP]) for factor in (1, FACTOR))
    (_, values, painted), (_, same, without) = coloured(made)[-1], coloured(plain)[-1]
    others = np.flatnonzero(values == same)
    assert len(others) > 0.9 * len(values)
    strength, before = ((255 - colours[others].astype(int)).mean() for colours in (painted, without))
    assert strength > 0.9 * before


def test_the_bar_and_the_words_say_that_numbers_lie_beyond() -> None:
    step = trace()[STEP]
    _, ends, _, _ = legend(stage(step))
    assert (ends[0].text[:2], ends[-1].text[:2]) == ("≤ ", "≥ ")
    assert any("far larger than the others" in said for said in sentences(step))
    assert not any("far larger" in said for said in sentences(trace(1)[STEP]))
    _, ends, _, _ = legend(stage(trace(1)[STEP]))
    assert not any("≥" in text.text for text in ends)


def test_a_layer_shows_the_others_too() -> None:
    shown = matrices(drawn(trace(), trace().outline.find("encoder.0")))
    values, painted = shown[STEP]
    ordinary = np.abs(values) < np.quantile(np.abs(values), 0.9)
    assert len(np.unique(painted[ordinary], axis=0)) > 20


def test_ends_that_are_given_stay() -> None:
    assert [text.text for text in legend(stage(trace()[STEP], style=Style(scale=Span(-9000, 9000))))[1]] == [
        "−9000",
        "0",
        "9000",
    ]


@pytest.mark.parametrize("name", ["time.4.head.last", "time.4.head.logits", "time.1.decoder.0.self_attention.weights"])
def test_an_answer_that_stands_out_keeps_its_colour(name: str) -> None:
    """Of words and of attention the largest is what is looked for."""
    span = reach(txviz.trace("translator", "The house is big")[name])
    assert span.crowd is span


@given(arrays(np.float64, (40, 50), elements=st.floats(-1e6, 1e6)))
def test_nearly_all_numbers_lie_in_the_crowd(value: Array) -> None:
    span = reach(parameter(value))
    some = np.abs(value[value != 0])
    assert span == Span(min(value.min(), 0), max(value.max(), 0))
    if span.crowd != span:
        assert (some <= span.crowd.limit).mean() >= CROWD - 1e-9
        assert span.limit > 3 * span.crowd.limit


def test_of_many_numbers_some_are_looked_at() -> None:
    value = np.random.default_rng(1).normal(size=(4 * SAMPLE // 384, 384))
    value[:, 7] = 300
    assert 2.5 < reach(parameter(value)).crowd.limit < 3.5


def test_scales_that_are_shared_know_the_crowds_of_all() -> None:
    few = SpanWithFew.around(Span(-1, 1), Span(-9, 4))
    both = union([few, Span(-2, 0.5)])
    assert (both, both.crowd) == (Span(-9, 4), Span(-2, 1))
    assert union([few, Span(-9, 9)]).crowd == Span(-9, 9)
    assert Style().ends_of(both) == Span(-2, 2)
