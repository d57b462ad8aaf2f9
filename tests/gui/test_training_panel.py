"""Training in the window, by its buttons: what is shown is what has been learnt."""

from __future__ import annotations

from multiprocessing import active_children
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QAbstractButton, QWidget
from pytestqt.qtbot import QtBot

import txviz
from tests.gui.conftest import Compute
from tests.gui.shown import Checker
from tests.gui.test_levels import pixels, press
from txviz.gui.learning import Learning
from txviz.gui.training_panel import TrainingDock, TrainingPanel
from txviz.gui.window import Window
from txviz.models import find
from txviz.models.request import Request
from txviz.training.lesson import Plan


@pytest.fixture
def training(window: Window, qtbot: QtBot, compute: Compute) -> TrainingDock:
    compute(window, "digits", find("digits").example)
    press(qtbot, window)
    qtbot.keyClick(window.area.shown, Qt.Key.Key_T, Qt.KeyboardModifier.ControlModifier)
    found = window.tools.training
    assert found is not None
    qtbot.waitUntil(found.panel.isVisible)
    return found


def click(qtbot: QtBot, button: QWidget) -> None:
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_before_it_begins_its_numbers_are_seen_whole(training: TrainingDock) -> None:
    for curve in (training.panel.loss, training.panel.right):
        image = QImage(300, 300, QImage.Format.Format_RGB32)
        with QPainter(image) as painter:
            _, _, texts = curve.chart.getPlotItem().getAxis("left").generateDrawSpecs(painter)
        assert min(rect.top() for rect, _, _ in texts) >= 0


def settled(window: Window, panel: TrainingPanel, step: int) -> bool:
    """Whether the window shows what was learnt by then."""
    title = window.session.trace.about.get("title", "")
    return f"step {step}" in panel.said.text().lower() and title.endswith(f"(in training, step {step})")


def test_the_answer_changes_as_it_learns_and_the_shipped_model_comes_back(
    window: Window, training: TrainingDock, qtbot: QtBot, tmp_path: Path
) -> None:
    panel = training.panel
    shipped, painted = window.session.trace["head.probabilities"].value, pixels(window.badge)
    assert not panel.keep.isEnabled()
    click(qtbot, panel.jumps["One step"])
    qtbot.waitUntil(lambda: settled(window, panel, 1))
    first = window.session.trace["head.probabilities"].value
    assert abs(first - shipped).max() > 0.1
    assert (pixels(window.badge) != painted).any()
    assert not panel.models.isEnabled()
    click(qtbot, panel.jumps["×10"])
    qtbot.waitUntil(lambda: settled(window, panel, 11))
    assert abs(window.session.trace["head.probabilities"].value - first).max() > 1e-4
    assert [step for step, _ in panel.loss.points][-1] == 11
    assert panel.right.points
    assert panel.right.label.text().endswith("%")
    panel.learning.keep(tmp_path / "mine")
    qtbot.waitUntil(lambda: "Kept in" in panel.said.text())
    kept = txviz.trace(str(tmp_path / "mine"), window.session.request.source)  # type: ignore[union-attr]
    assert kept["head.probabilities"].value == pytest.approx(window.session.trace["head.probabilities"].value)
    click(qtbot, panel.again)
    qtbot.waitUntil(lambda: (window.session.trace["head.probabilities"].value == shipped).all())


def close(qtbot: QtBot, dock: TrainingDock) -> None:
    """By the cross of its title bar."""
    cross = dock.findChild(QAbstractButton, "qt_dockwidget_closebutton")
    assert isinstance(cross, QAbstractButton)
    click(qtbot, cross)
    qtbot.waitUntil(lambda: not dock.isVisible())


