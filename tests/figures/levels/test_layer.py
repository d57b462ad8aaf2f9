"""A layer on one page: what each block added to each token."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import txviz
from tests.figures import shipped
from tests.figures.levels.checks import PAGES, all_marks, arrows, bounds, check_picture, drawn, heats_of, nodes, words
from tests.figures.levels.test_all_pictures import untrained
from txviz import Trace
from txviz.figures.levels.layer_steps import LayerSteps
from txviz.figures.levels.picture import Picture
from txviz.figures.marks import Box, Group, Text
from txviz.figures.numerals import percent
from txviz.figures.theme import LIGHT
from txviz.models import find
from txviz.ops import Array
from txviz.trace.outline import Node


def layer(kind: str, name: str) -> tuple[Trace, Node]:
    trace = shipped.trace(kind)
    return trace, trace.outline.find(name)


def lengths(value: Array) -> Array:
    return np.asarray(np.linalg.norm(value, axis=-1))


def bars(picture: Picture, residual: str) -> tuple[list[Box], list[str]]:
    """Those beside what was added, and the numbers on them."""
    found = [
        mark for mark in picture.figure.marks if isinstance(mark, Group) and mark.name == f"how much {residual} adds"
    ]
    marks = list(all_marks(found))
    boxes = [mark for mark in marks if isinstance(mark, Box)]
    return boxes, [mark.text for mark in marks if isinstance(mark, Text) and mark.text.endswith("%")]


def test_additions_are_found_wherever_the_norms_are() -> None:
    cases = {
        "pre": (layer("digits", "encoder.1")[1], [["norm 1", "attention"], ["norm 2", "ffn"]], [[], []]),
        "guide": (layer("sentence-guide", "encoder.0")[1], [["attention", "ffn"]], [["norm_2"]]),
        "post": (
            untrained("encoder-decoder").outline.find("decoder.0"),
            [["self-attention"], ["cross-attention"], ["ffn"]],
            [["norm_1"], ["norm_2"], ["norm_3"]],
        ),
    }
    for node, branches, norms in cases.values():
        ways = LayerSteps(node).additions
        assert [[each.title for each in way.branch] for way in ways] == branches
        assert [[norm.site.leaf for norm in way.norms] for way in ways] == norms


@pytest.mark.parametrize(
    ("kind", "name", "formulas"),
    [
        ("sentence-guide", "encoder.0", [r"y_2 = \mathrm{norm}(x + \mathrm{FFN}(\mathrm{attention}(x)))"]),
        (
            "translator",
            "time.2.decoder.0",
            [
                r"r_1 = x + \mathrm{self\,attention}(\mathrm{norm}(x))",
                r"r_2 = r_1 + \mathrm{cross\,attention}(\mathrm{norm}(r_1),\ y^{\mathrm{enc}})",
                r"r_3 = r_2 + \mathrm{FFN}(\mathrm{norm}(r_2))",
            ],
        ),
    ],
)
def test_the_formulas(kind: str, name: str, formulas: list[str]) -> None:
    assert [way.formula for way in LayerSteps(layer(kind, name)[1]).additions] == formulas


@pytest.mark.parametrize("kind", shipped.KINDS)
def test_bars_and_numbers_are_the_lengths_of_what_was_added(kind: str) -> None:
    trace = shipped.trace(kind)
    for node in nodes(trace, "layer")[:2]:
        picture = drawn(trace, node)
        scales = []
        for residual in (step for step in node.steps if step.site.leaf.startswith("residual")):
            before, added = residual.sources
            shares = lengths(added.value) / lengths(before.value)
            assert np.array_equal(residual.value, before.value + added.value)
            boxes, numbers = bars(picture, residual.name)
            assert numbers == [percent(share) for share in shares]
            scales += [box.width / share for box, share in zip(boxes, shares, strict=True) if box.width > 0.5]
            assert {len(heats_of(picture, each.name)) for each in (before, added, residual)} == {1}
        assert np.allclose(scales, scales[:1] * len(scales)), "all bars of a layer have one scale"


LONG = "the old man reads a book in the garden and my small black dog sleeps under the white table near our house"


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("name", ["encoder.0", "encoder.1"])
@pytest.mark.parametrize("sentence", ["I love you", LONG])
def test_no_bar_runs_through_a_number(sentence: str, name: str, page: tuple[int, int]) -> None:
    """Of many tokens only some have one, and the bars of the others lie beside it."""
    trace = txviz.trace("translator", sentence, max_steps=1)
    picture = drawn(trace, trace.outline.find(name), page)
    groups = [mark for mark in picture.figure.marks if isinstance(mark, Group) and mark.name.startswith("how much ")]
    marks = list(all_marks(groups))
    written = [mark for mark in marks if isinstance(mark, Text) and mark.text.endswith("%")]
    assert len(groups) == 2
    assert written
    for bar in (bounds(mark) for mark in marks if isinstance(mark, Box)):
        beside = (text for text in written if bounds(text).left < bar.right and bar.left < bounds(text).right)
        assert not [text for text in beside if bar.top < text.y and text.y - 0.7 * text.size < bar.bottom]


def test_the_stream_goes_from_sum_to_sum() -> None:
    trace, node = layer("translator", "time.2.decoder.1")
    stream = [arrow for arrow in arrows(drawn(trace, node)) if arrow.width > 3]
    expected = ["decoder.0.residual_3", "decoder.1.residual_1", "decoder.1.residual_2", "decoder.1.residual_3"]
    names = [f"time.2.{name}" for name in expected]
    assert [(arrow.source, arrow.target) for arrow in stream] == list(pairwise(names))
    assert len({arrow.points[0][1] for arrow in stream}) == 1, "one straight line"


def test_what_is_said_about_the_most_changed_token() -> None:
    trace, node = layer("translator", "encoder.0")
    added, before = trace["encoder.0.attention.output"].value, trace["embed.sum"].value
    shares = lengths(added) / lengths(before)
    token = trace["tokens"].labels[0][int(shares.argmax())]
    said = " ".join(words(drawn(trace, node)))
    assert f"Attention changes “{token}” most, by {percent(shares.max())} of its length." in said
    assert "Pre-norm" in said
    early = " ".join(words(drawn(trace, node, current=trace["encoder.0.norm_1"])))
    assert "most" not in early
    assert "%" not in early


def test_later_steps_are_pale_and_the_block_of_the_current_step_is_lit() -> None:
    trace, node = layer("digits", "encoder.0")
    everything = drawn(trace, node)
    for now, current in enumerate(node.steps):
        picture = drawn(trace, node, current=current)
        (lit,) = (mark for mark in picture.figure.marks if isinstance(mark, Group) and mark.name == "current")
        assert {mark.stroke for mark in lit.marks if isinstance(mark, Box)} == {LIGHT.highlight}
        for i, step in enumerate(node.steps):
            assert len(heats_of(picture, step.name)) == (len(heats_of(everything, step.name)) if i <= now else 0)


def test_every_block_can_be_gone_to() -> None:
    trace, node = layer("translator", "time.1.decoder.0")
    spots = {spot.node for spot in drawn(trace, node).spots}
    assert {child.name for child in node.children} <= spots


def test_a_layer_without_additions_is_its_block() -> None:
    trace, node = layer("masked-attention-guide", "decoder.0")
    assert "decoder 0 · self-attention" in words(drawn(trace, node))


def test_a_sum_put_in_by_hand() -> None:
    name = "encoder.0.residual_1"
    trace = txviz.trace("digits", find("digits").example, overrides={name: lambda value: value * 2})
    node = trace.outline.find("encoder.0")
    picture = drawn(trace, node)
    check_picture(picture, trace, node, PAGES[0], name)
    assert name not in {arrow.target for arrow in arrows(picture)}


def test_what_comes_from_another_layer_is_called_so() -> None:
    said = words(drawn(*layer("translator", "time.3.decoder.1")))
    assert {"decoder 0 · residual 3", "residual 1", "residual 2", "residual 3"} <= set(said)
