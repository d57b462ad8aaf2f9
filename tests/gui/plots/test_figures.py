"""What a plot shows now, as a figure for a file: the same marks as on the screen, on a page of their own."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.figures.views.checks import PAGES, check_page, texts
from tests.gui.plots.conftest import Shown
from txviz import Trace
from txviz.figures.marks import Heat
from txviz.figures.style import Style
from txviz.figures.theme import DARK, LIGHT
from txviz.gui.plots import PLOTS, PlotPanel
from txviz.gui.plots.attention import LINES, PICTURE, Attention
from txviz.gui.plots.distribution import Distribution
from txviz.gui.plots.softmax import Softmax
from txviz.gui.plots.tokens import Tokens

WEIGHTS = "encoder.1.attention.weights"


def words(panel: PlotPanel) -> list[str]:
    figure = panel.figure(900, 600, Style())
    assert figure is not None
    return [mark.text for mark in texts(figure)]


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("title", [kind.title for kind in PLOTS])
def test_every_plot_has_a_figure(
    panel: PlotPanel, example: Trace, title: str, page: tuple[int, int], qtbot: QtBot
) -> None:
    panel.choose(title)
    for step in list(example)[::9]:
        panel.show_step(example, step, (), DARK)
        figure = panel.figure(*page, Style(theme=DARK, growth=1.5))
        assert (figure is None) == (panel.plot is None)
        if figure is not None:
            assert figure.background == DARK.panel
            check_page(figure, page, f"{title} of {step.name}")


def test_the_window_paints_the_marks_of_the_figure(shown: Shown, panel: PlotPanel, digits: Trace) -> None:
    plot = shown(Attention, digits, WEIGHTS, (2,))
    seen = [mark.colours for mark in plot.matrix.marks() if isinstance(mark, Heat)]
    figure = panel.figure(900, 600, Style())
    assert figure is not None
    assert seen[0] in [mark.colours for mark in figure.flat() if isinstance(mark, Heat)]


def test_the_mode_the_head_and_the_pair_are_kept(shown: Shown, panel: PlotPanel, digits: Trace) -> None:
    plot = shown(Attention, digits, WEIGHTS, (3,))
    plot.show_mode(LINES)
    plot.show_cell((3, 4, 7))
    assert {"encoder 1 · attention · head 3", plot.reading.text()} <= set(words(panel))
    plot.show_mode(PICTURE)
    plot.show_cell(None)
    plot.picture.query_chosen.emit(5)
    plot.show_cell(None)
    assert any(word.startswith("“E” looks most at") for word in words(panel))


def test_the_row_and_the_temperature_are_kept(shown: Shown, panel: PlotPanel, digits: Trace) -> None:
    plot = shown(Softmax, digits, WEIGHTS, (2,))
    plot.show_cell((2, 0, 4))
    plot.temperature.slider.setValue(30)
    assert "encoder 1 · attention · weights · head 2 · [CLS]" in words(panel)
    assert plot.note.text() in words(panel)


def test_the_scope_of_the_histogram_is_kept(shown: Shown, panel: PlotPanel, digits: Trace, qtbot: QtBot) -> None:
    plot = shown(Distribution, digits, WEIGHTS, (2,))
    qtbot.mouseClick(plot.here_only, Qt.MouseButton.LeftButton)
    plot.show_cell((2, 1, 1))
    assert "encoder 1 · attention · weights · head 2" in words(panel)
    assert any("this cell" in word for word in words(panel))


def test_the_token_is_kept(shown: Shown, panel: PlotPanel, cat: Trace) -> None:
    shown(Tokens, cat, "encoder.0.attention.weights").show_cell((0, 2, 4))
    assert any(word.startswith("The path of “cat”") for word in words(panel))


def test_nothing_to_show_is_no_figure(panel: PlotPanel, cat: Trace) -> None:
    assert panel.figure(900, 600, Style()) is None
    panel.show_step(cat, cat["tokens"], (), LIGHT)
    assert panel.figure(900, 600, Style()) is None
