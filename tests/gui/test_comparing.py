"""Side by side in the window, by keys and pointer: what is painted of A, of B and of their difference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Compute, settle
from tests.gui.shown import Checker, pixels, words
from txviz.figures.marks import Text
from txviz.figures.pair import Sides
from txviz.figures.panels import Panel
from txviz.gui.comparing import _Ready
from txviz.gui.export_dialog import ExportDialog
from txviz.gui.window import Window
from txviz.models import find
from txviz.models.comparisons import comparisons, run_both
from txviz.models.request import Request
from txviz.models.request import compute as computed

Key = Qt.Key
Ctrl = Qt.KeyboardModifier.ControlModifier
WEIGHTS = "encoder.0.attention.weights"


def press(qtbot: QtBot, window: Window, *keys: Key, modifier: Qt.KeyboardModifier | None = None) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.area.take_focus()
    for key in keys:
        qtbot.keyClick(window.area.shown, key, modifier or Qt.KeyboardModifier.NoModifier)


def written(window: Window) -> list[str]:
    """What is written on the picture."""
    return [mark.text for mark in window.area.figure_shown().flat() if isinstance(mark, Text)]


@pytest.fixture
def compared(window: Window, qtbot: QtBot, compute: Compute) -> Window:
    """The cat is A, the dog is B."""
    press(qtbot, window, Key.Key_B, modifier=Ctrl)
    compute(window, "sentence-guide", "The dog sat.")
    window.session.go_to(WEIGHTS)
    return window


def test_what_is_said_of_the_comparison_goes_with_it(window: Window, qtbot: QtBot) -> None:
    press(qtbot, window, Key.Key_B, modifier=Ctrl)
    assert window.toast.isVisible()
    assert "kept as A" in window.toast.text()
    press(qtbot, window, Key.Key_Escape)
    assert not window.comparing.on
    assert not window.toast.isVisible()
    press(qtbot, window, Key.Key_B, modifier=Ctrl)
    window.actions_by_key["larger_text"].trigger()
    assert "Text size" in window.toast.text()
    press(qtbot, window, Key.Key_B, modifier=Ctrl)
    assert window.toast.isVisible(), "another message stays"


def test_a_run_is_kept_and_what_is_typed_is_b(compared: Window) -> None:
    texts = written(compared)
    assert {"A", "B", "B − A", "20 of 25 cells differ"} <= set(texts)
    assert texts.count("dog") == 4, "the rows and columns of B, and of the difference"
    assert texts.count("cat") == 2
    assert compared.comparing.bar.isVisible()
    assert compared.comparing.bar.told.text() == "A: “The cat sat.”  ·  B: “The dog sat.”"
    assert Checker().disagreements(compared) == []


def at(panel: Panel, row: int, column: int) -> QPoint:
    """The upper left of a cell, beside its number and inside its outline."""
    x, y, _, _ = panel.box([(row, column)])
    return QPoint(round(x) + 5, round(y) + 5)


def test_an_equal_number_is_painted_in_the_same_colour(compared: Window) -> None:
    painted, (b, a, _) = pixels(compared.stage.viewport()), compared.stage.stage.panels
    same, other = (at(a, 3, 3), at(b, 3, 3)), (at(a, 2, 2), at(b, 2, 2))
    assert a.grid.values[3, 3] == b.grid.values[3, 3]
    assert (painted[same[0].y(), same[0].x()] == painted[same[1].y(), same[1].x()]).all()
    assert a.grid.values[2, 2] != b.grid.values[2, 2]
    assert (painted[other[0].y(), other[0].x()] != painted[other[1].y(), other[1].x()]).any()


def test_what_differs_is_outlined_on_the_screen(compared: Window) -> None:
    painted, (b, _, _) = pixels(compared.stage.viewport()).astype(int), compared.stage.stage.panels
    ink = np.array([int(compared.theme.text[i : i + 2], 16) for i in (1, 3, 5)])
    x = round(b.x + 0.5 * b.cell_width)

    def darkest(row: int) -> int:
        """How far from the colour of the line is what is painted where a row begins."""
        y = round(b.y + row * b.cell_height)
        return int(np.abs(painted[y - 2 : y + 3, x] - ink).sum(axis=1).min())

    assert max(map(darkest, (0, 3, 4))) < 120, "above row 0, below row 2 and above row 4 is a line"
    assert darkest(2) > 200, "inside the outline is none"


def test_both_answers_are_in_sight(compared: Window) -> None:
    assert compared.badge.accessibleDescription() == (
        "A: vector, 3 numbers: 0.72, −0.88, 0.16; B: vector, 3 numbers: 0.61, −0.76, 0.15"
    )
    both = pixels(compared.badge)
    compared.comparing.end()
    assert (pixels(compared.badge) != both).any()


def test_keys_step_through_both_by_name(compared: Window, qtbot: QtBot) -> None:
    for name in ("encoder.0.attention.context", "encoder.0.attention.merged"):
        press(qtbot, compared, Key.Key_Right)
        assert compared.session.step.name == name
        assert {f"A and B · {compared.session.step.heading}", compared.session.step.title} <= {*written(compared)}
        b, a, difference = compared.stage.stage.panels
        pair = compared.session.compared.pair
        assert pair is not None
        for panel, value in ((a, pair.a[name].value), (b, pair.b[name].value)):
            assert (panel.grid.values == value.reshape(panel.grid.values.shape)).all()
        assert (difference.grid.values == b.grid.values - a.grid.values).all()
    assert Checker().disagreements(compared) == []


def test_a_cell_under_the_pointer_is_explained_in_both(compared: Window, qtbot: QtBot) -> None:
    for panel in compared.stage.stage.panels:
        qtbot.mouseMove(compared.stage.viewport(), QPoint(2, 2))
        qtbot.mouseMove(compared.stage.viewport(), at(panel, 2, 2))
        qtbot.waitUntil(lambda: "≈ 0.3742" in words(compared))
        assert "A weights[head 0, cat, cat] = " in words(compared)
        assert "B weights[head 0, dog, dog] = " in words(compared)
        assert "≈ 0.4619" in words(compared)


def test_one_key_shows_a_b_and_the_difference_in_turn(compared: Window, qtbot: QtBot) -> None:
    seen = []
    for _ in range(4):
        press(qtbot, compared, Key.Key_X)
        seen.append(compared.session.compared.sides)
        (pressed,) = [sides for sides, button in compared.comparing.bar.buttons.items() if button.isChecked()]
        assert pressed == seen[-1]
        assert Checker().disagreements(compared) == []
    assert seen == ["a", "b", "difference", "all"]
    qtbot.mouseClick(compared.comparing.bar.buttons["a"], Qt.MouseButton.LeftButton)
    heading = ["A · Attention weights: who looks at whom · “The cat sat.”", "encoder 0 · attention · weights"]
    assert written(compared)[:2] == heading
    assert compared.stage.hasFocus(), "the keys stay with the picture"


def test_levels_and_the_map(compared: Window, qtbot: QtBot) -> None:
    press(qtbot, compared, Key.Key_Backspace)
    assert {"A", "B", "“The cat sat.”", "“The dog sat.”"} <= set(written(compared))
    press(qtbot, compared, Key.Key_M)
    assert any(text.startswith("Where it differs") for text in written(compared))
    assert Checker().disagreements(compared) == []
    spots = compared.area.picture.picture.spots
    bar = next(spot for spot in reversed(spots) if spot.node == "pool")
    compared.area.picture.verticalScrollBar().setValue(10_000)
    at = QPoint(*(round(n) for n in bar.area.centre)) - compared.area.picture.offset
    qtbot.mouseClick(compared.area.picture.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert compared.session.step.name == "pool.mean"


def test_swapping(compared: Window) -> None:
    a, b = compared.session.compared.trace, compared.session.trace
    compared.actions_by_key["swap"].trigger()
    assert (compared.session.compared.trace, compared.session.trace) == (b, a)
    assert compared.input.request().source == "The cat sat."
    assert compared.comparing.bar.told.text() == "A: “The dog sat.”  ·  B: “The cat sat.”"
    assert Checker().disagreements(compared) == []


def test_esc_lets_the_cell_go_first_and_then_a(compared: Window, qtbot: QtBot) -> None:
    qtbot.mouseClick(compared.stage.viewport(), Qt.MouseButton.LeftButton, pos=at(compared.stage.stage.panels[0], 2, 2))
    qtbot.mouseMove(compared.stage.viewport(), QPoint(2, 2))
    assert compared.session.pinned == (0, 2, 2)
    press(qtbot, compared, Key.Key_Escape)
    assert "Esc lets go" not in words(compared)
    assert compared.comparing.on
    press(qtbot, compared, Key.Key_Escape)
    assert not compared.comparing.bar.isVisible()
    assert "B − A" not in written(compared)
    assert Checker().disagreements(compared) == []


def test_undo_changes_b_alone(compared: Window, qtbot: QtBot) -> None:
    kept = compared.session.compared.trace
    with qtbot.waitSignal(compared.session.trace_changed, timeout=20_000):
        press(qtbot, compared, Key.Key_Z, modifier=Ctrl)
    assert compared.session.trace.about["input"] == "The cat sat."
    assert compared.session.compared.trace is kept
    assert "no cell differs" in written(compared)


def test_other_sizes_are_shown_side_by_side_and_said(compared: Window, compute: Compute, qtbot: QtBot) -> None:
    compute(compared, "sentence-guide", "The dog")
    assert "A has head 1 × query 5 × key 5, B has head 1 × query 3 × key 3: other sizes" in words(compared)
    b, a = compared.stage.stage.panels
    assert (a.grid.values.shape, b.grid.values.shape) == ((5, 5), (3, 3))
    qtbot.mouseMove(compared.stage.viewport(), at(a, 4, 4))
    qtbot.waitUntil(lambda: "weights[head 0, ., .] = 0.201" in words(compared))
    qtbot.mouseClick(compared.stage.viewport(), Qt.MouseButton.LeftButton, pos=at(a, 4, 4))
    assert compared.session.pinned is None, "B has no such cell"


@pytest.mark.parametrize("text", ["The dog", "The dog sat."])
@pytest.mark.parametrize("sides", ["all", "a", "b"])
def test_the_pointer_is_told_the_number_that_it_is_on(
    compared: Window, compute: Compute, text: str, sides: Sides
) -> None:
    """Also of A, which may be larger: there B's number was told, or the pointer ended in an error."""
    compute(compared, "sentence-guide", text)
    compared.session.compared.show(sides)
    stage = compared.stage
    said: list[str] = []
    stage.pointed.connect(said.append)
    for name in (WEIGHTS, "encoder.0.attention.scores", "embed.sum", "pool.mean"):
        compared.session.go_to(name)
        for panel in stage.stage.panels:
            rows, columns = panel.grid.values.shape
            for cell in {(0, 0), (rows - 1, 0), (rows - 1, columns - 1)}:
                if panel.grid.caption.startswith("B − A"):
                    continue
                x, y, width, height = panel.box([cell])
                stage.point_at(QPointF(x + width / 2, y + height / 2))
                told = float(said[-1].partition("  ·  ")[0].rpartition(" = ")[2].replace("−", "-"))
                assert told == pytest.approx(float(panel.grid.values[cell]), abs=1e-5), (name, panel.grid.caption, cell)


