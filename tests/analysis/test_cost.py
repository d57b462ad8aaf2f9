"""Costs that are said of a design are those of a real model of that shape: its parameters and its counted products."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import txviz
from txviz import Trace
from txviz.analysis.cost import PRESETS, TYPICAL, Design, TextDesign, counted
from txviz.models import find
from txviz.models.trained import TrainedModel
from txviz.nets import sentence_encoder, translator, vit, writer
from txviz.nets.blocks import Block
from txviz.nets.parameters import Shapes, initialise
from txviz.trace import Run, Step


def config(design: Design) -> vit.ViT:
    block = Block(design.d, design.heads, design.hidden, norm="pre", activation="gelu_erf")
    side, classes = design.image, tuple(map(str, range(design.classes)))
    pooling: Literal["cls", "mean"] = "cls" if design.cls else "mean"
    return vit.ViT(block, design.layers, (side, side), (design.patch,) * 2, classes, design.colours, pooling=pooling)


@st.composite
def designs(draw: st.DrawFn) -> Design:
    whole = st.integers
    heads, patch = draw(whole(1, 3)), draw(whole(1, 3))
    return Design(
        image=patch * draw(whole(1, 4)),
        patch=patch,
        colours=draw(st.sampled_from([1, 3])),
        d=heads * draw(whole(1, 4)) * 2,
        heads=heads,
        layers=draw(whole(1, 3)),
        hidden=draw(whole(1, 9)),
        classes=draw(whole(2, 5)),
        cls=draw(st.booleans()),
    )


@given(designs())
@settings(max_examples=40, deadline=None)
def test_a_design_costs_what_the_real_model_costs(design: Design) -> None:
    built = config(design)
    parameters = initialise(vit.shapes(built), seed=0)
    run = Run(parameters)
    shape = (design.image, design.image) if design.colours == 1 else (design.image, design.image, design.colours)
    image = run.given("image", np.zeros(shape), axes="row column" if design.colours == 1 else "row column colour")
    step = vit.forward(run, built, image)
    assert not design.problem()
    assert design.cost.parameters == sum(value.size for value in parameters.values())
    assert counted(Trace(run.steps, {"model": "design"}, step)) == design.cost


@pytest.mark.parametrize("design", PRESETS.values(), ids=PRESETS)
def test_presets_can_be_built(design: Design) -> None:
    assert not design.problem()
    assert design.cost.parameters == sum(map(prod, vit.shapes(config(design)).values()))


def test_the_preset_of_digits_is_the_model_that_ships() -> None:
    trace = txviz.trace("digits", find("digits").example)
    assert PRESETS["digits, as here"].cost == counted(trace)


def test_vit_base_has_86_million_parameters() -> None:
    """86,567,656, as published (timm, torchvision); with about 17.6 billion multiply–adds."""
    cost = Design().cost
    assert cost.parameters == 86_567_656
    assert cost.tokens == 197
    assert cost.d_k == 64
    assert 17.4e9 < cost.products < 17.7e9


@pytest.mark.parametrize("model", ["digits", "translator", "writer", "sentence"])
def test_a_run_is_counted_by_its_shapes(model: str) -> None:
    trace = txviz.trace(model, find(model).example)
    cost = counted(trace)
    found = find(model)
    assert isinstance(found, TrainedModel)
    block = found.config.block
    assert (cost.d, cost.heads) == (block.d_model, block.heads)
    by_hand = 0
    for step in trace:
        if step.op in ("linear", "matmul"):
            left, right = (source.value for source in step.sources[:2])
            if step.params.get("transpose"):
                right = np.swapaxes(right, -1, -2)
            by_hand += np.broadcast(left[..., 0, 0] if left.ndim > 1 else 0, right[..., 0, 0]).size * (
                left.shape[-2] if left.ndim > 1 else 1
            ) * left.shape[-1] * right.shape[-1]  # fmt: skip
    assert cost.products == by_hand


def test_gpt_2_has_124_million_parameters() -> None:
    """124,439,808, as published."""
    assert TYPICAL["writer"][1].parameters == 124_439_808


@given(st.integers(1, 3), st.integers(1, 3), st.integers(2, 9), st.integers(2, 9), st.integers(1, 4))
@settings(max_examples=25, deadline=None)
def test_designs_of_words_cost_what_the_real_models_cost(layers: int, heads: int, t: int, s: int, hidden: int) -> None:
    d, words = heads * 4, tuple(map(str, range(11)))
    block = Block(d, heads, hidden, norm="pre")
    reader = sentence_encoder.SentenceEncoder(block, layers, 11, 12)
    ours = writer.Writer(block, layers, words, 12, positions="sinusoidal")
    both = translator.Translator(block, 1, layers, words, 12, positions="learned", tied_head=True)
    built: list[tuple[Shapes, Callable[[Run, Step, Step], Step], TextDesign]] = [
        (
            sentence_encoder.shapes(reader),
            lambda run, _, y: sentence_encoder.forward(run, reader, y),
            TextDesign(11, t, d, heads, encoder=layers, positions=12, hidden=hidden),
        ),
        (
            writer.shapes(ours),
            lambda run, _, y: writer.forward(run, ours, y),
            TextDesign(11, t, d, heads, decoder=layers, hidden=hidden),
        ),
        (
            translator.shapes(both),
            lambda run, x, y: translator.forward(run, both, x, y),
            TextDesign(11, t, d, heads, 1, layers, s, positions=12, tables=2, hidden=hidden),
        ),
    ]
    for shapes, forward, design in built:
        parameters = initialise(shapes, seed=0)
        run = Run(parameters)
        with run.at(part="encoder"):
            source = run.given("tokens", np.zeros(s, int), axes="token")
        step = forward(run, source, run.given("tokens", np.zeros(t, int), axes="token"))
        assert design.cost.parameters == sum(value.size for value in parameters.values())
        assert counted(Trace(run.steps, {"model": "design"}, step)) == design.cost


def test_what_does_not_fit_is_said() -> None:
    assert Design(image=10, patch=16).problem() == "A patch of 16 pixels is larger than the image of 10."
    assert Design(image=100).problem() == "100 pixels can't be cut into patches of 16: 4 are left."
    assert Design(heads=7).problem() == "768 features can't be shared by 7 heads: 5 are left."
