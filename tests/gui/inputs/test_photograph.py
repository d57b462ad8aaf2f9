"""Photographs for a model that looks at them: opened, dropped and pasted, as the user sees it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QColor, QDragEnterEvent, QDropEvent, QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.models.checkpoints.reference import path, source
from txviz.gui.inputs import InputPanel
from txviz.gui.inputs.photograph_editor import PhotographEditor
from txviz.models import find
from txviz.models.request import Request

LONG = 20_000
"""Milliseconds to wait at most for what is read in another thread."""


@pytest.fixture
def editor(qtbot: QtBot) -> PhotographEditor:
    editor = PhotographEditor(find(path("vit")))
    qtbot.addWidget(editor)
    editor.resize(260, 300)
    with qtbot.waitActive(editor):
        editor.show()
    return editor


@pytest.fixture
def asked(editor: PhotographEditor) -> list[str]:
    found: list[str] = []
    editor.source_requested.connect(found.append)
    return found


@pytest.fixture
def refused(editor: PhotographEditor) -> list[str]:
    found: list[str] = []
    editor.refused.connect(found.append)
    return found


def halves(folder: Path, name: str = "halves.png") -> Path:
    """Red at the left, blue at the right."""
    pixels = np.zeros((40, 80, 3), np.uint8)
    pixels[:, :40, 0] = pixels[:, 40:, 2] = 255
    Image.fromarray(pixels).save(folder / name)
    return folder / name


def drop(editor: PhotographEditor, file: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file))])
    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(editor.rect().center(), copy, data, left, none)
    QApplication.sendEvent(editor, enter)
    assert enter.isAccepted()
    QApplication.sendEvent(editor, QDropEvent(QPointF(5, 5), copy, data, left, none))


def seen(editor: PhotographEditor) -> tuple[str, str]:
    """The colours left and right of the middle of what is painted."""
    image = editor.well.grab().toImage()
    y = image.height() // 2
    left, right = (image.pixelColor(round(image.width() * share), y) for share in (0.3, 0.7))
    return left.name(), right.name()


def test_a_photograph_that_is_dropped_is_shown_and_asked_for(
    qtbot: QtBot, editor: PhotographEditor, asked: list[str], tmp_path: Path
) -> None:
    drop(editor, halves(tmp_path))
    qtbot.waitUntil(lambda: asked == [str(tmp_path / "halves.png")], timeout=LONG)
    assert seen(editor) == ("#ff0000", "#0000ff")
    assert editor.source() == asked[0]
    assert editor.named.text() == editor.well.accessibleDescription() == "halves.png"


def test_a_picture_that_was_copied_is_pasted_with_the_keyboard(
    qtbot: QtBot, editor: PhotographEditor, asked: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    image = QImage(20, 10, QImage.Format.Format_RGB32)
    image.fill(QColor("#00ff00"))
    QGuiApplication.clipboard().setImage(image)
    editor.well.setFocus()
    QTest.keyClick(editor.well, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: len(asked) == 1, timeout=LONG)
    assert seen(editor) == ("#00ff00", "#00ff00")
    with Image.open(asked[0]) as kept:
        assert kept.size == (20, 10)
        assert kept.convert("RGB").getpixel((3, 3)) == (0, 255, 0)


def test_what_is_no_picture_gets_a_sentence_and_leaves_the_old_one(
    qtbot: QtBot, editor: PhotographEditor, asked: list[str], refused: list[str], tmp_path: Path
) -> None:
    drop(editor, halves(tmp_path))
    qtbot.waitUntil(lambda: len(asked) == 1, timeout=LONG)
    (tmp_path / "notes.txt").write_text("no picture", "utf-8")
    drop(editor, tmp_path / "notes.txt")
    qtbot.waitUntil(lambda: len(refused) == 1, timeout=LONG)
    assert "notes.txt" in refused[0]
    QGuiApplication.clipboard().setText("a few words")
    editor.paste_button.click()
    assert refused[1].startswith("there is no picture to take")
    assert seen(editor) == ("#ff0000", "#0000ff")
    assert len(asked) == 1


def test_a_request_is_shown_and_nothing_is_asked_for(
    qtbot: QtBot, editor: PhotographEditor, asked: list[str], refused: list[str], tmp_path: Path
) -> None:
    editor.show_source(str(halves(tmp_path)))
    qtbot.waitUntil(lambda: seen(editor) == ("#ff0000", "#0000ff"), timeout=LONG)
    editor.show_source(str(tmp_path / "gone.png"))
    assert editor.source() == str(tmp_path / "gone.png")
    assert editor.well.picture.isNull()
    qtbot.waitUntil(lambda: not editor._reading.busy, timeout=LONG)
    assert (asked, refused) == ([], [])


def test_the_panel_has_a_place_for_photographs(qtbot: QtBot, tmp_path: Path) -> None:
    panel = InputPanel()
    qtbot.addWidget(panel)
    panel.show()
    panel.show_request(Request(path("deit"), source("deit"), {}))
    editor = panel.page.editor
    assert isinstance(editor, PhotographEditor)
    assert panel.drawings.isVisibleTo(panel)
    assert panel.request() == Request(path("deit"), source("deit"), {})
    requests: list[Request] = []
    panel.requested.connect(requests.append)
    drop(editor, halves(tmp_path, "another.png"))
    qtbot.waitUntil(lambda: len(requests) == 1, timeout=LONG)
    assert requests[0].source == str(tmp_path / "another.png")
