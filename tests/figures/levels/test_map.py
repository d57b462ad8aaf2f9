"""The map as marks: each arrow has a read behind it, each box stands for steps, and nothing lies on anything else."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import pytest

import txviz
from tests.figures.shipped import KINDS, trace, vit_with_cls
from tests.figures.views.checks import extent, texts
from tests.models.checkpoints.reference import path
from tests.nets.architectures import ALL, TOKENS, block, given_tokens, lively, translation, writing
from tests.nets.test_architectures import traced
from txviz import Trace
from txviz.figures.levels import map as model_map
from txviz.figures.levels.picture import NodeScene, Picture, Spot
from txviz.figures.marks import Arrow, Box, Figure, Group, Mark, Shape, Text
from txviz.figures.numerals import percent
from txviz.figures.scene import Scene
from txviz.figures.style import MARGIN, Style
from txviz.figures.theme import DARK, LIGHT
from txviz.figures.views import VIEWS
from txviz.figures.views.page import Area
from txviz.nets import sentence_encoder
from txviz.trace import Step
from txviz.trace.outline import Node

PAGES = ((1280, 720), (960, 600), (1920, 1080))


def drawn(trace: Trace, name: str = "", at: str | None = None, **how: Any) -> Picture:
    page = {"width": 1280, "height": 720, "style": Style(), **how}
    return model_map.draw(NodeScene(trace, trace.outline.find(name), (), trace[at] if at else None, **page))


@cache
def deep(layers: int, norm: str, kind: str = "sentence") -> Trace:
    """A net with so many layers, and numbers that nobody learned."""
    if kind == "sentence":
        config = sentence_encoder.SentenceEncoder(block(norm=norm), layers, vocabulary=9, longest=10)
        parameters = lively(sentence_encoder.shapes(config))
        return traced(
            parameters,
            lambda run: sentence_encoder.forward(run, config, given_tokens(run, "tokens", TOKENS)),
        )
    if kind == "writer":
        return traced(*writing(block=block(norm=norm), layers=layers))
    return traced(*translation(block=block(norm=norm), encoder_layers=layers, decoder_layers=layers))


def arrows(figure: Figure) -> list[Arrow]:
    return [mark for mark in figure.marks if isinstance(mark, Arrow)]


def boxes(picture: Picture) -> list[Spot]:
    """What stands for a node or a step, frames included; not what is drawn inside a box, nor the signs that fold."""
    whole = [spot for spot in picture.spots if not spot.fold]
    inner = [
        spot
        for spot in whole
        if spot.panel is not None and any(_inside(spot.area, o.area) for o in whole if o is not spot)
    ]
    return [spot for spot in whole if spot not in inner]


def _inside(a: Area, b: Area) -> bool:
    return b.x <= a.x + 0.01 and b.y <= a.y + 0.01 and a.right <= b.right + 0.01 and a.bottom <= b.bottom + 0.01


def reads(trace: Trace, target: str, source: str) -> bool:
    """Whether a step of one node reads a step of the other."""
    made = {step.name for step in trace.outline.find(source).steps}
    return any(made & set(step.inputs) for step in trace.outline.find(target).steps)


def check(picture: Picture, trace: Trace, page: tuple[float, float]) -> None:
    figure = picture.figure
    assert (figure.width, figure.height) == page
    for mark in figure.flat():
        if isinstance(mark, Shape):
            continue
        left, top, right, bottom = extent(mark)
        assert left >= -0.5, mark
        assert top >= -0.5, mark
        assert right <= page[0] + 0.5, mark
        assert bottom <= page[1] + 0.5, mark
    check_texts(figure)
    check_spots(picture, trace)
    check_arrows(picture, trace)


def check_texts(figure: Figure) -> None:
    written = [(extent(mark), mark.text) for mark in texts(figure) if mark.text.strip()]
    for i, (here, text) in enumerate(written):
        for there, other in written[:i]:
            assert not here.meets(there), f"“{text}” lies on “{other}”"


def check_spots(picture: Picture, trace: Trace) -> None:
    """Each stands for a node, and two are one inside the other or apart."""
    found = boxes(picture)
    for spot in found:
        assert trace.outline.find(spot.node).steps
        assert spot.hint
    for i, a in enumerate(found):
        for b in found[:i]:
            apart = a.area.x >= b.area.right or b.area.x >= a.area.right or a.area.y >= b.area.bottom
            apart = apart or b.area.y >= a.area.bottom
            assert apart or _inside(a.area, b.area) or _inside(b.area, a.area), f"{a.node} lies on {b.node}"


def check_arrows(picture: Picture, trace: Trace) -> None:
    """Each is a read, and none runs through a box."""
    closed = [spot for spot in boxes(picture) if not _is_frame(spot, picture)]
    for arrow in arrows(picture.figure):
        if arrow.source and arrow.target and arrow.source != arrow.target:
            assert reads(trace, arrow.target, arrow.source), f"{arrow.target} does not read {arrow.source}"
        for (x1, y1), (x2, y2) in pairwise(arrow.points):
            for spot in closed:
                assert not _crosses(spot.area, x1, y1, x2, y2), (
                    f"{arrow.source} → {arrow.target} runs through {spot.node}"
                )


def _is_frame(spot: Spot, picture: Picture) -> bool:
    return spot.node in picture.unfolded


def _crosses(area: Area, x1: float, y1: float, x2: float, y2: float) -> bool:
    """Whether a level or upright line runs through the inside of an area."""
    inner = area.grown(-0.6)
    return min(x1, x2) < inner.right and max(x1, x2) > inner.x and min(y1, y2) < inner.bottom and max(y1, y2) > inner.y


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("kind", KINDS)
def test_shipped_runs(kind: str, page: tuple[int, int]) -> None:
    run = trace(kind)
    check(drawn(run, width=page[0], height=page[1]), run, page)


@pytest.mark.parametrize("kind", KINDS)
def test_every_part_of_a_shipped_run(kind: str) -> None:
    """Each node above the steps has a map of its own, with all its steps in it."""
    run = trace(kind)
    for node in run.outline:
        if node.children and node.first.site.time in (None, 1) and node.first.site.pass_ == "forward":
            picture = drawn(run, node.name, style=Style(theme=DARK))
            check_texts(picture.figure)
            check_spots(picture, run)
            check_arrows(picture, run)


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("layers", [1, 2, 3, 5, 8, 12])
@pytest.mark.parametrize("kind", ["sentence", "writer", "translator"])
def test_any_number_of_layers(kind: str, layers: int, norm: str) -> None:
    run = deep(layers, norm, kind)
    check(drawn(run), run, PAGES[0])
    check(drawn(run, at=run[len(run) // 2].name), run, PAGES[0])


@pytest.mark.parametrize("name", ALL)
def test_every_architecture(name: str) -> None:
    run = traced(*ALL[name])
    check(drawn(run), run, PAGES[0])


def test_all_steps_are_on_the_map() -> None:
    """Each step of a forward pass is in a box, or in a frame around boxes."""
    for run in (trace("digits"), trace("sentence"), vit_with_cls(), deep(12, "post")):
        shown = {spot.node for spot in drawn(run).spots}
        for step in run:
            assert shown & {node.name for node in run.outline.path_to(step.name)[1:]}, step.name


@pytest.mark.parametrize(
    "unfolded", ["encoder.0.attention", "encoder.1.ffn", "time.1.decoder.0.cross_attention", "embed"]
)
def test_a_box_unfolds_in_place(unfolded: str) -> None:
    """Then all its steps are there, each to be gone to."""
    run = trace("translator")
    layers = {node.name for node in run.outline.path_to(unfolded) if node.level == "layer"}
    picture = drawn(run, at="tokens", unfolded=frozenset({unfolded, *layers}))
    shown = {spot.node for spot in picture.spots}
    assert shown >= {step.name for step in run.outline.find(unfolded).steps}
    assert unfolded in picture.unfolded
    check_texts(picture.figure)
    check_spots(picture, run)
    check_arrows(picture, run)


def test_pre_and_post_norm_look_different() -> None:
    """Before a block, below it on the way up from the stream; after the addition, on the stream."""

    def norm_and_stream(norm: str) -> tuple[Area, Area]:
        picture = drawn(deep(1, norm))
        by_name = {spot.node: spot.area for spot in picture.spots}
        return by_name["encoder.0.norm_1"], by_name["encoder.0.residual_1"]

    pre, added = norm_and_stream("pre")
    assert pre.bottom < added.y
    assert pre.right < added.right
    post, added = norm_and_stream("post")
    assert abs(post.centre[1] - added.centre[1]) < 1
    assert post.x > added.right


def test_cross_attention_reads_the_encoder() -> None:
    """An arrow drops from the encoder's output into every cross-attention, and into nothing else."""
    run = trace("translator")
    last = run.outline.children[-1].children[-1].name
    found = {arrow.target for arrow in arrows(drawn(run).figure) if arrow.source == "encoder.norm" and arrow.target}
    assert found == {f"{last}.decoder.0.cross_attention", f"{last}.decoder.1.cross_attention"}


