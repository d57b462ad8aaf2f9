"""The head on one page: scores, probabilities and the answer, as bars."""

from __future__ import annotations

import numpy as np
import pytest

import txviz
from tests.figures import shipped
from tests.figures.levels.checks import PAGES, all_marks, arrows, check_picture, drawn, heats_of, nodes, words
from tests.nets.architectures import ALL
from txviz import Trace
from txviz.figures.levels.head_steps import MOST, HeadSteps, last_row
from txviz.figures.levels.picture import Picture
from txviz.figures.marks import Box, Group, Text
from txviz.figures.numerals import decimal, percent
from txviz.figures.theme import LIGHT
from txviz.models import find
from txviz.trace import Run
from txviz.trace.outline import Node


def head(kind: str, name: str = "head") -> tuple[Trace, Node]:
    trace = shipped.trace(kind)
    return trace, trace.outline.find(name)


def column(picture: Picture, name: str) -> tuple[list[Box], list[str]]:
    """The bars of a step, and the numbers beside them."""
    found = [mark for mark in picture.figure.marks if isinstance(mark, Group) and mark.name == name]
    marks = list(all_marks(found))
    return [mark for mark in marks if isinstance(mark, Box)], [mark.text for mark in marks if isinstance(mark, Text)]


def answers(picture: Picture) -> list[str]:
    """In front of the bars."""
    found = [mark for mark in picture.figure.marks if isinstance(mark, Group) and mark.name == "answers"]
    return [mark.text for mark in all_marks(found) if isinstance(mark, Text)]


@pytest.mark.parametrize("kind", shipped.KINDS)
def test_bars_and_numbers_are_those_of_the_last_position(kind: str) -> None:
    trace = shipped.trace(kind)
    for node in nodes(trace, "head")[:3]:
        steps = HeadSteps(trace, node)
        picture = drawn(trace, node)
        assert answers(picture) == [steps.logits.labels[-1][i] for i in steps.order]
        for step in steps.columns:
            shown = last_row(step)[steps.order]
            boxes, numbers = column(picture, step.name)
            write = percent if step.op == "softmax" else lambda x: decimal(x, 2)
            assert numbers[: len(shown)] == [write(x) for x in shown.tolist()]
            finite = np.abs(shown[np.isfinite(shown)])
            long = np.array([box.width for box in boxes])
            seen = long > 0.5
            assert np.allclose(long[seen] / long.max(), finite[seen] / finite.max())


def test_a_classifier_shows_all_its_classes_in_order_and_marks_the_answer() -> None:
    trace, node = head("vit-guide-2x2")
    picture = drawn(trace, node)
    assert answers(picture) == ["cat", "dog", "bird"]
    said = words(picture)
    assert said.count("bird") == 2, "in its row, and as the answer"
    assert percent(trace["head.probabilities"].value[2]) in said
    (band,) = column(picture, "chosen")[0]
    bars, _ = column(picture, "head.probabilities")
    assert band.y < bars[2].y < bars[2].y + bars[2].height < band.y + band.height


def test_of_a_vocabulary_the_likeliest_words_are_shown() -> None:
    trace, node = head("translator", "time.3.head")
    picture, likely = drawn(trace, node), trace["time.3.head.probabilities"]
    best = np.argsort(-likely.value, kind="stable")[:MOST]
    assert answers(picture) == [likely.labels[-1][i] for i in best]
    rest = 1 - likely.value[best].sum()
    assert f"{len(likely.value) - MOST:,} more: {percent(rest)}" in words(picture)
    assert any("after “amo”" in text for text in words(picture))


def test_the_last_position_is_framed() -> None:
    trace, node = head("translator", "time.3.head")
    picture = drawn(trace, node)
    frames, _ = column(picture, "last position")
    for frame, name in zip(frames, ("time.3.decoder.norm", "time.3.head.logits"), strict=True):
        (heat,) = heats_of(picture, name)
        assert frame.y == pytest.approx(heat.y + (heat.rows - 1) * heat.cell_height)
        assert frame.height == pytest.approx(heat.cell_height)