def test_a_number_that_is_typed_is_b_s(window: Window, qtbot: QtBot) -> None:
    press(qtbot, window, Key.Key_B, modifier=Ctrl)
    window.session.go_to("embed.sum")
    b = window.stage.stage.panels[0]
    qtbot.mouseClick(window.stage.viewport(), Qt.MouseButton.LeftButton, pos=at(b, 2, 1))
    press(qtbot, window, Key.Key_7)
    field = QApplication.focusWidget()
    assert isinstance(field, QLineEdit)
    assert field.geometry().intersects(window.stage.viewport().geometry())
    with qtbot.waitSignal(window.session.trace_changed, timeout=20_000):
        qtbot.keyClick(field, Key.Key_Return)
    assert "1 of 15 cells differs" in written(window)
    assert window.comparing.bar.told.text() == "A: as it was  ·  B: edited: embed.sum[2,1]=7"


def test_the_nearest_step_is_said(compared: Window, compute: Compute) -> None:
    compute(compared, "vit-guide-2x2", "; ".join(["1 0 0.5 0 1 0.2"] * 6))
    compared.session.go_to("head.logits")
    assert "A has no step head.logits; the nearest one there is" in words(compared)


def choose(qtbot: QtBot, window: Window, title: str) -> None:
    """From the menu at the side of the button."""
    menu = window.comparing.button.menu()
    menu.aboutToShow.emit()
    (action,) = [action for action in menu.actions() if action.text().startswith(title)]
    with qtbot.waitSignal(window.session.compared.changed, timeout=60_000):
        action.trigger()
    qtbot.waitUntil(lambda: window.session.compared.trace is not None, timeout=60_000)


