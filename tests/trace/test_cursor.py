from __future__ import annotations

import numpy as np
import pytest

import txviz
from txviz.trace import Run, Step, Trace, cursor
from txviz.trace.site import read_name


@pytest.mark.parametrize(
    ("name", "stage"),
    [
        ("tokens", "input"),
        ("embed.sum", "embed"),
        ("encoder.0.attention.scores", "encoder 0"),
        ("encoder.norm", "encoder"),
        ("time.3.decoder.1.cross_attention.weights", "time 3 · decoder 1"),
        ("time.3.beam.2.head.logits", "time 3 · beam 2 · head"),
        ("first.tokens", "first"),
        ("backward.encoder.0.norm_1.from.encoder.0.ffn.hidden", "backward · encoder 0"),
        ("update.embed.tokens.table.mean", "update · embed"),
    ],
)
def test_stages(name: str, stage: str) -> None:
    (found,) = cursor.stages(steps([name]))
    assert found.title == stage


def steps(names: list[str]) -> list[Step]:
    run = Run({})
    return [run.given(read_name(name), np.zeros(()), axes="") for name in names]


def test_stages_cover_the_trace(example: txviz.Trace) -> None:
    found = cursor.stages(example.steps)
    assert [stage.start for stage in found] == [sum(stage.size for stage in found[:i]) for i in range(len(found))]
    assert sum(stage.size for stage in found) == len(example)


NAMES = [
    "tokens",
    "encoder.0.norm_1",
    "encoder.0.ffn.output",
    "time.1.head.logits",
    "time.1.choice.token",
    "time.2.head.logits",
    "time.2.choice.token",
]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("encoder.0.norm_1", "encoder.0.norm_1"),
        ("time.5.head.logits", "time.2.head.logits"),
        ("encoder.0.norm_2", "encoder.0.ffn.output"),
        ("encoder.3.norm_1", "encoder.0.norm_1"),
        ("patches", "tokens"),
        ("", "tokens"),
    ],
)
def test_nearest(wanted: str, found: str) -> None:
    assert NAMES[cursor.nearest(steps(NAMES), wanted)] == found


def test_the_nearest_hypothesis_of_a_beam_is_its_best() -> None:
    """Not the worst, whose sentence would stand there as the answer."""
    trace = txviz.trace("translator", "The house is big", strategy="beam", beam_width=3)

    def found(name: str) -> str:
        return trace[cursor.nearest(trace.steps, name)].name

    assert found("time.4.decoder.1.cross_attention.weights") == "time.4.beam.0.decoder.1.cross_attention.weights"
    assert found("time.3.beam.3.head.logits") == "time.3.beam.0.head.logits"
    assert found("time.3.beam.2.head.logits") == "time.3.beam.2.head.logits"
    assert found("time.9.beam.0.head.logits") == "time.5.beam.0.head.logits"


def test_segments_are_what_people_count_a_run_in() -> None:
    trace = txviz.trace("translator", "I love you very much")
    found = cursor.segments(trace.steps)
    assert [each.title for each in found] == [
        "input", "embed", "encoder 0", "encoder 1", "encoder", "time 1", "time 2", "time 3", "time 4",
    ]  # fmt: skip
    assert sum(each.size for each in found) == len(trace)
    learnt = txviz.trace("translator", "I love you", target="ti amo")
    assert [each.title for each in cursor.segments(learnt.steps)][-4:] == ["loss", "backward", "update", "after"]


def test_the_next_key_step() -> None:
    trace = txviz.trace("sentence-guide", "The cat sat.")
    places = [place for place, step in enumerate(trace) if step in trace.key_steps]
    position, walked = 0, [0]
    while cursor.next_key(trace, position, 1) != position:
        position = cursor.next_key(trace, position, 1)
        walked.append(position)
    assert walked == places, "the first step is one of them"
    between = places[1] + 1
    assert trace[between] not in trace.key_steps
    assert cursor.next_key(trace, between, 1) == places[2]
    assert cursor.next_key(trace, between, -1) == places[1]
    assert cursor.next_key(Trace([], {}, ""), 0, 1) == 0


@pytest.mark.parametrize(
    ("name", "by", "found"),
    [
        ("time.1.decoder.0.self_attention.scores", 1, "time.2.decoder.0.self_attention.scores"),
        ("time.3.choice.token", -1, "time.2.choice.token"),
        ("time.4.choice.token", 1, "time.4.choice.token"),
        ("time.1.head.logits", -1, "time.1.head.logits"),
        ("encoder.0.norm_1", 1, "time.1.decoder.tokens"),
        ("encoder.0.norm_1", -1, "encoder.0.norm_1"),
    ],
)
def test_the_same_step_at_another_time(name: str, by: int, found: str) -> None:
    trace = txviz.trace("translator", "I love you very much")
    names = [step.name for step in trace]
    assert names[cursor.elsewhere(trace.steps, names.index(name), by)] == found


def test_the_same_step_stays_in_its_beam_or_comes_to_the_nearest() -> None:
    trace = txviz.trace("translator", "The house is big", strategy="beam", beam_width=3)
    names = [step.name for step in trace]

    def going(name: str, by: int) -> str:
        return names[cursor.elsewhere(trace.steps, names.index(name), by)]

    assert going("time.2.beam.1.head.logits", 1) == "time.3.beam.1.head.logits"
    assert going("time.2.beam.2.head.logits", -1) == "time.1.beam.0.head.logits"
    assert going("time.1.beam.0.choice.totals", 1) == "time.2.beam.0.choice.totals"
    assert going("time.2.search.scores", 1) == "time.3.search.scores"
    assert going("time.2.search.scores", -1) == "time.1.search.scores"


def test_the_same_step_in_the_other_sentence() -> None:
    trace = txviz.trace("sentence", "the cat sleeps | the dog sleeps on the sofa")
    names = [step.name for step in trace]
    for step in trace:
        if step.site.sentence == "first":
            other = names[cursor.elsewhere(trace.steps, names.index(step.name), 1)]
            assert other == step.name.replace("first", "second", 1)
            assert names[cursor.elsewhere(trace.steps, names.index(other), -1)] == step.name
    assert names[cursor.elsewhere(trace.steps, len(trace) - 1, -1)] == "second.tokens"
