"""A request can be kept as JSON, and is computed whole or not at all."""

from __future__ import annotations

import json
from typing import Any

import pytest

import txviz
from txviz import TxvizError
from txviz.models import find
from txviz.models.request import Request, compute, compute_what_applies

EDITED = Request("digits", find("digits").example, edits=("pool.cls=2.3,-1.1,3.2,1.4", "head.logits[2]=0"))


@pytest.mark.parametrize(
    "request_kept",
    [
        Request("writer", "the keys", {"strategy": "sample", "temperature": 0.5, "seed": 3, "cache": True}),
        Request("sentence", ""),
        EDITED,
    ],
)
def test_a_request_survives_json(request_kept: Request) -> None:
    assert Request.from_json(json.loads(json.dumps(request_kept.as_json()))) == request_kept


def test_a_request_kept_before_there_were_edits_is_read() -> None:
    kept = {"model": "writer", "source": "the keys", "options": {"seed": 3}}
    assert Request.from_json(kept) == Request("writer", "the keys", {"seed": 3})


def test_other_edits_are_another_request() -> None:
    assert Request(EDITED.model, EDITED.source) != EDITED
    assert Request(EDITED.model, EDITED.source, edits=EDITED.edits[::-1]) != EDITED


@pytest.mark.parametrize(
    "content",
    [
        None,
        "writer",
        [],
        {},
        {"model": "writer"},
        {"model": 1, "source": "a", "options": {}},
        {"model": "writer", "source": ["a"], "options": {}},
        {"model": "writer", "source": "a", "options": []},
        {"model": "writer", "source": "a", "options": {"seed": [1]}},
        {"model": "writer", "source": "a", "options": {}, "more": 1},
        {"model": "writer", "source": "a", "options": {}, "edits": "head.logits=0"},
        {"model": "writer", "source": "a", "options": {}, "edits": [1]},
        {"model": "writer", "source": "a", "options": {}, "edits": None},
        {"model": "writer", "source": "a", "options": {}, "edits": [], "more": 1},
    ],
)
def test_nonsense_is_refused(content: object) -> None:
    with pytest.raises(TxvizError, match="no input that txviz has kept"):
        Request.from_json(content)


def test_computing_is_tracing() -> None:
    seen: list[txviz.Step] = []
    trace = compute(Request("sentence-guide", "A dog", {"pooling": "cls"}), seen.append)
    assert list(trace) == seen
    assert trace.diff(txviz.trace("sentence-guide", "A dog", pooling="cls")) == []


def test_edits_are_never_left_out_in_silence() -> None:
    with pytest.raises(TxvizError, match=r'^no step or parameter is called "pool\.cls", so it can\'t be changed'):
        compute(EDITED)


def test_edits_that_no_longer_fit_are_left_out_and_told() -> None:
    edits = ("time.2.choice.token=ama", "time.30.choice.token=ama", "time.1.choice.token=9999", "encoder.norm=0")
    trace, kept = compute_what_applies(Request("translator", "I love you very much", edits=edits))
    assert kept.edits == ("time.2.choice.token=ama", "encoder.norm=0")
    assert trace.about["edits"] == list(kept.edits)
    assert Request.of_trace(trace).edits == kept.edits
    with pytest.raises(TxvizError, match="no model is called"):
        compute_what_applies(Request("nobody", "a", edits=edits))


@pytest.mark.parametrize("model", ["sentence-guide", "digits", "translator"])
def test_a_trace_says_what_it_was_computed_from(model: str) -> None:
    trace = txviz.trace(model, find(model).example)
    assert compute(Request.of_trace(trace)).diff(trace) == []


def test_so_does_one_of_two_sentences_and_one_of_an_array() -> None:
    pair = txviz.trace("sentence", ("the cat sleeps", "the dog sleeps"))
    assert Request.of_trace(pair).source == "the cat sleeps | the dog sleeps"
    assert compute(Request.of_trace(pair)).diff(pair) == []
    drawn = txviz.trace("digits", [[0.5] * 6] * 6)
    assert compute(Request.of_trace(drawn)).diff(drawn) == []


@pytest.mark.parametrize(
    "about",
    [
        {},
        {"input": 7},
        {"input": [1, 2]},
        {"input": [[1], 2]},
        {"options": [1]},
        {"options": {"seed": []}},
        {"model": 1},
    ],
)
def test_a_trace_that_says_nonsense_is_refused(about: dict[str, Any]) -> None:
    made = txviz.trace("sentence-guide", "A dog")
    with pytest.raises(TxvizError):
        Request.of_trace(txviz.Trace(made.steps, {**made.about, **about} if about else {}, made[-1]))


def test_options_are_never_taken_for_anything_else() -> None:
    with pytest.raises(TxvizError, match="sentence-guide has no option watch"):
        compute(Request("sentence-guide", "A dog", {"watch": 1}))