def test_a_sentence_beside_a_drawing(window: Window, qtbot: QtBot) -> None:
    choose(qtbot, window, "A sentence beside a drawing")
    assert "A sentence beside an image: only the ends differ" in written(window)
    assert "9 patches of 4 pixels each and [CLS]" in written(window)
    press(qtbot, window, Key.Key_X)
    assert window.session.compared.sides == "all"
    qtbot.waitUntil(lambda: window.input.drawings.height() > 100)
    assert Checker().disagreements(window) == []


def test_word_order_without_positions(window: Window, qtbot: QtBot) -> None:
    choose(qtbot, window, "The same without positions")
    assert "B has the same 6 rows as A, in another order." in words(window)
    assert window.badge.accessibleDescription().count("1.000") == 2
    assert window.input.request().edits == ("first.embed.positions=0", "second.embed.positions=0")


def test_a_table_goes_when_both_read_the_same(window: Window, qtbot: QtBot, compute: Compute) -> None:
    choose(qtbot, window, "A sentence beside a drawing")
    compute(window, "sentence-guide", "The dog sat.")
    assert window.session.compared.sides == "all"
    assert not window.comparing.bar.buttons["table"].isVisible()


def test_every_comparison_that_is_ready_made_can_be_run() -> None:
    found = {name: run_both(ready) for name, ready in comparisons().items()}
    answers = {name: (str(a.output), str(b.output)) for name, (a, b) in found.items()}
    assert answers["order"][0] == "1.000"
    assert float(answers["order"][1]) < 0.999
    assert answers["order-without-positions"] == ("1.000", "1.000")
    assert answers["beam"][0] != answers["beam"][1]
    before, after = found["training"]
    assert before["head.probabilities"].value.max() < after["head.probabilities"].value.max()
    assert before.about["title"].endswith("(before training)")


