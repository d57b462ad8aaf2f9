"""An attention block on one page: what is drawn and written is what is in the trace."""

from __future__ import annotations

import numpy as np
import pytest

import txviz
from tests.figures import shipped
from tests.figures.levels.checks import PAGES, arrows, check_picture, drawn, heats_of, nodes, words
from tests.models.checkpoints.reference import path
from txviz import Trace, ops
from txviz.figures.colour_scale import Span
from txviz.figures.formula import typeset
from txviz.figures.levels.attention_steps import AttentionSteps
from txviz.figures.levels.picture import Picture
from txviz.figures.marks import Box, Group, Shape
from txviz.figures.style import Style
from txviz.figures.theme import LIGHT, colours, largest
from txviz.models import find
from txviz.nets import attention as attn
from txviz.nets.parameters import initialise
from txviz.trace import Run
from txviz.trace.outline import Node


def block(kind: str, name: str) -> tuple[Trace, Node]:
    trace = shipped.trace(kind)
    return trace, trace.outline.find(name)


def formula(picture: Picture) -> Shape:
    """The one in the heading."""
    heading = next(mark for mark in picture.figure.marks if isinstance(mark, Group) and mark.name == "heading")
    return next(mark for mark in heading.marks if isinstance(mark, Shape))


FORMULAS = {
    ("sentence-guide", "encoder.0.attention"): (
        r"C = \mathrm{softmax}\left(Q \, K^{\top}\right) \, V",
        r"d_k = d_v = \frac{d_{\mathrm{model}}}{h} = \frac{3}{1} = 3",
    ),
    ("masked-attention-guide", "decoder.0.self_attention"): (
        r"A = \mathrm{softmax}\left(\ln A_{\mathrm{table}} + M\right)",
    ),
    ("translator", "time.2.decoder.0.self_attention"): (
        r"C = \mathrm{softmax}\left(\frac{Q \, K^{\top}}{\sqrt{16}} + M\right) \, V",
        r"O = \mathrm{concat}_{\mathrm{heads}}(C) \, W_O + b_O",
        r"d_k = d_v = \frac{d_{\mathrm{model}}}{h} = \frac{64}{4} = 16",
    ),
    ("a cache", "time.2.decoder.0.self_attention"): (
        r"C = \mathrm{softmax}\left(\frac{Q \, K_{\mathrm{all}}^{\top}}{\sqrt{16}} + M\right) \, V_{\mathrm{all}}",
        r"O = \mathrm{concat}_{\mathrm{heads}}(C) \, W_O + b_O",
        r"d_k = d_v = \frac{d_{\mathrm{model}}}{h} = \frac{64}{4} = 16",
    ),
}


@pytest.mark.parametrize(("where", "expected"), FORMULAS.items())
def test_the_whole_formula_is_that_of_the_block(where: tuple[str, str], expected: tuple[str, ...]) -> None:
    trace, node = block(*where)
    assert AttentionSteps(node).formulas == list(expected)
    assert formula(drawn(trace, node)).outline == typeset(r" \qquad ".join(expected)).outline


@pytest.mark.parametrize("kind", shipped.KINDS)
def test_numbers_and_colours_are_those_of_the_trace(kind: str) -> None:
    trace = shipped.trace(kind)
    for node in nodes(trace, "attention-block")[:3]:
        weights = AttentionSteps(node).weights
        head = weights.value.shape[-3] - 1
        large, *small = heats_of(drawn(trace, node, place=(head,)), weights.name)
        assert large.colours == colours(LIGHT, weights.value[head], Span.around_0(largest(weights.value))).tobytes()
        if large.texts:
            assert np.allclose(list(map(float, large.texts)), weights.value[head].ravel(), atol=0.0051)
        every = [colours(LIGHT, each, Span.around_0(largest(weights.value))).tobytes() for each in weights.value]
        assert [heat.colours for heat in small] == (every if len(every) > 1 else [])


