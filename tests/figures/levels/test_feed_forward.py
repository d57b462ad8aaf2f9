"""A feed-forward block on one page: what is drawn and written is what is in the trace."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import txviz
from tests.figures import shipped
from tests.figures.levels.checks import PAGES, all_marks, arrows, check_picture, drawn, heats_of, nodes, words
from tests.nets import architectures
from tests.nets.architectures import writing
from tests.nets.test_architectures import traced
from txviz import Trace, ops
from txviz.figures.colour_scale import Span
from txviz.figures.levels.curve import POINTS
from txviz.figures.levels.feed_forward import FeedForward
from txviz.figures.levels.picture import Picture
from txviz.figures.looks import LOOKS
from txviz.figures.marks import Group, Line
from txviz.figures.numerals import percent
from txviz.figures.presets import SLIDE
from txviz.figures.theme import LIGHT, colours, largest
from txviz.models import find
from txviz.nets.blocks import ACTIVATIONS
from txviz.trace.outline import Node


def block(kind: str, name: str) -> tuple[Trace, Node]:
    trace = shipped.trace(kind)
    return trace, trace.outline.find(name)


def test_the_formula_is_that_of_the_block() -> None:
    _, guide = block("sentence-guide", "encoder.0.ffn")
    sizes = r"d \rightarrow d_{\mathrm{ff}} \rightarrow d:\ "
    whole = r"F = \max(0,\ \bar{C} \, W_1 + b_1) \, W_2 + b_2"
    assert FeedForward(guide).formulas == [whole, sizes + r"3 \rightarrow 4 \rightarrow 3"]
    _, digits = block("digits", "encoder.1.ffn")
    whole = r"F = \mathrm{gelu}\left(y_2 \, W_1 + b_1\right) \, W_2 + b_2"
    assert FeedForward(digits).formulas == [whole, sizes + r"16 \rightarrow 76 \rightarrow 16"]


@pytest.mark.parametrize("kind", shipped.KINDS)
def test_what_is_said_about_the_activation_is_true(kind: str) -> None:
    trace = shipped.trace(kind)
    for node in nodes(trace, "feed-forward")[:2]:
        (bend,) = [step for step in node.steps if step.op in ("relu", "gelu_tanh", "gelu_erf")]
        before = bend.sources[0].value
        low = (bend.value == 0).mean() if bend.op == "relu" else (before < 0).mean()
        said = words(drawn(trace, node))
        assert f"{percent(1 - low)} pass" in said
        assert f"{percent(low)} → {'0' if bend.op == 'relu' else 'almost 0'}" in said
        told = percent(low) if low else "ReLU lets all "
        assert any(told in text and f"{bend.value.size:,} numbers" in text for text in said)
        early = words(drawn(trace, node, current=node.steps[0]))
        assert not any(text.endswith("pass") or "numbers" in text for text in early)


def test_all_matrices_and_what_is_learned_are_there() -> None:
    trace, node = block("vit-guide-2x2", "encoder.0.ffn")
    picture = drawn(trace, node)
    shown = {
        "encoder.0.attention.merged": trace["encoder.0.attention.merged"].value,
        "encoder.0.ffn.hidden.weight": trace.parameters["encoder.0.ffn.hidden.weight"],
        "encoder.0.ffn.output.weight": trace.parameters["encoder.0.ffn.output.weight"],
        **{step.name: step.value for step in node.steps},
    }
    alike = [f"encoder.0.ffn.{leaf}" for leaf in ("product", "hidden", "activation")]
    ends = dict.fromkeys(alike, largest(*(trace[name].value for name in alike)))
    for name, value in shown.items():
        (heat,) = heats_of(picture, name)
        assert heat.colours == colours(LIGHT, value, Span.around_0(ends.get(name, largest(value)))).tobytes(), name
        assert heat.texts, name
        assert np.allclose([float(text.replace("−", "-")) for text in heat.texts], value.ravel(), atol=0.0051)
    wide = {name: heats_of(picture, name)[0].width for name in shown}
    assert wide["encoder.0.ffn.hidden"] > 1.5 * wide["encoder.0.attention.merged"], "wider is seen to be wider"
    assert wide["encoder.0.ffn.hidden"] == wide["encoder.0.ffn.activation"] == wide["encoder.0.ffn.product"]


def lines(picture: Picture, name: str) -> list[Line]:
    curve = next(mark for mark in picture.figure.marks if isinstance(mark, Group) and mark.name == f"curve of {name}")
    return [mark for mark in all_marks(curve.marks) if isinstance(mark, Line)][2:]  # after the axes


def test_the_curve_is_the_operation() -> None:
    trace, node = block("digits", "encoder.0.ffn")
    bend = trace["encoder.0.ffn.activation"]
    drawn_curve = lines(drawn(trace, node), bend.name)
    x = np.linspace(-1, 1, POINTS) * np.abs(bend.sources[0].value).max()
    y = bend.operation.compute(x)
    heights = np.array([line.y1 for line in drawn_curve] + [drawn_curve[-1].y2])
    slope, start = np.polyfit(y, heights, 1)
    assert slope < 0
    assert np.allclose(slope * y + start, heights)


@pytest.mark.parametrize("name", ["silu", "tanh"])
def test_any_activation_is_named_and_drawn(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that does not make what is below 0 almost 0, too: its row in the table of looks says that it is one."""
    monkeypatch.setitem(ACTIVATIONS, name, ops.BY_NAME[name])
    monkeypatch.setitem(LOOKS, name, replace(LOOKS[name], bend=name))
    trace = traced(*writing(block=architectures.block(activation=name)))
    node = trace.outline.find("decoder.0.ffn")
    assert FeedForward(node).formulas[1].endswith(r"8 \rightarrow 12 \rightarrow 8")
    picture = drawn(trace, node)
    assert lines(picture, "decoder.0.ffn.activation")
    low = percent(float((trace["decoder.0.ffn.hidden"].value < 0).mean()))
    ends = f", and {name} makes them almost 0." if name == "silu" else f" before {name}."
    said = words(picture)
    assert any(text.endswith(f"{low} of the 72 numbers are below 0{ends}") for text in said)
    assert (f"{low} → almost 0" if name == "silu" else f"{low} below 0") in said


