"""A checkpoint whose image is small and grey is drawn on a board of its own size."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialogButtonBox
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Compute
from tests.gui.shown import board_greys
from tests.models.checkpoints.reference import path
from txviz.figures.theme import LIGHT
from txviz.gui.inputs.board import Board
from txviz.gui.inputs.drawing_editor import DrawingEditor
from txviz.gui.inputs.pictures import PicturePreview
from txviz.gui.window import Window


@pytest.fixture
def drawn(window: Window, qtbot: QtBot) -> Window:
    with qtbot.waitSignal(window.computing.opened):
        window.open(Path(path("vit-drawing")))
    return window


def editor_of(window: Window) -> DrawingEditor:
    editor = window.input.page.editor
    assert isinstance(editor, DrawingEditor)
    return editor


def test_the_board_has_its_size_and_what_is_painted_is_read(drawn: Window, qtbot: QtBot) -> None:
    board = editor_of(drawn).board
    assert board.accessibleName() == "Drawing board, 8 rows of 8 pixels"
    shown = board_greys(drawn)
    assert shown is not None
    assert shown.shape == (8, 8)
    with qtbot.waitSignal(drawn.session.trace_changed):
        QTest.mouseClick(board, Qt.MouseButton.LeftButton, pos=board.cell_rect(7, 2).center())
    image = drawn.session.trace["image"].value
    assert image[7, 2] == 1
    after = board_greys(drawn)
    assert after is not None
    assert after[7, 2] == 255
    assert drawn.session.trace["standardised"].value[7, 2] == pytest.approx((1 - 0.4) / 0.3, abs=1e-6)


def test_a_picture_is_made_as_small_as_the_board(drawn: Window, qtbot: QtBot, tmp_path: Path) -> None:
    Image.fromarray(np.full((50, 70, 3), 51, np.uint8)).save(tmp_path / "grey.png")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "grey.png"))])
    editor_of(drawn).take(data)
    qtbot.waitUntil(lambda: isinstance(QApplication.activeModalWidget(), PicturePreview))
    preview = QApplication.activeModalWidget()
    assert isinstance(preview, PicturePreview)
    with qtbot.waitSignal(drawn.session.trace_changed):
        preview.buttons.button(QDialogButtonBox.StandardButton.Ok).click()
    assert (np.abs(drawn.session.trace["image"].value - 0.2) < 1e-6).all()


def test_a_board_of_32_rows_fits_its_panel(qtbot: QtBot) -> None:
    board = Board(np.linspace(0, 1, 32 * 32).reshape(32, 32).round(2), LIGHT)
    qtbot.addWidget(board)
    assert board.minimumSizeHint().width() < 240
    board.resize(board.minimumSizeHint())
    image = board.grab().toImage()
    for row, column in ((0, 5), (16, 3), (31, 31)):
        at = board.cell_rect(row, column).center()
        assert image.pixelColor(at).red() == pytest.approx(255 * board.pixels[row, column], abs=3), "no number on it"


def test_going_back_to_a_toy_keeps_both_drawings(drawn: Window, qtbot: QtBot, compute: Compute) -> None:
    board = editor_of(drawn).board
    with qtbot.waitSignal(drawn.session.trace_changed):
        QTest.mouseClick(board, Qt.MouseButton.LeftButton, pos=board.cell_rect(0, 0).center())
    kept = drawn.input.request().source
    models = drawn.input.models
    for name, size in (("digits", 6), (path("vit-drawing"), 8)):
        with qtbot.waitSignal(drawn.session.trace_changed):
            models.show_model(name)
            models.chosen.emit(name)
        shown = board_greys(drawn)
        assert shown is not None
        assert len(shown) == size
    assert drawn.input.request().source == kept