def test_closing_the_panel_pauses_and_loses_nothing(window: Window, training: TrainingDock, qtbot: QtBot) -> None:
    panel = training.panel
    click(qtbot, panel.run)
    qtbot.waitUntil(lambda: bool(panel.loss.points) and panel.loss.points[-1][0] >= 5)
    close(qtbot, training)
    qtbot.wait(300)  # a step that was begun may take a while
    stopped, curve = panel.loss.points[-1][0], pixels(panel.loss.chart)
    assert f"paused at step {stopped:,.0f}. Ctrl+T" in window.toast.text()
    qtbot.wait(300)
    assert panel.loss.points[-1][0] == stopped
    qtbot.keyClick(window.area.shown, Qt.Key.Key_T, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(panel.isVisible)
    assert (window.tools.training, panel.run.text()) == (training, "Train")
    assert f"Step {stopped:,.0f} of" in panel.said.text()
    assert (pixels(panel.loss.chart) == curve).all()
    click(qtbot, panel.jumps["One step"])
    qtbot.waitUntil(lambda: panel.loss.points[-1][0] > stopped)


def test_closing_the_window_ends_the_training_of_a_closed_panel(
    window: Window, training: TrainingDock, qtbot: QtBot
) -> None:
    panel = training.panel
    click(qtbot, panel.jumps["One step"])
    qtbot.waitUntil(lambda: settled(window, panel, 1))
    close(qtbot, training)
    window.close()
    assert find("digits").title == "Digits: draw one and have it read"
    assert not [each for each in active_children() if each.name == "txviz training"]


def test_a_panel_that_has_not_begun_opens_with_the_model_that_is_shown(
    window: Window, training: TrainingDock, qtbot: QtBot, compute: Compute
) -> None:
    close(qtbot, training)
    assert "paused" not in window.toast.text()
    compute(window, "translator", "I love you")
    press(qtbot, window)
    qtbot.keyClick(window.area.shown, Qt.Key.Key_T, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(training.panel.isVisible)
    assert training.panel.models.currentText().startswith("Translator")


def test_only_the_model_in_training_is_remembered_as_before(
    window: Window, training: TrainingDock, qtbot: QtBot, compute: Compute
) -> None:
    """With another model shown the buttons are off, and say why."""
    panel = training.panel
    buttons = panel.set_before, panel.before, panel.beside
    click(qtbot, panel.jumps["One step"])
    qtbot.waitUntil(lambda: settled(window, panel, 1))
    click(qtbot, panel.set_before)
    assert all(button.isEnabled() for button in buttons)
    assert "Only while" not in "".join(button.toolTip() for button in buttons)
    compute(window, "writer", find("writer").example)
    for button in buttons:
        click(qtbot, button)
        assert not button.isEnabled()
        assert button.toolTip() == f"Only while the model in training is shown: {panel.models.currentText()}"
    assert not window.comparing.on
    assert window.session.trace.about["model"] == "writer"
    compute(window, "digits", find("digits").example)
    assert all(button.isEnabled() for button in buttons)
    click(qtbot, panel.beside)
    pair = window.session.compared.pair
    assert pair is not None
    assert {run.about["model"] for run in (pair.a, pair.b)} == {"digits"}


def test_drawing_is_read_by_the_model_that_learns(
    window: Window, training: TrainingDock, qtbot: QtBot, compute: Compute
) -> None:
    panel = training.panel
    click(qtbot, panel.jumps["One step"])
    qtbot.waitUntil(lambda: settled(window, panel, 1))
    compute(window, "digits", find("digits").examples[3])
    assert window.session.trace.about["title"].endswith("(in training, step 1)")
    click(qtbot, panel.again)
    assert panel.said.text() == "It has not begun yet."
    qtbot.waitUntil(lambda: "training" not in window.session.trace.about["title"])


def test_before_can_be_seen_again(window: Window, training: TrainingDock, qtbot: QtBot, compute: Compute) -> None:
    panel = training.panel
    assert not panel.set_before.isEnabled()
    click(qtbot, panel.jumps["One step"])
    qtbot.waitUntil(lambda: settled(window, panel, 1))
    first = pixels(window.badge)
    assert not panel.before.isEnabled()
    click(qtbot, panel.set_before)
    click(qtbot, panel.jumps["×10"])
    qtbot.waitUntil(lambda: settled(window, panel, 11))
    now = pixels(window.badge)
    assert (now != first).any()
    click(qtbot, panel.before)
    assert (pixels(window.badge) == first).all()
    click(qtbot, panel.before)
    qtbot.waitUntil(lambda: bool((pixels(window.badge) == now).all()))
    click(qtbot, panel.before)
    compute(window, "digits", find("digits").examples[3])
    assert not panel.before.isChecked()
    assert settled(window, panel, 11)


def test_a_training_that_dies_is_told_and_can_begin_again(window: Window, training: TrainingDock, qtbot: QtBot) -> None:
    panel = training.panel
    click(qtbot, panel.run)
    (process,) = (each for each in active_children() if each.name == "txviz training")
    process.kill()
    qtbot.waitUntil(lambda: "ended unexpectedly" in panel.said.text())
    assert panel.run.text() == "Train"
    click(qtbot, panel.again)
    click(qtbot, panel.jumps["One step"])
    qtbot.waitUntil(lambda: settled(window, panel, 1))


@pytest.mark.parametrize(("size", "most"), [((1280, 760), 360), ((900, 620), 300)])
def test_it_leaves_the_picture_its_room(
    window: Window, qtbot: QtBot, compute: Compute, size: tuple[int, int], most: int
) -> None:
    """Also where the plots are folded, whose place it takes."""
    window.resize(*size)
    compute(window, "translator", find("translator").example)
    window.session.go_to("tokens")
    window.tools.open_training()
    assert window.tools.training is not None
    dock = window.tools.training
    qtbot.waitUntil(lambda: dock.isVisible() and dock.width() <= most)
    assert window.area.width() > dock.width()


def test_its_curves_follow_the_theme(window: Window, training: TrainingDock, qtbot: QtBot) -> None:
    before = pixels(training.panel.loss.chart)
    window.choose_theme("dark" if window.theme.name == "light" else "light")
    qtbot.waitUntil(lambda: bool((pixels(training.panel.loss.chart) != before).mean() > 0.5))


def test_it_runs_until_it_is_paused(training: TrainingDock, qtbot: QtBot, tmp_path: Path) -> None:
    panel = training.panel
    click(qtbot, panel.run)
    assert panel.run.text() == "Pause"
    qtbot.waitUntil(lambda: bool(panel.loss.points) and panel.loss.points[-1][0] >= 5)
    click(qtbot, panel.run)
    assert panel.run.text() == "Train"
    panel.learning.keep(tmp_path / "mine")
    qtbot.waitUntil(lambda: "Kept in" in panel.said.text())  # what was asked for before is done by now
    stopped = panel.loss.points[-1][0]
    boxes = [curve.chart.getPlotItem().vb for curve in (panel.loss, panel.right)]
    assert [box.viewRange()[0] for box in boxes] == [[0, max(stopped, 10)]] * 2
    assert len({(box.screenGeometry().left(), box.screenGeometry().right()) for box in boxes}) == 1, "step below step"
    assert f"- {stopped:,} steps of" in (tmp_path / "mine" / "card.md").read_text("utf-8"), "all are shown"
    assert panel.right.points[-1][0] == stopped
    qtbot.wait(300)
    assert panel.loss.points[-1][0] == stopped


def test_before_stays_beside_now(window: Window, training: TrainingDock, qtbot: QtBot) -> None:
    panel = training.panel
    assert not panel.beside.isEnabled()
    click(qtbot, panel.jumps["One step"])
    qtbot.waitUntil(lambda: settled(window, panel, 1))
    click(qtbot, panel.set_before)
    before = window.session.trace
    click(qtbot, panel.jumps["×10"])
    qtbot.waitUntil(lambda: settled(window, panel, 11))
    click(qtbot, panel.beside)
    pair = window.session.compared.pair
    assert pair is not None
    assert (pair.a, pair.b) == (before, window.session.trace)
    told = window.comparing.bar.told.text()
    assert "in training, step 1)" in told
    assert "in training, step 11)" in told


def test_a_refused_input_in_the_middle_leaves_nothing_behind(
    window: Window, training: TrainingDock, qtbot: QtBot
) -> None:
    """What the model had learnt was about to be shown, and never was."""
    panel, computing = training.panel, window.computing
    click(qtbot, panel.jumps["One step"])
    qtbot.waitUntil(lambda: settled(window, panel, 1))
    refused = list[Exception]()
    computing.failed.connect(refused.append)

    def type_nonsense(busy: bool) -> None:
        if busy and not refused:
            computing.background.busy_changed.disconnect(type_nonsense)
            computing.compute(Request("digits", "nonsense"))

    computing.background.busy_changed.connect(type_nonsense)  # while the answer of the next step is being computed
    click(qtbot, panel.jumps["One step"])
    qtbot.waitUntil(lambda: bool(refused))
    qtbot.waitUntil(lambda: settled(window, panel, 2))


def test_swapped_runs_of_a_model_that_learns_stay_what_they_are(
    window: Window, training: TrainingDock, qtbot: QtBot, compute: Compute
) -> None:
    panel = training.panel
    click(qtbot, panel.jumps["One step"])
    qtbot.waitUntil(lambda: settled(window, panel, 1))
    kept = window.session.trace
    window.comparing.begin()
    click(qtbot, panel.jumps["×10"])
    qtbot.waitUntil(lambda: settled(window, panel, 11))
    now = window.session.trace
    window.comparing.swap()
    qtbot.waitUntil(lambda: not window.computing.background.busy)
    qtbot.wait(300)
    pair = window.session.compared.pair
    assert pair is not None
    assert (pair.a, pair.b) == (now, kept)
    assert Checker().disagreements(window) == []
    window.comparing.swap()
    assert window.session.trace is now
    assert Checker().disagreements(window) == []
    window.comparing.swap()
    compute(window, "digits", find("digits").examples[3])
    assert settled(window, panel, 11)


def test_what_an_edit_changed_is_told_of_the_weights_that_there_are_now(
    window: Window, training: TrainingDock, qtbot: QtBot, compute: Compute
) -> None:
    """All would be marked if the run without edits were that of earlier weights."""
    panel, session = training.panel, window.session
    click(qtbot, panel.jumps["One step"])
    qtbot.waitUntil(lambda: settled(window, panel, 1))
    edited = Request("digits", find("digits").example, edits=("encoder.1.attention.weights[1]=0",))
    window.input.show_request(edited)
    window.computing.compute(edited)
    qtbot.waitUntil(lambda: session.changes.of("encoder.1.attention.context") > 0)
    click(qtbot, panel.jumps["×10"])
    qtbot.waitUntil(lambda: settled(window, panel, 11) and not window.editing.untouched.waiting)
    assert session.changes.of("encoder.1.attention.context") > 0
    assert session.changes.of("encoder.0.attention.context") == 0


def test_the_runs_beside_a_board_are_of_the_model_as_it_is_now(window: Window, qtbot: QtBot, compute: Compute) -> None:
    compute(window, "translator", "I love you")
    window.session.show_node("time")
    window.session.choose_picture("decoding")
    window.tools.open_training()
    assert window.tools.training is not None
    panel = window.tools.training.panel

    def told() -> int:
        """How many runs are listed, once all are of the weights that there are now."""
        runs, trace = window.session.beside or (), window.session.trace
        return len(runs) if runs and runs[0].said == str(trace.output) else 0

    qtbot.waitUntil(lambda: told() > 2)
    assert {run.said for run in window.session.beside or ()} >= {"ti amo"}
    click(qtbot, panel.jumps["One step"])  # from chance
    qtbot.waitUntil(lambda: settled(window, panel, 1))
    qtbot.waitUntil(lambda: told() > 2)
    assert "ti amo" not in {run.said for run in window.session.beside or ()}


def test_another_model_that_is_chosen_meanwhile_stays(window: Window, training: TrainingDock, qtbot: QtBot) -> None:
    panel = training.panel
    click(qtbot, panel.jumps["One step"])
    qtbot.waitUntil(lambda: settled(window, panel, 1))
    wanted = Request("vit-guide-2x2", find("vit-guide-2x2").example)
    window.input.show_request(wanted)
    window.computing.compute(wanted)
    panel.learnt.emit()  # it has learnt more while that is computed
    qtbot.waitUntil(lambda: window.session.request == wanted and not window.computing.background.busy)
    qtbot.wait(300)
    assert Checker().disagreements(window) == []
    assert window.session.trace.about["model"] == "vit-guide-2x2"


def test_a_lesson_that_could_not_begin_says_why_and_nothing_else(qtbot: QtBot) -> None:
    """Its process ends then, which alone would be told as an accident."""
    learning, told = Learning(), list[str]()
    learning.failed.connect(told.append)
    learning.begin(Plan("nobody"))
    process = learning._process
    assert process is not None
    qtbot.waitUntil(lambda: bool(told) and not process.is_alive(), timeout=120_000)
    qtbot.wait(200)
    assert len(told) == 1
    assert told[0].startswith('no model is called "nobody"')
    learning.end()


def test_nobody_listens_to_a_lesson_that_was_ended(qtbot: QtBot) -> None:
    """A thread that tells a window which is just being deleted crashes."""
    learning = Learning()
    learning.begin(Plan("digits"))
    listener = learning._listener
    assert listener is not None
    assert listener.is_alive()
    learning.end()
    assert not listener.is_alive()
