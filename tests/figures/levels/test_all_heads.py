"""All heads of all layers: what is painted is what was computed, and a click would go to the head."""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np
import pytest

import txviz
from tests.figures.levels.checks import check_picture, drawn, heats_of, words
from tests.figures.levels.test_map import deep
from tests.models.checkpoints.reference import path, source
from txviz import Trace
from txviz.analysis.looking import thumbnails
from txviz.figures.colour_scale import Span
from txviz.figures.levels.all_heads import sections
from txviz.figures.style import Style
from txviz.figures.theme import DARK, LIGHT, colours
from txviz.models import find
from txviz.trace.pictures import is_weights


def traced(name: str, **options: Any) -> Trace:
    return txviz.trace(path(name), source(name), **options)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_each_head_is_painted_up_to_its_own_largest_weight(theme: Any) -> None:
    trace = traced("minilm")
    picture = drawn(trace, trace.outline, kind="heads", theme=theme)
    for step in filter(is_weights, trace):
        heats = heats_of(picture, step.name)
        assert len(heats) == len(step.value)
        for heat, head in zip(heats, thumbnails(step), strict=True):
            painted = np.frombuffer(heat.colours, np.uint8).reshape(*head.shape, 3)
            assert (painted == colours(theme, head, Span(0, float(head.max())))).all()


def test_one_scale_for_all_where_that_is_asked_for() -> None:
    trace = traced("minilm")
    picture = drawn(trace, trace.outline, kind="heads", style=Style(scale="shared"))
    steps = list(filter(is_weights, trace))
    end = Span(0, max(float(step.value.max()) for step in steps))
    for step in steps:
        for heat, head in zip(heats_of(picture, step.name), step.value, strict=True):
            painted = np.frombuffer(heat.colours, np.uint8).reshape(*head.shape, 3)
            assert (painted == colours(LIGHT, head, end)).all()


def test_encoder_decoder_and_cross_attention_stand_apart() -> None:
    trace = traced("marian", max_steps=3)
    found = sections(trace)
    last = max(step.site.time or 0 for step in trace)
    assert [(section[0].site.part, section[0].site.block, len(section)) for section in found] == [
        ("encoder", "attention", 2),
        ("decoder", "self_attention", 2),
        ("decoder", "cross_attention", 2),
    ]
    assert {step.site.time for section in found[1:] for step in section} == {last}
    picture = drawn(trace, trace.outline, kind="heads")
    for title in ("encoder · attention", "decoder · self-attention", "decoder · cross-attention"):
        assert title in words(picture)


def test_of_several_time_steps_the_last_is_shown() -> None:
    (found,) = sections(traced("gpt2", max_steps=3))
    assert [step.name for step in found] == [f"time.3.decoder.{i}.self_attention.weights" for i in (0, 1)]


def test_a_spot_for_each_head_says_what_it_looks_at() -> None:
    trace = traced("gpt2", max_steps=1)
    picture = drawn(trace, trace.outline.find("time.1"), kind="heads")
    spots = [spot for spot in picture.spots if spot.at]
    assert len(spots) == sum(len(step.value) for step in trace if is_weights(step))
    for spot in spots:
        step = trace[spot.node]
        assert spot.hint.startswith(f"layer {step.site.layer}, head {spot.at[0]}: ")
        assert "%" in spot.hint


@pytest.mark.parametrize(
    ("model", "node", "said"),
    [
        ("translator", "time.1", "Of 16 heads, 8 look mostly at the token itself, 4 at “you” and 2 at “i”."),
        ("translator", "encoder", "Of 8 heads, 1 looks mostly at the token itself."),
        ("digits", "", "Of 8 heads, 1 looks mostly at “E” and 1 at “C”."),
        ("writer", "", "Of 8 heads, none looks mostly at one thing."),
    ],
)
def test_what_most_heads_look_at_is_a_sentence(model: str, node: str, said: str) -> None:
    trace = txviz.trace(model, find(model).example)
    assert said in " ".join(words(drawn(trace, trace.outline.find(node), kind="heads")))


def test_what_is_not_computed_yet_is_an_empty_frame() -> None:
    trace = traced("minilm")
    current = trace["encoder.0.attention.weights"]
    picture = drawn(trace, trace.outline, kind="heads", current=current, place=(2,))
    assert len(heats_of(picture, "encoder.0.attention.weights")) == 4
    assert not heats_of(picture, "encoder.1.attention.weights")


@pytest.mark.parametrize("page", [(1280, 720), (1030, 400), (640, 900), (2000, 300)])
@pytest.mark.parametrize("layers", [5, 7, 12])
def test_heads_that_stand_in_columns_are_alike(layers: int, page: tuple[int, int]) -> None:
    """Ten layers stood beside two that were twice as large."""
    trace = deep(layers, "pre")
    picture = drawn(trace, trace.outline, page, kind="heads")
    heats = [heat for step in filter(is_weights, trace) for heat in heats_of(picture, step.name)]
    assert len({(round(heat.width, 6), round(heat.height, 6)) for heat in heats}) == 1
    tops = [round(heats_of(picture, step.name)[0].y, 6) for step in filter(is_weights, trace)]
    lefts = [round(heats_of(picture, step.name)[0].x, 6) for step in filter(is_weights, trace)]
    rows, columns = len(set(tops)), len(set(lefts))
    assert rows == ceil(layers / columns), "as many in each column as there have to be"
    assert len(set(zip(lefts, tops, strict=True))) == layers


def test_one_head_of_one_layer_needs_no_such_picture() -> None:
    assert "heads" not in txviz.trace("sentence-guide", "The cat sat.").outline.pictures
    assert "heads" in traced("minilm").outline.pictures


@pytest.mark.parametrize("page", [(1280, 720), (900, 600), (640, 400), (2560, 1440)])
@pytest.mark.parametrize("name", ["vit", "llama", "marian"])
def test_nothing_overlaps(name: str, page: tuple[int, int]) -> None:
    trace = traced(name, **({} if name == "vit" else {"max_steps": 2}))
    for node in trace.outline:
        for kind in {"heads", "lens", "seeing"} & set(node.pictures):
            made = drawn(trace, node, page, kind=kind)
            check_picture(made, trace, node, page, f"{name}: {node.name} {kind}", kind)
