"""Two runs at every level: the same colours, what differs is outlined, nothing overlaps, and all is told."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

import txviz
from tests.figures import shipped
from tests.figures.levels import checks
from tests.figures.levels.checks import PAGES, unlike
from txviz import Trace
from txviz.figures import theme
from txviz.figures.colour_scale import Span
from txviz.figures.levels import LEVELS, kinds
from txviz.figures.levels.difference import units
from txviz.figures.levels.pair import draw_pair, pair_page
from txviz.figures.levels.picture import NodeScene, Picture
from txviz.figures.levels.stage_table import table
from txviz.figures.marks import Box, Group, Heat, Text
from txviz.figures.pair import Pair, Sides
from txviz.figures.style import Style
from txviz.figures.theme import DARK, LIGHT, Theme
from txviz.models import find
from txviz.trace import Step
from txviz.trace.outline import Node
from txviz.trace.winner import winner
from txviz.training.translator import BEAM_EXAMPLE

MODELS = txviz.models()


OTHERS = {
    "sentence-guide": "The dog sat on",
    "masked-attention-guide": "YOUR CAT IS A",
    "vit-guide-2x2": "; ".join(["1 0 0.5 0 1 0.2"] * 6),
    "vit-guide-3x2": "; ".join(["1 0 0.5 0 1 0.2"] * 6),
}
"""Inputs for those that have one example only."""

SHORT: dict[str, dict[str, Any]] = {"translator": {"max_steps": 2}, "writer": {"max_steps": 2}}


@cache
def pair(model: str) -> Pair:
    """The model's first example beside another input of it."""
    first, *others = find(model).examples
    options = SHORT.get(model, {})
    second = OTHERS.get(model) or others[0]
    return Pair(txviz.trace(model, first, **options), txviz.trace(model, second, **options))


@cache
def cat_and_dog() -> Pair:
    return Pair(txviz.trace("sentence-guide", "The cat sat."), txviz.trace("sentence-guide", "The dog sat."))


def draw(
    both: Pair,
    name: str = "",
    kind: str = "",
    sides: Sides = "all",
    page: tuple[float, float] = PAGES[0],
    colours: Theme = LIGHT,
    current: Step | None = None,
) -> Picture:
    node = both.b.outline.find(name)
    kind = kind or kinds(node)[0]
    width, height = pair_page(*page, kind, sides)
    scene = NodeScene(both.b, node, (), current, width, height, Style(theme=colours))
    return draw_pair(scene, both, kind, sides)


def check(picture: Picture, both: Pair, what: str) -> None:
    """As for one picture; an outline may lie on the edge of what it is around."""
    checks._check_inside(picture.figure, what)
    checks._check_apart(picture.figure, what)
    checks._check_arrows(picture.figure, what)
    checks._check_spots(picture, both.b, (), what)


def levels(trace: Trace) -> list[Node]:
    return unlike(node for node in trace.outline if node.children and len(node.steps) > 1)


@pytest.mark.parametrize("model", MODELS)
def test_all_pictures_of_all_levels_beside_another_input(model: str) -> None:
    both, drawn = pair(model), 0
    for node in levels(both.b):
        for kind in kinds(node):
            picture = draw(both, node.name, kind)
            check(picture, both, f"{model}: {node.name} as {kind}")
            drawn += 1
        check(draw(both, node.name, sides="difference"), both, f"{model}: B − A of {node.name}")
    assert drawn


@pytest.mark.parametrize(("page", "colours"), [*product(((960, 600), (640, 400), (1920, 1080)), (LIGHT, DARK))])
def test_other_pages_and_themes(page: tuple[float, float], colours: Theme) -> None:
    both = pair("digits")
    for name in ("", "encoder.0", "encoder.0.attention", "head"):
        for sides in ("all", "a", "b", "difference"):
            picture = draw(both, name, sides=sides, page=page, colours=colours)
            check(picture, both, f"{name} {sides} {page}")
            assert picture.figure.background == colours.panel


def side(picture: Picture, name: str) -> list[Heat]:
    """The matrices of A or of B, in their order."""
    groups = (mark for mark in picture.figure.marks if isinstance(mark, Group) and mark.name.startswith(f"{name}: "))
    return [mark for mark in checks.all_marks(groups) if isinstance(mark, Heat)]


