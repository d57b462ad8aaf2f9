"""The attention plot shows the trace's weights, and asks for the head or the cell that the pointer is on."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tests.gui.conftest import settle
from tests.gui.plots.conftest import Shown, point_at, there
from txviz import Trace
from txviz.figures.colour_scale import Span
from txviz.figures.numerals import percent
from txviz.figures.theme import DARK, LIGHT, Theme, colours, largest
from txviz.figures.views.heads import NOTHING
from txviz.figures.views.lines import MOST_LINES, Lines
from txviz.figures.views.matrix import Matrix
from txviz.figures.views.page import Area
from txviz.figures.views.picture import Picture
from txviz.gui.plots import PlotPanel
from txviz.gui.plots.attention import LINES, MATRIX, PICTURE, Attention
from txviz.gui.plots.head import HeadView, MatrixView
from txviz.ops.arithmetic import number

WEIGHTS = "encoder.1.attention.weights"
CROSS = "time.3.decoder.1.cross_attention.weights"
Drawn = TypeVar("Drawn", Matrix, Lines, Picture)


def drawn(view: HeadView, kind: type[Drawn]) -> Drawn:
    assert isinstance(view.drawing, kind)
    return view.drawing


def middle(view: MatrixView, query: int, key: int) -> QPoint:
    return spot(drawn(view, Matrix).box((query, key)))


def spot(area: Area) -> QPoint:
    return QPointF(*area.centre).toPoint()


def pixel(plot: Attention, point: QPoint) -> tuple[int, int, int]:
    found = QColor(plot.matrix.grab().toImage().pixel(point))
    return found.red(), found.green(), found.blue()


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_large_matrix_has_the_colours_of_the_weights(shown: Shown, digits: Trace, theme: Theme) -> None:
    plot = shown(Attention, digits, WEIGHTS, (2,), theme)
    weights = digits[WEIGHTS].value
    expected = colours(theme, weights[2], Span.around_0(largest(weights)))
    assert np.array_equal(drawn(plot.matrix, Matrix).colours, expected)
    for query, key in [(0, 0), (3, 7), (9, 9)]:
        assert pixel(plot, middle(plot.matrix, query, key)) == tuple(expected[query, key])


def test_queries_and_keys_may_differ(shown: Shown, translator: Trace) -> None:
    plot = shown(Attention, translator, CROSS, (1,))
    assert there(plot.head).queries == ("<SOS>", "ti", "amo")
    assert there(plot.head).keys == translator[CROSS].labels[-1]
    assert there(plot.head).weights.shape == (3, 8)
    assert plot.heading.text() == "time 3 · decoder 1 · cross-attention · head 1"


@pytest.mark.parametrize("leaf", ["query_projection", "query", "key", "scores", "scaled"])
def test_before_the_weights_of_a_block_those_of_the_layer_before_are_shown(
    shown: Shown, digits: Trace, leaf: str
) -> None:
    plot = shown(Attention, digits, f"encoder.1.attention.{leaf}")
    assert np.array_equal(there(plot.head).weights, digits["encoder.0.attention.weights"].value[0])
    assert plot.heading.text() == "encoder 0 · attention · head 0"


@pytest.mark.parametrize("leaf", ["context", "merged", "output"])
def test_after_the_weights_of_a_block_they_are_shown(shown: Shown, digits: Trace, leaf: str) -> None:
    plot = shown(Attention, digits, f"encoder.1.attention.{leaf}")
    assert np.array_equal(there(plot.head).weights, digits[WEIGHTS].value[0])


def test_a_click_on_a_small_head_asks_for_it(shown: Shown, digits: Trace, qtbot: QtBot) -> None:
    plot = shown(Attention, digits, WEIGHTS, (0,))
    with qtbot.waitSignal(plot.place_requested) as asked:
        qtbot.mouseClick(plot.strip, Qt.MouseButton.LeftButton, pos=spot(there(plot.strip.strip).box(3)))
    assert asked.args == [(3,)]
    assert plot.strip.current == 0, "views request; the place changes when it is shown"


def test_where_the_step_has_no_heads_a_click_shows_the_head(shown: Shown, digits: Trace, qtbot: QtBot) -> None:
    plot = shown(Attention, digits, "encoder.1.attention.merged")
    qtbot.mouseClick(plot.strip, Qt.MouseButton.LeftButton, pos=spot(there(plot.strip.strip).box(3)))
    assert np.array_equal(there(plot.head).weights, digits[WEIGHTS].value[3])


def test_one_head_needs_no_choice(shown: Shown, cat: Trace, digits: Trace) -> None:
    assert not shown(Attention, cat, "encoder.0.attention.weights").strip.isVisible()
    assert shown(Attention, digits, WEIGHTS).strip.isVisible()


def test_the_pointer_on_the_matrix_asks_for_its_cell(shown: Shown, digits: Trace, qtbot: QtBot) -> None:
    plot = shown(Attention, digits, WEIGHTS, (2,))
    asked: list[object] = []
    plot.cell_requested.connect(asked.append)
    point_at(qtbot, plot.matrix, middle(plot.matrix, 4, 7))
    assert asked == [(2, 4, 7)]
    assert plot.reading.text() == f"“D” → “G”: {percent(digits[WEIGHTS].value[2, 4, 7])}"
    point_at(qtbot, plot.matrix, middle(plot.matrix, 0, 0))
    assert asked == [(2, 4, 7), None, (2, 0, 0)]


@pytest.mark.parametrize("name", ["encoder.1.attention.context", "encoder.1.attention.scaled"])
def test_a_step_that_has_other_cells_is_not_asked_for_one(shown: Shown, digits: Trace, qtbot: QtBot, name: str) -> None:
    plot = shown(Attention, digits, name, (2,))
    with qtbot.assertNotEmitted(plot.cell_requested):
        point_at(qtbot, plot.matrix, middle(plot.matrix, 4, 7))
    assert plot.reading.text().startswith("“D” → “G”")


def test_a_cell_of_the_stage_is_marked(shown: Shown, digits: Trace) -> None:
    plot = shown(Attention, digits, WEIGHTS, (2,))
    plot.show_cell((2, 0, 5))
    assert plot.matrix.pair == plot.lines.pair == (0, 5)
    assert plot.reading.text().startswith("“[CLS]” → “E”: ")
    plot.show_cell(None)
    assert plot.reading.text() == f"Colours: 0 to {percent(digits[WEIGHTS].value.max())}. Point at a cell."


def test_a_cell_of_the_context_marks_its_row(shown: Shown, digits: Trace) -> None:
    plot = shown(Attention, digits, "encoder.1.attention.context", (2,))
    plot.show_cell((2, 6, 1))
    assert plot.matrix.pair == (6, None)
    best = digits[WEIGHTS].value[2, 6].argmax()
    assert plot.reading.text().startswith(f"“F” looks most at “{digits[WEIGHTS].labels[-1][best]}”")


def test_lines_are_drawn_where_there_is_weight(shown: Shown, masked: Trace) -> None:
    plot = shown(Attention, masked, "decoder.0.self_attention.weights")
    plot.show_mode(LINES)
    assert plot.lines.isVisible()
    assert set(drawn(plot.lines, Lines).lines()) == {(q, k) for q in range(6) for k in range(q + 1)}


def test_lines_left_of_the_middle_are_queries_right_of_it_keys(shown: Shown, masked: Trace) -> None:
    plot = shown(Attention, masked, "decoder.0.self_attention.weights")
    plot.show_mode(LINES)
    weights, drawing = there(plot.head).weights, drawn(plot.lines, Lines)
    top = drawing.heights(6)
    assert drawing.pair_at(5, top[2]) == (2, int(weights[2].argmax()))
    assert drawing.pair_at(plot.lines.width() - 5, top[3]) == (int(weights[:, 3].argmax()), 3)


def test_the_image_mode_is_for_images(shown: Shown, digits: Trace, cat: Trace) -> None:
    plot = shown(Attention, digits, WEIGHTS)
    plot.show_mode(PICTURE)
    assert plot.picture.isVisible()
    assert plot.buttons.button(PICTURE).isVisible()
    plot = shown(Attention, cat, "encoder.0.attention.weights")
    assert plot.matrix.isVisible()
    assert not plot.buttons.button(PICTURE).isVisible()
    assert plot.buttons.checkedId() == MATRIX


def test_heat_on_the_image_is_the_weight_of_each_patch(shown: Shown, digits: Trace, qtbot: QtBot) -> None:
    plot = shown(Attention, digits, WEIGHTS, (2,))
    plot.show_mode(PICTURE)
    assert there(plot.head).queries[plot.picture.query] == "[CLS]"
    weights = digits[WEIGHTS].value[2]
    heat = np.array([drawn(plot.picture, Picture).opacity(key) for key in range(10)])
    assert np.allclose(heat / heat.max(), weights[0] / weights[0].max())
    qtbot.mouseClick(plot.picture, Qt.MouseButton.LeftButton, pos=spot(drawn(plot.picture, Picture).box(5)))
    assert there(plot.head).queries[plot.picture.query] == "E"
    heat = np.array([drawn(plot.picture, Picture).opacity(key) for key in range(10)])
    assert np.allclose(heat / heat.max(), weights[5] / weights[5].max())


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_on_the_image_the_scores_that_are_open_are_shown(shown: Shown, digits: Trace, theme: Theme) -> None:
    plot = shown(Attention, digits, WEIGHTS, (2,), theme)
    plot.show_mode(PICTURE)
    scaled = digits["encoder.1.attention.scaled"]
    plot = shown(Attention, digits, scaled.name, (2,), theme)
    assert plot.heading.text() == "encoder 1 · attention · scaled · head 2"
    assert np.array_equal(there(plot.head).weights, scaled.value[2])
    image, row = plot.picture.grab().toImage(), scaled.value[2, 0]
    for key in range(1, 10):
        place = drawn(plot.picture, Picture).box(key)
        under = QColor(image.pixel(QPointF(place.right - 5, place.bottom - 5).toPoint()))
        bluish = under.blue() - under.red()
        if abs(row[key]) > np.abs(row).max() / 4:
            assert (bluish > 0) == (row[key] < 0), digits[WEIGHTS].labels[-1][key]


def test_before_the_first_weights_the_image_alone_has_something(shown: Shown, digits: Trace, qtbot: QtBot) -> None:
    plot = shown(Attention, digits, "encoder.0.attention.scores", (1,))
    assert plot.picture.isVisible()
    assert [plot.buttons.button(mode).isEnabled() for mode in (MATRIX, LINES, PICTURE)] == [False, False, True]
    scores = digits["encoder.0.attention.scores"].value[1]
    asked: list[object] = []
    plot.cell_requested.connect(asked.append)
    point_at(qtbot, plot.picture, spot(drawn(plot.picture, Picture).box(5)))
    assert asked[-1] == (1, 0, 5)
    assert plot.reading.text() == f"“[CLS]” → “E”: {number(float(scores[0, 5]), 3)}"
    plot = shown(Attention, digits, "encoder.0.attention.weights", (1,))
    assert plot.matrix.isVisible(), "as it was chosen"
    assert plot.buttons.button(MATRIX).isEnabled()


def test_another_mode_shows_the_weights_again(shown: Shown, digits: Trace, qtbot: QtBot) -> None:
    plot = shown(Attention, digits, "encoder.1.attention.scores", (1,))
    qtbot.mouseClick(plot.buttons.button(PICTURE), Qt.MouseButton.LeftButton)
    assert plot.heading.text() == "encoder 1 · attention · scores · head 1"
    assert plot.reading.text().startswith("“[CLS]” scores highest with ")
    qtbot.mouseClick(plot.buttons.button(LINES), Qt.MouseButton.LeftButton)
    assert plot.heading.text() == "encoder 0 · attention · head 1"
    assert np.array_equal(there(plot.head).weights, digits["encoder.0.attention.weights"].value[1])


def test_patches_lie_where_they_were_cut(shown: Shown, digits: Trace) -> None:
    plot = shown(Attention, digits, WEIGHTS)
    plot.show_mode(PICTURE)
    picture, labels = drawn(plot.picture, Picture), digits[WEIGHTS].labels[-1]
    first, second, fourth = (picture.box(labels.index(label)) for label in "ABD")
    assert second.x == pytest.approx(first.right)
    assert second.y == first.y
    assert fourth.x == first.x
    assert fourth.y == pytest.approx(first.bottom)


def test_in_little_room_the_large_head_has_all_of_it(
    shown: Shown, digits: Trace, panel: PlotPanel, qtbot: QtBot
) -> None:
    plot = shown(Attention, digits, WEIGHTS, (2,))
    panel.resize(300, 250)
    assert not plot.strip.isVisible()
    qtbot.waitUntil(lambda: drawn(plot.matrix, Matrix).grid.height >= 60)
    panel.resize(300, 400)
    assert plot.strip.isVisible()


def test_a_large_model(shown: Shown, large: Trace) -> None:
    plot = shown(Attention, large, "encoder.0.attention.weights", (7,))
    assert drawn(plot.matrix, Matrix).colours.shape == (197, 197, 3)
    plot.show_mode(LINES)
    assert len(list(drawn(plot.lines, Lines).lines())) == MOST_LINES
    assert there(plot.strip.strip).head_at(*there(plot.strip.strip).box(11).centre) == 11


class Painted(QObject):
    """Counts how often a widget is painted."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.times = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.times += event.type() == QEvent.Type.Paint
        return super().eventFilter(watched, event)


