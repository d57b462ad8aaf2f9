"""Looking for a word in a vocabulary: keys alone, from any step to the word's own column on the stage."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Compute, press, settle
from tests.gui.shown import pixels
from txviz.gui.plots.softmax import Softmax
from txviz.gui.window import Window

Key = Qt.Key
BOTH = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


def opened(window: Window, compute: Compute, qtbot: QtBot) -> Softmax:
    """The plot with the cursor in its field, by keys, from the first step of a translation."""
    compute(window, "translator", "The house is big")
    window.session.go_to(0)
    press(qtbot, window, Key.Key_F, modifier=BOTH)
    settle()
    assert window.plots is not None
    plot = window.plots.plot
    assert isinstance(plot, Softmax)
    assert QApplication.focusWidget() is plot.words
    return plot


def test_a_word_is_found_from_any_step(window: Window, compute: Compute, qtbot: QtBot) -> None:
    plot = opened(window, compute, qtbot)
    likely = window.session.step
    assert likely.name == "time.1.head.probabilities"
    QTest.keyClicks(plot.words, "casa")
    (found,) = likely.standing("casa")
    assert plot.bars.table.labels == (f"{found.rank:,}. casa",)
    assert np.array_equal(plot.bars.table.columns[-1].values, [found.probability])
    assert plot.note.text().startswith(f"“casa”: rank {found.rank} of 1,185, p = 0.000")


def test_enter_brings_its_column_onto_the_stage(window: Window, compute: Compute, qtbot: QtBot) -> None:
    plot = opened(window, compute, qtbot)
    (found,) = window.session.step.standing("casa")
    assert not window.stage.stage.shows(found.cell), "it is not among the likeliest"
    QTest.keyClicks(plot.words, "casa")
    QTest.keyClick(plot.words, Key.Key_Return)
    assert window.session.pinned == found.cell
    assert window.stage.stage.shows(found.cell)
    assert "casa" in [label for panel in window.stage.stage.panels for label in panel.grid.row_labels]
    assert window.session.arithmetic.startswith("probabilities[casa] = exp(")


def test_a_column_goes_with_its_cell(window: Window, compute: Compute, qtbot: QtBot) -> None:
    """Let go of, or another one chosen instead: it stayed until the window was resized."""
    plot = opened(window, compute, qtbot)
    settle()
    before = pixels(window.stage.viewport())
    likeliest = (int(window.session.step.value.argmax()),)
    (found,) = window.session.step.standing("casa")
    for cell in (None, likeliest):
        window.session.pin(found.cell)
        assert window.stage.stage.shows(found.cell)
        press(qtbot, window, Key.Key_Escape) if cell is None else window.session.pin(cell)
        assert window.session.pinned == cell
        assert not window.stage.stage.shows(found.cell)
        window.session.pin(None)
        assert (pixels(window.stage.viewport()) == before).all()
    assert plot.isVisible()


def test_arrows_choose_among_what_is_found_and_esc_ends_it(window: Window, compute: Compute, qtbot: QtBot) -> None:
    plot = opened(window, compute, qtbot)
    QTest.keyClicks(plot.words, "cas")
    labels = [label.partition(" ")[2] for label in plot.bars.table.labels]
    assert len(labels) > 2
    assert all(label.startswith("cas") for label in labels)
    for _ in range(3):
        QTest.keyClick(plot.words, Key.Key_Up)
    QTest.keyClick(plot.words, Key.Key_Down)
    assert plot.bars.marked == 1
    assert f"“{labels[1]}”: rank" in plot.note.text()
    for _ in range(50):
        QTest.keyClick(plot.words, Key.Key_Down)
    assert plot.bars.marked == len(labels) - 1
    QTest.keyClick(plot.words, Key.Key_Escape)
    assert plot.words.text() == ""
    assert plot.bars.table.labels[0] == "la", "the likeliest are back"
    assert QApplication.focusWidget() is plot.words
    QTest.keyClick(plot.words, Key.Key_Escape)
    settle()
    assert QApplication.focusWidget() is window.stage


def test_what_is_nowhere_is_said_to_be(window: Window, compute: Compute, qtbot: QtBot) -> None:
    plot = opened(window, compute, qtbot)
    QTest.keyClicks(plot.words, "<b>&xyzzy")
    assert plot.bars.table.labels == ()
    assert plot.note.text() == "None of the 1,185 has “<b>&xyzzy” in it."
    QTest.keyClick(plot.words, Key.Key_Return)
    assert window.session.pinned is None


def test_a_click_on_a_bar_pins_its_cell(window: Window, compute: Compute, qtbot: QtBot) -> None:
    plot = opened(window, compute, qtbot)
    place = plot.bars.bars.cell(2, 0)
    qtbot.mouseClick(plot.bars, Qt.MouseButton.LeftButton, pos=QPoint(round(place.x + 5), round(place.y + 5)))
    assert window.session.pinned == (int(plot.row.order[2]),)


def test_the_word_stays_while_one_goes_on_in_time(window: Window, compute: Compute, qtbot: QtBot) -> None:
    plot = opened(window, compute, qtbot)
    QTest.keyClicks(plot.words, "casa")
    window.session.go_to("time.2.head.probabilities")
    assert plot.bars.table.labels == ("1. casa",)


def test_a_run_without_a_vocabulary_says_so(window: Window, compute: Compute, qtbot: QtBot) -> None:
    compute(window, "sentence-guide", "The cat sat.")
    press(qtbot, window, Key.Key_F, modifier=BOTH)
    settle()
    assert window.toast.isVisible()
    assert window.toast.text() == "No softmax of this run is over a vocabulary to look in."
