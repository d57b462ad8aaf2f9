"""What a mask does on one page: the triangle of −∞, and what would leak without it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.figures import shipped
from tests.figures.kinds import all_of
from tests.figures.levels.checks import PAGES, all_marks, check_picture, drawn, heats_of, nodes, words
from tests.figures.levels.test_all_pictures import untrained
from txviz import Trace
from txviz.figures.levels.picture import Picture
from txviz.figures.marks import Box, Group, Text
from txviz.figures.numerals import percent
from txviz.figures.theme import LIGHT, rgb
from txviz.ops import Array
from txviz.trace.outline import Node

RUNS = ("masked-attention-guide", "translator", "writer", "a training step of the translator")


def without_mask(trace: Trace, node: Node, head: int = 0) -> tuple[Array, Array]:
    """The weights without the mask and what it hides, from the recorded scores, by NumPy alone."""
    masked = next(step for step in node.steps if step.op == "mask")
    scores = trace[masked.inputs[0]].value[head]
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True), np.isneginf(masked.value[head])


def boxes(picture: Picture, name: str) -> list[Box]:
    found = [mark for mark in picture.figure.marks if isinstance(mark, Group) and mark.name == name]
    return all_of(Box, all_marks(found))


def texts(picture: Picture, name: str) -> list[str]:
    found = [mark for mark in picture.figure.marks if isinstance(mark, Group) and mark.name == name]
    return [mark.text for mark in all_of(Text, all_marks(found))]


@pytest.mark.parametrize("kind", RUNS)
def test_bars_are_what_would_leak(kind: str) -> None:
    trace = shipped.trace(kind)
    found = nodes(trace, "mask")
    assert found
    for node in found[-2:]:
        for head in range(node.steps[-1].value.shape[0] if kind == "masked-attention-guide" else 4):
            picture = drawn(trace, node, place=(head,), kind="mask")
            weights, hidden = without_mask(trace, node, head)
            leaks = (weights * hidden).sum(axis=-1)
            bars, whole = boxes(picture, "leaking"), boxes(picture, "all")
            assert [bar.width / whole[0].width for bar in bars] == pytest.approx(leaks[leaks > 0].tolist())
            shown = texts(picture, "shares")
            assert shown == [percent(float(leak)) for leak in leaks[:: -(-len(leaks) // len(shown))]]
            mean = percent(float(leaks.mean()))
            assert any(f"Without the mask {mean} of all attention" in said for said in [" ".join(words(picture))])


def test_the_cells_that_leak_are_framed_and_no_others() -> None:
    trace = shipped.trace("masked-attention-guide")
    node = nodes(trace, "mask")[0]
    picture = drawn(trace, node, kind="mask")
    (heat,) = heats_of(picture, "weights without the mask")
    _, hidden = without_mask(trace, node)
    framed = np.zeros_like(hidden)
    for box in boxes(picture, "leaks"):
        first = round((box.x - heat.x) / heat.cell_width)
        count = round((box.width + 2 * (box.x - heat.x - first * heat.cell_width)) / heat.cell_width)
        framed[int((box.y - heat.y) / heat.cell_height), first : first + count] = True
    assert (framed == hidden).all()
    weights, _ = without_mask(trace, node)
    assert [float(text) for text in heat.texts] == pytest.approx(weights.ravel().tolist(), abs=0.005 + 1e-9)


def test_minus_infinity_looks_different_from_0() -> None:
    """The triangle is hatched and says −∞; below it are plain zeros."""
    trace = shipped.trace("masked-attention-guide")
    picture = drawn(trace, nodes(trace, "mask")[0], kind="mask")
    (triangle,) = heats_of(picture, "decoder.0.self_attention.causal")
    above = np.triu(np.ones((6, 6), bool), 1).ravel()
    assert triangle.hatched == tuple(np.flatnonzero(above).tolist())
    assert triangle.texts == tuple("−∞" if hidden else "0" for hidden in above)
    (weights,) = heats_of(picture, "decoder.0.self_attention.weights")
    assert not weights.hatched


def test_scores_plus_mask_is_masked() -> None:
    trace = shipped.trace("a training step of the translator")
    node = trace.outline.find("decoder.0.self_attention")
    picture = drawn(trace, node, kind="mask")
    names = [mark.name for mark in picture.figure.marks if isinstance(mark, Group)]
    row = ["decoder.0.self_attention.scaled", "decoder.mask.causal", "decoder.0.self_attention.masked"]
    lefts = [heats_of(picture, name)[0].x for name in [*row, "decoder.0.self_attention.weights"]]
    assert lefts == sorted(lefts)
    assert f"{row[2]} reads {row[0]}" in names
    signs = [mark for mark in all_marks(picture.figure.marks) if isinstance(mark, Text) and mark.text in "+="]
    between = [sign.text for sign in signs if lefts[0] < sign.x < lefts[-1] and sign.y > 100]
    assert between == ["+", "="]


def test_a_mask_that_hides_nothing_has_no_picture() -> None:
    """The first word alone, one new word with a cache, and blocks without a mask."""
    first = shipped.trace("translator").outline
    assert "mask" not in first.find("time.1.decoder.0.self_attention").pictures
    assert first.find("time.2.decoder.0.self_attention").pictures == ("attention-block", "mask", "map")
    assert "mask" not in first.find("encoder.0.attention").pictures
    assert "mask" not in shipped.trace("a cache").outline.find("time.2.decoder.0.self_attention").pictures


def test_padding_is_called_so() -> None:
    trace = untrained("sentence encoder, padded")
    picture = drawn(trace, trace.outline.find("encoder.0.attention"), kind="mask")
    assert "What if it could see the padding?" in words(picture)
    assert not any("later" in said for said in words(picture))
    both = untrained("encoder-decoder, pre-norm, tied, learned")
    picture = drawn(both, both.outline.find("decoder.0.self_attention"), kind="mask")
    assert "What if it could see the future?" in words(picture)
    assert "of each token's attention, what would go to later words and padding" in words(picture)


def test_what_is_not_computed_yet_is_pale() -> None:
    trace = shipped.trace("masked-attention-guide")
    node = nodes(trace, "mask")[0]
    picture = drawn(trace, node, current=trace["decoder.0.self_attention.causal"], kind="mask")
    shown = [step.site.leaf for step in node.steps if heats_of(picture, step.name)]
    assert shown == ["scores", "causal"]
    assert not boxes(picture, "leaking")
    check_picture(picture, trace, node, PAGES[0], "half way")
    frames = [mark for mark in all_marks(picture.figure.marks) if isinstance(mark, Box) and mark.stroke_width > 2]
    assert [frame.stroke for frame in frames] == [LIGHT.highlight]
    assert rgb(LIGHT.bad) != rgb(LIGHT.highlight)
