"""Which steps tell the story of a run."""

from __future__ import annotations

from typing import Any

import pytest

import txviz
from txviz.models import find
from txviz.trace import Trace

MOST = {"decoding": 20, "training": 18, "reading": 12}
"""About a dozen; a few more for each time step's choice, or for the way back."""


def kind(trace: Trace) -> str:
    passes, times = {step.site.pass_ for step in trace}, {step.site.time for step in trace}
    return "training" if "backward" in passes else "decoding" if len(times) > 1 or None not in times else "reading"


@pytest.mark.parametrize(
    ("model", "options"),
    [
        *((name, {}) for name in txviz.models()),
        ("translator", {"strategy": "beam"}),
        ("translator", {"target": "ti amo"}),
        ("writer", {"strategy": "sample"}),
        ("digits", {"target": "7"}),
    ],
)
def test_about_a_dozen_from_the_input_to_the_answer(model: str, options: dict[str, Any]) -> None:
    trace = txviz.trace(model, find(model).example, **options)
    keys = trace.key_steps
    assert len(keys) <= MOST[kind(trace)]
    assert keys[0] is trace[0]
    places = [trace.steps.index(step) for step in keys]
    assert places == sorted(set(places)), "in order, each once"
    assert any(step.name.endswith("attention.weights") for step in keys)
    computed = [step for step in trace if step.site.pass_ in ("forward", "after")]
    assert places[-1] >= trace.steps.index(computed[-1]) - 3, "it goes on to the answer"


def test_a_layer_is_told_once_and_then_what_the_stack_makes() -> None:
    trace = txviz.trace("digits", find("digits").example)
    layers = [step.name for step in trace.key_steps if step.site.part == "encoder"]
    assert layers == [
        "encoder.0.attention.scores", "encoder.0.attention.weights", "encoder.0.attention.context",
        "encoder.0.ffn.output", "encoder.1.residual_2",
    ]  # fmt: skip


def test_of_decoding_the_ends_are_told_in_full_and_others_by_their_choice() -> None:
    trace = txviz.trace("writer", "anna lost her hat .")
    last = max(step.site.time or 0 for step in trace)
    told: dict[int, list[str]] = {}
    for step in trace.key_steps:
        told.setdefault(step.site.time or 0, []).append(step.site.leaf)
    first, *between, end = told
    assert (first, end) == (1, last)
    assert told[1] == ["tokens", "sum", "scores", "masked", "weights", "context", "output", "probabilities", "token"]
    assert [told[time] for time in between] == [["token"]] * 3
    assert told[last] == ["weights", "probabilities", "token"]


def test_of_beams_one_and_what_is_kept() -> None:
    trace = txviz.trace("translator", "<fr> He did not help me", strategy="beam")
    assert {step.site.beam for step in trace.key_steps} == {None, 0}
    assert sum(step.name.endswith("search.kept") for step in trace.key_steps) == 5


def test_of_two_sentences_the_second_is_told_by_its_ends() -> None:
    trace = txviz.trace("sentence", ("the cat sleeps", "the dog sleeps"))
    second = [step.name for step in trace.key_steps if step.site.sentence != "first"]
    assert second == ["second.tokens", "second.pool.mean", "similarity.cosine"]


def test_of_training_the_way_back_and_one_update() -> None:
    trace = txviz.trace("digits", find("digits").example, target="7")
    after = [step.name for step in trace.key_steps if step.site.pass_ != "forward"]
    assert after == ["loss.mean", "backward.encoder.0.residual_2", "update.head.weight", "after.loss"]


def test_a_mask_is_told_where_it_first_hides_something() -> None:
    """A translator's first word has nothing after it to hide."""
    guide, translator = (txviz.trace(name, find(name).example) for name in ("masked-attention-guide", "translator"))
    (masked,) = (step for step in guide.key_steps if step.op == "mask")
    assert masked.name == "decoder.0.self_attention.masked"
    (masked,) = (step for step in translator.key_steps if step.op == "mask")
    assert masked.site.time == max(step.site.time or 0 for step in translator)