def group(figure: Figure, name: str) -> tuple[Mark, ...]:
    return next(mark.marks for mark in figure.marks if isinstance(mark, Group) and mark.name == name)


def frame(picture: Picture, name: str) -> Box:
    return next(mark for mark in group(picture.figure, name) if isinstance(mark, Box))


def test_the_light_moves_with_the_step() -> None:
    """What has been passed is tinted, the box of the step stands out, and what comes later is pale."""
    run = trace("digits")
    at = [drawn(run, at=name) for name in ("encoder.0.attention.scores", "encoder.0.ffn.hidden")]
    attention = [frame(picture, "encoder.0.attention") for picture in at]
    feed_forward = [frame(picture, "encoder.0.ffn") for picture in at]
    assert attention[0].stroke_width > attention[1].stroke_width
    assert attention[0].fill != attention[1].fill
    assert feed_forward[1].stroke_width > feed_forward[0].stroke_width
    lit = [{arrow.target for arrow in arrows(p.figure) if arrow.colour == LIGHT.highlight} for p in at]
    assert lit == [{"encoder.0.attention"}, {"encoder.0.ffn"}]


def test_an_answer_is_not_told_before_it_is_there() -> None:
    run = trace("digits")
    early, late = (texts(drawn(run, at=name).figure) for name in ("image", "head.prediction"))
    assert not any("%" in mark.text for mark in early)
    assert any("%" in mark.text for mark in late)


