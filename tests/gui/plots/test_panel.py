"""The panel: tabs, what it shows where the chosen plot has nothing yet, and every step of every model in all themes."""

from __future__ import annotations

import subprocess
import sys

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QAbstractButton, QComboBox, QSlider, QToolButton
from pytestqt.qtbot import QtBot

from tests.gui.plots.conftest import Shown, there
from txviz import Trace
from txviz.figures.presets import THEMES
from txviz.figures.theme import DARK, LIGHT, Theme
from txviz.figures.views import anything
from txviz.gui.plots import PLOTS, PlotPanel
from txviz.gui.plots.attention import Attention
from txviz.gui.plots.softmax import Softmax
from txviz.gui.plots.tokens import Tokens
from txviz.gui.window import Window

KINDS = {kind.title: kind for kind in PLOTS}
TITLES = ["Attention", "Softmax", "Tokens", "Values"]


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
@pytest.mark.parametrize("title", TITLES)
def test_every_step_of_every_model(panel: PlotPanel, example: Trace, qtbot: QtBot, title: str, theme: Theme) -> None:
    panel.choose(title)
    for i, step in enumerate(example):
        place = (step.value.shape[-3] - 1,) if step.value.ndim > 2 else ()
        panel.show_step(example, step, place, theme)
        assert (panel.plot is not None) == anything(example, step)
        if panel.plot is not None:
            past = list(example)[: i + 1]
            assert all(any(shown is each for each in past) for shown in panel.plot.steps(example, step)), step.name
            assert isinstance(panel.plot, KINDS[title]) or not KINDS[title].steps(example, step)
        if step.value.size and i % 5 == 0:
            panel.show_cell(tuple(size - 1 for size in step.value.shape))
    assert not panel.grab().isNull()


def test_what_has_nothing_to_show_yet_makes_way_and_comes_back(panel: PlotPanel, cat: Trace) -> None:
    """Attention is chosen: before there are weights, something else that is there is shown."""
    found = []
    for step in cat:
        panel.show_step(cat, step, (), LIGHT)
        found.append((step.name, panel.plot and panel.plot.title))
        assert panel.chosen == "Attention"
        assert panel.plot is None or panel.tabs.tabText(panel.tabs.currentIndex()) == panel.plot.title
    assert found[:4] == [
        ("tokens", None), ("embed.tokens", "Values"), ("embed.positions", "Values"), ("embed.sum", "Tokens")
    ]  # fmt: skip
    from_weights_on = [name for name, _ in found].index("encoder.0.attention.weights")
    assert {title for _, title in found[4:from_weights_on]} == {"Tokens"}
    assert {title for _, title in found[from_weights_on:]} == {"Attention"}


def test_tabs_that_wait_say_for_what(panel: PlotPanel, cat: Trace, qtbot: QtBot) -> None:
    panel.show_step(cat, cat["embed.sum"], (), LIGHT)
    assert [panel.tabs.isTabEnabled(i) for i in range(4)] == [False, False, True, True]
    assert panel.tabs.tabToolTip(0) == "Comes with the first attention weights; on an image, with the first scores."
    assert panel.tabs.tabTextColor(0).name() == LIGHT.muted
    qtbot.mouseClick(panel.tabs, Qt.MouseButton.LeftButton, pos=panel.tabs.tabRect(2).center())
    assert panel.chosen == "Tokens", "what stood in can be chosen"
    panel.show_step(cat, cat["encoder.0.attention.weights"], (), LIGHT)
    assert panel.tabs.isTabEnabled(0)
    assert isinstance(panel.plot, Tokens)


def test_the_tab_stays_as_chosen(panel: PlotPanel, digits: Trace) -> None:
    panel.choose("Softmax")
    for step in digits:
        panel.show_step(digits, step, (), LIGHT)
        assert panel.chosen == "Softmax"
    panel.choose("no such plot")
    assert panel.chosen == "Softmax"


def test_only_the_plot_in_front_is_built(panel: PlotPanel, digits: Trace) -> None:
    panel.choose("Values")
    panel.show_step(digits, digits["head.logits"], (), LIGHT)
    assert [kind.title for kind in panel._built] == ["Values"]