def test_keys_stand_turned_above_the_scores_and_values_above_the_context() -> None:
    trace, node = block("sentence-guide", "encoder.0.attention")
    picture = drawn(trace, node)
    (query,), (key,), (scores,), (value,), (context,) = (
        heats_of(picture, f"{node.name}.{leaf}") for leaf in ("query", "key", "scores", "value", "context")
    )
    assert (key.rows, key.columns) == (3, 5)
    assert [float(text.replace("−", "-")) for text in key.texts] == trace[f"{node.name}.key"].value[
        0
    ].T.ravel().tolist()
    assert (key.x, key.width) == (scores.x, scores.width)
    assert (query.y, query.height) == (scores.y, scores.height)
    assert (value.x, value.width) == (context.x, context.width)
    assert key.y + key.height < scores.y
    assert query.x + query.width < scores.x


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("sentence-guide", "encoder.0.attention"),
        ("masked-attention-guide", "decoder.0.self_attention"),
        ("digits", "encoder.1.attention"),
        ("translator", "time.2.decoder.1.cross_attention"),
        ("a cache", "time.2.decoder.1.self_attention"),
    ],
)
def test_the_current_step_is_lit_and_what_comes_later_is_pale(kind: str, name: str) -> None:
    trace, node = block(kind, name)
    everything = drawn(trace, node)
    for current in node.steps:
        picture = drawn(trace, node, current=current)
        (lit,) = (mark for mark in picture.figure.marks if isinstance(mark, Group) and mark.name == "current")
        spot = picture.spot_of(trace.outline.path_to(current.name))
        assert spot is not None
        boxes = [mark for mark in lit.marks if isinstance(mark, Box)]
        assert {box.stroke for box in boxes} == {LIGHT.highlight}
        assert any(box.x <= spot.area.x and box.x + box.width >= spot.area.right for box in boxes)
        now = trace.steps.index(current)
        for step in trace:
            shown = len(heats_of(everything, step.name))
            assert len(heats_of(picture, step.name)) == (shown if trace.steps.index(step) <= now else 0), step.name


def test_a_spot_tells_the_cell_under_the_pointer() -> None:
    trace, node = block("translator", "time.3.decoder.0.cross_attention")
    picture = drawn(trace, node, place=(2,))
    for leaf, cell in (("weights", (2, 1, 5)), ("key", (2, 5, 7)), ("value", (2, 5, 7)), ("context", (2, 1, 7))):
        name = f"{node.name}.{leaf}"
        panel = next(spot.panel for spot in reversed(picture.spots) if spot.node == name and spot.panel)
        found = panel.grid.find(cell)
        assert found is not None
        x, y, wide, high = panel.box([found])
        spot = picture.spot_at(x + wide / 2, y + high / 2)
        assert spot is not None
        assert spot.node == name
        assert spot.panel is not None
        assert spot.panel.cell_at(x + wide / 2, y + high / 2) == cell


def test_who_asks_whom() -> None:
    crossing = words(drawn(*block("translator", "time.3.decoder.0.cross_attention")))
    assert {"the target asks", "the source answers", "encoder's output", "8×64", "3×64"} <= set(crossing)
    assert any("keys and values from the encoder's output" in text for text in crossing)
    alone = words(drawn(*block("sentence-guide", "encoder.0.attention")))
    assert any("tokens ask each other" in text and "come from embed · sum" in text for text in alone)


def test_new_keys_are_marked_among_those_that_were_kept() -> None:
    trace, node = block("a cache", "time.3.decoder.0.self_attention")
    picture = drawn(trace, node)
    spots = {spot.node: spot.area for spot in picture.spots}
    keys, key = spots[f"{node.name}.keys"], spots[f"{node.name}.key"]
    count = trace[f"{node.name}.keys"].value.shape[-2]
    assert key.width == pytest.approx(keys.width / count)
    assert key.right == pytest.approx(keys.right)
    assert (key.y, key.height) == (keys.y, keys.height)


def test_keys_that_were_computed_at_an_earlier_time_step_are_said_to_be_kept() -> None:
    trace = txviz.trace("translator", "I love you very much", cache=True, max_steps=2)
    node = trace.outline.find("time.2.decoder.0.cross_attention")
    picture = drawn(trace, node)
    check_picture(picture, trace, node, PAGES[0], node.name)
    kept = typeset(r"\mathrm{kept}").outline
    assert sum(isinstance(mark, Shape) and mark.outline == kept for mark in picture.figure.flat()) == 2
    assert ("encoder.norm", "time.1.decoder.0.cross_attention.key") in {
        (arrow.source, arrow.target) for arrow in arrows(picture)
    }


def large(tokens: int = 197, features: int = 768) -> tuple[Trace, Node]:
    """As large as a real image model's: 12 heads, 197 tokens, 768 features."""
    labels = ("[CLS]", *(f"patch {i}" for i in range(tokens - 1)))
    learned = initialise(attn.shapes(features), seed=0)
    run = Run({f"encoder.0.attention.{name}": value for name, value in learned.items()})
    with run.at(part="embed"):
        numbers = np.random.default_rng(0).normal(size=(tokens, features))
        x = run.given("sum", numbers, "token feature", {"token": labels})
    with run.at(part="encoder", layer=0, block="attention"):
        attn.attention(run, x, x, heads=12)
    trace = Trace(run.steps, {}, "")
    return trace, trace.outline.find("encoder.0.attention")