def test_both_have_the_same_layout_and_colours() -> None:
    both = cat_and_dog()
    picture = draw(both, "encoder.0.attention")
    a, b = side(picture, "A"), side(picture, "B")
    assert [(heat.rows, heat.columns) for heat in a] == [(heat.rows, heat.columns) for heat in b]
    apart = {(round(second.x - first.x, 6), round(second.y - first.y, 6)) for first, second in zip(a, b, strict=True)}
    assert len(apart) == 1, "the one is the other, moved"
    name = "encoder.0.attention.weights"
    end = max(float(run[name].value.max()) for run in (both.a, both.b))
    for run, found in ((both.a, a), (both.b, b)):
        wanted = theme.colours(LIGHT, run[name].value[0], Span.around_0(end)).tobytes()
        assert wanted in [heat.colours for heat in found]


def outlined(picture: Picture, name: str) -> list[Box]:
    groups = (m for m in picture.figure.marks if isinstance(m, Group) and m.name == f"{name}: what differs")
    return [mark for mark in checks.all_marks(groups) if isinstance(mark, Box)]


def test_what_differs_is_outlined_and_nothing_else() -> None:
    a = txviz.trace("digits", find("digits").example)
    b = txviz.trace("digits", find("digits").example, edits=["encoder.1.attention.weights[0]=0"])
    both = Pair(a, b)
    changed = {change.name for change in a.diff(b)}
    picture = draw(both, "encoder.1.attention")
    assert outlined(picture, "A"), "there is something to see"
    for name in "AB":
        boxes = outlined(picture, name)
        for spot in picture.spots:
            at = spot.area
            is_outlined = any(box.x <= at.x and box.x + box.width >= at.right and box.y <= at.y for box in boxes
                              if abs(box.x - at.x) < 3 and abs(box.y - at.y) < 3)  # fmt: skip
            assert not is_outlined or spot.node in changed, spot.node
    steps = {spot.node for spot in picture.spots if b.get(spot.node) is not None and spot.panel is not None}
    assert len(outlined(picture, "B")) == len(outlined(picture, "A"))
    assert len(outlined(picture, "B")) >= len(steps & changed) > 0


def test_the_bars_say_by_how_much_each_part_differs() -> None:
    both = cat_and_dog()
    picture = draw(both, "encoder.0.attention", page=(1920, 1080))
    words = checks.texts_of(picture, "where it differs")
    node = both.b.outline.find("encoder.0.attention")
    for unit in units(node):
        assert both.node_change(unit).text in words
    a, b = both.a["encoder.0.attention.scores"].value, both.b["encoder.0.attention.scores"].value
    largest = np.abs([a, b]).max()
    assert both.change(both.b["encoder.0.attention.scores"]).size == np.abs(b - a).max() / largest


def test_a_spot_says_how_much_it_differs_and_leads_into_b() -> None:
    both = cat_and_dog()
    picture = draw(both)
    (embed, *_) = [spot for spot in picture.spots if spot.node == "embed"]
    assert embed.hint.endswith("· B − A: 44 %")


def test_where_a_has_no_such_level_the_nearest_is_said() -> None:
    beam = txviz.trace("translator", find("translator").example, strategy="beam", max_steps=2)
    both = Pair(shipped.trace("translator"), beam)
    lost = next(f"time.2.beam.{i}" for i in range(4) if i != winner(beam.about)[1].beam)
    words = checks.words(draw(both, lost))
    assert any(word.startswith(f"A has nothing called {lost}; the nearest there is") for word in words)
    words = checks.words(draw(both, "time", "decoding", current=beam[f"{lost}.decoder.tokens"]))
    assert any(word.startswith(f"A has no step {lost}.decoder.tokens; it is shown at") for word in words)


def greedy_and_beam() -> Pair:
    return Pair(txviz.trace("translator", BEAM_EXAMPLE), txviz.trace("translator", BEAM_EXAMPLE, strategy="beam"))


def test_the_winner_of_a_beam_stands_beside_the_greedy_sentence() -> None:
    """Where the tokens so far are the same, all numbers are; the other hypotheses are in B alone."""
    pair = greedy_and_beam()
    for turn in winner(pair.b.about):
        path = f"time.{turn.time}.beam.{turn.beam}.decoder"
        for leaf in ("tokens", "0.residual_1", "norm"):
            twin = pair.twin(pair.b[f"{path}.{leaf}"])
            assert twin is pair.a[f"time.{turn.time}.decoder.{leaf}"]
        read = pair.b[f"{path}.tokens"].value.tolist()
        change = pair.node_change(pair.b.outline.find(path))
        assert change.differs == (read != pair.a[f"time.{turn.time}.decoder.tokens"].value.tolist())
        assert pair.node_of_a(pair.b.outline.find(path), None).name == f"time.{turn.time}.decoder"
        others = [f"time.{turn.time}.beam.{i}.decoder.norm" for i in range(4) if i != turn.beam]
        assert all(pair.twin(step) is None for step in map(pair.b.get, others) if step is not None)
    back = Pair(pair.b, pair.a)
    turn = winner(pair.b.about)[2]
    assert back.of_a(back.b["time.3.decoder.norm"]).name == f"time.3.beam.{turn.beam}.decoder.norm"
    assert back.node_of_a(back.b.outline.find("time.3.decoder"), None).name == f"time.3.beam.{turn.beam}.decoder"


