"""The drawing board of colours, with a mouse, a keyboard and pictures: what is painted, said and asked for."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QColor, QDragEnterEvent, QDropEvent, QGuiApplication, QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QColorDialog
from pytestqt.qtbot import QtBot

import txviz
from tests.models.checkpoints.reference import FOLDER, path
from txviz.figures.patches import BORDER, find_drawing
from txviz.figures.theme import DARK, LIGHT, rgb
from txviz.gui.inputs.colour_board import ColourBoard
from txviz.gui.inputs.painting_editor import PaintingEditor
from txviz.gui.inputs.palette import COLOURS
from txviz.models import find
from txviz.models.colour_text import colours_text, read_colours
from txviz.ops import Array

LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
LONG = 20_000
"""Milliseconds to wait at most for what is read in another thread."""
SIZE = 12
WHITE = np.full((SIZE, SIZE, 3), 255, np.uint8)


@pytest.fixture
def editor(qtbot: QtBot) -> PaintingEditor:
    editor = PaintingEditor(find(path("vit")))
    qtbot.addWidget(editor)
    editor.show_source(colours_text(WHITE))
    editor.resize(300, 460)
    with qtbot.waitActive(editor):
        editor.show()
    editor.board.setFocus()
    return editor


@pytest.fixture
def asked(editor: PaintingEditor) -> list[str]:
    found: list[str] = []
    editor.source_requested.connect(found.append)
    return found


def middle(board: ColourBoard, row: int, column: int) -> QPoint:
    return board.cell_rect(row, column).center()


def stroke(board: ColourBoard, *cells: tuple[int, int], button: Qt.MouseButton = LEFT) -> None:
    QTest.mousePress(board, button, pos=middle(board, *cells[0]))
    for cell in cells[1:]:
        QTest.mouseMove(board, middle(board, *cell))
    QTest.mouseRelease(board, button, pos=middle(board, *cells[-1]))


def seen(board: ColourBoard) -> Array:  # -> (rows,columns,3)
    """What is painted in the middle of each pixel."""
    image = board.grab().toImage()
    return np.array(
        [[rgb(image.pixelColor(middle(board, i, j)).name()) for j in range(SIZE)] for i in range(SIZE)], np.uint8
    )


def expected(**cells: list[tuple[int, int]]) -> Array:
    """White, but for the cells of each colour."""
    pixels = WHITE.copy()
    for name, places in cells.items():
        for place in places:
            pixels[place] = rgb(COLOURS[name])
    return pixels


def choose(editor: PaintingEditor, name: str) -> None:
    QTest.mouseClick(editor.palette_row.swatches[list(COLOURS).index(name)], LEFT)


def test_a_stroke_has_the_colour_that_is_chosen(editor: PaintingEditor, asked: list[str]) -> None:
    choose(editor, "blue")
    stroke(editor.board, (1, 1), (1, 4))
    wanted = expected(blue=[(1, 1), (1, 2), (1, 3), (1, 4)])
    assert (seen(editor.board) == wanted).all()
    assert (read_colours(asked[-1]) == wanted).all()
    assert editor.source() == asked[-1]
    assert editor.board.accessibleDescription() == "row 2, column 5: blue (#0072b2)"


def test_the_right_button_and_the_eraser_make_white(editor: PaintingEditor) -> None:
    stroke(editor.board, (2, 0), (2, 11))
    stroke(editor.board, (2, 0), (2, 3), button=RIGHT)
    QTest.mouseClick(editor.tools["eraser"], LEFT)
    stroke(editor.board, (2, 8), (2, 11))
    assert (seen(editor.board) == expected(black=[(2, column) for column in range(4, 8)])).all()
    choose(editor, "green")
    assert editor.tools["brush"].isChecked(), "who chooses a colour wants to draw with it"
    stroke(editor.board, (5, 5))
    assert tuple(seen(editor.board)[5, 5]) == rgb(COLOURS["green"])


def test_filling_stops_at_another_colour(editor: PaintingEditor) -> None:
    for ends in (((2, 2), (2, 6)), ((2, 6), (6, 6)), ((6, 6), (6, 2)), ((6, 2), (2, 2))):
        stroke(editor.board, *ends)
    frame = seen(editor.board)
    QTest.mouseClick(editor.tools["fill"], LEFT)
    choose(editor, "orange")
    stroke(editor.board, (4, 4), (4, 8))
    inside = [(row, column) for row in (3, 4, 5) for column in (3, 4, 5)]
    for cell in inside:
        frame[cell] = rgb(COLOURS["orange"])
    assert (seen(editor.board) == frame).all(), "and moving on fills nothing else"
    QTest.mouseClick(editor.undo, LEFT)
    assert all((seen(editor.board)[cell] == 255).all() for cell in inside)
    QTest.mouseClick(editor.redo, LEFT)
    assert (seen(editor.board) == frame).all()
    stroke(editor.board, (0, 0), button=RIGHT)
    assert (seen(editor.board) == frame).all(), "the right button erases one pixel, which was white"


def test_clear_shift_and_undo(editor: PaintingEditor, asked: list[str]) -> None:
    choose(editor, "red")
    stroke(editor.board, (0, 0))
    QTest.mouseClick(editor.shifts[3], LEFT)
    assert (seen(editor.board) == expected(red=[(0, 1)])).all(), "white comes in"
    QTest.mouseClick(editor.clear, LEFT)
    assert (seen(editor.board) == 255).all()
    QTest.keyClick(editor.board, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert (seen(editor.board) == expected(red=[(0, 1)])).all()
    assert (read_colours(asked[-1]) == expected(red=[(0, 1)])).all()


def test_the_keyboard_alone(editor: PaintingEditor) -> None:
    said: list[str] = []
    editor.pointed.connect(said.append)
    QTest.keyClick(editor.board, Qt.Key.Key_Right)
    QTest.keyClick(editor.board, Qt.Key.Key_Down)
    QTest.keyClicks(editor.board, "6 ")
    assert editor.board.accessibleDescription() == "row 2, column 2: green (#009e73)"
    assert said[-1] == "pixel (1, 1) = green (#009e73)"
    QTest.keyClick(editor.board, Qt.Key.Key_Down)
    QTest.keyClicks(editor.board, "0 ")
    assert tuple(editor.board.pixels[2, 1]) == rgb("#8b5a2b")
    QTest.keyClick(editor.board, Qt.Key.Key_Delete)
    assert (editor.board.pixels == expected(green=[(1, 1)])).all()


def test_the_wheel_goes_through_the_colours(editor: PaintingEditor) -> None:
    at, none = QPointF(middle(editor.board, 0, 0)), Qt.KeyboardModifier.NoModifier
    for angle, name in ((-120, "white"), (-120, "red"), (120, "white"), (120, "black"), (120, "black")):
        turn = QWheelEvent(
            at, at, QPoint(), QPoint(0, angle), Qt.MouseButton.NoButton, none, Qt.ScrollPhase.NoScrollPhase, False
        )
        QApplication.sendEvent(editor.board, turn)
        assert tuple(editor.board.colour) == rgb(COLOURS[name])


def test_a_colour_of_ones_own(qtbot: QtBot, editor: PaintingEditor) -> None:
    QTest.mouseClick(editor.palette_row.choose_own, LEFT)
    qtbot.waitUntil(lambda: editor.findChild(QColorDialog) is not None)
    dialog = editor.findChild(QColorDialog)
    assert isinstance(dialog, QColorDialog)
    dialog.setCurrentColor(QColor("#123456"))
    dialog.accept()
    stroke(editor.board, (3, 3))
    assert tuple(seen(editor.board)[3, 3]) == (0x12, 0x34, 0x56)
    own = editor.palette_row.own
    assert own.isChecked()
    assert own.grab().toImage().pixelColor(own.rect().center()) == QColor("#123456")
    choose(editor, "black")
    editor.board.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClicks(editor.board, "0")
    assert own.isChecked()


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_chosen_colour_has_a_ring_in_both_themes(editor: PaintingEditor, theme: object) -> None:
    assert isinstance(theme, type(LIGHT))
    editor.set_theme(theme)
    for name in ("white", "black"):
        choose(editor, name)
        ringed = [
            swatch.grab().toImage().pixelColor(1, swatch.height() // 2) == QColor(theme.accent)
            for swatch in editor.palette_row.swatches
        ]
        assert ringed == [other == name for other in (*COLOURS, "own")]


def with_missing_cones(colour: str, missing: Array) -> Array:
    """As somebody sees it who lacks one kind of cone (Machado and others, 2009, severity 1), in linear light."""
    share = np.array(rgb(colour)) / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return np.asarray((missing @ linear).clip(0, 1) ** (1 / 2.4) * 255)


PROTAN = np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]])
DEUTAN = np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]])
TRITAN = np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]])


@pytest.mark.parametrize("missing", [np.eye(3), PROTAN, DEUTAN, TRITAN], ids=["none", "red", "green", "blue"])
def test_the_colours_are_told_apart_with_every_kind_of_cone_missing(missing: Array) -> None:
    seen_as = {name: with_missing_cones(colour, missing) for name, colour in COLOURS.items()}
    for one, other in combinations(seen_as, 2):
        assert np.abs(seen_as[one] - seen_as[other]).max() > 20, (one, other)


def test_a_dropped_photograph_is_what_the_model_reads_of_it(
    qtbot: QtBot, editor: PaintingEditor, asked: list[str]
) -> None:
    file = FOLDER / "photograph.png"
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file))])
    copy, none = Qt.DropAction.CopyAction, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(editor, QDragEnterEvent(QPoint(5, 5), copy, data, LEFT, none))
    QApplication.sendEvent(editor, QDropEvent(QPointF(5, 5), copy, data, LEFT, none))
    qtbot.waitUntil(lambda: asked == [str(file)], timeout=LONG)
    read = txviz.trace(path("vit"), str(file))["photograph"].value
    assert (seen(editor.board) == read).all()
    stroke(editor.board, (0, 0))
    drawn = read_colours(asked[-1])
    assert (drawn[0, 0] == 0).all()
    assert (drawn.reshape(-1, 3)[1:] == read.reshape(-1, 3)[1:]).all(), "one goes on from it"


def test_a_copied_picture_is_pasted_and_can_be_taken_back(
    qtbot: QtBot, editor: PaintingEditor, asked: list[str]
) -> None:
    image = QImage(30, 20, QImage.Format.Format_RGB32)
    image.fill(QColor("#0072b2"))
    QGuiApplication.clipboard().setImage(image)
    QTest.keyClick(editor.board, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: len(asked) == 1, timeout=LONG)
    assert (seen(editor.board) == rgb("#0072b2")).all()
    assert (read_colours(asked[0]) == rgb("#0072b2")).all(), "no file is needed"
    QTest.mouseClick(editor.undo, LEFT)
    assert (seen(editor.board) == 255).all()


def test_what_is_no_picture_gets_a_sentence(qtbot: QtBot, editor: PaintingEditor, tmp_path: Path) -> None:
    refused: list[str] = []
    editor.refused.connect(refused.append)
    QGuiApplication.clipboard().setText("#fff #ggg")
    editor.paste()
    assert refused == ["row 1, column 2 of the image is #ggg; a colour is written like #ff8000"]
    (tmp_path / "notes.txt").write_text("no picture", "utf-8")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "notes.txt"))])
    editor.take(data)
    qtbot.waitUntil(lambda: len(refused) == 2, timeout=LONG)
    assert "notes.txt" in refused[1]
    assert (seen(editor.board) == 255).all()


def test_a_request_is_shown_and_nothing_is_asked_for(
    qtbot: QtBot, editor: PaintingEditor, asked: list[str], tmp_path: Path
) -> None:
    Image.fromarray(np.full((SIZE, SIZE, 3), (9, 99, 200), np.uint8)).save(tmp_path / "blue.png")
    editor.show_source(str(tmp_path / "blue.png"))
    qtbot.waitUntil(lambda: bool((seen(editor.board) == (9, 99, 200)).all()), timeout=LONG)
    editor.show_source(colours_text(expected(pink=[(1, 1)])))
    assert (seen(editor.board) == expected(pink=[(1, 1)])).all()
    assert asked == []


def test_patches_are_seen_on_paint_of_their_own_colour(editor: PaintingEditor) -> None:
    paint = QColor(BORDER)
    painted = np.broadcast_to(np.array((paint.red(), paint.green(), paint.blue()), np.uint8), WHITE.shape)
    editor.show_source(colours_text(painted))
    editor.show_patches(find_drawing(txviz.trace(path("vit"), colours_text(painted))))
    board = editor.board
    image = board.grab().toImage()
    for column in range(1, SIZE):
        place = board.cell_rect(1, column)
        around = range(place.left() - 2, place.left() + 2)
        seen = any(image.pixelColor(x, place.center().y()).lightness() > 200 for x in around)
        assert seen == (column % 4 == 0)


def test_patches_lie_over_the_colours(editor: PaintingEditor) -> None:
    editor.show_patches(find_drawing(txviz.trace(path("vit"), colours_text(WHITE))))
    board = editor.board
    image = board.grab().toImage()
    for column in range(1, SIZE):
        place = board.cell_rect(1, column)
        assert (image.pixelColor(place.left(), place.center().y()) == QColor(BORDER)) == (column % 4 == 0)
    said: list[str] = []
    editor.pointed.connect(said.append)
    QTest.mouseMove(board, middle(board, 4, 3))
    QTest.mouseMove(board, middle(board, 4, 4))
    assert said[-1] == "patch E, row 1, column 1, middle centre  ·  pixel (4, 4) = white (#fff)"


def test_a_board_of_32_rows_fits_its_panel_and_shows_every_pixel(qtbot: QtBot) -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (32, 32, 3), np.uint8)
    board = ColourBoard(pixels, LIGHT)
    qtbot.addWidget(board)
    assert board.minimumSizeHint().width() < 240
    board.resize(board.minimumSizeHint())
    image = board.grab().toImage()
    for row, column in np.ndindex(32, 32):
        at = board.cell_rect(row, column).center()
        assert rgb(image.pixelColor(at).name()) == tuple(pixels[row, column])


def test_all_controls_have_names_and_tool_tips(editor: PaintingEditor) -> None:
    palette = editor.palette_row
    buttons = [editor.undo, editor.redo, editor.clear, editor.picture, *editor.shifts, *editor.tools.values()]
    for control in (editor.board, *buttons, *palette.swatches, palette.choose_own):
        assert control.accessibleName()
        assert control.toolTip()
    assert [swatch.accessibleName() for swatch in palette.swatches][:3] == ["Black", "White", "Red"]
    assert palette.swatches[-1].toolTip() == "Draw with your own colour (0)"