def test_a_training_step_goes_back() -> None:
    """From the loss to the embedding: arrows to the left, how long each gradient is, and the loss before and after."""
    run = trace("a training step of digits")
    picture = drawn(run)
    back = [arrow for arrow in arrows(picture.figure) if arrow.points[0][0] > arrow.points[-1][0] and not arrow.target]
    assert len(back) >= 4
    shown = {spot.node for spot in picture.spots}
    assert {"backward.loss", "backward.encoder.0.attention", "backward.embed", "update", "after"} <= shown
    gradient: Step = run["backward.encoder.0.attention.output"]
    length = float((gradient.value**2).sum() ** 0.5)
    assert f"∇ {length:.2g}" in [mark.text for mark in texts(picture.figure)]
    said = next(mark.text for mark in texts(picture.figure) if mark.text.startswith("loss "))
    before, _, after = said.removeprefix("loss ").partition(" → ")
    assert float(before) == pytest.approx(float(run["loss.mean"].value), rel=0.01)
    assert float(after) == pytest.approx(float(run["after.loss"].value), rel=0.01)
    assert float(after) < float(before)


def test_the_time_steps_are_there() -> None:
    run = trace("translator")
    said = [mark.text for mark in texts(drawn(run, at="time.2.choice.token").figure)]
    assert [text for text in said if text.startswith("t") and " → " in text] == [
        f"t{node.first.site.time} → {run[f'{node.name}.choice.token'].chosen}" for node in _times(run)
    ]
    assert "time.2.decoder.embed" in {spot.node for spot in drawn(run, at="time.2.choice.token").spots}


