"""Checkpoints against transformers: hidden states, attentions, logits, tokens, pixels and what is written."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import txviz
from tests.models.checkpoints.reference import (
    ALL,
    DRAWINGS,
    ENCODERS,
    IMAGES,
    TRANSLATORS,
    VECTORS,
    WRITERS,
    expected,
    path,
    source,
    told,
)
from txviz import Trace
from txviz.models import find
from txviz.ops import Array
from txviz.trace import Run, Step

TOLERANCE = {"float64": 1e-10, "float32": 2e-5}
MOST_NEW = 8
both_types = pytest.mark.parametrize("dtype", TOLERANCE)


def traced(name: str, dtype: Any, **options: Any) -> Trace:
    return txviz.trace(path(name), source(name), dtype=dtype, **options)


def agree(found: Array, name: str, key: str, dtype: str) -> None:
    assert found.dtype == dtype
    assert_allclose(found, expected(name)[f"{dtype}/{key}"], rtol=0, atol=TOLERANCE[dtype])


def hidden_states(trace: Trace, name: str) -> list[Array]:
    """What goes into the first layer, and what comes out of each, as transformers lists it."""
    if name in WRITERS:
        first = {"gpt2": "embed.sum", "gemma": "embed.scaled"}.get(name, "embed.tokens")
        names = [first, "decoder.0.residual_2", "decoder.norm"]
        return [trace[f"time.1.{each}"].value for each in names]
    if name in (*IMAGES, *DRAWINGS):
        return [trace[each].value for each in ("embed.sum", "encoder.0.residual_2", "encoder.1.residual_2")]
    first = "embed.fitted" if name.startswith("electra") else "embed.norm"
    return [trace[each].value for each in (first, "encoder.0.norm_2", "encoder.1.norm_2")]


@pytest.mark.parametrize("name", [*ENCODERS, *IMAGES, *DRAWINGS, *WRITERS])
@both_types
def test_hidden_states_and_logits(name: str, dtype: str) -> None:
    trace = traced(name, dtype, **({"max_steps": 1} if name in WRITERS else {}))
    states = hidden_states(trace, name)
    if dtype == "float32":
        agree(states[-1], name, "hidden", dtype)
    else:
        for i, state in enumerate(states):
            agree(state, name, f"hidden.{i}", dtype)
    if name not in VECTORS:
        agree(trace["time.1.head.logits" if name in WRITERS else "head.logits"].value, name, "logits", dtype)


@pytest.mark.parametrize("name", [*ENCODERS, *IMAGES, *DRAWINGS, *WRITERS])
def test_attentions(name: str) -> None:
    trace = traced(name, "float64", **({"max_steps": 1} if name in WRITERS else {}))
    where = "time.1.decoder.{}.self_attention" if name in WRITERS else "encoder.{}.attention"
    for i in range(2):
        agree(trace[f"{where.format(i)}.weights"].value, name, f"attention.{i}", "float64")


@pytest.mark.parametrize("name", VECTORS)
@both_types
def test_the_vector_of_a_sentence(name: str, dtype: str) -> None:
    agree(traced(name, dtype)["pool.unit"].value, name, "vector", dtype)


def test_two_sentences_are_compared_by_their_vectors() -> None:
    one, other = (txviz.trace(path("minilm"), text)["pool.unit"].value for text in ("the cat", "a dog runs"))
    assert txviz.trace(path("minilm"), "the cat | a dog runs").output == f"{float(one @ other):.3f}"


@pytest.mark.parametrize("name", IMAGES)
@both_types
def test_photographs_are_made_ready_as_the_preprocessor_says(name: str, dtype: str) -> None:
    agree(traced(name, dtype)["standardised"].value.transpose(2, 0, 1), name, "pixels", dtype)


@both_types
def test_drawings_are_standardised(dtype: str) -> None:
    agree(traced("vit-drawing", dtype)["standardised"].value[None], "vit-drawing", "pixels", dtype)


@pytest.mark.parametrize("name", TRANSLATORS)
@both_types
def test_encoder_decoders(name: str, dtype: str) -> None:
    """Their start token is their padding, which the decoder must see."""
    model: Any = find(path(name))
    run = Run({ours: value.astype(dtype) for ours, value in model.parameters.items()}, dtype=dtype)
    memory = model.memory(run, given(run, model.read(source(name)), None))
    logits = model.logits(run, given(run, told(name)["target"], "decoder"), memory, None, 0)
    agree(logits.value, name, "logits", dtype)
    if dtype == "float64":
        steps = {step.name: step.value for step in run.steps}
        for stack, states in STATES["marian" if name == "marian" else "t5"].items():
            for i, state in enumerate(states):
                agree(steps[state], name, f"{stack}.{i}", dtype)
        for i in range(2):
            agree(steps[f"encoder.{i}.attention.weights"], name, f"attention.{i}", dtype)
            for kind in ("self_attention", "cross_attention"):
                agree(steps[f"decoder.{i}.{kind}.weights"], name, f"{kind}.{i}", dtype)


STATES = {
    "marian": {
        "encoder": ("embed.sum", "encoder.0.norm_2", "encoder.1.norm_2"),
        "decoder": ("decoder.embed.sum", "decoder.0.norm_3", "decoder.1.norm_3"),
    },
    "t5": {
        "encoder": ("embed.tokens", "encoder.0.residual_2", "encoder.norm"),
        "decoder": ("decoder.embed.tokens", "decoder.0.residual_3", "decoder.norm"),
    },
}
"""What goes into the first layer, and what comes out of each, as transformers lists it."""


def given(run: Run, ids: list[int], part: str | None) -> Step:
    with run.at(part=part):
        return run.given("tokens", np.array(ids), axes="token")


@pytest.mark.parametrize("name", [*ENCODERS, *WRITERS])
def test_tokens_of_nasty_strings(name: str) -> None:
    model: Any = find(path(name))
    for text, ids in told(name)["tokens"].items():
        assert model.pieces.encode(text).ids == ids, text


@pytest.mark.parametrize("name", TRANSLATORS)
def test_sentence_pieces_of_nasty_strings(name: str) -> None:
    model: Any = find(path(name))
    for text, ids in told(name)["tokens"].items():
        assert model.encode(text) == ids, text


@pytest.mark.parametrize("name", ["bert-masked", "bert-classifier"])
def test_two_texts_have_token_types(name: str) -> None:
    pair = told(name)["pair"]
    trace = txviz.trace(path(name), " | ".join(pair["texts"]))
    assert trace["tokens"].value.tolist() == pair["input_ids"]
    assert trace["token_types"].value.tolist() == pair["token_type_ids"]


@pytest.mark.parametrize("cache", [False, True])
@pytest.mark.parametrize("name", [*WRITERS, *TRANSLATORS])
def test_what_is_written_greedily(name: str, cache: bool) -> None:
    trace = txviz.trace(path(name), source(name), max_steps=MOST_NEW, cache=cache)
    tokens = [int(step.value) for step in trace if step.site.part == "choice" and step.site.leaf == "token"]
    whole = told(name)["generated"][0]["tokens"]
    assert tokens == whole[len(whole) - len(tokens) :]
    start = 1 if name in TRANSLATORS else len(told(name)["tokens"][source(name)])
    assert len(tokens) == len(whole) - start


@pytest.mark.parametrize("name", [*WRITERS, *TRANSLATORS])
def test_a_cache_changes_no_score(name: str) -> None:
    every = [txviz.trace(path(name), source(name), max_steps=4, cache=on, dtype="float64") for on in (False, True)]
    steps = [step.name for step in every[0] if step.site.leaf == "last"]
    for step in steps:
        assert_allclose(every[1][step].value, every[0][step].value, rtol=0, atol=1e-10)


@pytest.mark.parametrize("which", [1, 2, 3])
@pytest.mark.parametrize("name", [*WRITERS, *TRANSLATORS])
def test_what_a_beam_writes(name: str, which: int) -> None:
    """Finished sentences leave the beam, and are compared by their score over a power of their length."""
    wanted = told(name)["generated"][which]
    options = {"beam_width": wanted["num_beams"], "length_penalty": wanted["length_penalty"]}
    trace = txviz.trace(path(name), source(name), strategy="beam", max_steps=MOST_NEW, **options)
    model: Any = find(path(name))
    start = 1 if name in TRANSLATORS else 0
    assert trace.output == model.text(wanted["tokens"][start:])


@pytest.mark.parametrize("name", ALL)
def test_every_step_replays(name: str) -> None:
    assert traced(name, None, **({"max_steps": 2} if name in (*WRITERS, *TRANSLATORS) else {})).verify() == []