def test_a_hidden_panel_catches_up_when_shown(panel: PlotPanel, digits: Trace, qtbot: QtBot) -> None:
    panel.hide()
    panel.show_step(digits, digits["encoder.1.attention.weights"], (1,), LIGHT)
    panel.show_cell((1, 2, 3))
    hidden = panel.plot
    panel.show()
    assert hidden is None
    assert isinstance(panel.plot, Attention)
    assert panel.plot.heading.text() == "encoder 1 · attention · head 1"
    assert panel.plot.matrix.pair == (2, 3)


def test_another_tab_shows_the_same_step_and_cell(panel: PlotPanel, digits: Trace) -> None:
    panel.show_step(digits, digits["encoder.1.attention.weights"], (2,), LIGHT)
    panel.show_cell((2, 0, 4))
    panel.choose("Softmax")
    assert isinstance(panel.plot, Softmax)
    assert panel.plot.rows.currentText() == "[CLS]"


def test_the_tabs_are_reached_by_keyboard(panel: PlotPanel, digits: Trace, qtbot: QtBot) -> None:
    panel.show_step(digits, digits["encoder.1.attention.weights"], (2,), LIGHT)
    panel.tabs.setFocus()
    qtbot.keyClick(panel.tabs, Qt.Key.Key_Right)
    assert panel.chosen == "Softmax"


def test_requests_come_through_the_panel(shown: Shown, panel: PlotPanel, digits: Trace, qtbot: QtBot) -> None:
    plot = shown(Attention, digits, "encoder.1.attention.weights")
    third = QPointF(*there(plot.strip.strip).box(2).centre).toPoint()
    with qtbot.waitSignal(panel.place_requested) as asked:
        qtbot.mouseClick(plot.strip, Qt.MouseButton.LeftButton, pos=third)
    assert asked.args == [(2,)]


@pytest.mark.parametrize("title", TITLES)
def test_every_control_has_a_name_and_the_keyboard(shown: Shown, digits: Trace, title: str) -> None:
    plot = shown(KINDS[title], digits, "encoder.1.attention.weights")
    for kind in (QAbstractButton, QComboBox, QSlider):
        for control in plot.findChildren(kind):
            assert control.accessibleName()
            assert control.focusPolicy() & Qt.FocusPolicy.TabFocus


@pytest.mark.parametrize("title", TITLES)
@pytest.mark.parametrize("name", ["encoder.1.attention.weights", "time.3.decoder.1.cross_attention.weights"])
def test_it_fits_a_narrow_panel(shown: Shown, panel: PlotPanel, translator: Trace, title: str, name: str) -> None:
    plot = shown(KINDS[title], translator, name, (2,))
    plot.show_cell((2, 1, 1))
    assert panel.minimumSizeHint().width() <= 300
    assert panel.minimumSizeHint().height() <= 250


PICTURES = {"Attention": "matrix", "Softmax": "bars", "Tokens": "chart", "Values": "chart"}


@pytest.mark.parametrize("title", TITLES)
def test_the_theme_changes_all_of_it(shown: Shown, digits: Trace, title: str) -> None:
    for theme in (LIGHT, DARK, DARK, LIGHT):
        plot = shown(KINDS[title], digits, "encoder.1.attention.weights", (2,), theme)
        picture = getattr(plot, PICTURES[title]).grab().toImage()
        assert picture.pixelColor(2, 2).name() == theme.panel
        for button in plot.findChildren(QToolButton):
            assert theme.accent in button.styleSheet()


def test_in_the_window_it_has_the_windows_colours(window: Window) -> None:
    assert window.plots is not None
    for choice in ("light", "dark", "dark", "light"):
        window.choose_theme(choice)
        picture = window.plots.grab().toImage()
        assert picture.pixelColor(2, picture.height() - 2).name() == window.theme.window


def test_pyqtgraph_is_imported_by_the_plots_alone() -> None:
    code = "import sys, txviz, txviz.gui, txviz.cli; assert 'pyqtgraph' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300)
