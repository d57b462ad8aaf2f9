"""What holds for any edit of any model: it is an override of the same array, and only what comes after it changes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import txviz
from txviz import Step, Trace
from txviz.gui.changes import how_much
from txviz.models import find
from txviz.models.registry import SHIPPED
from txviz.models.request import Request, compute, compute_what_applies
from txviz.models.tracing import trace_with
from txviz.trace.edits import read_edit
from txviz.trace.step import Parameter

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "translator": [{}, {"strategy": "beam", "beam_width": 2, "max_steps": 3}, {"target": "ti amo", "max_steps": 3}],
    "writer": [{"max_steps": 3}, {"strategy": "sample", "max_steps": 3, "cache": True}],
    "digits": [{}, {"target": "3"}],
}
MODELS = list(SHIPPED)


@st.composite
def edits(draw: st.DrawFn, plain: Trace) -> str:
    """Of any step or parameter: of all of it, or of some of its cells."""
    target = draw(st.sampled_from([*plain, *plain.learned.values()]))
    axes = draw(st.integers(0, target.value.ndim))
    place = [draw(st.one_of(st.just(":"), st.integers(0, n - 1).map(str))) for n in target.value.shape[:axes]]
    where = f"[{','.join(place)}]" if place else ""
    return f"{target.name}{where}{draw(st.sampled_from(_kinds(target)))}"


def _kinds(target: Step | Parameter) -> list[str]:
    if target.value.dtype.kind != "f":
        return ["=0", "=untouched"]
    sources = target.sources if isinstance(target, Step) else ()
    uniform = ["=uniform"] if isinstance(target, Step) and target.op == "softmax" else []
    same = [f"=@{n}" for n, each in enumerate(sources, 1) if each.value.shape == target.value.shape]
    return ["=0.5", "*=1.01", "=-1e3", "=untouched", *uniform, *same]


@st.composite
def edited_runs(draw: st.DrawFn, model: str) -> tuple[Request, Trace, Trace]:
    """A request with one or two edits, its run without them, and its run."""
    options = draw(st.sampled_from(OPTIONS.get(model, [{}])))
    request = Request(model, find(model).example, options)
    plain = _plain(request)
    made = [draw(edits(plain)) for _ in range(draw(st.integers(1, 2)))]
    edited, kept = compute_what_applies(replace(request, edits=tuple(made)))
    return kept, plain, edited


RUNS: dict[str, Trace] = {}


def _plain(request: Request) -> Trace:
    return RUNS.setdefault(f"{request.model} {request.options}", compute(request))


@pytest.mark.parametrize("model", MODELS)
@settings(max_examples=8)
@given(data=st.data())
def test_an_edit_is_an_override_of_the_same_array(model: str, data: st.DataObject) -> None:
    request, plain, edited = data.draw(edited_runs(model))
    parameters = tuple(edit for edit in request.edits if read_edit(edit).name in plain.learned)
    arrays = {step.name: step.value for step in edited if step.edited}
    overridden = trace_with(model, request.source, request.options, edits=parameters, overrides=arrays)
    assert [step.name for step in overridden] == [step.name for step in edited]
    for a, b in zip(edited, overridden, strict=True):
        assert a.value.tobytes() == b.value.tobytes(), a.name


@pytest.mark.parametrize("model", MODELS)
@settings(max_examples=8)
@given(data=st.data())
def test_only_what_comes_after_an_edit_changes(model: str, data: st.DataObject) -> None:
    """And what is marked as changed is what differs; taken back, all is as it was."""
    request, plain, edited = data.draw(edited_runs(model))
    changed = {change.name for change in plain.diff(edited) if change.kind != "removed"}
    assert changed <= _downstream(edited)
    assert changed == {name for name, much in how_much(plain, edited).items() if name in edited.by_name and much > 0}
    assert changed == {step.name for step in edited if _differs(plain.get(step.name), step)}
    back = compute(Request(model, request.source, request.options), known=edited)
    assert [step.value.tobytes() for step in back] == [step.value.tobytes() for step in plain]
    again = compute(request, known=back)
    assert [step.value.tobytes() for step in again] == [step.value.tobytes() for step in edited]


def _differs(old: Step | None, new: Step) -> bool:
    return old is None or not np.array_equal(old.value, new.value, equal_nan=new.value.dtype.kind == "f")


def _downstream(trace: Trace) -> set[str]:
    """Those that read what was edited, and all that is written after another token could have been chosen."""
    found, chosen = {*trace.edited}, float("inf")
    for step in trace:
        site = step.site
        if found.intersection(step.inputs) or (site.time or 0) > chosen or site.pass_ == "after":
            found.add(step.name)
        if step.name in found and site.part in ("choice", "search"):
            chosen = min(chosen, site.time or 0)
    return found


@pytest.mark.parametrize("model", MODELS)
@settings(max_examples=3)
@given(data=st.data())
def test_a_file_says_what_was_edited(model: str, data: st.DataObject) -> None:
    request, _, edited = data.draw(edited_runs(model))
    with TemporaryDirectory() as folder:
        edited.save(Path(folder, "edited.safetensors"))
        loaded = txviz.load(Path(folder, "edited.safetensors"))
    assert loaded.verify() == []
    assert loaded.about.get("edits", []) == list(request.edits)
    assert loaded.edited_text == edited.edited_text
    assert {name: each.edited for name, each in loaded.edited.items()} == _places(edited)
    assert Request.of_trace(loaded).edits == request.edits


def _places(trace: Trace) -> dict[str, object]:
    return {name: each.edited for name, each in trace.edited.items()}


def test_a_file_with_a_wrong_number_beside_the_edited_ones_is_found_out() -> None:
    trace = txviz.trace("sentence-guide", "The cat sat.", edits=["encoder.0.attention.weights[0,2]=0"])
    step = trace["encoder.0.attention.weights"]
    value = step.value.copy()
    value[0, 1, 1] += 0.01
    wrong = txviz.Trace([*trace[: trace.steps.index(step)], replace(step, value=value)], trace.about, "")
    assert [mismatch.cell for mismatch in wrong.verify()] == [(0, 1, 1)]