def test_the_formula_of_a_gate() -> None:
    """What the gate lets through is multiplied as a whole, and the width on the way is that of the gate."""
    trace = traced(*architectures.ALL["llama"])
    whole, sizes = FeedForward(trace.outline.find("decoder.0.ffn")).formulas
    gated = r"\mathrm{silu}\left(y_2 \, W_g\right) \,\odot\, y_2 \, W_1"
    assert whole == rf"F = \left({gated}\right) \, W_2"
    assert sizes.endswith(r"8 \rightarrow 12 \rightarrow 8")


def test_later_steps_are_pale() -> None:
    trace, node = block("translator", "time.2.decoder.0.ffn")
    for now, current in enumerate(node.steps):
        picture = drawn(trace, node, current=current)
        assert [len(heats_of(picture, step.name)) for step in node.steps] == [int(i <= now) for i in range(3)]
        assert any(isinstance(mark, Group) and mark.name == "current" for mark in picture.figure.marks)
        assert heats_of(picture, "decoder.0.ffn.output.weight"), "what is learned is known from the start"


@pytest.mark.parametrize("leaf", ["hidden", "activation", "output"])
def test_a_step_put_in_by_hand(leaf: str) -> None:
    name = f"encoder.0.ffn.{leaf}"
    trace = txviz.trace("digits", find("digits").example, overrides={name: lambda value: value + 1})
    node = trace.outline.find("encoder.0.ffn")
    picture = drawn(trace, node)
    check_picture(picture, trace, node, PAGES[0], name)
    assert name not in {arrow.target for arrow in arrows(picture)}


def test_a_slide_has_the_numbers_of_a_guide() -> None:
    """Its text is larger, but not at the price of the numbers that fit at the size of the page."""
    trace = shipped.trace("vit-guide-2x2")
    node = trace.outline.find("encoder.0.ffn")
    picture = drawn(trace, node, (SLIDE.width, SLIDE.height), style=SLIDE.style)
    for leaf in ("product", "hidden", "activation", "output"):
        assert all(heat.texts for heat in heats_of(picture, f"{node.name}.{leaf}")), leaf
