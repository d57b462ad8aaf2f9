"""The same step of two traces: every number and colour is the traces', and the difference is theirs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import txviz
from tests.figures import shipped
from tests.figures.views.checks import texts
from tests.models.checkpoints.reference import path
from txviz import Trace
from txviz.figures import theme
from txviz.figures.colour_scale import Span
from txviz.figures.comparison import compared_stage, comparison, rectangles
from txviz.figures.followed import token_at
from txviz.figures.marks import Box, Figure, Group, Heat, Text
from txviz.figures.pair import Pair, Sides, remarks
from txviz.figures.style import Style
from txviz.models import find
from txviz.ops import Array

EVEN = {"encoder.0.attention.weights": lambda weights: np.full_like(weights, 1 / weights.shape[-1])}


@pytest.fixture(scope="module", params=["sentence-guide", "digits", "translator"])
def pair(request: pytest.FixtureRequest) -> tuple[Trace, Trace]:
    model = request.param
    return shipped.trace(model), txviz.trace(model, find(model).example, overrides=EVEN)


def grids(figure: Figure) -> list[Heat]:
    """Before, after and the difference, without thumbnails and colour bars."""
    groups = [mark for mark in figure.marks if isinstance(mark, Group) and not mark.name.startswith("colours")]
    found = [[mark for mark in group.marks if isinstance(mark, Heat)] for group in groups]
    return [heats[0] for heats in found if heats]


def numbers(heat: Heat) -> Array:
    return np.array([float(text.replace("−", "-")) for text in heat.texts])


@pytest.mark.parametrize("page", [(900, 600), (380, 640)])
def test_every_step_fits_its_page(pair: tuple[Trace, Trace], page: tuple[int, int]) -> None:
    before, after = pair
    for a, b in zip(before, after, strict=True):
        figure = comparison(a, b, (), *page, Style(growth=1.5)).figure
        assert (figure.width, figure.height) == page or page[0] < 500, a.name
        for mark in grids(figure):
            assert mark.x >= 0
            assert mark.x + mark.width <= figure.width, a.name
            assert mark.y + mark.height <= figure.height, a.name


def test_the_difference_is_after_less_before_at_the_shown_precision(pair: tuple[Trace, Trace]) -> None:
    before, after = pair
    for a, b in zip(before, after, strict=True):
        heats = grids(comparison(a, b, (), 1400, 900).figure)
        assert len(heats) == 3
        if a.value.ndim != 2 or a.value.dtype.kind != "f" or not np.isfinite(a.value).all() or not heats[2].texts:
            continue
        for heat, value in zip(heats, (a.value, b.value, b.value - a.value), strict=True):
            if heat.texts and "e" not in "".join(heat.texts) and heat.rows * heat.columns == value.size:
                unit = 10.0 ** -len(heat.texts[0].partition(".")[2])
                assert np.abs(numbers(heat) - value.ravel()).max() <= 0.5001 * unit, a.name


def test_before_and_after_share_a_scale_and_the_difference_has_its_own() -> None:
    a = shipped.trace("sentence-guide")["encoder.0.attention.context"]
    b = txviz.trace("sentence-guide", "The cat sat.", overrides=EVEN)["encoder.0.attention.context"]
    heats = grids(comparison(a, b, (0,)).figure)
    end = max(np.abs(a.value).max(), np.abs(b.value).max())
    change = b.value[0] - a.value[0]
    expected = (a.value[0], end), (b.value[0], end), (change, np.abs(change).max())
    for heat, (value, limit) in zip(heats, expected, strict=True):
        assert heat.colours == theme.colours(theme.LIGHT, value, Span.around_0(limit)).tobytes()


def test_the_title_and_the_labels() -> None:
    a, b = (txviz.trace("sentence-guide", text)["embed.tokens"] for text in ("The cat sat.", "The dog sat."))
    figure = comparison(a, b).figure
    words = [mark.text for mark in texts(figure)]
    assert "A and B · Token embeddings: what each token means by itself" in words
    assert "embed · tokens" in words
    assert {"A", "B", "B − A"} <= set(words)
    assert words.count("cat") == 1
    assert words.count("dog") == 2, "another sentence has its own labels"
    assert len(grids(figure)) == 3


def test_one_place_is_compared() -> None:
    digits = shipped.trace("digits")
    for name in ("encoder.0.attention.query", "encoder.0.attention.scores"):
        step = digits[name]
        heat = grids(comparison(step, step, (3,)).figure)[0]
        assert (
            heat.colours == theme.colours(theme.LIGHT, step.value[3], Span.around_0(np.abs(step.value).max())).tobytes()
        )


def test_where_both_are_minus_infinity_nothing_has_changed() -> None:
    step = shipped.trace("masked-attention-guide")["decoder.0.self_attention.masked"]
    before, _, difference = grids(comparison(step, step).figure)
    assert len(before.hatched) == 15
    assert not difference.hatched
    assert set(difference.texts) == {"0"}


def test_of_a_long_vocabulary_the_likeliest_of_either_are_shown() -> None:
    translator = shipped.trace("translator")
    b = translator["time.3.head.probabilities"]
    a = replace(translator["time.1.head.probabilities"], name=b.name)
    words = [mark.text for mark in texts(comparison(a, b).figure)]
    for step in (a, b):
        assert step.labels[-1][int(step.value.argmax())] in words


def test_different_shapes_are_told() -> None:
    a, b = (txviz.trace("sentence-guide", text)["embed.sum"] for text in ("The cat sat.", "The cat."))
    figure = comparison(a, b, (), 600, 300).figure
    said = " ".join(mark.text for mark in texts(figure))
    assert "A has token 5 × feature 3, B has token 4 × feature 3: other sizes" in said
    heats = grids(figure)
    assert [heat.rows for heat in heats] == [5, 4]
    end = max(np.abs(a.value).max(), np.abs(b.value).max())
    for heat, step in zip(heats, (a, b), strict=True):
        assert heat.colours == theme.colours(theme.LIGHT, step.value, Span.around_0(end)).tobytes()


@pytest.mark.parametrize(("shift", "ends"), [(0.0, ["0", "0.374"]), (-0.5, ["−0.374", "0", "0.374"])])
def test_the_colours_of_before_and_after_are_those_of_both(shift: float, ends: list[str]) -> None:
    name = "encoder.0.attention.weights"
    after = txviz.trace("sentence-guide", "The cat sat.", overrides={name: lambda weights: weights + shift})
    figure = comparison(shipped.trace("sentence-guide")[name], after[name]).figure
    (bar,) = [mark for mark in figure.marks if isinstance(mark, Group) and mark.name == "colours of A and B"]
    assert [mark.text for mark in bar.marks if isinstance(mark, Text)][1:] == ends


def test_where_nothing_has_changed_the_difference_has_no_colours() -> None:
    step = shipped.trace("sentence-guide")["embed.sum"]
    names = [mark.name for mark in comparison(step, step).figure.marks if isinstance(mark, Group)]
    assert [name for name in names if name.startswith("colours")] == ["colours of A and B"]


def outlined(figure: Figure) -> list[Box]:
    """The dark lines around cells."""
    (group,) = [mark for mark in figure.marks if isinstance(mark, Group) and mark.name == "cells that differ"]
    return [mark for mark in group.marks if isinstance(mark, Box) and mark.stroke == theme.LIGHT.text]


def inside(boxes: list[Box], heat: Heat) -> set[tuple[int, int]]:
    """The cells of a grid, by row and column, whose middle is in one of the boxes."""
    cells = np.ndindex(heat.rows, heat.columns)
    middles = {(i, j): (heat.x + (j + 0.5) * heat.cell_width, heat.y + (i + 0.5) * heat.cell_height) for i, j in cells}
    return {
        cell
        for cell, (x, y) in middles.items()
        for box in boxes
        if box.x < x < box.x + box.width and box.y < y < box.y + box.height
    }


def test_exactly_the_cells_that_diff_finds_are_outlined() -> None:
    a, b = (txviz.trace("sentence-guide", text) for text in ("The cat sat.", "The dog sat."))
    changes = {change.name: change for change in a.diff(b)}
    compared = 0
    for step in b:
        figure = compared_stage(Pair(a, b), step, (), 1200, 700).figure
        found = changes.get(step.name)
        if found is None:
            assert not [mark for mark in figure.marks if isinstance(mark, Group) and mark.name == "cells that differ"]
            continue
        expected = {((0, 0, *cell)[-2], (0, 0, *cell)[-1]) for cell in found.cells}
        for heat in grids(figure):
            upright = heat.columns == 1 and step.value.ndim == 1
            wanted = {(j, i) for i, j in expected} if upright else expected
            assert inside(outlined(figure), heat) == wanted, step.name
            compared += 1
    assert compared > 40


def test_a_cell_of_the_same_number_has_the_same_colour_in_both() -> None:
    a, b = (txviz.trace("sentence-guide", text) for text in ("The cat sat.", "The dog sat."))
    for step in b:
        if step.value.dtype.kind != "f":
            continue
        first, second, _ = grids(compared_stage(Pair(a, b), step, (), 1200, 700).figure)
        same = (a[step.name].value == step.value).reshape(-1)
        colours = [np.frombuffer(heat.colours, np.uint8).reshape(-1, 3) for heat in (first, second)]
        assert (colours[0][same] == colours[1][same]).all(), step.name


@pytest.mark.parametrize("sides", ["a", "b"])
def test_one_of_both_by_itself_has_the_colours_that_both_share(sides: Sides) -> None:
    a, b = (txviz.trace("sentence-guide", text) for text in ("The cat sat.", "The dog sat."))
    name, pair = "encoder.0.attention.weights", Pair(a, b)
    shown = compared_stage(pair, b[name], (), 1200, 700, sides=sides)
    run = a if sides == "a" else b
    assert shown.step is run[name]
    end = max(float(each[name].value.max()) for each in (a, b))
    heat = grids(shown.figure)[-1]
    assert heat.colours == theme.colours(theme.LIGHT, run[name].value[0], Span.around_0(end)).tobytes()
    (change,) = [change for change in a.diff(b) if change.name == name]
    assert inside(outlined(shown.figure), heat) == {cell[1:] for cell in change.cells}


def test_the_nearest_step_is_shown_and_said() -> None:
    a, b = txviz.trace("sentence-guide", "The cat sat."), shipped.trace("vit-guide-2x2")
    figure = compared_stage(Pair(a, b), b["head.logits"]).figure
    said = " ".join(mark.text for mark in texts(figure))
    assert "A has no step head.logits; the nearest one there is" in said
    assert "B − A" not in said.replace("A: ", "")
    assert len(grids(figure)) == 2


def test_without_positions_the_rows_are_the_same_in_another_order() -> None:
    said, edits = ("The cat sat on the dog", "The dog sat on the cat"), ["embed.positions=0"]
    a, b = (txviz.trace("sentence-guide", text, edits=edits) for text in said)
    assert remarks(a["embed.sum"], b["embed.sum"]) == ["B has the same 7 rows as A, in another order."]
    assert remarks(a["encoder.0.norm_2"], b["encoder.0.norm_2"]) == ["B has the same 7 rows as A, in another order."]
    assert remarks(a["pool.mean"], b["pool.mean"]) == ["A and B are the same here but for rounding."]
    told = [txviz.trace("sentence-guide", text) for text in said]
    assert remarks(told[0]["encoder.0.norm_2"], told[1]["encoder.0.norm_2"]) == []


@pytest.mark.parametrize("seed", range(4))
def test_without_positions_permuted_words_are_permuted_rows(seed: int) -> None:
    words = ["the", "cat", "sat", "on", "a", "dog"]
    order = np.random.default_rng(seed).permutation(len(words))
    texts_of_both = " ".join(words), " ".join(words[i] for i in order)
    a, b = (txviz.trace("sentence", text, edits=["embed.positions=0"]) for text in texts_of_both)
    for name in ("embed.sum", "encoder.0.residual_2", "encoder.norm"):
        assert b[name].value == pytest.approx(a[name].value[order], abs=1e-9)
        assert remarks(a[name], b[name]) == ["B has the same 6 rows as A, in another order."]


@pytest.mark.parametrize("seed", range(5))
def test_rectangles_cover_what_is_chosen_and_nothing_else(seed: int) -> None:
    chosen = np.random.default_rng(seed).random((9, 7)) < 0.5
    covered = np.zeros(chosen.shape, int)
    for top, left, bottom, right in rectangles(chosen):
        covered[top : bottom + 1, left : right + 1] += 1
    assert (covered == chosen).all()


def test_what_two_runs_are_is_told_without_what_they_share() -> None:
    a = txviz.trace("sentence-guide", "The cat sat.")
    assert Pair(a, txviz.trace("sentence-guide", "A dog.")).told == ("“The cat sat.”", "“A dog.”")
    assert Pair(a, txviz.trace("sentence-guide", "The cat sat.", pooling="cls")).told == ("pooling mean", "pooling cls")
    changed = txviz.trace("sentence-guide", "The cat sat.", edits=["embed.positions=0"])
    assert Pair(a, changed).told == ("as it was", "edited: embed.positions=0")


@pytest.mark.parametrize("model", ["vit-guide-2x2", "digits"])
def test_a_run_that_was_computed_again_is_laid_out_as_the_run_itself(model: str) -> None:
    run, again = (txviz.trace(model, find(model).example) for _ in range(2))
    for step in run:
        itself = compared_stage(Pair(run, run), step, width=540, height=500).figure
        assert compared_stage(Pair(run, again), again[step.name], width=540, height=500).figure == itself, step.name


def test_the_row_of_a_token_is_framed_where_there_is_one_beside_another_model() -> None:
    """What is shown of A has other axes at many steps."""
    pair = Pair(txviz.trace("sentence-guide", "The cat sat."), txviz.trace(path("gpt2"), "The cat sat on the"))
    token = token_at(pair.b["time.1.embed.sum"], (2, 0))
    assert token is not None
    framed = [compared_stage(pair, step).rows_of(token) for step in pair.b if step.site.time == 1]
    assert any(framed)
    assert not all(framed)
