"""A film of what one does in the window: which scenes, how long each, and the file that comes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import av
import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QMessageBox, QProgressDialog, QWidget
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Compute, press, settle
from txviz.figures.film import film, subtitles
from txviz.figures.marks import Text
from txviz.gui.recording import LONGEST, SHORTEST, Recording
from txviz.gui.window import Window
from txviz.models import find, registry
from txviz.models.request import Request
from txviz.models.request import compute as compute_now
from txviz.models.trained import TrainedModel

W = TypeVar("W", bound=QWidget)
SCORES, WEIGHTS = "encoder.0.attention.scores", "encoder.0.attention.weights"
BOTH = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def recording(window: Window, clock: Clock) -> Recording:
    window.session.go_to(SCORES)
    return Recording(window.session, window, clock)


def names(recording: Recording) -> list[str]:
    return [scene.shown[0].name for scene in recording.scenes()]


def test_each_step_is_a_scene_as_long_as_one_stays(window: Window, recording: Recording, clock: Clock) -> None:
    for stayed in (3.0, 0.1, 60.0):
        clock.now += stayed
        window.session.move(1)
    assert len(recording) == 4
    assert [scene.seconds for scene in recording.scenes()] == [3.0, SHORTEST, LONGEST, SHORTEST]
    assert names(recording)[0] == SCORES
    assert names(recording)[-1] == window.session.step.name


def test_a_level_is_as_far_as_it_was_in_the_window(window: Window, recording: Recording, qtbot: QtBot) -> None:
    press(qtbot, window, Qt.Key.Key_M)
    press(qtbot, window, Qt.Key.Key_Right, modifier=Qt.KeyboardModifier.ShiftModifier)
    _, first, second = recording.scenes()
    assert [scene.view for scene in (first, second)] == ["map", "map"]
    assert first.at is not None
    assert second.at is not None
    assert (first.at.name, second.at.name) == (SCORES, window.session.step.name)
    assert first.figure(first.shown[0]) != second.figure(second.shown[0]), "what is computed is lit"
    assert second.figure(second.shown[0]) != replace(second, at=None).figure(second.shown[0])


def test_a_cell_that_is_chosen_is_outlined(window: Window, recording: Recording) -> None:
    window.session.hover((0, 1, 1))
    assert len(recording) == 1, "the pointer only passes"
    window.session.pin((0, 2, 4))
    before, chosen = recording.scenes()
    step = before.shown[0]
    assert chosen.cell == (0, 2, 4)
    assert len(list(chosen.figure(step).flat())) > len(list(before.figure(step).flat()))


def test_of_what_is_typed_quickly_only_the_end_is_kept(
    window: Window, recording: Recording, clock: Clock, compute: Compute
) -> None:
    for text, stayed in (("The cat", 0.1), ("The cat sat", 0.1), ("The cat sat on", 5.0), ("A cat", 5.0)):
        compute(window, "sentence-guide", text)
        clock.now += stayed
    said = [scene.trace.about["input"] for scene in recording.scenes()]
    assert said == ["The cat sat on", "A cat"]


def test_the_film_has_the_scenes_and_their_words(window: Window, recording: Recording, clock: Clock) -> None:
    clock.now += 2
    window.session.pin((0, 2, 4))
    clock.now += 3
    window.session.go_to(WEIGHTS)
    clock.now += 4
    scenes = recording.scenes()
    wanted = window.recorder._film(scenes, Path("x.mp4"))
    shots = list(film(wanted))
    assert [sum(take.seconds for take in shot.takes) for shot in shots] == pytest.approx([2, 3, 6]), "two for the end"
    assert len(shots[0].takes) > len(shots[1].takes), "what is there already does not come about once more"
    assert shots[1].end == scenes[1].figure(scenes[1].shown[0])
    titles = [{mark.text for mark in shot.end.flat() if isinstance(mark, Text)} for shot in shots]
    assert all(scene.shown[0].title in texts for scene, texts in zip(scenes, titles, strict=True))
    assert [line for line in subtitles(wanted).splitlines() if "-->" in line] == [
        "00:00:00,000 --> 00:00:02,000",
        "00:00:02,000 --> 00:00:05,000",
        "00:00:05,000 --> 00:00:11,000",
    ]


def test_a_recording_that_is_full_says_so_and_keeps_no_more_runs(
    window: Window, clock: Clock, compute: Compute
) -> None:
    room = 3 * sum(step.value.nbytes for step in window.session.trace)
    recording = Recording(window.session, window, clock, largest=room)
    told: list[bool] = []
    recording.filled.connect(lambda: told.append(True))
    for _ in range(3):
        clock.now += 2
        window.session.move(1)
    assert len(recording) == 4, "one run, however many scenes it has"
    for text in ("A dog", "The cat sat", "The dog sat", "A cat sat", "The mat", "A mat", "The cat"):
        clock.now += 2
        compute(window, "sentence-guide", text)
    kept = {id(scene.trace): scene.trace for scene in recording.scenes()}
    assert sum(step.value.nbytes for run in kept.values() for step in run) <= room
    assert told == [True]
    assert recording.full
    before = recording.scenes()
    clock.now += 5
    window.session.move(1)
    assert recording.scenes() == before, "nor longer than it was seen"


def test_a_recording_counts_the_weights_that_a_model_had(window: Window, clock: Clock) -> None:
    """Each step of a training that is looked at keeps its own; those that the model has now are there anyway."""
    model = find("digits")
    assert isinstance(model, TrainedModel)
    weights = sum(each.nbytes for each in model.parameters.values())
    request = Request("digits", model.example)
    room = 21 * sum(step.value.nbytes for step in compute_now(request)) + 2 * weights
    recording = Recording(window.session, window, clock, largest=room)
    try:
        for step in range(20):
            registry.lend("digits", model.with_parameters(model.parameters, f"step {step}"))
            clock.now += 2
            window.session.show_trace(compute_now(request), request)
    finally:
        registry.lend("digits", None)
    kept = {id(scene.trace): scene.trace for scene in recording.scenes()}.values()
    assert recording.full
    assert sum(each.nbytes for run in kept for each in (*run.parameters.values(), *(s.value for s in run))) < room * 1.1


def when_asked(kind: type[W], answer: Callable[[W], object]) -> None:
    """Answers a dialog of this kind as soon as it is there."""

    def look() -> None:
        asking = QApplication.activeModalWidget()
        if isinstance(asking, kind):
            answer(asking)
        else:
            QTimer.singleShot(50, look)

    QTimer.singleShot(50, look)


def answer_question(qtbot: QtBot, button: str) -> None:
    """By a click."""

    def answer(asking: QMessageBox) -> None:
        (wanted,) = [each for each in asking.buttons() if each.text() == button]
        qtbot.mouseClick(wanted, Qt.MouseButton.LeftButton)

    when_asked(QMessageBox, answer)


def answer_file_dialog(qtbot: QtBot, path: str) -> None:
    """With a path, or with Escape."""

    def answer(asking: QFileDialog) -> None:
        field = asking.findChild(QLineEdit)
        assert field is not None
        if path:
            field.setText(path)
        qtbot.keyClick(field, Qt.Key.Key_Return if path else Qt.Key.Key_Escape)

    when_asked(QFileDialog, answer)


def test_from_the_first_key_to_the_file(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    assert not window.recorder.button.isVisible()
    press(qtbot, window, Qt.Key.Key_R, modifier=BOTH)
    settle()
    assert window.recorder.button.isVisible()
    assert window.recorder.button.text() == "● 1 · Stop"
    assert "becomes a film" in window.toast.text()
    press(qtbot, window, Qt.Key.Key_Right)
    assert window.recorder.button.text() == "● 2 · Stop"
    answer_file_dialog(qtbot, "")
    answer_question(qtbot, "Go on")
    press(qtbot, window, Qt.Key.Key_R, modifier=BOTH)
    assert window.recorder.recording is not None, "nothing is lost by Escape"
    assert window.actions_by_key["record"].isChecked()
    answer_file_dialog(qtbot, str(tmp_path / "talk.mp4"))
    qtbot.mouseClick(window.recorder.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: (tmp_path / "talk.srt").exists() and (tmp_path / "talk.mp4").exists())
    qtbot.waitUntil(lambda: not window.exporter.background.busy)
    assert not window.recorder.button.isVisible()
    assert not window.actions_by_key["record"].isChecked()
    with av.open(str(tmp_path / "talk.mp4")) as film:
        (stream,) = film.streams.video
        assert (stream.width, stream.height) == (1920, 1080)
        assert stream.frames >= 4 * 30


def test_a_recording_whose_film_was_not_written_can_be_saved_again(
    window: Window, qtbot: QtBot, tmp_path: Path
) -> None:
    """Where its export is cancelled, or nothing can be written there."""
    recorder = window.recorder
    press(qtbot, window, Qt.Key.Key_R, modifier=BOTH)
    press(qtbot, window, *[Qt.Key.Key_Right] * 8)
    answer_file_dialog(qtbot, str(tmp_path / "talk.mp4"))  # some seconds of work
    press(qtbot, window, Qt.Key.Key_R, modifier=BOTH)
    dialog = window.findChild(QProgressDialog)
    assert dialog is not None
    qtbot.waitUntil(dialog.isVisible)
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not window.exporter.background.busy)
    assert not (tmp_path / "talk.mp4").exists()
    assert window.toast.text() == "The film was not saved, and the recording goes on. Ctrl+Shift+R saves it."
    assert recorder.button.isVisible()
    assert recorder.button.text() == "● 9 · Stop"
    answer_file_dialog(qtbot, "/proc/talk.gif")
    press(qtbot, window, Qt.Key.Key_R, modifier=BOTH)
    qtbot.waitUntil(lambda: window.notice.isVisible() and not window.exporter.background.busy)
    assert recorder.button.text() == "● 9 · Stop"
    assert window.actions_by_key["record"].isChecked()
    answer_file_dialog(qtbot, str(tmp_path / "talk.gif"))
    press(qtbot, window, Qt.Key.Key_R, modifier=BOTH)
    qtbot.waitUntil(lambda: (tmp_path / "talk.gif").exists() and not recorder.button.isVisible())
    assert recorder.recording is None


def test_closing_the_window_ends_the_recording_first(
    start: Callable[..., Window], qtbot: QtBot, tmp_path: Path
) -> None:
    window = start()
    press(qtbot, window, Qt.Key.Key_R, modifier=BOTH)
    answer_file_dialog(qtbot, "")
    answer_question(qtbot, "Go on")
    window.close()
    assert window.isVisible()
    answer_file_dialog(qtbot, str(tmp_path / "talk.gif"))
    window.close()
    qtbot.waitUntil(lambda: (tmp_path / "talk.gif").exists() and not window.exporter.background.busy)
    assert window.close()


@pytest.mark.parametrize("closing", [False, True])
def test_a_recording_that_nobody_wants_can_be_thrown_away(window: Window, qtbot: QtBot, closing: bool) -> None:
    """It was begun by mistake: who stops it, or closes the window, need not write a film."""
    press(qtbot, window, Qt.Key.Key_R, modifier=BOTH)
    answer_file_dialog(qtbot, "")
    answer_question(qtbot, "Throw away")
    if closing:
        assert window.close()
    else:
        press(qtbot, window, Qt.Key.Key_R, modifier=BOTH)
    assert window.recorder.recording is None
    assert not window.recorder.button.isVisible()
    assert not window.actions_by_key["record"].isChecked()
