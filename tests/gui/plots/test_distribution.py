"""The histogram counts every finite number once, and its words are right."""

from __future__ import annotations

from fractions import Fraction
from statistics import mean, pstdev

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.gui.plots.conftest import Shown
from txviz import Trace
from txviz.figures.views.histogram import histogram, mean_and_spread, summary
from txviz.gui.plots.distribution import Distribution
from txviz.ops import Array

CASES = [
    np.random.default_rng(0).normal(size=(3, 50)),
    np.array(2.5),
    np.full(7, -3.0),
    np.zeros((2, 2)),
    np.arange(9),
    np.array([10**12, 0, 5]),
    np.array([-np.inf, 1.0, 2.0, np.inf, np.nan]),
    np.array([-np.inf, -np.inf]),
    np.zeros((0, 3)),
    np.array([1.0, 1.0 + 1e-15]),
    np.array([1e-300, 2e-300]),
    np.array([-1e308, 1e308]) / 2,
    np.array([1e-310, 0.0, 2e-310]),
]


@pytest.mark.parametrize("values", CASES)
def test_every_finite_number_is_counted_once(values: Array) -> None:
    counted = histogram(values)
    assert counted.counts.sum() == np.isfinite(values).sum()
    assert len(counted.edges) == len(counted.counts) + 1
    assert (np.diff(counted.edges) > 0).all()


def test_counts_against_numpy() -> None:
    values = np.random.default_rng(1).normal(size=1000)
    counted = histogram(values)
    assert np.array_equal(counted.counts, np.histogram(values, bins=counted.edges)[0])


def test_integers_have_a_bin_each() -> None:
    assert histogram(np.array([3, 5, 5, 6])).counts.tolist() == [1, 0, 2, 1]


def test_the_words() -> None:
    assert summary(np.array([-np.inf, 0.0, 2.0, 4.0])) == (
        "4 numbers · min 0 · max 4 · mean 2 · standard deviation 1.633 · 1 zero · 1 of them −∞"
    )
    assert summary(np.array(3)) == "1 number · min 3 · max 3 · mean 3 · standard deviation 0 · no zeros"
    assert summary(np.zeros(0)) == "0 numbers"


DOUBLE = st.lists(st.floats(-1e308, 1e308), min_size=1, max_size=9).map(np.array)
SINGLE = st.lists(st.floats(-(2.0**127), 2.0**127, width=32), min_size=1, max_size=9).map(
    lambda numbers: np.array(numbers, dtype=np.float32)
)


@given(DOUBLE | SINGLE)
@example(np.array([1e300, 0.0, 1.0]))
@example(np.array([1e-200, 3e-200]))
def test_mean_and_spread_of_numbers_of_any_size(values: Array) -> None:
    """Also where a square or a sum of them is ∞ or 0. The oracle computes with fractions."""
    exact = [Fraction(value) for value in values.tolist()]
    rounding = 8 * float(np.finfo(values.dtype).eps) * float(max(map(abs, exact)))
    told = float(mean(exact)), float(pstdev(exact))
    assert mean_and_spread(values) == pytest.approx(told, rel=0, abs=max(rounding, 1e-323))


def test_the_bars_are_the_counts(shown: Shown, digits: Trace, qtbot: QtBot) -> None:
    plot = shown(Distribution, digits, "encoder.1.attention.weights", (2,))
    assert plot.bars.opts["height"].sum() == 400
    qtbot.mouseClick(plot.here_only, Qt.MouseButton.LeftButton)
    assert plot.here_only.text() == "Head 2"
    assert plot.bars.opts["height"].sum() == 100
    assert plot.words.text().startswith("100 numbers")
    qtbot.mouseClick(plot.logarithmic, Qt.MouseButton.LeftButton)
    assert np.allclose((10 ** plot.bars.opts["height"] - 1).sum(), 100)


def test_switches_of_a_plot_that_has_let_go_of_its_run_wait_for_the_next(
    shown: Shown, digits: Trace, qtbot: QtBot
) -> None:
    """Where it is behind others, and still has the keys of its window."""
    plot = shown(Distribution, digits, "encoder.1.attention.weights", (2,))
    plot.forget()
    qtbot.mouseClick(plot.logarithmic, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(plot.here_only, Qt.MouseButton.LeftButton)
    assert plot.words.text() == "0 numbers"
    plot = shown(Distribution, digits, "encoder.1.attention.weights", (2,))
    assert np.allclose((10 ** plot.bars.opts["height"] - 1).sum(), 100)


def test_one_place_only_where_there_are_some(shown: Shown, digits: Trace, cat: Trace) -> None:
    assert shown(Distribution, digits, "encoder.1.attention.query").here_only.isVisible()
    assert not shown(Distribution, digits, "head.logits").here_only.isVisible()
    assert not shown(Distribution, cat, "encoder.0.attention.weights").here_only.isVisible()


def test_the_cell_is_marked(shown: Shown, masked: Trace) -> None:
    plot = shown(Distribution, masked, "decoder.0.self_attention.masked")
    assert not plot.marker.isVisible()
    plot.show_cell((0, 2, 1))
    value = masked["decoder.0.self_attention.masked"].value[0, 2, 1]
    assert plot.marker.isVisible()
    assert plot.marker.value() == value
    plot.show_cell((0, 1, 5))
    assert not plot.marker.isVisible()
    assert plot.reading.text() == "This cell: −∞"
    plot.show_cell(None)
    assert plot.reading.text() == ""
