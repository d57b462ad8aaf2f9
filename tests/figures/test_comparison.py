"""The same step of two traces: every number and colour is the traces', and the difference is theirs."""

from __future__ import annotations

import numpy as np
import pytest

import txviz
from tests.figures import shipped
from tests.figures.views.checks import texts
from txviz import Trace
from txviz.figures import theme
from txviz.figures.comparison import comparison
from txviz.figures.marks import Figure, Group, Heat, Text
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
        figure = comparison(a, b, (), *page, Style(growth=1.5))
        assert (figure.width, figure.height) == page or page[0] < 500, a.name
        for mark in grids(figure):
            assert mark.x >= 0
            assert mark.x + mark.width <= figure.width, a.name
            assert mark.y + mark.height <= figure.height, a.name


def test_the_difference_is_after_less_before_at_the_shown_precision(pair: tuple[Trace, Trace]) -> None:
    before, after = pair
    for a, b in zip(before, after, strict=True):
        heats = grids(comparison(a, b, (), 1400, 900))
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
    heats = grids(comparison(a, b, (0,)))
    end = max(np.abs(a.value).max(), np.abs(b.value).max())
    change = b.value[0] - a.value[0]
    expected = (a.value[0], end), (b.value[0], end), (change, np.abs(change).max())
    for heat, (value, limit) in zip(heats, expected, strict=True):
        assert heat.colours == theme.colours(theme.LIGHT, value, limit).tobytes()


def test_the_title_and_the_labels() -> None:
    a, b = (txviz.trace("sentence-guide", text)["embed.tokens"] for text in ("The cat sat.", "The dog sat."))
    figure = comparison(a, b)
    words = [mark.text for mark in texts(figure)]
    assert "embed · tokens: before and after" in words
    assert {"before", "after", "difference"} <= set(words)
    assert words.count("cat") == 1
    assert words.count("dog") == 2, "another sentence has its own labels"
    assert len(grids(figure)) == 3


def test_one_place_is_compared() -> None:
    digits = shipped.trace("digits")
    for name in ("encoder.0.attention.query", "encoder.0.attention.scores"):
        step = digits[name]
        heat = grids(comparison(step, step, (3,)))[0]
        assert heat.colours == theme.colours(theme.LIGHT, step.value[3], np.abs(step.value).max()).tobytes()


def test_where_both_are_minus_infinity_nothing_has_changed() -> None:
    step = shipped.trace("masked-attention-guide")["decoder.0.self_attention.masked"]
    before, _, difference = grids(comparison(step, step))
    assert len(before.hatched) == 15
    assert not difference.hatched
    assert set(difference.texts) == {"0"}


def test_of_a_long_vocabulary_the_likeliest_of_either_are_shown() -> None:
    translator = shipped.trace("translator")
    a, b = translator["time.1.head.probabilities"], translator["time.3.head.probabilities"]
    words = [mark.text for mark in texts(comparison(a, b))]
    for step in (a, b):
        assert step.labels[-1][int(step.value.argmax())] in words


def test_different_shapes_are_told() -> None:
    a, b = (txviz.trace("sentence-guide", text)["embed.sum"] for text in ("The cat sat.", "The cat."))
    figure = comparison(a, b, (), 600, 300)
    said = " ".join(mark.text for mark in texts(figure))
    assert "from token 5 × feature 3 to token 4 × feature 3" in said
    assert not grids(figure)


@pytest.mark.parametrize(("shift", "ends"), [(0.0, ["0", "0.374"]), (-0.5, ["−0.374", "0", "0.374"])])
def test_the_colours_of_before_and_after_are_those_of_both(shift: float, ends: list[str]) -> None:
    name = "encoder.0.attention.weights"
    after = txviz.trace("sentence-guide", "The cat sat.", overrides={name: lambda weights: weights + shift})
    figure = comparison(shipped.trace("sentence-guide")[name], after[name])
    (bar,) = [mark for mark in figure.marks if isinstance(mark, Group) and mark.name == "colours of before and after"]
    assert [mark.text for mark in bar.marks if isinstance(mark, Text)][1:] == ends


def test_where_nothing_has_changed_the_difference_has_no_colours() -> None:
    step = shipped.trace("sentence-guide")["embed.sum"]
    names = [mark.name for mark in comparison(step, step).marks if isinstance(mark, Group)]
    assert [name for name in names if name.startswith("colours")] == ["colours of before and after"]