@pytest.mark.parametrize(("steps", "width"), [(14, 640), (14, 420), (38, 420), (38, 640), (38, 1280)])
def test_time_steps_that_have_no_room_are_told_apart(steps: int, width: int) -> None:
    """Of 20 tokens, ten were called “t1…”."""
    run = txviz.trace(path("gpt2"), "The", max_steps=steps)
    for shown in (1, steps // 2, steps):
        picture = drawn(run, at=f"time.{shown}.choice.token", width=width)
        chips = [spot for spot in picture.spots if spot.node in {node.name for node in _times(run)}]
        said = [_text_in(picture, spot) for spot in chips]
        numbers = [int(text.partition(" ")[0].removeprefix("t")) for text in said]
        assert numbers == [run.outline.find(spot.node).first.site.time for spot in chips]
        assert {1, shown, steps} <= set(numbers)
        assert all(text.partition(" → ")[2] != "…" for text in said)


def _text_in(picture: Picture, spot: Spot) -> str:
    (found,) = (mark.text for mark in texts(picture.figure) if _is_inside(mark, spot.area))
    return found


def _is_inside(mark: Text, area: Area) -> bool:
    left, top, right, bottom = extent(mark)
    return left >= area.x - 0.1 and right <= area.right + 0.1 and top >= area.y and bottom <= area.bottom


def _times(run: Trace) -> list[Node]:
    return [node for node in run.outline if node.level == "time"]


def test_parameters_are_counted_once() -> None:
    """Per box, and for the whole: a table that is read twice is learned once."""
    run = trace("translator")
    said = [mark.text for mark in texts(drawn(run).figure)]
    total = sum(parameter.value.size for parameter in run.learned.values())
    assert any(text.endswith(f"{total / 1e3:.0f} k parameters") for text in said)


def test_the_title_is_the_models_own() -> None:
    """Not the name that scripts use; of a part, where it is, in words."""
    run = trace("translator")
    assert texts(drawn(run, at="tokens").figure)[0].text.startswith(
        "Translator: English to Italian and French · time step 1 · "
    )
    assert texts(drawn(run, "encoder.0.ffn").figure)[0].text.startswith("encoder · layer 0 · feed-forward · ")
    step = trace("a training step of digits")
    assert texts(drawn(step, "backward").figure)[0].text.startswith("Digits: draw one and have it read · backward · ")
    alone = txviz.figure(step.outline.find("backward")).marks  # a node knows the run that it is a part of
    assert texts(alone)[0].text.startswith("Digits: draw one and have it read · backward · ")


def test_a_long_title_ends_within_the_page() -> None:
    """A bold one is wider than another of the same words."""
    style = Style(title="A rather long title that somebody wrote, much longer than any page of this kind is wide. " * 2)
    figure = drawn(trace("sentence-guide"), style=style).figure
    title = texts(figure)[0]
    assert title.text.endswith("…")
    assert extent(title).right <= figure.width - MARGIN


def test_a_level_with_one_step_looks_like_the_step() -> None:
    run = trace("digits")
    (step,) = run.outline.find("pool").steps
    picture = drawn(run, "pool")
    page = Scene(run, step, (), None, 1280, 720, Style())
    assert picture.figure == VIEWS["stage"].draw(page)
    assert [spot.node for spot in picture.spots] == [step.name]


@pytest.mark.parametrize(
    ("kind", "at"), [("translator", "time.1.decoder.tokens"), ("a training step of digits", "image")]
)
def test_on_a_small_page_too_much_is_unfolded(kind: str, at: str) -> None:
    """Then it is pushed down and lies on nothing: time steps and what comes after the loss stand below."""
    run = trace(kind)
    layers = frozenset(node.name for node in run.outline if node.level == "layer")
    picture = drawn(run, at=at, width=700, height=300, unfolded=layers)
    assert picture.figure.height > 300
    check_texts(picture.figure)
    check_spots(picture, run)
    check_arrows(picture, run)


@pytest.mark.parametrize("kind", ["a training step of digits", "a training step of the translator"])
def test_the_way_back_fits_a_page(kind: str) -> None:
    """A layer of it is one box; what is in it has a map of its own."""
    run = trace(kind)
    for node in run.outline.find("backward"):
        if node.level == "part" and node.height > 1:
            check(drawn(run, node.name), run, PAGES[0])


def test_layers_stand_apart() -> None:
    picture = drawn(trace("digits"))
    first, second = (next(s.area for s in picture.spots if s.node == f"encoder.{i}") for i in (0, 1))
    assert second.x - first.right > 4


def test_a_line_past_the_stream_has_its_room() -> None:
    """The padded tokens, which pooling reads again: below the title, and called what they are."""
    run = traced(*ALL["sentence encoder, padded"])
    title, *others = texts(drawn(run).figure)
    (label,) = (mark for mark in others if mark.text == "tokens, 6")
    assert extent(label).top > extent(title).bottom


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("pad", [0, 10])
@pytest.mark.parametrize("name", ["minilm", "bert-masked"])
def test_an_attention_mask_stands_before_what_is_made_of_it(name: str, pad: int, page: tuple[int, int]) -> None:
    """A mean that leaves out padding reads it, too: that line begins at it, and not at the mask beside it."""
    run = txviz.trace(path(name), "Running", pad=pad)
    picture = drawn(run, width=page[0], height=page[1])
    check(picture, run, page)
    areas = {spot.node: spot.area for spot in boxes(picture)}
    if pad:
        given, mask = areas["attention_mask"], areas["mask"]
        in_line = given.centre[1] == mask.centre[1]
        assert in_line == (name == "bert-masked")
        assert given.right < mask.x if in_line else mask.bottom < given.y


def test_the_answer_of_a_masked_word_stands_in_the_head() -> None:
    trace = txviz.trace(path("bert-masked"), "the cat [MASK] on the mat")
    likely = trace["head.probabilities"]
    row = likely.value[likely.labels[0].index("[MASK]")]
    first = likely.labels[-1][int(row.argmax())]
    said = [text.text for text in texts(drawn(trace).figure)]
    assert first in said
    assert percent(float(row.max())) in said
