"""Lens, parts and rollout, each against a computation of its own from the weights."""

from __future__ import annotations

import numpy as np
import pytest

import txviz
from tests.nets.architectures import ALL
from txviz import Trace, ops
from txviz.analysis.again import again
from txviz.analysis.lens import read_place, readings, shares
from txviz.analysis.parts import Score, score
from txviz.analysis.rollout import rollouts
from txviz.models import find
from txviz.ops import Array
from txviz.trace import Run, Step
from txviz.trace.ancestors import ancestors

ANSWERING = ("digits", "vit-guide-2x2", "writer", "translator")


def traced(model: str) -> Trace:
    return txviz.trace(model, find(model).example)


def answers(trace: Trace) -> list[Step]:
    return [step for step in trace if step.site.leaf == "probabilities" and step.site.part == "head"]


def parameter(trace: Trace, name: str) -> Array:
    found = (source for step in trace for source in step.sources if source.name == name)
    return next(found).value


def normed(x: Array, gain: Array, bias: Array) -> Array:
    return np.asarray((x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * gain + bias)


def softmax(z: Array) -> Array:
    e = np.exp(z - z.max(-1, keepdims=True))
    return np.asarray(e / e.sum(-1, keepdims=True))


@pytest.mark.parametrize("model", ANSWERING)
def test_the_last_reading_is_the_answer_itself(model: str) -> None:
    trace, stack = traced(model), "decoder" if model in ("writer", "translator") else "encoder"
    layers = {step.site.layer for step in trace if step.site.part == stack} - {None}
    for answer in answers(trace):
        read = readings(answer)
        assert len(read) == 1 + len(layers)
        assert (read[-1].own == answer.value).all()


def test_digits_read_early() -> None:
    trace = traced("digits")
    gain, bias, weight, plus = (
        parameter(trace, n) for n in ("encoder.norm.gain", "encoder.norm.bias", "head.weight", "head.bias")
    )
    through = [trace["embed.sum"], trace["encoder.0.residual_2"], trace["encoder.1.residual_2"]]
    read = readings(trace["head.probabilities"])
    assert [each.stream for each in read] == through
    for each, x in zip(read, through, strict=True):
        h = normed(x.value, gain, bias)
        assert np.allclose(each.own, softmax(h.mean(0) @ weight + plus), atol=1e-12)
        assert np.allclose(each.of_tokens(), softmax(h @ weight + plus), atol=1e-12)


def test_a_writer_read_early() -> None:
    trace = traced("writer")
    gain, bias, table = (parameter(trace, n) for n in ("decoder.norm.gain", "decoder.norm.bias", "embed.tokens.table"))
    first = readings(trace["time.1.head.probabilities"])[1]
    h = normed(trace["time.1.decoder.0.residual_2"].value, gain, bias)
    assert np.allclose(first.of_tokens(), softmax(h @ table.T), atol=1e-12)
    assert np.allclose(first.own, softmax(h[-1] @ table.T), atol=1e-12)


def total(taken: Score) -> float:
    return taken.biases + sum(float(part.shares.sum()) for part in taken.parts)


@pytest.mark.parametrize("model", ANSWERING)
def test_parts_add_up_to_the_score(model: str) -> None:
    for answer in answers(traced(model)):
        for which in (0, int(answer.value.argmax())):
            taken = score(answer, which)
            assert taken is not None
            assert taken.answer == answer.labels[-1][which]
            assert taken.value == pytest.approx(taken.logits.value.reshape(-1, answer.value.size)[-1, which], abs=1e-10)
            assert float((taken.read * taken.counts).sum()) + taken.bias == pytest.approx(taken.value, abs=1e-10)
            assert total(taken) == pytest.approx(taken.value, abs=1e-10)


def is_a_sum(logits: Step) -> bool:
    """Whether the chosen row goes through one product at most. Between two of them is a bend, or they are those of two
    heads: no picture of parts is offered."""
    products = [step for step in ancestors(logits) if step.operation in (ops.linear, ops.matmul)]
    return sum(step.value.ndim == 1 for step in products) <= 1


@pytest.mark.parametrize("architecture", list(ALL))
def test_parts_add_up_whatever_the_architecture(architecture: str) -> None:
    """Norms before or after, with and without biases, pooled or not: where there is a head, all of it is explained."""
    parameters, forward = ALL[architecture]
    run = Run(parameters)
    forward(run)
    for logits in (step for step in run.steps if step.site.leaf == "logits"):
        row = logits if logits.value.ndim == 1 else run(ops.select, "row", logits, at=-1, axes="vocabulary")
        taken = score(run(ops.softmax, "likely", row, axes=row.axis_names), 1)
        assert (taken is not None) == is_a_sum(logits)
        if taken is None:
            continue
        assert total(taken) == pytest.approx(taken.value, abs=1e-9)


def test_the_part_that_a_patch_brings_by_attention() -> None:
    """Forwards: what each patch's value adds to every token is sent through the last norm, the mean and the head."""
    trace = traced("digits")
    answer = trace["head.probabilities"]
    which = int(answer.value.argmax())
    taken = score(answer, which)
    assert taken is not None
    part = next(part for part in taken.parts if part.step.name == "encoder.1.attention.output")
    weights, values = trace["encoder.1.attention.weights"].value, trace["encoder.1.attention.value"].value
    output = parameter(trace, "encoder.1.attention.output.weight")
    last, gain = trace["encoder.1.residual_2"].value, parameter(trace, "encoder.norm.gain")
    spread = np.sqrt(last.var(-1, keepdims=True) + 1e-5)
    size = values.shape[-1]
    for j, share in enumerate(part.shares):
        heads = range(len(weights))
        rows = [np.outer(weights[h, :, j], values[h, j] @ output[h * size : (h + 1) * size]) for h in heads]
        added = np.sum(rows, axis=0)
        sent = (added - added.mean(-1, keepdims=True)) / spread * gain
        assert share == pytest.approx(float(sent.mean(0) @ parameter(trace, "head.weight")[:, which]), abs=1e-12)
    assert part.tokens == trace["patches"].labels[0]
    assert part.looked


EDITED = {
    "vit-guide-2x2": ("pool.cls=2.3,-1.1,3.2,1.4", "encoder.0.norm_2[0]=1,2,3,4", "encoder.0.residual_2*=2"),
    "digits": (
        "pool.mean*=2",
        "encoder.norm*=0.5",
        "encoder.1.residual_1[3]=1",
        "encoder.1.attention.context[1]=1",
        "encoder.1.attention.merged*=3",
        "encoder.1.attention.output[0]=2",
        "encoder.0.attention.weights[1]=0",
        "encoder.1.ffn.output=0",
        "embed.positions=0",
    ),
}


@pytest.mark.parametrize(("model", "edit"), [(model, edit) for model, edits in EDITED.items() for edit in edits])
def test_parts_of_what_was_put_in_add_up_to_the_score(model: str, edit: str) -> None:
    answer = txviz.trace(model, find(model).example, edits=[edit])["head.probabilities"]
    logits = answer.sources[0].value
    taken = score(answer, 1)
    assert taken is not None
    assert taken.value == pytest.approx(float(logits[1]), abs=1e-9)
    assert total(taken) == pytest.approx(float(logits[1]), abs=1e-9)
    assert float(taken.read @ taken.counts) + taken.bias == pytest.approx(float(logits[1]), abs=1e-9)
    assert shares(readings(answer), read_place(answer))[-1] == pytest.approx(answer.value, abs=1e-12)


def test_scores_that_were_put_in_have_no_parts() -> None:
    trace = txviz.trace("digits", find("digits").example, edits=["head.logits[1]=3"])
    assert score(trace["head.probabilities"], 1) is None
    assert "parts" in traced("digits").outline.pictures
    assert "parts" not in trace.outline.pictures


def test_parts_tell_who_was_looked_at_in_the_source() -> None:
    """Cross-attention brings something from the words of the sentence, the other blocks from what is written so far."""
    trace = traced("translator")
    taken = score(trace["time.2.head.probabilities"], 5)
    assert taken is not None
    by_block = {part.step.site.block: part.tokens for part in taken.parts if part.step.site.layer == 0}
    assert by_block["cross_attention"] == trace["tokens"].labels[0]
    assert by_block["self_attention"] == by_block["ffn"] == trace["time.2.decoder.tokens"].labels[0]


def test_rollout_multiplies_layers_with_half_of_each_token_kept() -> None:
    trace = traced("digits")
    found = rollouts(trace, trace["encoder.0.attention.weights"])
    assert [weights.name for weights, _ in found] == ["encoder.0.attention.weights", "encoder.1.attention.weights"]
    wanted = np.eye(9)
    for weights, rolled in found:
        layer = np.zeros((9, 9))
        for i in range(9):
            for j in range(9):
                layer[i, j] = 0.5 * np.mean([head[i, j] for head in weights.value]) + 0.5 * (i == j)
        wanted = layer @ wanted
        assert np.allclose(rolled, wanted, atol=1e-14)
        assert np.allclose(rolled.sum(-1), 1)


def test_again_computes_only_what_follows() -> None:
    trace = traced("digits")
    answer, pooled = trace["head.probabilities"], trace["pool.mean"]
    changed = again(answer, {pooled: pooled.value * 2})
    assert changed.sources[0] is not answer.sources[0]
    weight = parameter(trace, "head.weight")
    assert np.allclose(changed.value, softmax(pooled.value * 2 @ weight + parameter(trace, "head.bias")))
    assert again(pooled, {answer: answer.value}) is pooled