def test_sampling_and_beams_have_their_own_columns() -> None:
    sampled = HeadSteps(*head("sampling", "time.2.head"))
    assert [step.site.leaf for step in sampled.columns] == ["last", "tempered", "top_k", "top_p", "probabilities"]
    said = words(drawn(*head("sampling", "time.2.head")))
    chance = shipped.trace("sampling")["time.2.choice.chance"].value
    assert f"chance {decimal(float(chance), 2)}" in said
    assert "−∞" in said
    beam = HeadSteps(*head("a beam", "time.2.beam.0.head"))
    assert [step.site.leaf for step in beam.columns] == ["last", "probabilities", "log_probabilities", "totals"]
    assert beam.choice is None


def test_what_was_drawn_is_shown_however_unlikely_it_is() -> None:
    example = find("writer").example
    trace = txviz.trace("writer", example, strategy="sample", temperature=5.0, max_steps=6, seed=1)
    outside = 0
    for node in nodes(trace, "head"):
        steps = HeadSteps(trace, node)
        assert steps.choice is not None
        picture = drawn(trace, node)
        check_picture(picture, trace, node, PAGES[0], node.name)
        assert steps.choice.chosen in answers(picture)
        best = np.argsort(-last_row(steps.logits), kind="stable")[:MOST]
        outside += int(steps.choice.value) not in best
    assert outside, "at this temperature some words are far from the likeliest"


def test_numbers_come_as_they_are_computed() -> None:
    trace, node = head("translator", "time.2.head")
    for current in (*node.steps, trace["time.2.choice.token"]):
        picture = drawn(trace, node, current=current)
        (lit,) = (mark for mark in picture.figure.marks if isinstance(mark, Group) and mark.name == "current")
        assert {mark.stroke for mark in lit.marks if isinstance(mark, Box)} == {LIGHT.highlight}
        now = trace.steps.index(current)
        for step in (*node.steps[1:], trace["time.2.choice.token"]):
            if trace.steps.index(step) > now:
                assert not column(picture, step.name)[1]
        assert ("the answer" in {mark.name for mark in picture.figure.marks if isinstance(mark, Group)}) == (
            current.name == "time.2.choice.token"
        )
    early = drawn(trace, node, current=trace["time.2.decoder.norm"])
    assert not answers(early)
    assert not any("%" in text for text in words(early))


def test_a_spot_tells_the_number_of_a_bar() -> None:
    trace, node = head("a training step of the translator")
    picture, logits = drawn(trace, node), trace["head.logits"]
    (spot,) = (spot for spot in picture.spots if spot.node == "head.logits")
    panel = spot.panel
    assert panel is not None
    best = int(np.argmax(logits.value[-1]))
    assert panel.cell_at(panel.x + 1, panel.y + 1) == (logits.value.shape[0] - 1, best)
    assert panel.grid.find((logits.value.shape[0] - 1, best)) == (0, 0)
    trace, node = head("digits")
    (spot,) = (spot for spot in drawn(trace, node).spots if spot.node == "head.probabilities")
    assert spot.panel is not None
    assert spot.panel.cell_at(spot.area.x + 1, spot.area.bottom - 1) == (9,)


def test_formulas() -> None:
    assert HeadSteps(*head("digits")).formulas == [
        r"z = c \, W_{\mathrm{head}} + b_{\mathrm{head}}",
        r"p = \mathrm{softmax}\left(z\right)",
        r"\hat{y} = \arg\max_j\, p_{j}",
    ]
    tempered = HeadSteps(*head("sampling", "time.1.head")).formulas[1]
    assert r"\frac{z_{\mathrm{last}}}{0.8}" in tempered


def test_a_batch_of_untrained_answers() -> None:
    parameters, forward = ALL["decoder-only"]
    run = Run(parameters)
    forward(run)
    trace = Trace(run.steps, {}, "")
    node = trace.outline.find("head")
    picture = drawn(trace, node)
    assert len(answers(picture)) == 9
    assert ("head.logits", "head.probabilities") in {(arrow.source, arrow.target) for arrow in arrows(picture)}
