"""The picture of a model's cost says what was counted."""

from __future__ import annotations

import pytest

import txviz
from tests.figures.levels.checks import drawn, words
from txviz.analysis.cost import counted
from txviz.figures.levels.cost import _beside
from txviz.figures.marks import Group
from txviz.models import find


@pytest.mark.parametrize("model", ["digits", "translator", "sentence-guide"])
def test_every_number_of_the_table_is_the_counted_one(model: str) -> None:
    trace = txviz.trace(model, find(model).example)
    cost, said = counted(trace), words(drawn(trace, trace.outline, kind="cost"))
    for count in (cost.tokens, cost.d, cost.heads, cost.layers, cost.parameters, cost.products, cost.cells, cost.bytes):
        assert f"{count:,}" in said


def test_shares_of_the_work_are_those_of_the_steps() -> None:
    trace = txviz.trace("digits", find("digits").example)
    said = words(drawn(trace, trace.outline, kind="cost"))
    of_ffn = 2 * 9 * 16 * 76 * 2
    of_all = 2 * (4 * 9 * 16 * 16 + 2 * 9 * 9 * 16) + of_ffn + 9 * 4 * 16 + 16 * 10
    assert said[said.index("feed-forward") + 1] == f"{of_ffn / of_all:.0%}".replace("%", " %")
    assert f"{of_all:,}" in said


def test_usual_sizes_stand_beside() -> None:
    trace = txviz.trace("digits", find("digits").example)
    said = words(drawn(trace, trace.outline, kind="cost"))
    assert {"ViT-Base (224×224)", "86.6 M", "196", "197", "768", "17.6 bn"} <= set(said)


def test_no_step_of_the_run_lights_up_the_table() -> None:
    """It is about all of them."""
    trace = txviz.trace("digits", find("digits").example)
    picture = drawn(trace, trace.outline, kind="cost", current=trace[5])
    assert "current" not in {mark.name for mark in picture.figure.marks if isinstance(mark, Group)}


@pytest.mark.parametrize(
    ("usual", "ours", "said"),
    [
        (3_100, 1_000, "A usual model of this kind, X, has 3 times as many parameters."),
        (1_000, 1_100, "A usual model of this kind, X, has about as many parameters."),
        (1_000, 4_900, "This model has 5 times as many parameters as a usual one of its kind, X."),
    ],
)
def test_models_of_any_size_are_compared_in_words(usual: int, ours: int, said: str) -> None:
    assert _beside("X", usual, ours) == said
