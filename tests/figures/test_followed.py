"""A token is followed by its label and place: through queries, keys and tokens, [CLS] in front, and time steps."""

from __future__ import annotations

import numpy as np
import pytest

import txviz
from tests.figures.shipped import KINDS
from tests.figures.shipped import trace as shipped
from txviz.figures.followed import Token, cell_of, place_in, row_axis, token_at
from txviz.figures.marks import Box, Text
from txviz.figures.patches import find_drawing
from txviz.figures.stage import stage
from txviz.figures.style import Style
from txviz.ops import Index
from txviz.trace import Trace


def token(trace: Trace, name: str, cell: Index) -> Token:
    found = token_at(trace[name], cell)
    assert found is not None
    return found


def followed(trace: Trace, wanted: Token) -> dict[str, int]:
    found = {step.name: place_in(step, wanted) for step in trace}
    return {name: place for name, place in found.items() if place is not None}


@pytest.mark.parametrize("kind", KINDS)
def test_every_row_that_is_followed_is_the_tokens_own(kind: str) -> None:
    """By its label; and a cell of it is one of the row's."""
    trace = shipped(kind)
    start = next(step for step in trace if row_axis(step) is not None)
    wanted = token(trace, start.name, tuple(size - 1 for size in start.value.shape))
    for step in trace:
        axis, cell = row_axis(step), cell_of(step, wanted, (), {"feature": 10**6})
        assert (cell is None) == (place_in(step, wanted) is None)
        if cell is not None and axis is not None:
            assert step.labels[axis][cell[axis]] == wanted.label, step.name
            assert step.explain(cell).result == pytest.approx(float(step.value[cell]), nan_ok=True, rel=1e-6, abs=1e-9)


def test_rows_are_queries_then_tokens_then_keys() -> None:
    trace = txviz.trace("sentence-guide", "The cat sat.")
    wanted = token(trace, "encoder.0.attention.weights", (0, 2, 4))
    assert wanted.label == "cat"
    places = followed(trace, wanted)
    assert set(places.values()) == {2}
    assert {"tokens", "embed.sum", "encoder.0.attention.key", "encoder.0.attention.scores", "encoder.0.norm_2"} <= {
        *places
    }
    assert "pool.mean" not in places, "a vector has no tokens"


def test_a_word_that_comes_twice_is_told_apart() -> None:
    trace = txviz.trace("masked-attention-guide", "YOUR CAT IS A LOVELY CAT")
    wanted = token(trace, "decoder.0.self_attention.scores", (0, 5, 0))
    assert wanted.label == "CAT"
    assert set(followed(trace, wanted).values()) == {5}


def test_a_patch_keeps_its_label_when_cls_comes_before_it() -> None:
    trace = shipped("vit-guide-2x2")
    wanted = token(trace, "patches", (3, 0))
    places = followed(trace, wanted)
    assert places["patches"] == 3
    assert places["encoder.0.attention.weights"] == places["embed.sum"] == 4
    cls = token(trace, "embed.sum", (0, 0))
    assert cls.label == "[CLS]"
    assert "patches" not in followed(trace, cls)


def test_of_a_decoding_the_same_place_from_where_it_is_written_on() -> None:
    trace = shipped("translator")
    wanted = token(trace, "time.3.decoder.0.self_attention.weights", (0, 2, 1))
    places = followed(trace, wanted)
    times = {trace[name].site.time for name in places}
    assert times == set(range(3, 1 + max(step.site.time or 0 for step in trace)))
    assert set(places.values()) == {2}
    assert not any(name.endswith("cross_attention.key") for name in places), "those are the tokens that were read"


def test_what_was_read_is_followed_into_the_keys_of_cross_attention() -> None:
    trace = shipped("translator")
    wanted = token(trace, "encoder.0.attention.weights", (0, 3, 0))
    places = followed(trace, wanted)
    assert places["time.2.decoder.0.cross_attention.key"] == 3
    assert "time.2.decoder.0.cross_attention.weights" not in places, "its rows are what is written"
    assert "time.2.decoder.0.self_attention.weights" not in places


def test_the_other_sentence_is_another_text() -> None:
    pair = txviz.trace("sentence", "the cat sleeps | a dog runs")
    wanted = token(pair, "first.encoder.0.attention.weights", (0, 1, 0))
    assert {pair[name].site.sentence for name in followed(pair, wanted)} == {"first"}


def test_the_cell_keeps_its_place_on_axes_that_are_there_again() -> None:
    trace = shipped("digits")
    wanted = token(trace, "encoder.0.attention.scores", (2, 4, 7))
    assert cell_of(trace["encoder.1.attention.weights"], wanted, (2,), {"key": 7}) == (2, 4, 7)
    assert cell_of(trace["encoder.0.residual_1"], wanted, (), {"key": 7}) == (4, 0)
    assert cell_of(trace["encoder.0.residual_1"], wanted, (), {"feature": 5}) == (4, 5)
    weights = trace["encoder.1.attention.weights"]
    assert cell_of(weights, wanted, (1,), {}) == (1, 4, int(weights.value[1, 4].argmax())), "the largest that is named"


def test_the_row_is_framed_with_its_label_in_every_tensor_that_has_it() -> None:
    trace = txviz.trace("sentence-guide", "The cat sat.")
    step = trace["encoder.0.attention.scores"]
    shown = stage(step, (), 900, 560, Style(growth=2), find_drawing(trace))
    boxes = shown.rows_of(token(trace, step.name, (0, 2, 4)))
    query, key, scores = shown.panels
    assert len(boxes) == 3
    for box, panel in ((boxes[0], query), (boxes[2], scores)):
        assert isinstance(box, Box)
        assert (box.y, box.height) == pytest.approx((panel.y + 2 * panel.cell_height, panel.cell_height))
        assert box.x + box.width == pytest.approx(panel.right)
        label = next(mark for mark in panel.row_labels if isinstance(mark, Text) and mark.text == "cat")
        assert box.x < label.x - 5
        assert box.y < label.y < box.y + box.height
    transposed = boxes[1]
    assert isinstance(transposed, Box)
    assert (transposed.x, transposed.width) == pytest.approx((key.x + 2 * key.cell_width, key.cell_width))


def test_no_token_no_frame() -> None:
    trace = txviz.trace("sentence-guide", "The cat sat.")
    shown = stage(trace["pool.mean"])
    cat = token(trace, "embed.sum", (2, 0))
    assert len(shown.rows_of(cat)) == 1, "what was pooled has it, the pool has not"
    assert cell_of(trace["pool.mean"], cat, (), {}) is None
    assert token_at(trace["pool.mean"], (1,)) is None
    assert not np.isnan(shown.step.value).any()