def test_a_comparison_is_there_after_a_restart(start: Callable[..., Window], qtbot: QtBot, compute: Compute) -> None:
    first = start()
    press(qtbot, first, Key.Key_B, modifier=Ctrl)
    compute(first, "sentence-guide", "The dog sat.")
    first.session.go_to(WEIGHTS)
    first.session.compared.show("difference")
    first.close()
    again = start()
    qtbot.waitUntil(lambda: again.session.compared.trace is not None, timeout=20_000)
    assert again.session.compared.sides == "difference"
    assert again.comparing.bar.told.text() == "A: “The cat sat.”  ·  B: “The dog sat.”"
    assert written(again)[:2] == ["B − A · Attention weights: who looks at whom", "encoder 0 · attention · weights"]


def test_presenting_shows_both(compared: Window, qtbot: QtBot) -> None:
    press(qtbot, compared, Key.Key_F5)
    presentation = compared.overlays.presentation
    assert presentation is not None
    qtbot.waitExposed(presentation)
    texts = [mark.text for mark in presentation.area.figure_shown().flat() if isinstance(mark, Text)]
    assert {"A", "B", "B − A"} <= set(texts)
    qtbot.waitUntil(lambda: presentation.width() > 1000)
    compared.session.pin((0, 2, 2))
    first, second = presentation.arithmetic.text().split("\n")
    assert first.startswith("A  weights")
    assert second.startswith("B  weights")
    presentation.close()


