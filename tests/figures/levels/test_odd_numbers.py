"""Pictures of runs that hold NaN, ∞, or numbers as large and as small as they get: everything has a place."""

from __future__ import annotations

from dataclasses import fields
from math import isfinite
from typing import Any

import pytest

import txviz
from tests.figures.levels.checks import drawn
from tests.models.checkpoints.reference import ALL, path, source
from txviz import TxvizError
from txviz.figures.levels import kinds
from txviz.figures.levels.layer_steps import LayerSteps
from txviz.figures.marks import Box, Text
from txviz.figures.numerals import percent
from txviz.models import find

RUNS: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("sentence-guide", {}, "encoder.0.ffn.activation=-1e300"),
    ("vit-guide-2x2", {}, "head.logits*=1e-320"),
    ("digits", {}, "encoder.1.residual_1=1e308"),
    ("digits", {"target": "3"}, "encoder.1.residual_1=1e308"),
    ("digits", {}, "head.logits=nan"),
    ("digits", {}, "encoder.0.residual_1=inf"),
    ("translator", {"max_steps": 1}, "encoder.0.attention.query=nan"),
    ("marian", {"max_steps": 1}, "encoder.0.attention.query=-1e300"),
    ("gpt2", {"max_steps": 1}, "time.1.decoder.0.self_attention.key=nan"),
)


def traced(model: str, options: dict[str, Any], edit: str) -> txviz.Trace:
    known = model in ALL
    return txviz.trace(path(model) if known else model, source(model) if known else find(model).example,
                       edits=[edit], **options)  # fmt: skip


@pytest.mark.parametrize(("model", "options", "edit"), RUNS, ids=lambda each: str(each))
def test_all_that_is_drawn_has_a_place_and_a_size(model: str, options: dict[str, Any], edit: str) -> None:
    trace = traced(model, options, edit)
    for node in trace.outline:
        for kind in (each for each in kinds(node) if each != "training"):
            for mark in drawn(trace, node, kind=kind).figure.flat():
                numbers = [getattr(mark, each.name) for each in fields(mark)]
                assert all(isfinite(x) for x in numbers if isinstance(x, float)), (node.name, kind, mark)


def test_training_with_an_infinite_gradient() -> None:
    trace = traced("digits", {"target": "3"}, "backward.encoder.0.attention.output.weight=inf")
    for mark in drawn(trace, trace.outline, kind="training").figure.flat():
        assert all(isfinite(x) for x in (getattr(mark, each.name) for each in fields(mark)) if isinstance(x, float))


def test_training_that_came_to_nothing_says_so() -> None:
    trace = traced("digits", {"target": "3"}, "encoder.1.residual_1=1e308")
    with pytest.raises(TxvizError, match="a parameter is infinite or not a number after the update"):
        drawn(trace, trace.outline, kind="training")


def test_a_share_that_is_not_a_number_is_called_so_and_has_no_bar() -> None:
    trace = traced("digits", {}, "head.logits=nan")
    picture = drawn(trace, trace.outline.find("head"), kind="map")
    assert percent(float("nan")) == "NaN"
    marks = list(picture.figure.flat())
    assert "NaN" in [mark.text for mark in marks if isinstance(mark, Text)]
    assert 0.5 in [mark.width for mark in marks if isinstance(mark, Box)]


def test_lengths_whose_squares_are_too_large() -> None:
    """What was added is half as long as what was there, however long that is."""
    edits = ["encoder.0.attention.output=-1e200", "embed.sum=2e200"]
    trace = txviz.trace("digits", find("digits").example, edits=edits)
    assert LayerSteps(trace.outline.find("encoder.0")).additions[0].shares == pytest.approx(0.5)
