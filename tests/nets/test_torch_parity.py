"""The nets against PyTorch, in float64 and with random weights: every step that both have must be the same number.

The fixtures are made by tests/reference/make_torch_fixtures.py, which says what is in them. PyTorch is not needed here.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from numpy.testing import assert_allclose
from safetensors import safe_open

from txviz import ops
from txviz.nets import attention, blocks, sentence_encoder, stacks, translator, vit, writer
from txviz.nets.blocks import Block
from txviz.nets.layers import norm, norm_shapes
from txviz.nets.parameters import Shapes, check, under
from txviz.ops import Array
from txviz.trace import Run, Step

REFERENCE = Path(__file__).parents[1] / "reference"
TOLERANCE = 1e-10
PADDING = 0


class Case(NamedTuple):
    """One model with one input, and what PyTorch makes of it, by the names of our steps."""

    config: dict[str, Any]
    inputs: dict[str, Array]
    parameters: dict[str, Array]
    expected: dict[str, Array]

    @property
    def block(self) -> Block:
        return Block(**self.config["block"])

    def configured(self, kind: type) -> Any:
        lists = {name: tuple(value) for name, value in self.config.items() if isinstance(value, list)}
        return kind(**{**self.config, **lists, "block": self.block})

    def run(self, shapes: Shapes) -> Run:
        """A run with the case's parameters, which must be those that the model declares."""
        check(self.parameters, shapes)
        return Run(self.parameters)

    def give(self, run: Run, name: str, axes: str = "token") -> Step:
        return run.given(name, self.inputs[name], axes=axes)


def load(kind: str, case: str) -> Case:
    with safe_open(REFERENCE / f"torch_{kind}.safetensors", framework="numpy") as file:
        config = json.loads(file.metadata()["cases"])[case]
        groups: dict[str, dict[str, Array]] = {"input": {}, "parameter": {}, "expected": {}}
        for key in file.keys():  # noqa: SIM118, it is no dict
            of, group, name = key.split("/")
            if of == case:
                groups[group][name] = file.get_tensor(key)
    return Case(config, *groups.values())


def assert_same(run: Run, output: Step, case: Case) -> None:
    """Every expected step is there and agrees, and the output is one of them."""
    steps = {step.name: step.value for step in run.steps}
    assert output is run.steps[-1]
    assert output.name in case.expected
    for name, expected in case.expected.items():
        assert_allclose(steps[name], expected, rtol=0, atol=TOLERANCE, equal_nan=False, strict=True, err_msg=name)


@pytest.mark.parametrize("name", ["epsilon_1e-5", "epsilon_1e-12"])
def test_layer_norm(name: str) -> None:
    case = load("layer_norm", name)
    run = case.run(norm_shapes("norm", 10))
    output = norm(run, "norm", case.give(run, "x", "token feature"), case.config["epsilon"])
    assert_same(run, output, case)


@pytest.mark.parametrize("name", ["relu", "gelu_tanh", "gelu_erf"])
def test_activation(name: str) -> None:
    case = load("activation", name)
    run = case.run({})
    output = run(blocks.ACTIVATIONS[name], "activation", case.give(run, "x", "feature"), axes="feature")
    assert_same(run, output, case)


@pytest.mark.parametrize("name", ["open", "causal", "padding", "both"])
def test_masks_and_softmax(name: str) -> None:
    case, axes = load("softmax", name), "head query key"
    run = case.run({})
    tokens, scores = case.give(run, "tokens"), case.give(run, "scores", axes)
    masks = [stacks.causal(run, scores)] if "causal" in case.config["masks"] else []
    masks += stacks.padding_masks(run, tokens, PADDING if "padding" in case.config["masks"] else None)
    masked = run(ops.mask, "masked", scores, *masks, axes=axes) if masks else scores
    output = run(ops.softmax, "weights", masked, axes=axes)
    assert_same(run, output, case)


@pytest.mark.parametrize("name", ["one_head", "self", "cross", "no_biases"])
def test_attention(name: str) -> None:
    case = load("attention", name)
    run = case.run(under("attention", shapes=attention.shapes(case.config["d_model"], case.config["biases"])))
    memory = case.give(run, "memory", "token feature")
    x = case.give(run, "x", "token feature") if "x" in case.inputs else memory
    with run.at(block="attention"):
        output = attention.attention(run, x, memory, case.config["heads"])
    assert_same(run, output, case)


@pytest.mark.parametrize("end", ["", "_padded"])
@pytest.mark.parametrize("activation", ["relu", "gelu_erf"])
@pytest.mark.parametrize("order", ["pre", "post"])
def test_encoder_layer(order: str, activation: str, end: str) -> None:
    case = load("encoder_layer", f"{order}_{activation}{end}")
    run = case.run(under("encoder", 0, shapes=blocks.encoder_shapes(case.block)))
    x, masks = case.give(run, "x", "token feature"), stacks.padding_masks(run, case.give(run, "tokens"), PADDING)
    assert len(masks) == (1 if end else 0)
    with run.at(part="encoder", layer=0):
        output = blocks.encoder_block(run, x, case.block, masks)
    assert_same(run, output, case)


@pytest.mark.parametrize("end", ["", "_padded"])
@pytest.mark.parametrize("order", ["pre", "post"])
def test_decoder_layer(order: str, end: str) -> None:
    case = load("decoder_layer", f"{order}{end}")
    run = case.run(under("decoder", 0, shapes=blocks.decoder_shapes(case.block)))
    x, memory = case.give(run, "x", "token feature"), case.give(run, "memory", "token feature")
    with run.at(part="source"):
        memory_masks = stacks.padding_masks(run, case.give(run, "source"), PADDING)
    masks = [stacks.causal(run, x), *stacks.padding_masks(run, case.give(run, "target"), PADDING)]
    with run.at(part="decoder", layer=0):
        output = blocks.decoder_block(run, x, memory, case.block, masks, memory_masks)
    assert_same(run, output, case)


@pytest.mark.parametrize("name", ["grey_cls", "colour_mean", "grid"])
def test_vit(name: str) -> None:
    case = load("vit", name)
    config = case.configured(vit.ViT)
    run = case.run(vit.shapes(config))
    axes = "row column" if config.colours == 1 else "row column colour"
    logits = vit.forward(run, config, case.give(run, "image", axes))
    assert_same(run, stacks.probabilities(run, logits), case)


@pytest.mark.parametrize("name", ["mean", "cls", "cls_padded", "mean_padded"])
def test_sentence_encoder(name: str) -> None:
    case = load("sentence_encoder", name)
    config = replace(case.configured(sentence_encoder.SentenceEncoder), padding=PADDING)
    run = case.run(sentence_encoder.shapes(config))
    assert_same(run, sentence_encoder.forward(run, config, case.give(run, "tokens")), case)


@pytest.mark.parametrize("name", ["tied", "untied", "padded", "no_biases"])
def test_writer(name: str) -> None:
    case = load("writer", name)
    config = case.configured(writer.Writer)
    run = case.run(writer.shapes(config))
    logits = writer.forward(run, config, case.give(run, "tokens"))
    assert_same(run, stacks.probabilities(run, logits), case)


@pytest.mark.parametrize("name", ["tied", "untied", "learned"])
def test_translator(name: str) -> None:
    case = load("translator", name)
    config = case.configured(translator.Translator)
    run = case.run(translator.shapes(config))
    logits = translator.forward(run, config, case.give(run, "source"), case.give(run, "target"))
    assert_same(run, stacks.probabilities(run, logits), case)
