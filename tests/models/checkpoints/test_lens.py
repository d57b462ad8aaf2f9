"""The answer after each layer of checkpoints: the hidden states of transformers, through their last norm and head."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from safetensors.numpy import load_file

import txviz
from tests.models.checkpoints.reference import WRITERS, expected, path, source, told
from txviz import Trace, ops
from txviz.analysis.lens import likeliest, read_place, readings, shares
from txviz.errors import TxvizError
from txviz.models import find
from txviz.nets import translator
from txviz.ops import Array
from txviz.trace import Run, Step


@cache
def weights(name: str) -> dict[str, Array]:
    """As they are in the file, under their own names."""
    files = sorted(Path(path(name)).glob("*.safetensors"))
    return {key: value.astype(float) for file in files for key, value in load_file(file).items()}


def normed(x: Array, name: str, which: str, epsilon: float) -> Array:
    found = weights(name)
    centred = x - x.mean(-1, keepdims=True)
    return np.asarray(
        centred / np.sqrt((centred**2).mean(-1, keepdims=True) + epsilon) * found[f"{which}.weight"]
        + found[f"{which}.bias"]
    )


def gpt2(x: Array) -> Array:  # (T,d) -> (T,V)
    return np.asarray(normed(x, "gpt2", "transformer.ln_f", 1e-5) @ weights("gpt2")["transformer.wte.weight"].T)


def llama(x: Array) -> Array:
    found = weights("llama")
    x = x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-6) * found["model.norm.weight"]
    return np.asarray(x @ found["lm_head.weight"].T)


def gelu(x: Array) -> Array:
    from math import erf

    return np.asarray(x * (1 + np.vectorize(erf)(x / np.sqrt(2))) / 2)


def bert(x: Array) -> Array:
    found, head = weights("bert-masked"), "cls.predictions.transform"
    x = gelu(x @ found[f"{head}.dense.weight"].T + found[f"{head}.dense.bias"])
    x = normed(x, "bert-masked", f"{head}.LayerNorm", 1e-12)
    return np.asarray(x @ found["bert.embeddings.word_embeddings.weight"].T + found["cls.predictions.bias"])


def vit(x: Array) -> Array:
    found = weights("vit")
    return np.asarray(
        normed(x, "vit", "vit.layernorm", 1e-12) @ found["classifier.weight"].T + found["classifier.bias"]
    )


def marian(x: Array) -> Array:
    found = weights("marian")
    return np.asarray(x @ found["model.shared.weight"].T + found["final_logits_bias"])


HEADS: dict[str, Callable[[Array], Array]] = {"gpt2": gpt2, "llama": llama, "bert-masked": bert, "vit": vit}


def softmax(z: Array) -> Array:
    e = np.exp(z - z.max(-1, keepdims=True))
    return np.asarray(e / e.sum(-1, keepdims=True))


def answer_of(trace: Trace) -> Step:
    return next(step for step in trace if step.site.leaf == "probabilities" and step.site.part == "head")


def traced(name: str, dtype: Any = "float64") -> Trace:
    more: dict[str, Any] = {"max_steps": 1} if name in (*WRITERS, "marian") else {}
    return txviz.trace(path(name), source(name), dtype=dtype, **more)


@pytest.mark.parametrize("name", HEADS)
def test_every_token_after_every_layer(name: str) -> None:
    """transformers lists the last state of a writer after its norm, so that one is left to its logits."""
    read, head = readings(answer_of(traced(name))), HEADS[name]
    states = [expected(name)[f"float64/hidden.{i}"] for i in range(3)]
    wanted = [softmax(head(state)) for state in (states[:2] if name in WRITERS else states)]
    wanted += [softmax(expected(name)["float64/logits"])] if name in WRITERS else []
    for each, rows in zip(read, wanted, strict=True):
        assert_allclose(each.of_tokens(), rows, rtol=0, atol=1e-10)
    for place in (0, 3, 5):
        found = shares(read, place)
        assert_allclose(found, [rows[place] for rows in wanted], rtol=0, atol=1e-10)
        likely = likeliest(read, [place])
        assert [each[0].answers[0] for each in likely] == found.argmax(axis=-1).tolist()
        assert [each[0].shares[0] for each in likely] == pytest.approx(found.max(axis=-1))


def test_the_decoder_of_a_translator() -> None:
    model: Any = find(path("marian"))
    run = Run({key: value.astype(float) for key, value in model.parameters.items()}, dtype="float64")
    ids = run.given("tokens", np.array(model.read(source("marian"))), axes="token")
    memory, masks = translator.encode(run, model.net.config, ids)
    with run.at(part="decoder"):
        target = run.given("tokens", np.array(told("marian")["target"]), axes="token")
    logits = translator.decode(run, model.net.config, target, memory, masks)
    read = readings(run(ops.softmax, "likely", logits, axes=logits.axis_names))
    assert [each.stream.site.part for each in read] == ["decoder"] * 3
    for i, each in enumerate(read):
        assert_allclose(
            each.of_tokens(), softmax(marian(expected("marian")[f"float64/decoder.{i}"])), rtol=0, atol=1e-10
        )


def test_which_token_is_read() -> None:
    assert read_place(answer_of(traced("vit"))) == 0
    assert read_place(answer_of(traced("gpt2"))) == len(traced("gpt2")[0].value) - 1
    assert read_place(answer_of(traced("bert-masked"))) is None
    assert read_place(answer_of(traced("deit"))) is None  # two of them are


def test_what_was_put_in_by_hand_on_the_way_stays_so() -> None:
    trace = txviz.trace(path("gpt2"), source("gpt2"), max_steps=1, edits=["time.1.decoder.norm=0"])
    read = readings(answer_of(trace))
    for each in read:
        assert_allclose(shares([each], 2)[0], shares([read[-1]], 2)[0])


def test_a_row_that_was_put_in_is_read_after_each_layer() -> None:
    answer = answer_of(txviz.trace(path("vit"), source("vit"), edits=["pool.cls=0.5"]))
    assert all(np.array_equal(each.own, answer.value) for each in readings(answer))


@pytest.mark.parametrize("name", ["minilm"])
def test_without_a_head_it_says_why(name: str) -> None:
    trace = txviz.trace(path(name), source(name))
    assert "lens" not in trace.outline.pictures
    with pytest.raises(TxvizError, match="no head"):
        _ = txviz.figure(trace.outline, view="lens").marks
