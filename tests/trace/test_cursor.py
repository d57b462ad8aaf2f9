from __future__ import annotations

import pytest

import txviz
from txviz.trace import cursor


@pytest.mark.parametrize(
    ("name", "stage", "kind"),
    [
        ("tokens", "input", "input"),
        ("embed.sum", "embed", "embed"),
        ("encoder.0.attention.scores", "encoder.0", "encoder"),
        ("encoder.norm", "encoder", "encoder"),
        ("time.3.decoder.1.cross_attention.weights", "time.3.decoder.1", "decoder"),
        ("time.3.beam.2.head.logits", "time.3.beam.2.head", "head"),
        ("first.tokens", "first", "input"),
        ("backward.encoder.0.norm_1", "backward.encoder.0", "backward"),
        ("update.embed.tokens.table", "update.embed", "update"),
    ],
)
def test_stages(name: str, stage: str, kind: str) -> None:
    assert cursor.stage(name) == stage
    assert cursor.kind(name) == kind


def test_stages_cover_the_trace(example: txviz.Trace) -> None:
    names = [step.name for step in example]
    found = cursor.stages(names)
    assert [start for _, start, _ in found] == [sum(count for *_, count in found[:i]) for i in range(len(found))]
    assert sum(count for *_, count in found) == len(names)


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
    ],
)
def test_nearest(wanted: str, found: str) -> None:
    assert NAMES[cursor.nearest(NAMES, wanted)] == found