@pytest.mark.parametrize("page", PAGES)
def test_a_large_model_fits(page: tuple[int, int]) -> None:
    trace, node = large()
    picture = drawn(trace, node, page, place=(7,))
    check_picture(picture, trace, node, page, "197 tokens")
    assert len(heats_of(picture, f"{node.name}.weights")) == 13
    assert "head 7" in words(picture) or page[0] < 960


def test_a_step_put_in_by_hand_has_no_arrow_from_what_it_did_not_read() -> None:
    weights = "encoder.0.attention.weights"
    trace = txviz.trace("digits", find("digits").example, overrides={weights: lambda value: np.flip(value, -1)})
    node = trace.outline.find("encoder.0.attention")
    picture = drawn(trace, node)
    check_picture(picture, trace, node, PAGES[0], node.name)
    assert weights not in {arrow.target for arrow in arrows(picture)}
    assert AttentionSteps(node).formulas[0] == r"C = A \, V"


def test_an_operation_that_nobody_expects_is_drawn_all_the_same() -> None:
    run = Run({})
    with run.at(part="encoder", layer=0, block="attention"):
        scores = run.given("scaled", np.eye(3)[None], axes="head query key")
        run(ops.softmax, "weights", scores, axes="head query key")
    trace = Trace(run.steps, {}, "")
    node = trace.outline.find("encoder.0.attention")
    check_picture(drawn(trace, node), trace, node, PAGES[0], node.name)


def test_what_is_not_wanted_is_left_out() -> None:
    trace, node = block("sentence-guide", "encoder.0.attention")
    bare = drawn(trace, node, style=Style(title=False, formula=False, labels=False, numbers=False))
    check_picture(bare, trace, node, PAGES[0], "bare")
    assert not {"encoder 0 · attention", "cat"} & set(words(bare))
    assert not any(heat.texts for step in node.steps for heat in heats_of(bare, step.name))


@pytest.mark.parametrize("page", [(1280, 720), (1920, 1080)])
def test_all_scores_have_numbers_in_a_tight_block(page: tuple[int, int]) -> None:
    """Five matrices side by side: scores are written with one decimal rather than leaving some of them without."""
    trace, node = block("writer", "time.1.decoder.0.self_attention")
    picture = drawn(trace, node, page)
    for leaf in ("scores", "scaled", "masked"):
        heat = heats_of(picture, f"{node.name}.{leaf}")[0]
        head = trace[f"{node.name}.{leaf}"].value[0].ravel()
        shown = [f"{value:.1f}".replace("-", "−").replace("−inf", "−∞") for value in head]
        assert list(heat.texts) == shown, leaf
    assert all("." in text and len(text) == 4 for text in heats_of(picture, f"{node.name}.weights")[0].texts)


def test_scores_keep_their_decimals_where_there_is_room() -> None:
    trace, node = block("sentence-guide", "encoder.0.attention")
    (heat,) = heats_of(drawn(trace, node), f"{node.name}.scores")
    assert heat.texts[:2] == ("0.01", "0.02")


def test_no_matrix_is_wide_for_numbers_that_its_rows_are_too_low_for() -> None:
    trace, node = large(tokens=16, features=96)
    picture = drawn(trace, node)
    found = [heats_of(picture, f"{node.name}.{leaf}")[0] for leaf in ("scores", "weights")]
    assert [heat.texts for heat in found] == [(), ()]
    assert found[0].cell_width == pytest.approx(found[1].cell_width, rel=0.25)


def test_a_shared_scale_is_that_of_all_steps_of_the_block() -> None:
    """Then small numbers are pale, and the bar has the ends of the scale."""
    trace, node = block("sentence-guide", "encoder.0.attention")
    end = largest(*(step.value for step in node.steps))
    picture = drawn(trace, node, style=Style(scale="shared"))
    for leaf in ("query", "weights", "context"):
        heat = heats_of(picture, f"{node.name}.{leaf}")[0]
        value = trace[f"{node.name}.{leaf}"].value.reshape(heat.rows, heat.columns)
        assert heat.colours == colours(LIGHT, value, Span.around_0(end)).tobytes(), leaf
    assert {f"{end:.3g}", f"−{end:.3g}"} <= set(words(picture))
    assert {"−", "+"} <= set(words(drawn(trace, node)))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("llama", "Queries and keys are turned by where they stand."),
        ("qwen3", "Queries and keys are normalised in each head and turned by where they stand."),
        ("gpt2", ""),
    ],
)
def test_what_is_done_to_queries_and_keys_is_said(name: str, said: str) -> None:
    trace = txviz.trace(path(name), "the cat sat", max_steps=1)
    told = " ".join(words(drawn(trace, trace.outline.find("time.1.decoder.0.self_attention"), kind="attention-block")))
    assert said in told
    assert said or "Queries and keys are" not in told
