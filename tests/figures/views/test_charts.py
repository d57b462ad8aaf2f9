"""The histogram and the tokens in 2D as marks: where the bars and the dots are."""

from __future__ import annotations

import numpy as np
import pytest

from tests.figures.kinds import all_of
from tests.figures.views.checks import PAGES, check_page, group, texts
from txviz import Trace
from txviz.analysis.streams import find_streams
from txviz.figures.marks import Box, Figure, Line
from txviz.figures.style import Style
from txviz.figures.views.axes import fitted_ticks, ticks
from txviz.figures.views.distribution import distribution
from txviz.figures.views.histogram import histogram
from txviz.figures.views.plane import principal_plane
from txviz.figures.views.tokens import MANY, tokens
from txviz.ops import Array

WEIGHTS = "encoder.1.attention.weights"


def boxes(figure: Figure | None, name: str) -> list[Box]:
    return [mark for mark in group(figure, name) if isinstance(mark, Box)]


def dots(figure: Figure | None) -> Array:  # -> (dots,3): x, y and size
    return np.array([(box.x + box.width / 2, box.y + box.height / 2, box.width) for box in boxes(figure, "tokens")])


@pytest.mark.parametrize("page", PAGES)
def test_every_histogram_fits_its_page(trace: Trace, page: tuple[int, int]) -> None:
    for step in list(trace)[::7]:
        for logarithmic in (False, True):
            cell = tuple(size - 1 for size in step.value.shape)
            figure = distribution(step, (), *page, Style(growth=1.5), logarithmic=logarithmic, cell=cell)
            check_page(figure, page, step.name)


@pytest.mark.parametrize("page", PAGES)
def test_all_tokens_fit_their_page(trace: Trace, page: tuple[int, int]) -> None:
    for stream in find_streams(trace):
        for step in stream:
            figure = tokens(trace, step, *page, Style(growth=1.5))
            check_page(figure, page, step.name)


def test_bars_are_as_high_as_the_counts(digits: Trace) -> None:
    step = digits[WEIGHTS]
    bars = boxes(distribution(step, (2,)), "values")
    counts = np.histogram(step.value, bins=30)[0]
    counts = counts[counts > 0]
    heights = np.array([bar.height for bar in bars])
    assert np.allclose(heights / heights.max(), counts / counts.max())
    assert len({round(bar.y + bar.height, 6) for bar in bars}) == 1


def test_one_head_only(digits: Trace) -> None:
    figure = distribution(digits[WEIGHTS], (2,), here_only=True)
    words = [mark.text for mark in texts(figure)]
    assert "encoder 1 · attention · weights · head 2" in words
    assert any(word.startswith("100 numbers") for word in words)


def test_a_cell_is_marked_at_its_value(digits: Trace) -> None:
    step = digits[WEIGHTS]

    def at(cell: tuple[int, int, int]) -> float:
        (line,) = all_of(Line, group(distribution(step, cell=cell), "cell"))
        return line.x1

    cells = [(0, 0, 0), (1, 4, 5), (2, 6, 5)]
    places, values = [at(cell) for cell in cells], [step.value[cell] for cell in cells]
    slope, start = np.polyfit(values, places, 1)
    assert np.allclose(slope * np.array(values) + start, places)


def test_minus_infinity_is_told_and_has_no_place(masked: Trace) -> None:
    step = masked["decoder.0.self_attention.masked"]
    figure = distribution(step, cell=(0, 0, 5))
    assert figure is not None
    assert not any(getattr(mark, "name", "") == "cell" for mark in figure.marks)
    assert "15 of them −∞" in " ".join(mark.text for mark in texts(figure))


def test_dots_are_where_an_eigen_decomposition_puts_them(digits: Trace) -> None:
    """In the plane of all layers, those that are computed by then."""
    (stream,) = find_streams(digits)
    points = np.concatenate([step.value for step in stream]).astype(float)
    centred = points - points.mean(axis=0)
    directions = np.linalg.eigh(centred.T @ centred)[1][:, [-1, -2]]
    expected = (centred @ directions).reshape(len(stream), 10, 2)
    drawn = dots(tokens(digits, digits["encoder.0.residual_2"]))
    order = [0, 1]
    flat = expected[order].reshape(-1, 2)
    for axis in (0, 1):
        slope, start = np.polyfit(flat[:, axis], drawn[:, axis], 1)
        assert np.abs(slope * flat[:, axis] + start - drawn[:, axis]).max() < 1e-6
    assert drawn[:-10, 2].max() < drawn[-10:, 2].min()


def test_a_token_is_brought_forward(translator: Trace) -> None:
    figure = tokens(translator, translator[WEIGHTS], token=2)
    word = translator[WEIGHTS].labels[-1][2]
    assert word in [mark.text for mark in texts(figure)]
    full = [box for box in boxes(figure, "tokens") if box.fill == Style().theme.stages[2]]
    assert len(full) == 2
    assert [mark.width for mark in group(figure, "paths") if isinstance(mark, Line)][-1:] == [3.0]


def test_a_figure_of_many_tokens_is_not_crowded() -> None:
    from txviz.trace import Run
    from txviz.trace.site import read_name

    run = Run({})
    rng = np.random.default_rng(0)
    for name in ("embed.sum", "encoder.0.residual_2"):
        run.given(read_name(name), rng.normal(size=(MANY + 20, 4)), axes="token feature")
    trace = Trace(run.steps, {}, "")
    figure = tokens(trace, trace[0])
    assert len(dots(figure)) == MANY + 20
    check_page(figure, (900, 520), "many tokens")


@pytest.mark.parametrize("ends", [(0, 1), (-0.3, 1.1), (1e-9, 3e-9), (-1e12, 4e12), (0.5, 5.5), (99.9, 100.1)])
def test_ticks_are_round_and_inside(ends: tuple[float, float]) -> None:
    found = ticks(ends, 6)
    assert 2 <= len(found) <= 8
    assert all(ends[0] - 1e-9 <= value <= ends[1] * (1 + 1e-9) for value, _ in found)
    steps = np.diff([value for value, _ in found])
    assert np.allclose(steps, steps[0])
    assert f"{steps[0]:.0e}"[0] in "125"
    assert len(fitted_ticks(ends, 60, 12)) <= len(fitted_ticks(ends, 600, 12))


def test_no_range_has_no_ticks() -> None:
    assert ticks((1, 1), 5) == []


@pytest.mark.parametrize(
    "values",
    [
        np.array([1e308, -1e308, 0]), np.array([0, 1e-320]), np.array([np.nan, np.inf, -np.inf]),
        np.array([2**63 - 1, 2**63 - 1]), np.array([-(2**63), 2**63 - 1]), np.array([np.nan, 1.0], dtype=np.float32),
    ],
    ids=str,
)  # fmt: skip
def test_numbers_at_the_ends_of_what_there_is_are_counted(values: Array) -> None:
    with np.errstate(all="ignore"):
        counts, edges = histogram(values)
    assert len(edges) == len(counts) + 1
    assert counts.sum() == np.isfinite(values).sum()


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf, 1e308, -1e308])
def test_a_plane_through_points_of_which_one_is_nowhere(odd: float) -> None:
    points = np.arange(12.0).reshape(4, 3) ** 2
    points[1, 1] = odd
    places, shares = principal_plane(points)
    assert np.isfinite(places).all()
    assert 0 <= min(shares) <= max(shares) <= 1
