"""What heads look at, against sums that are written out, and small pictures against the large ones."""

from __future__ import annotations

import numpy as np
import pytest

import txviz
from tests.models.checkpoints.reference import path
from txviz import Trace
from txviz.analysis.looking import SIDE, Look, looks, thumbnails
from txviz.ops import Array
from txviz.trace import Run, Step


def weights(value: Array, queries: tuple[str, ...], keys: tuple[str, ...], block: str = "attention") -> Step:
    run = Run({})
    with run.at(part="encoder", layer=0, block=block):
        return run.given("weights", value, axes="head query key", labels={"query": queries, "key": keys})


def brute(value: Array) -> tuple[float, str]:
    """The most looked-at of one head, by sums over its cells."""
    size, found = len(value), dict[str, float]()
    for offset in (0, -1, 1):
        cells = [value[q, q + offset] for q in range(size) if 0 <= q + offset < size]
        found[f"offset {offset}"] = float(sum(cells) / len(cells))
    for key in range(size):
        found[f"key {key}"] = float(sum(value[q, key] for q in range(size)) / size)
    best = max(found, key=lambda name: found[name])
    return found[best], best


def said(look: Look) -> str:
    return f"key {look.key}" if look.offset is None else f"offset {look.offset}"


@pytest.mark.parametrize("seed", range(5))
def test_the_most_looked_at_is_the_largest_of_all_sums(seed: int) -> None:
    value = np.random.default_rng(seed).dirichlet(np.full(7, 0.3), size=(6, 7))
    labels = tuple("abcdefg")
    for head, look in zip(value, looks(weights(value, labels, labels)), strict=True):
        share, best = brute(head)
        assert look.share == pytest.approx(share)
        assert said(look) == best
        assert look.spread == pytest.approx(float(np.mean([1 / sum(w * w for w in row) for row in head])))


def test_a_head_that_looks_at_the_previous_token() -> None:
    shifted = np.eye(5, k=-1)
    shifted[0, 0] = 1
    (look,) = looks(weights(shifted[None], tuple("abcde"), tuple("abcde")))
    assert (look.share, look.offset, look.key, look.spread) == (1, -1, None, 1)


def test_across_two_texts_there_is_no_previous_token() -> None:
    value = np.eye(3)[None]
    (look,) = looks(weights(value, tuple("abc"), tuple("abc"), "cross_attention"))
    assert look.offset is None
    assert look.share == pytest.approx(1 / 3)


def test_with_a_cache_the_newest_token_knows_who_it_is() -> None:
    """One query, and keys for all tokens up to it."""
    trace = txviz.trace(path("gpt2"), "The cat sat", max_steps=3, cache=True)
    step = trace["time.3.decoder.0.self_attention.weights"]
    assert step.value.shape[-2] == 1
    for head, look in zip(step.value, looks(step), strict=True):
        near = {"offset 0": head[0, -1], "offset -1": head[0, -2]} | {f"key {k}": w for k, w in enumerate(head[0])}
        assert look.share == pytest.approx(float(max(near.values())))
        assert near[said(look)] == pytest.approx(look.share)


@pytest.mark.parametrize("shape", [(2, 5, 7), (3, 64, 64), (2, 65, 197), (1, 1, 200)])
def test_small_pictures_have_the_largest_of_what_became_one_cell(shape: tuple[int, ...]) -> None:
    value = np.random.default_rng(1).random(shape)
    queries, keys = (tuple(map(str, range(n))) for n in shape[1:])
    step = weights(value, queries, keys)
    small = thumbnails(step)
    rows, columns = (np.minimum(n, SIDE) for n in shape[1:])
    assert small.shape == (shape[0], rows, columns)
    edges = [[i * n // min(n, SIDE) for i in range(min(n, SIDE) + 1)] for n in shape[1:]]
    for i in range(rows):
        for j in range(columns):
            block = value[:, edges[0][i] : edges[0][i + 1], edges[1][j] : edges[1][j + 1]]
            assert (small[:, i, j] == block.max(axis=(1, 2))).all()


def test_real_runs_have_a_look_for_each_head() -> None:
    trace: Trace = txviz.trace(path("minilm"), "The cat sat on the mat.")
    step = trace["encoder.1.attention.weights"]
    assert len(looks(step)) == len(thumbnails(step)) == len(step.value)
