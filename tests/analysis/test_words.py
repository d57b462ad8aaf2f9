"""Which words are alike to a model, against cosines worked out one by one."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

import txviz
from txviz import ops
from txviz.analysis.cost import counted, kind
from txviz.analysis.words import Table, table
from txviz.models import find
from txviz.trace import Run, Trace


def looked_up(about: dict[str, object]) -> Trace:
    """Two tokens of a vocabulary of five."""
    run = Run({"embed.tokens.table": np.random.default_rng(1).normal(size=(5, 3))})
    tokens = run.given("tokens", np.array([3, 1]), axes="token", labels={"token": ("cat", "sat")})
    with run.at(part="embed"):
        step = run(ops.lookup, "tokens", tokens, run.parameter("tokens.table"), axes="token feature")
    return Trace(run.steps, about, step)


def cosine(a: list[float], b: list[float]) -> float:
    size = sqrt(sum(x * x for x in a)) * sqrt(sum(x * x for x in b))
    return sum(x * y for x, y in zip(a, b, strict=True)) / size if size else 0.0


def test_the_nearest_words_are_those_with_the_largest_cosines() -> None:
    words = ("<PAD>", "cat", "dog", "car", "nothing")
    vectors = np.array([[2, 1, 0.1], [2, 1, 0], [1, 1, 0], [-2, 1, 1], [0, 0, 0]], dtype=float)
    known = Table(words, vectors)
    rows = vectors.tolist()
    for a in range(5):
        assert [known.cosine(a, b) for b in range(5)] == pytest.approx([cosine(rows[a], row) for row in rows])
    others = sorted(range(2, 5), key=lambda i: -cosine(rows[1], rows[i]))
    assert known.nearest(1, 2) == others[:2] == [2, 4], "the nearest of all is no word"


def test_words_are_called_as_the_run_says_or_as_they_were_read() -> None:
    said = looked_up({"vocabulary": ["a", "sat", "the", "cat", "on"]})
    found = table(said, said["embed.tokens"])
    assert found is not None
    assert found.words == ("a", "sat", "the", "cat", "on")
    silent = looked_up({})
    found = table(silent, silent["embed.tokens"])
    assert found is not None
    assert found.words == ("number 0", "sat", "number 2", "cat", "number 4")
    assert table(silent, silent["tokens"]) is None


def test_a_model_that_scores_its_words_says_them() -> None:
    trace = txviz.trace("writer", find("writer").example)
    step = next(step for step in trace if step.operation is ops.lookup)
    found = table(trace, step)
    assert found is not None
    scores = next(step for step in trace if step.axes[-1:] == ("vocabulary",))
    assert found.words == scores.labels[-1]


@pytest.mark.parametrize(
    ("model", "does"), [("digits", "image"), ("sentence", "reader"), ("translator", "translator"), ("writer", "writer")]
)
def test_what_a_model_does_and_how_wide_its_heads_are(model: str, does: str) -> None:
    trace = txviz.trace(model, find(model).example)
    assert kind(trace) == does
    width = next(step.value.shape[-1] for step in trace if step.site.leaf == "query")
    assert counted(trace).d_k == width
