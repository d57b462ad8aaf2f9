"""A model that looks at photographs, in the window: pointing, choosing a colour, and dropping another picture."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Compute, press
from tests.gui.editing import LONG, go, panel, spot
from tests.gui.shown import pixels
from tests.models.checkpoints.reference import path, source
from txviz import ops
from txviz.figures.theme import LIGHT
from txviz.gui.answer_badge import AnswerBadge
from txviz.gui.inputs.pictures import MOST_KEPT
from txviz.gui.session import Session
from txviz.gui.stage_bar import PlaceSlider
from txviz.gui.window import Window
from txviz.ops import Array
from txviz.trace import Run, Trace


@pytest.fixture
def seeing(window: Window, compute: Compute) -> Window:
    compute(window, path("vit"), source("vit"))
    go(window, "photograph")
    return window


def shown_colour(window: Window) -> str:
    (slider,) = [each for each in window.findChildren(PlaceSlider) if each.isVisible()]
    return slider.label.text()


def test_pointing_at_a_pixel_explains_the_colour_that_is_chosen(qtbot: QtBot, seeing: Window) -> None:
    go(seeing, "image")
    value = seeing.session.trace["photograph"].value
    for colour, name in enumerate(("red", "green", "blue")):
        cell = (4, 7, colour)
        QTest.mouseMove(seeing.stage.viewport(), spot(seeing, (1, 1, colour)))
        QTest.mouseMove(seeing.stage.viewport(), spot(seeing, cell))
        worked = f"image[row 4, 7, {name}] = {value[cell]:.0f} / 255"
        qtbot.waitUntil(lambda worked=worked: worked in seeing.explanation.toPlainText(), timeout=LONG)  # type: ignore[misc]
        assert shown_colour(seeing) == f"colour {name}"
        press(qtbot, seeing, Qt.Key.Key_Down)


def test_the_stage_shows_the_photograph(seeing: Window) -> None:
    shown, value = panel(seeing), seeing.session.trace["photograph"].value
    painted = pixels(seeing.stage.viewport())
    for row, column in ((1, 1), (6, 2), (10, 9)):
        at = spot(seeing, (row, column, 0))
        ratio = painted.shape[1] / seeing.stage.viewport().width()
        seen = painted[round(at.y() * ratio), round(at.x() * ratio)]
        assert np.abs(seen - value[row, column]).max() <= 2
    assert shown.grid.values.shape == (12, 12)


def test_a_photograph_that_is_dropped_anywhere_is_looked_at(qtbot: QtBot, seeing: Window, tmp_path: Path) -> None:
    Image.fromarray(np.full((30, 30, 3), 200, np.uint8)).save(tmp_path / "grey.png")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "grey.png"))])
    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(seeing, QDragEnterEvent(QPoint(5, 5), copy, data, left, none))
    QApplication.sendEvent(seeing, QDropEvent(QPointF(5, 5), copy, data, left, none))
    qtbot.waitUntil(lambda: bool((seeing.session.trace["photograph"].value == 200).all()), timeout=LONG)
    assert seeing.session.step.name == "photograph"


def test_of_pasted_pictures_the_newest_stay_and_the_one_that_is_shown(
    window: Window, compute: Compute, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "cache" / "txviz"
    folder.mkdir(parents=True)
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder.parent))
    pasted = [folder / f"pasted-{i:08x}.png" for i in range(MOST_KEPT + 5)]
    for age, file in enumerate(pasted):
        Image.fromarray(np.full((30, 30, 3), age, np.uint8)).save(file)
        os.utime(file, (10**9 + age, 10**9 + age))
    other = folder / "other.png"
    other.write_bytes(b"")
    compute(window, path("vit"), str(pasted[0]))
    window.close()
    left = sorted(folder.iterdir())
    assert left == sorted([other, pasted[0], *pasted[5:]])


def classes(*names: str) -> Trace:
    run = Run({})
    logits = run.given("logits", np.arange(len(names), 0.0, -1.0), axes="class", labels={"class": names})
    likely = run(ops.softmax, "probabilities", logits, axes="class")
    run(ops.argmax, "prediction", likely, axes="")
    return Trace(run.steps, {}, names[0])


def words(qtbot: QtBot, name: str) -> Array:
    """The part of the badge that says the answer."""
    session = Session(classes(name, "dog", "bird"))
    session.go_to("prediction")
    badge = AnswerBadge(session, LIGHT)
    qtbot.addWidget(badge)
    badge.resize(300, 60)
    seen = pixels(badge)
    return seen[:, : round(seen.shape[1] * 0.36)]


def test_the_badge_shows_how_a_long_class_begins(qtbot: QtBot) -> None:
    rest = ", a cat with a long name that goes on for more than two lines of any badge, and ends alike"
    assert (words(qtbot, f"tabby{rest}") != words(qtbot, f"lynx{rest}")).any()
    assert (words(qtbot, f"tabby{rest} one") == words(qtbot, f"tabby{rest} two")).all()
