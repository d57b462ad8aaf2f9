"""What a lecture can switch off, and that it does what it says: against other computations of the same thing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import txviz
from tests.figures import shipped
from tests.figures.levels.checks import PAGES, check_picture, check_reads, drawn, unlike
from tests.nets.architectures import SOURCE, TOKENS, WORDS, block, given_tokens, lively
from txviz.analysis.switches import Switch, find_switches
from txviz.models import find
from txviz.nets import sentence_encoder, translator, vit, writer
from txviz.ops import Array
from txviz.trace import Run, Step, Trace
from txviz.trace.editor import Editor
from txviz.trace.edits import read_edits

WORDS_OF_GUIDE = ("The", "cat", "sat", ".", "zebra", "mat", "on")
WORDS_KNOWN = ("the", "cat", "dog", "sleeps", "chases", "a")


def of(trace: Trace, title: str, at: str = "", head: int | None = None) -> Switch:
    """The switch that is offered first of this title where one looks."""
    found = find_switches(trace, trace.outline.find(at) if at else trace.outline, head)
    return next(each for group in found for each in group.switches if each.title == title)


def titles(trace: Trace, at: str = "", head: int | None = None) -> dict[str, list[str]]:
    found = find_switches(trace, trace.outline.find(at) if at else trace.outline, head)
    return {group.title: [each.title for each in group.switches] for group in found}


# What is offered


def test_what_is_looked_at_comes_first_and_the_whole_model_last() -> None:
    trace = txviz.trace("translator", "I love you")
    found = titles(trace, "time.2.decoder.1.self_attention.weights", head=2)
    assert list(found) == ["decoder 1 · self-attention", "decoder 1", "whole model"]
    assert found["decoder 1 · self-attention"] == [
        "Without the mask",
        "Without scaling by √d_k",
        "Uniform attention",
        *("Without head 2", "Without head 0", "Without head 1", "Without head 3"),
    ]
    assert found["decoder 1"] == [
        "Without the residual around self-attention",
        "Without the residual around cross-attention",
        "Without the residual around the feed-forward network",
        "Without layer 1",
    ]
    assert found["whole model"][:2] == ["Without positions", "Without the mask"]
    assert list(titles(trace)) == ["whole model"]
    assert list(titles(trace, "encoder.0")) == ["encoder 0", "whole model"]


def test_what_makes_no_sense_is_not_offered() -> None:
    guide = titles(txviz.trace("sentence-guide", "The cat sat."), "encoder.0.attention.weights")
    assert guide == {
        "encoder 0 · attention": ["Uniform attention"],
        "encoder 0": ["Without the residual", "Without layer 0"],
        "whole model": ["Without positions", "Uniform attention", "Without any residual"],
    }
    masked = titles(txviz.trace("masked-attention-guide", "YOUR CAT IS"))
    assert masked == {"whole model": ["Without the mask", "Uniform attention"]}
    alone = titles(txviz.trace("masked-attention-guide", "YOUR"))  # where the mask hides nothing
    assert alone == {"whole model": ["Uniform attention"]}
    bare = titles(txviz.trace("sentence-guide", "The cat sat.", positions="none"))
    assert "Without positions" not in bare["whole model"]
    cached = titles(txviz.trace("writer", "the cat", cache=True, max_steps=3, edits=[]))
    assert cached["whole model"][0] == "Without positions"


@pytest.mark.parametrize("kind", shipped.KINDS)
def test_each_switch_of_each_model_runs_and_is_then_on(kind: str) -> None:
    model, options = shipped.KINDS[kind]
    trace = shipped.trace(kind)
    blocks = (
        node.name for node in trace.outline if node.level == "block" and "attention" in (node.first.site.block or "")
    )
    at = next(blocks, "")
    for group in find_switches(trace, trace.outline.find(at) if at else trace.outline, 0):
        for switch in group.switches:
            changed = txviz.trace(model, find(model).example, edits=switch.edits, **options)
            assert changed.verify() == []
            edits = changed.about["edits"]
            assert switch.is_on(edits)
            assert not switch.is_on(edits[1:])
            later = find_switches(changed, changed.outline.get(at) or changed.outline, 0)
            assert switch in [each for group in later for each in group.switches] or changed.outline.get(at) is None


@pytest.mark.parametrize("model", ["writer", "digits", "sentence-guide"])
def test_a_run_with_a_switch_on_is_drawn(model: str) -> None:
    """All pictures that a run has; those of a part, a layer and a block once."""
    options: dict[str, Any] = {"max_steps": 1} if model == "writer" else {}
    plain = txviz.trace(model, find(model).example, **options)
    at = next(node for node in plain.outline if node.level == "layer")
    for group in find_switches(plain, at.children[0], 0):
        for switch in group.switches:
            trace = txviz.trace(model, find(model).example, edits=switch.edits, **options)
            for node in unlike(trace.outline):
                for picture in node.pictures if node.level != "step" else ():
                    made = drawn(trace, node, kind=picture)
                    if picture != "map":
                        check_picture(made, trace, node, PAGES[0], f"{switch.title}: {node.name}", picture)
                        check_reads(made, trace)


# What they do


def permuted(model: str, words: list[str], order: list[int], edits: tuple[str, ...]) -> tuple[Trace, Trace]:
    other = [words[i] for i in order]
    return txviz.trace(model, " ".join(words), edits=edits), txviz.trace(model, " ".join(other), edits=edits)


@settings(max_examples=12, deadline=None)
@given(st.data(), st.sampled_from(["sentence", "sentence-guide"]))
def test_without_positions_permuting_the_words_permutes_the_rows(data: st.DataObject, model: str) -> None:
    known = WORDS_OF_GUIDE if model == "sentence-guide" else WORDS_KNOWN
    words = data.draw(st.lists(st.sampled_from(known), min_size=2, max_size=6))
    order = data.draw(st.permutations(range(len(words))))
    switch = of(txviz.trace(model, " ".join(words)), "Without positions")
    one, two = permuted(model, words, order, switch.edits)
    before = len(one["tokens"].value) - len(words)  # [CLS] stands before them
    rows = [*range(before), *(before + i for i in order)]
    np.testing.assert_allclose(one["pool.mean"].value, two["pool.mean"].value, atol=1e-9)
    for step in one:
        if step.axes == ("token", "feature") and step.site.leaf != "positions":  # which nobody reads any more
            np.testing.assert_allclose(two[step.name].value, step.value[rows], atol=1e-9)


def test_with_positions_it_matters() -> None:
    one, two = permuted("sentence", ["the", "cat", "sleeps"], [1, 0, 2], ())
    assert not np.allclose(one["embed.sum"].value[[1, 0, 2]], two["embed.sum"].value)


@settings(max_examples=6, deadline=None)
@given(st.sampled_from(["translator", "writer"]), st.integers(2, 4))
def test_without_the_mask_the_first_token_sees_what_comes_later(model: str, steps: int) -> None:
    source = "I love you very much" if model == "translator" else "anna lost her hat ."
    plain = txviz.trace(model, source, max_steps=steps)
    changed = txviz.trace(model, source, max_steps=steps, edits=of(plain, "Without the mask").edits)
    weights = [step for step in changed.find("time.*.decoder.*.self_attention.weights") if step.value.shape[-1] > 1]
    assert weights
    for step in weights:
        assert (step.value[:, 0, 1:] > 0).all()
    for step in plain.find("time.*.decoder.*.self_attention.weights"):
        assert (step.value[:, 0, 1:] == 0).all()


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 3), st.integers(0, 1))
def test_without_a_head_its_context_is_zero(head: int, layer: int) -> None:
    drawing, name = find("digits").example, f"encoder.{layer}.attention.context"
    switch = of(txviz.trace("digits", drawing), f"Without head {head}", f"encoder.{layer}.attention", head)

    def zero(value: Array) -> Array:
        return np.where(np.arange(4)[:, None, None] == head, 0, value)

    edited = txviz.trace("digits", drawing, edits=switch.edits)
    overridden = txviz.trace("digits", drawing, overrides={name: zero})
    assert [step.value.tobytes() for step in edited] == [step.value.tobytes() for step in overridden]


@pytest.mark.parametrize("model", ["translator", "digits", "sentence-guide", "masked-attention-guide"])
def test_uniform_attention_is_shared_by_all_that_may_be_seen(model: str) -> None:
    plain = txviz.trace(model, find(model).example)
    changed = txviz.trace(model, find(model).example, edits=of(plain, "Uniform attention").edits)
    found = [step for step in changed.find("*attention.weights") if step.op == "softmax"]
    assert found
    for step in found:
        visible = np.isfinite(step.operands[0])
        np.testing.assert_allclose(step.value, visible / visible.sum(axis=-1, keepdims=True), rtol=1e-12)


def test_without_scaling_and_without_a_residual() -> None:
    drawing = find("digits").example
    plain = txviz.trace("digits", drawing)
    unscaled = txviz.trace("digits", drawing, edits=of(plain, "Without scaling by √d_k").edits)
    for layer in (0, 1):
        block_of = f"encoder.{layer}.attention."
        np.testing.assert_array_equal(unscaled[block_of + "scaled"].value, unscaled[block_of + "scores"].value)
    title = "Without the residual around attention"
    bare = txviz.trace("digits", drawing, edits=of(plain, title, "encoder.1").edits)
    np.testing.assert_array_equal(bare["encoder.1.residual_1"].value, bare["encoder.1.attention.output"].value)
    np.testing.assert_array_equal(bare["encoder.0.residual_1"].value, plain["encoder.0.residual_1"].value)


# Without a layer: the same net with one layer less


def sentence_net(run: Run, layers: int, norm: Any) -> Step:
    config = sentence_encoder.SentenceEncoder(block(norm=norm), layers, vocabulary=len(WORDS), longest=10)
    return sentence_encoder.forward(run, config, given_tokens(run, "tokens", TOKENS))


def image_net(run: Run, layers: int, norm: Any) -> Step:
    config = vit.ViT(block(norm=norm), layers, image=(6, 4), patch=(3, 2), classes=("x", "y"))
    return vit.forward(run, config, run.given("image", np.arange(24.0).reshape(6, 4) / 24, axes="row column"))


def translator_net(run: Run, layers: int, norm: Any) -> Step:
    config = translator.Translator(block(norm=norm), layers, layers, WORDS, longest=10)
    source, target = given_tokens(run, "tokens", SOURCE), given_tokens(run, "tokens", TOKENS, part="decoder")
    return translator.forward(run, config, source, target)


def writer_net(run: Run, layers: int, norm: Any) -> Step:
    config = writer.Writer(block(norm=norm), layers, WORDS, longest=10)
    return writer.forward(run, config, given_tokens(run, "tokens", TOKENS))


def shapes_of(net: Any, norm: Any) -> dict[str, tuple[int, ...]]:
    if net is sentence_net:
        return sentence_encoder.shapes(sentence_encoder.SentenceEncoder(block(norm=norm), 2, len(WORDS), 10))
    if net is image_net:
        return vit.shapes(vit.ViT(block(norm=norm), 2, (6, 4), (3, 2), ("x", "y")))
    if net is translator_net:
        return translator.shapes(translator.Translator(block(norm=norm), 2, 2, WORDS, 10))
    return writer.shapes(writer.Writer(block(norm=norm), 2, WORDS, 10))


def without(parameters: Mapping[str, Array], part: str, layer: int) -> dict[str, Array]:
    """One layer is taken out, and those after it move up."""
    kept = {name: value for name, value in parameters.items() if not name.startswith(f"{part}.{layer}.")}
    return {name.replace(f"{part}.1.", f"{part}.0.") if layer == 0 else name: value for name, value in kept.items()}


NETS = [
    *((net, "encoder", norm) for net in (sentence_net, image_net) for norm in ("pre", "post")),
    *((writer_net, "decoder", norm) for norm in ("pre", "post")),
]


@pytest.mark.parametrize("layer", [0, 1])
@pytest.mark.parametrize(("net", "part", "norm"), NETS)
def test_without_a_layer_it_is_the_net_that_has_one_less(net: Any, part: str, norm: str, layer: int) -> None:
    parameters = lively(shapes_of(net, norm))
    run = Run(parameters)
    plain = Trace(run.steps, {}, net(run, 2, norm))
    switch = of(Trace(run.steps, {}, run.steps[-1]), f"Without layer {layer}", f"{part}.{layer}")
    edited = Run(parameters, editor=Editor(read_edits(switch.edits), {}, lambda: plain))
    smaller = net(Run(without(parameters, part, layer)), 1, norm)
    np.testing.assert_array_equal(net(edited, 2, norm).value, smaller.value)
    assert not np.allclose(smaller.value, run.steps[-1].value)


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_without_all_but_one_layer_of_both_stacks(norm: str) -> None:
    parameters = lively(shapes_of(translator_net, norm))
    run = Run(parameters)
    translator_net(run, 2, norm)
    trace = Trace(run.steps, {}, run.steps[-1])
    edits = [*of(trace, "Without layer 0", "encoder.0").edits, *of(trace, "Without layer 1", "decoder.1").edits]
    edited = Run(parameters, editor=Editor(read_edits(edits), {}, lambda: trace))
    smaller = Run(without(without(parameters, "encoder", 0), "decoder", 1))
    np.testing.assert_array_equal(translator_net(edited, 2, norm).value, translator_net(smaller, 1, norm).value)


@pytest.mark.parametrize("order", ["guide", "post-norm", "pre-norm"])
def test_without_a_layer_of_a_guide(order: str) -> None:
    one, two = (txviz.trace("sentence-guide", "The cat sat.", block_order=order, layers=n) for n in (1, 2))
    switch = of(two, "Without layer 1", "encoder.1")
    changed = txviz.trace("sentence-guide", "The cat sat.", block_order=order, layers=2, edits=switch.edits)
    np.testing.assert_array_equal(changed["pool.mean"].value, one["pool.mean"].value)
