"""Texts that are filled up with padding: the three arrays of the input, and transformers' numbers after them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import txviz
from tests.models.checkpoints.reference import ENCODERS, expected, path, source, told
from txviz import Trace, TxvizError
from txviz.trace.step import Step


def padded(name: str) -> Trace:
    return txviz.trace(path(name), source(name), dtype="float64", pad=len(told("padding")[name]["input_ids"]))


def masked(trace: Trace) -> list[Step]:
    return trace.find("*.masked")


@pytest.mark.parametrize("name", ENCODERS)
def test_the_numbers_are_those_of_transformers(name: str) -> None:
    trace, arrays = padded(name), told("padding")[name]
    ours = {"input_ids": "tokens", "token_type_ids": "token_types", "attention_mask": "attention_mask"}
    for theirs in arrays.keys() - {"input"}:
        assert trace[ours[theirs]].value.tolist() == arrays[theirs], theirs
    steps = {"hidden": "encoder.1.norm_2", "attention": "encoder.1.attention.weights", "logits": "head.logits"}
    for what, step in {**steps, "vector": "pool.unit"}.items():
        if f"{name}/{what}" in expected("padding"):
            assert_allclose(trace[step].value, expected("padding")[f"{name}/{what}"], rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", ENCODERS)
def test_padding_is_hidden_in_steps_that_can_be_seen_and_replayed(name: str) -> None:
    trace, plain = padded(name), txviz.trace(path(name), source(name), dtype="float64")
    real = len(plain["tokens"].value)
    assert trace["mask.padding"].value.ravel().tolist() == [0] * real + [-np.inf] * 5
    assert [step.name for step in masked(trace)] == [f"encoder.{i}.attention.masked" for i in range(2)]
    assert not trace["encoder.0.attention.weights"].value[..., real:].any()
    assert str(trace.output) == str(plain.output)
    assert_allclose(trace["encoder.1.norm_2"].value[:real], plain["encoder.1.norm_2"].value, rtol=0, atol=1e-12)
    assert trace.verify() == []


@pytest.mark.parametrize("name", ENCODERS)
def test_a_mask_that_hides_nothing_is_an_input_and_no_more(name: str) -> None:
    trace = txviz.trace(path(name), source(name))
    assert trace["attention_mask"].value.all()
    assert not masked(trace)
    assert "mask.padding" not in trace.by_name


def test_a_token_can_be_hidden_by_hand() -> None:
    """A zero in the mask is what padding has: nobody looks at “cat”, and the mean leaves it out."""
    trace = txviz.trace(path("minilm"), "the cat sat", edits=["attention_mask[2]=0"])
    assert not trace["encoder.0.attention.weights"].value[..., 2].any()
    rows = np.delete(trace["encoder.1.norm_2"].value, 2, axis=0)
    assert_allclose(trace["pool.mean"].value, rows.mean(axis=0), rtol=0, atol=1e-6)


def test_a_text_that_is_long_enough_is_not_padded() -> None:
    assert len(txviz.trace(path("minilm"), "the cat sat on the mat.", pad=4)["tokens"].value) == 9


def test_padding_to_more_than_the_model_reads() -> None:
    with pytest.raises(TxvizError, match="pad is 41; this model reads at most 40 tokens"):
        txviz.trace(path("minilm"), "the cat", pad=41)


def test_two_texts_are_padded_each_by_itself_where_they_are_read_alone() -> None:
    trace = txviz.trace(path("minilm"), ("the cat", "a dog runs home"), pad=8)
    assert [len(trace[f"{which}.tokens"].value) for which in ("first", "second")] == [8, 8]
    plain = txviz.trace(path("minilm"), ("the cat", "a dog runs home"))
    assert trace.output == plain.output
