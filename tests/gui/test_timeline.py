"""The timeline as it is painted, and moving by time steps and key steps."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from PySide6.QtCore import QEvent, QPoint, QRect, Qt
from PySide6.QtGui import QColor, QHelpEvent, QImage
from PySide6.QtWidgets import QApplication, QToolButton, QToolTip
from pytestqt.qtbot import QtBot

import txviz
from tests.gui.conftest import Compute, press, settle
from tests.gui.inputs.test_sentence import ink
from txviz.gui.scrubber import Scrubber
from txviz.gui.window import Window
from txviz.models import find

Key = Qt.Key


def labels(scrubber: Scrubber) -> list[str]:
    return [label.text for label in scrubber.labels]


def painted(scrubber: Scrubber) -> QImage:
    return scrubber.grab().toImage()


def resize(window: Window, qtbot: QtBot, width: int) -> None:
    window.resize(width, 700)
    qtbot.waitUntil(lambda: window.width() == width)
    settle()


@pytest.mark.parametrize("width", [640, 900, 1280, 1900])
def test_labels_never_overlap_and_are_painted(window: Window, qtbot: QtBot, compute: Compute, width: int) -> None:
    resize(window, qtbot, width)
    scrubber = window.timeline.scrubber
    for model in txviz.models():
        compute(window, model, find(model).example)
        found = scrubber.labels
        assert found
        assert all(a.left + a.width < b.left for a, b in pairwise(found))
        assert found[-1].left + found[-1].width <= scrubber.width()
        picture = painted(scrubber)
        below = scrubber.sizeHint().height() - scrubber.fontMetrics().height()
        for label in found:
            place = QRect(round(label.left), below, round(label.width), picture.height() - below)
            assert ink(picture.copy(place)) > 5, label


@pytest.mark.parametrize("model", ["digits", "translator", "writer", "sentence"])
def test_a_step_of_training_has_labels(window: Window, qtbot: QtBot, compute: Compute, model: str) -> None:
    """Its target is read after the input, and neither is in a part of the model that could name it."""
    target = {"digits": "3", "translator": "la casa è grande", "writer": "are new", "sentence": "0.5"}[model]
    compute(window, model, find(model).example, target=target)
    for width in (640, 1280, 1900):
        resize(window, qtbot, width)
        assert "update" in labels(window.timeline.scrubber)


def test_what_the_labels_say(window: Window, qtbot: QtBot, compute: Compute) -> None:
    resize(window, qtbot, 1280)
    scrubber = window.timeline.scrubber
    assert labels(scrubber) == ["input", "embed", "encoder 0", "pool"]
    compute(window, "translator", "I love you very much")
    assert labels(scrubber) == ["encoder", "time 1", "time 2", "time 3", "time 4"], "narrow layers are named together"
    compute(window, "sentence", "a cat sleeps | a dog sleeps")
    assert {"first · encoder 0", "second · encoder 1"} <= set(labels(scrubber))
    compute(window, "writer", find("writer").example, strategy="sample", max_steps=30, seed=4)
    assert labels(scrubber)[:3] in (["time 1", "time 2", "time 3"], ["t1", "t2", "t3"])
    resize(window, qtbot, 640)
    shown = [int(text.removeprefix("t")) for text in labels(scrubber)]
    assert len(shown) >= 2
    assert len({b - a for a, b in pairwise(shown)}) == 1, "every second, every fifth, …"


def test_the_label_of_the_segment_that_is_shown_is_bold(window: Window, compute: Compute) -> None:
    compute(window, "translator", "I love you very much")
    scrubber = window.timeline.scrubber
    places = {label.text: QRect(round(label.left), 20, round(label.width), 99) for label in scrubber.labels}
    window.session.go_to("time.1.head.logits")
    before = painted(scrubber)
    window.session.go_to("time.2.head.logits")
    after = painted(scrubber)
    assert [before.copy(place) != after.copy(place) for place in places.values()] == [False, True, True, False, False]


def test_wrong_prints_are_marked_and_told(window: Window, compute: Compute) -> None:
    compute(window, "vit-guide-2x2", find("vit-guide-2x2").example)
    scrubber, trace = window.timeline.scrubber, window.session.trace
    wrong = {entry.step for entry in txviz.audit() if entry.model == "vit-guide-2x2" and not entry.printed.agrees}
    assert len(wrong) == 8
    for theme in ("light", "dark"):
        window.choose_theme(theme)
        picture = painted(scrubber)
        marked = {step.name for i, step in enumerate(trace) if has_mark(scrubber, picture, i, window.theme.bad)}
        assert marked == wrong
    position = [step.name for step in trace].index("encoder.0.attention.weights")
    spot = scrubber.mark_rect(position).center().toPoint()
    QApplication.sendEvent(scrubber, QHelpEvent(QEvent.Type.ToolTip, spot, scrubber.mapToGlobal(spot)))
    told = QToolTip.text()
    first = next(i for i, step in enumerate(trace, start=1) if step.site.part == "encoder")
    assert told.startswith(
        f"encoder 0: steps {first} to {first + 15}\n{position + 1}. encoder 0 · attention · weights: "
    )
    assert "✗ The guide's “softmax of the printed scores” is wrong: it prints 0.08" in told


def has_mark(scrubber: Scrubber, picture: QImage, position: int, colour: str) -> bool:
    place = scrubber.mark_rect(position).toRect()
    spots = [(x, y) for x in range(place.left(), place.right()) for y in range(place.top(), place.bottom())]
    return sum(like(picture.pixelColor(x, y), QColor(colour)) for x, y in spots) > 5


def like(a: QColor, b: QColor) -> bool:
    """But for smooth edges."""
    return max(abs(a.red() - b.red()), abs(a.green() - b.green()), abs(a.blue() - b.blue())) < 60


# --- time steps ---


def test_time_steps_have_their_own_keys(window: Window, qtbot: QtBot, compute: Compute) -> None:
    compute(window, "translator", "I love you very much")
    window.session.go_to("time.1.decoder.1.cross_attention.weights")
    window.session.choose_place((2,))
    press(qtbot, window, Key.Key_PageDown, Key.Key_PageDown, Key.Key_PageDown)
    assert window.session.step.name == "time.4.decoder.1.cross_attention.weights"
    assert window.session.place == (2,)
    assert window.windowTitle().startswith("txviz — time.4.decoder.1.cross_attention.weights")
    assert window.steps.tree.currentIndex().data() == "weights"
    press(qtbot, window, Key.Key_PageDown)
    assert window.session.step.name == "time.4.decoder.1.cross_attention.weights"
    assert window.toast.isVisible()
    assert window.toast.text() == "There is no later time step."
    press(qtbot, window, Key.Key_PageUp)
    assert window.session.step.name == "time.3.decoder.1.cross_attention.weights"


def test_two_sentences_have_the_same_keys(window: Window, qtbot: QtBot, compute: Compute) -> None:
    compute(window, "sentence", "a cat sleeps | a dog sleeps")
    window.session.go_to("first.encoder.1.attention.weights")
    press(qtbot, window, Key.Key_PageDown)
    assert window.session.step.name == "second.encoder.1.attention.weights"
    press(qtbot, window, Key.Key_PageUp)
    assert window.session.step.name == "first.encoder.1.attention.weights"


# --- key steps ---


def test_key_steps_only(start: Callable[..., Window], qtbot: QtBot) -> None:
    window = start()
    (button,) = [
        each for each in window.timeline.findChildren(QToolButton)
        if each.defaultAction() is window.actions_by_key["key_steps"]
    ]  # fmt: skip
    assert button.text() == "Key steps"
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    names = []
    for _ in range(8):
        names.append(window.session.step.name)
        press(qtbot, window, Key.Key_Right)
    assert names == [step.name for step in window.session.trace.key_steps]
    window.session.go_to("encoder.0.attention.value")
    press(qtbot, window, Key.Key_Left)
    assert window.session.step.name == "embed.sum"
    window.session.go_to("encoder.0.attention.value")
    press(qtbot, window, Key.Key_Right)
    assert window.session.step.name == "encoder.0.attention.scores"
    window.close()
    again = start()
    assert again.actions_by_key["key_steps"].isChecked()
    press(qtbot, again, Key.Key_K, Key.Key_Right)
    assert again.session.step.name == "encoder.0.attention.weights"
    press(qtbot, again, Key.Key_Left, Key.Key_Left)
    assert again.session.step.name == "encoder.0.attention.value", "all steps again"


def test_playing_keeps_to_the_key_steps(window: Window, qtbot: QtBot) -> None:
    window.actions_by_key["key_steps"].trigger()
    window.timeline.speed.setCurrentText("20 steps/s")
    shown: list[str] = []
    window.session.step_changed.connect(lambda: shown.append(window.session.step.name))
    press(qtbot, window, Key.Key_Space)
    qtbot.waitUntil(lambda: not window.timeline.playing)
    assert shown == [step.name for step in window.session.trace.key_steps][1:]
    press(qtbot, window, Key.Key_Space)
    assert window.timeline.playing, "from the start again"
    assert window.session.position == 0


def test_a_click_on_the_timeline_goes_to_any_step(window: Window, qtbot: QtBot) -> None:
    window.actions_by_key["key_steps"].trigger()
    scrubber = window.timeline.scrubber
    spot = QPoint(round(scrubber.mark_rect(7).center().x()), 15)
    qtbot.mouseClick(scrubber, Qt.MouseButton.LeftButton, pos=spot)
    assert window.session.position == 7
