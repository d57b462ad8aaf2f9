"""The softmax plot shows the operation's own parts, at any temperature, for the row that is looked at."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from pytestqt.qtbot import QtBot

import txviz
from tests.gui.conftest import settle
from tests.gui.plots.conftest import Shown, point_at, there
from txviz import Trace, ops
from txviz.figures.style import Style
from txviz.figures.theme import LIGHT
from txviz.gui.plots import PlotPanel
from txviz.gui.plots.softmax import Softmax
from txviz.ops import Array

WEIGHTS = "encoder.1.attention.weights"


def column(plot: Softmax, number: int) -> Array:
    return plot.bars.table.columns[number].values


def widths(plot: Softmax, number: int) -> Array:
    return np.array([plot.bars.bars.bar(row, number).width for row in range(len(plot.bars.table.labels))])


def test_the_columns_are_the_parts_of_the_operation(shown: Shown, digits: Trace) -> None:
    plot = shown(Softmax, digits, WEIGHTS, (2,))
    scores = digits["encoder.1.attention.scaled"].value[2, -1]
    parts = ops.softmax.parts(scores)
    expected = [scores, parts["shifted"], parts["exponentials"], parts["probabilities"]]
    for i, values in enumerate(expected):
        assert np.array_equal(column(plot, i), values)
    assert np.array_equal(column(plot, 3), digits[WEIGHTS].value[2, -1])
    assert plot.bars.table.labels == digits[WEIGHTS].labels[-1]


def test_bars_are_as_long_as_their_numbers(shown: Shown, digits: Trace) -> None:
    plot = shown(Softmax, digits, WEIGHTS, (2,))
    full = plot.bars.bars.cell(0, 3).width
    assert np.allclose(widths(plot, 3) / full, digits[WEIGHTS].value[2, -1])
    shifted = ops.softmax.parts(digits["encoder.1.attention.scaled"].value[2, -1])["shifted"]
    assert np.allclose(widths(plot, 1) / widths(plot, 1).max(), shifted / shifted.min())


def test_the_temperature_divides_the_scores(shown: Shown, digits: Trace, qtbot: QtBot) -> None:
    plot = shown(Softmax, digits, "head.probabilities")
    plot.temperature.slider.setValue(30)
    temperature = plot.temperature.temperature
    assert temperature == pytest.approx(2, abs=0.01)
    assert plot.temperature.shown.text() == "T = 2.00"
    powers = np.exp(digits["head.logits"].value / temperature)
    assert np.allclose(column(plot, 3), powers / powers.sum(), rtol=1e-12)
    assert np.array_equal(there(plot.bars.table.columns[3].ticks), digits["head.probabilities"].value)
    assert plot.bars.table.columns[0].head == "x÷T"
    qtbot.mouseClick(plot.temperature.reset, Qt.MouseButton.LeftButton)
    assert np.array_equal(column(plot, 3), digits["head.probabilities"].value)
    assert not plot.temperature.reset.isEnabled()


def test_the_temperature_stays_with_the_model_and_starts_anew_with_another(
    shown: Shown, translator: Trace, masked: Trace
) -> None:
    plot = shown(Softmax, translator, "time.2.head.probabilities")
    plot.temperature.slider.setValue(30)
    shown(Softmax, translator, "time.3.head.probabilities")
    assert plot.temperature.shown.text() == "T = 2.00"
    shown(Softmax, txviz.trace("translator", "The cat is big"), "time.2.head.probabilities")
    assert plot.temperature.shown.text() == "T = 2.00"
    weights = masked["decoder.0.self_attention.weights"]
    shown(Softmax, masked, weights.name)
    assert plot.temperature.shown.text() == "T = 1.00"
    assert np.array_equal(column(plot, 3), weights.value[0, -1])


def test_the_slider_goes_from_a_tenth_to_five(shown: Shown, digits: Trace) -> None:
    slider = shown(Softmax, digits, "head.probabilities").temperature
    slider.slider.setValue(slider.slider.minimum())
    assert slider.temperature == pytest.approx(0.1)
    slider.slider.setValue(slider.slider.maximum())
    assert slider.temperature == 5


def test_the_row_follows_the_cell(shown: Shown, digits: Trace) -> None:
    plot = shown(Softmax, digits, WEIGHTS, (2,))
    assert plot.rows.currentText() == "I"
    plot.show_cell((2, 0, 4))
    assert plot.rows.currentText() == "[CLS]"
    assert np.array_equal(column(plot, 3), digits[WEIGHTS].value[2, 0])
    assert plot.bars.table.labels[there(plot.bars.marked)] == "D"
    plot.show_cell(None)
    assert plot.bars.marked is None


def test_the_row_follows_the_token_of_another_step(shown: Shown, digits: Trace) -> None:
    plot = shown(Softmax, digits, "encoder.1.attention.context", (2,))
    plot.show_cell((2, 4, 1))
    assert plot.rows.currentText() == "D"
    assert plot.bars.marked is None


def test_a_row_can_be_chosen(shown: Shown, digits: Trace, qtbot: QtBot) -> None:
    plot = shown(Softmax, digits, WEIGHTS, (2,))
    qtbot.keyClick(plot.rows, Qt.Key.Key_Home)
    assert np.array_equal(column(plot, 3), digits[WEIGHTS].value[2, 0])


def test_the_pointer_on_a_bar_asks_for_its_cell(shown: Shown, digits: Trace, qtbot: QtBot) -> None:
    plot = shown(Softmax, digits, WEIGHTS, (2,))
    asked: list[object] = []
    plot.cell_requested.connect(asked.append)
    point_at(qtbot, plot.bars, QPointF(*plot.bars.bars.cell(3, 1).centre).toPoint())
    assert asked == [(2, 9, 3)]


def test_of_many_words_the_most_probable_are_shown(shown: Shown, translator: Trace) -> None:
    plot = shown(Softmax, translator, "time.3.head.probabilities")
    p = translator["time.3.head.probabilities"].value
    table = plot.bars.table
    assert np.array_equal(column(plot, 3), np.sort(p)[::-1][:12])
    assert (table.labels[0], table.left_out) == ("molto", 1173)
    assert float(table.columns[3].rest) == pytest.approx(1 - np.sort(p)[-12:].sum(), abs=5e-4)
    assert not plot.rows.isVisible()


def test_in_little_room_fewer_rows_are_shown(shown: Shown, translator: Trace, panel: PlotPanel, qtbot: QtBot) -> None:
    plot = shown(Softmax, translator, "time.3.head.probabilities")
    panel.resize(300, 250)
    qtbot.waitUntil(lambda: len(plot.bars.table.labels) < 12)
    assert plot.bars.table.left_out == 1185 - len(plot.bars.table.labels)


def test_masked_scores_are_minus_infinity(shown: Shown, masked: Trace) -> None:
    plot = shown(Softmax, masked, "decoder.0.self_attention.weights")
    plot.show_cell((0, 1, 0))
    assert np.isneginf(column(plot, 0)[2:]).all()
    assert (column(plot, 2)[2:] == 0).all()
    assert (widths(plot, 0)[2:] == 0).all()
    assert np.isfinite(widths(plot, 0)).all()
    assert LIGHT is plot.bars.theme


def test_a_row_for_which_there_is_no_room_any_more_is_none(shown: Shown, translator: Trace, qtbot: QtBot) -> None:
    """A note of one more line makes the table lower before it is filled anew."""
    plot = shown(Softmax, translator, "time.2.head.probabilities")
    rows = len(plot.bars.table.labels)
    plot.bars.setMaximumHeight(120)
    settle()
    assert len(plot.row.order) < rows
    pointed: list[int] = []
    plot.bars.pointed.connect(pointed.append)
    for y in range(0, plot.bars.height(), 5):
        point_at(qtbot, plot.bars, QPoint(20, y))
        assert plot.figure(400, 300, Style()) is not None
    assert len(plot.row.order) in pointed
