from __future__ import annotations

import numpy as np
import pytest

import txviz
from txviz.trace import Run, Step, cursor
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