def test_what_stays_the_same_is_not_painted_again(shown: Shown, digits: Trace) -> None:
    plot = shown(Attention, digits, WEIGHTS, (2,))
    settle()
    painted = [Painted(plot.matrix), Painted(plot.strip)]
    for leaf in ("output", "context"):
        shown(Attention, digits, WEIGHTS.replace("weights", leaf), (2,))
        settle()
        assert [each.times for each in painted] == [0, 0]
    shown(Attention, digits, WEIGHTS.replace("weights", "context"), (1,))
    settle()
    assert all(each.times for each in painted)


def test_a_cell_is_told_again_at_another_step_though_the_pointer_stays(
    shown: Shown, digits: Trace, qtbot: QtBot
) -> None:
    plot = shown(Attention, digits, WEIGHTS, (2,))
    told: list[object] = []
    plot.matrix.pointed.connect(told.append)
    point_at(qtbot, plot.matrix, middle(plot.matrix, 3, 7))
    shown(Attention, digits, WEIGHTS.replace("weights", "context"), (2,))
    assert plot.matrix.pair == NOTHING
    qtbot.mouseMove(plot.matrix, middle(plot.matrix, 3, 7) + QPoint(1, 0))
    settle()
    assert told[-2:] == [(3, 7), (3, 7)]
