"""A checkpoint whose image is small is drawn, in greys or in colours, on a board of its own size."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QLabel
from pytestqt.qtbot import QtBot

import txviz
from tests.gui.conftest import Compute
from tests.gui.editing import go, spot
from tests.gui.shown import board_greys, pixels
from tests.models.checkpoints.reference import path
from txviz.figures.theme import LIGHT, rgb
from txviz.gui import saved_state
from txviz.gui.inputs.drawing_editor import DrawingEditor
from txviz.gui.inputs.grey_board import GreyBoard
from txviz.gui.inputs.painting_editor import PaintingEditor
from txviz.gui.inputs.pictures import PicturePreview
from txviz.gui.window import Window
from txviz.models import find
from txviz.models.model import Model


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
    board = GreyBoard(np.linspace(0, 1, 32 * 32).reshape(32, 32).round(2), LIGHT)
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


@pytest.fixture
def painted(window: Window, qtbot: QtBot) -> Window:
    with qtbot.waitSignal(window.computing.opened):
        window.open(Path(path("vit")))
    return window


def paint(window: Window, qtbot: QtBot, cell: tuple[int, int], digit: int) -> None:
    editor = window.input.page.editor
    assert isinstance(editor, PaintingEditor)
    QTest.mouseClick(editor.palette_row.swatches[digit - 1], Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(window.session.trace_changed):
        QTest.mouseClick(editor.board, Qt.MouseButton.LeftButton, pos=editor.board.cell_rect(*cell).center())


ORANGE, BLUE = (0xE6, 0x9F, 0x00), (0x00, 0x72, 0xB2)


def test_a_colour_that_is_drawn_is_rescaled_and_normalised_like_a_photograph(
    painted: Window, qtbot: QtBot, tmp_path: Path
) -> None:
    go(painted, "image")
    paint(painted, qtbot, (2, 9), 4)
    trace = painted.session.trace
    assert trace["photograph"].value[2, 9].tolist() == list(ORANGE)
    assert trace["image"].value[2, 9] == pytest.approx(np.array(ORANGE) / 255, abs=1e-6)
    assert trace["standardised"].value[2, 9] == pytest.approx((np.array(ORANGE) / 255 - 0.5) / 0.5, abs=1e-6)
    Image.fromarray(trace["photograph"].value.astype(np.uint8)).save(tmp_path / "same.png")
    same = txviz.trace(path("vit"), str(tmp_path / "same.png"))
    assert [step.name for step in same] == [step.name for step in trace]
    assert all((trace[step.name].value == step.value).all() for step in same), "as the same picture from a file"
    at, seen = spot(painted, (2, 9, 0)), pixels(painted.stage.viewport())
    ratio = seen.shape[1] / painted.stage.viewport().width()
    assert np.abs(seen[round(at.y() * ratio), round(at.x() * ratio)] - ORANGE).max() <= 2, "on the stage, too"


def test_the_windows_undo_brings_a_painting_back(painted: Window, qtbot: QtBot) -> None:
    before = painted.session.trace["photograph"].value
    painted.session.end_burst()
    paint(painted, qtbot, (0, 0), 8)
    assert painted.session.trace["photograph"].value[0, 0].tolist() == list(BLUE)
    with qtbot.waitSignal(painted.session.trace_changed):
        painted.actions_by_key["undo"].trigger()
    assert (painted.session.trace["photograph"].value == before).all()
    editor = painted.input.page.editor
    assert isinstance(editor, PaintingEditor)
    qtbot.waitUntil(lambda: bool((editor.board.pixels == before).all()))


def test_a_painting_is_kept_in_the_state_and_in_a_trace(painted: Window, qtbot: QtBot, tmp_path: Path) -> None:
    paint(painted, qtbot, (5, 5), 8)
    kept = saved_state.describe(painted)["request"]
    assert txviz.trace(kept["model"], kept["source"])["photograph"].value[5, 5].tolist() == list(BLUE)
    painted.session.trace.save(tmp_path / "kept.safetensors")
    painted.session.trace.save(tmp_path / "compact.safetensors", compact=True)
    paint(painted, qtbot, (5, 5), 2)
    for name in ("kept.safetensors", "compact.safetensors"):
        with qtbot.waitSignal(painted.session.trace_changed):
            painted.open(tmp_path / name)
        editor = painted.input.page.editor
        assert isinstance(editor, PaintingEditor)
        image = editor.board.grab().toImage()
        assert rgb(image.pixelColor(editor.board.cell_rect(5, 5).center()).name()) == BLUE


def test_where_nothing_can_be_drawn_the_strip_says_why(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    with qtbot.waitSignal(window.computing.opened):
        window.open(Path(path("deit")))
    assert "It can't be drawn by hand: this model first resizes" in said_in_strip(window)
    assert find_large(tmp_path).takes.not_drawn == (
        "Up to 32×32 pixels can be drawn by hand, and this model reads 36×36."
    )


def said_in_strip(window: Window) -> str:
    return " ".join(label.text() for label in window.input.page.findChildren(QLabel) if label.isVisible())


def find_large(folder: Path) -> Model:
    """The tiny ViT, as one that reads more pixels."""
    for file in Path(path("vit")).iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    config = json.loads((folder / "config.json").read_text("utf-8"))
    (folder / "config.json").write_text(json.dumps({**config, "image_size": 36}), "utf-8")
    return find(str(folder))