@pytest.mark.parametrize("level", ["step", "block"])
def test_the_export_dialog_has_the_comparison(compared: Window, level: str) -> None:
    if level == "block":
        compared.session.go_out()
    compared.exporter.ask()
    (dialog,) = compared.findChildren(ExportDialog)
    figure = dialog.preview.figure
    assert figure is not None
    texts = [mark.text for mark in figure.flat() if isinstance(mark, Text)]
    assert any(text.endswith("· A and B") or text.startswith("A and B · ") for text in texts)
    wanted = dialog.wanted()
    assert wanted.other is compared.session.compared.trace
    dialog.format.setCurrentIndex(dialog.format.findData("csv"))
    assert "can be written as png, svg, tikz, pdf, gif, mp4, webm, webp, pptx and html" in dialog.matches.text()
    dialog.reject()


def test_the_bar_has_room_in_a_small_window(compared: Window, qtbot: QtBot) -> None:
    compared.resize(900, 600)
    qtbot.waitUntil(lambda: compared.width() == 900)
    bar = compared.comparing.bar
    shown: list[QWidget] = [*(button for button in bar.buttons.values() if button.isVisible()), bar.swap, bar.end]
    for widget in shown:
        assert widget.width() >= widget.sizeHint().width()
        assert bar.rect().contains(widget.geometry())
    for theme in ("dark", "light"):
        compared.choose_theme(theme)
        assert Checker().disagreements(compared) == []


def test_what_is_still_computed_does_not_come_after_a_swap_or_a_comparison(
    compared: Window, qtbot: QtBot, compute: Compute
) -> None:
    """The panel shows what is compared by then."""
    late = Request("translator", "I love you very much", {"strategy": "beam"})
    compared.computing.compute(late)
    compared.actions_by_key["swap"].trigger()
    qtbot.waitUntil(lambda: not compared.computing.background.busy)
    qtbot.wait(100)
    assert compared.comparing.bar.told.text() == "A: “The dog sat.”  ·  B: “The cat sat.”"
    assert Checker().disagreements(compared) == []
    ready = comparisons()["order"]
    both = run_both(ready)
    compared.computing.compute(late)
    compared.comparing.background.finished.emit(_Ready(ready, *both))
    qtbot.waitUntil(lambda: not compared.computing.background.busy)
    qtbot.wait(100)
    assert compared.session.request == ready.b
    assert Checker().disagreements(compared) == []


def test_a_is_kept_with_what_was_dragged_by_then(window: Window, qtbot: QtBot) -> None:
    """The drag is over, and what can be undone is yet to be computed."""
    dragged = window.session.request
    assert dragged is not None
    dragged = replace(dragged, edits=("embed.tokens[1,2]=3",))
    window.session.show_numbers(computed(dragged))
    press(qtbot, window, Key.Key_B, modifier=Ctrl)
    assert window.session.compared.request == dragged


@pytest.mark.parametrize(
    ("a", "b", "step"),
    [
        ("translator", "digits", "head.prediction"),
        ("translator", "digits", "head.logits"),
        ("translator", "digits", WEIGHTS),
    ],
)
def test_a_cell_of_b_can_be_chosen_beside_another_model(
    window: Window, qtbot: QtBot, compute: Compute, a: str, b: str, step: str
) -> None:
    """A has no such step, and what is shown of it has other axes."""
    compute(window, a, find(a).example)
    press(qtbot, window, Key.Key_B, modifier=Ctrl)
    compute(window, b, find(b).example)
    window.session.go_to(step)
    window.session.show_node(step)
    for _ in window.comparing.bar.sides:
        press(qtbot, window, Key.Key_Right, Key.Key_Down, modifier=Ctrl)
        assert pixels(window.stage.viewport()).any()
        assert Checker().disagreements(window) == []
        press(qtbot, window, Key.Key_X)


def test_from_the_table_v_leads_to_the_pictures_of_both(window: Window, qtbot: QtBot) -> None:
    choose(qtbot, window, "A sentence beside a drawing")
    settle()
    before = window.session.picture
    assert Checker().disagreements(window) == []
    press(qtbot, window, Key.Key_V)
    assert window.session.picture != before
    assert window.session.compared.sides == "all"
    assert "only the ends differ" not in " ".join(written(window))
    assert Checker().disagreements(window) == []