def test_the_boards_of_greedy_and_beam_say_where_the_sentences_part() -> None:
    pair = greedy_and_beam()
    picture = draw(pair, "time", "decoding", current=pair.b.steps[-1])
    told = checks.texts_of(picture, "where it differs")
    assert [text for text in told if text.startswith("time")] == [f"time {i}" for i in range(1, 8)]
    assert [text for text in told if text == "the same"] == ["the same"] * 2, "il, and what follows it"
    assert outlined(picture, "A")
    assert len(outlined(picture, "A")) == len(outlined(picture, "B"))
    turn = winner(pair.b.about)[2]
    words = " ".join(checks.words(draw(pair, f"time.3.beam.{turn.beam}")))
    assert f"Beam {turn.beam} of B, from which its winner comes, stands beside the only sentence of the other." in words


def test_the_difference_of_each_part_is_that_of_the_runs() -> None:
    both = cat_and_dog()
    picture = draw(both, "encoder.0.attention", sides="difference")
    name = "encoder.0.attention.scores"
    change = both.b[name].value[0] - both.a[name].value[0]
    (heat,) = checks.heats_of(picture, f"B − A of {name}")
    assert heat.colours == theme.colours(LIGHT, change, Span.around_0(np.abs(change).max())).tobytes()
    assert len(checks.heats_of(picture, f"B − A of {name}")) == 1


def test_a_sentence_beside_an_image_is_a_table_with_the_numbers_of_both() -> None:
    both = Pair(txviz.trace("sentence-guide", "The cat sat."), shipped.trace("vit-guide-2x2"))
    assert both.has_table
    assert not cat_and_dog().has_table
    picture = draw(both, sides="table")
    check(picture, both, "the table")
    said = " ".join(mark.text for mark in picture.figure.flat() if isinstance(mark, Text))
    pieces = "9 patches of 4 pixels each and [CLS]"
    for told in (pieces, "5 tokens: [CLS] The cat sat .", "the same 16 steps", "bird, 59 %"):
        assert told in said, told
    rows = {row.name: row for row in table(both)}
    assert rows["Attention"].same
    assert rows["Feed-forward"].same
    assert not rows["Embedding"].same
    assert rows["Attention"].cells[1].said == "1 head, 10×10 weights: each patch looks at each patch"


def test_a_block_that_is_not_the_same_is_not_said_to_be() -> None:
    both = Pair(txviz.trace("sentence-guide", "The cat sat."), shipped.trace("digits"))
    assert not any(row.same for row in table(both))
    said = " ".join(checks.words(draw(both, sides="table")))
    assert "the same 16 steps" not in said


def test_every_kind_of_level_has_a_picture_of_two() -> None:
    """No kind is forgotten above: what no shipped run has is drawn here."""
    seen = {kind for model in MODELS for node in pair(model).b.outline if node.children for kind in kinds(node)}
    assert set(LEVELS) - seen <= {"training", "beams"}


@pytest.mark.parametrize(
    ("options", "kind"), [({"strategy": "beam", "max_steps": 3}, "beams"), ({"target": "ti amo"}, "training")]
)
def test_beams_and_training(options: dict[str, Any], kind: str) -> None:
    runs = [txviz.trace("translator", text, **options) for text in ("I love you", "The house is big")]
    both = Pair(runs[0], runs[1])
    name = "time" if kind == "beams" else ""
    check(draw(both, name, kind), both, kind)


def test_the_boxes_of_a_map_say_how_much_they_differ() -> None:
    both = cat_and_dog()
    picture = draw(both)
    told = [mark for mark in checks.words(picture) if mark.startswith("Δ ")]
    embed = both.node_change(both.b.outline.find("embed"))
    assert told.count(f"Δ {embed.text}") >= 2, "in A and in B"
    assert not [word for word in checks.words(picture) if word.endswith("param.")]
