"""A run that takes over what an earlier one has computed: the same numbers, and nothing is computed twice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import txviz
from txviz import Trace
from txviz.models import find
from txviz.models.request import Request, compute
from txviz.trace.ancestors import ancestors

LOVE = "I love you very much"
RUNS = [
    Request("sentence-guide", "The cat sat."),
    Request("vit-guide-2x2", find("vit-guide-2x2").example, edits=("pool.cls=guide",)),
    Request("masked-attention-guide", find("masked-attention-guide").example),
    Request("sentence", find("sentence").example, edits=("*.embed.positions=0",)),
    Request("digits", find("digits").example, edits=("encoder.1.attention.weights[1]=uniform",)),
    Request("digits", find("digits").example, {"target": "7"}, ("encoder.1.residual_1=@2",)),
    Request("translator", LOVE, edits=("time.2.choice.token=ama", "time.*.decoder.1.norm_1[0]*=2")),
    Request("translator", LOVE, {"strategy": "beam", "beam_width": 2}, ("encoder.1.norm_1=untouched", "tokens[2]=9")),
    Request("translator", LOVE, {"strategy": "sample", "cache": True}, ("decoder.0.ffn.hidden.weight[:,2]=0",)),
    Request("writer", "the keys", {"max_steps": 4}, ("decoder.norm.gain*=-1",)),
]


@pytest.mark.parametrize("request_made", RUNS, ids=lambda each: " ".join([each.model, *each.edits]))
def test_it_equals_the_whole_run(request_made: Request) -> None:
    """Bit for bit, and whatever is said of it: from the run without edits, with them, and of another input."""
    whole, plain = compute(request_made), compute(replace(request_made, edits=()))
    for known in (plain, whole, compute(replace(request_made, source=find(request_made.model).examples[-1], edits=()))):
        _check_same(compute(request_made, known=known), whole)
        _check_same(compute(replace(request_made, edits=()), known=known), plain)


def _check_same(one: Trace, other: Trace) -> None:
    assert [step.name for step in one] == [step.name for step in other]
    assert one.about == other.about
    assert str(one.output) == str(other.output)
    for a, b in zip(one, other, strict=True):
        assert a.value.tobytes() == b.value.tobytes(), a.name
        assert (a.inputs, a.params, a.note, a.printed, a.edited) == (b.inputs, b.params, b.note, b.printed, b.edited)
        assert (a.axes, a.labels) == (b.axes, b.labels)
        assert all(source is one[source.name] for source in a.sources if isinstance(source, txviz.Step)), a.name
        assert a.like is None or a.like is one[a.like.name], a.name


@pytest.mark.parametrize(
    ("model", "name"), [("digits", "encoder.1.attention.weights"), ("translator", "time.3.decoder.1.residual_3")]
)
def test_only_what_lies_downstream_is_computed_again(model: str, name: str) -> None:
    plain = compute(Request(model, find(model).example))
    trace = compute(Request(model, find(model).example, edits=(f"{name}[0]*=1.01",)), known=plain)
    depends = {step.name for step in trace if trace[name] in ancestors(step)}
    assert name in depends
    assert {step.name for step in trace if step is not plain.get(step.name)} == depends


def test_another_edit_leaves_the_first_where_it_is() -> None:
    """A second change, behind the first, does not compute anew what the first one changed."""
    first, second = "encoder.0.attention.weights[0]=0", "encoder.1.ffn.hidden[0]=0"
    request = Request("digits", find("digits").example, edits=(first,))
    known = compute(request)
    trace = compute(replace(request, edits=(first, second)), known=known)
    assert trace["encoder.1.norm_2"] is known["encoder.1.norm_2"]
    assert trace["encoder.1.ffn.hidden"] is not known["encoder.1.ffn.hidden"]


def test_zero_is_not_minus_zero() -> None:
    request = Request("sentence-guide", "The cat sat.", edits=("pool.mean=0",))
    trace = compute(replace(request, edits=("pool.mean=-0.0",)), known=compute(request))
    assert np.signbit(trace["pool.mean"].value).all()


def test_a_file_lends_nothing(tmp_path: Path) -> None:
    """It may come from a machine that rounds in another way."""
    request = Request("sentence-guide", "The cat sat.")
    compute(request).save(tmp_path / "cat.safetensors")
    known = txviz.load(tmp_path / "cat.safetensors")
    assert not set(compute(request, known=known)) & set(known)
