"""The drawing board, with a mouse, a keyboard and pictures."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QColor, QDragEnterEvent, QDropEvent, QGuiApplication, QImage, QTransform, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QWidget
from pytestqt.qtbot import QtBot

import txviz
from tests.gui.conftest import PATIENCE, settle
from txviz.figures.patches import BORDER, find_drawing
from txviz.figures.patches import Drawing as PatchedImage
from txviz.figures.theme import DARK_INK, LIGHT, LIGHT_INK
from txviz.gui.inputs.drawing import Drawing, line, shifted
from txviz.gui.inputs.drawing_editor import DrawingEditor
from txviz.gui.inputs.grey_board import GreyBoard
from txviz.gui.inputs.pictures import PicturePreview
from txviz.models import find
from txviz.models.images import image_text, read_image, read_picture, reduce_picture
from txviz.ops import Array

LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
BLANK = np.zeros((6, 6))


@pytest.fixture
def editor(qtbot: QtBot) -> DrawingEditor:
    editor = DrawingEditor(find("digits"))
    qtbot.addWidget(editor)
    editor.board.show_pixels(BLANK)
    editor.resize(280, 420)
    with qtbot.waitActive(editor):
        editor.show()
    editor.board.setFocus()
    return editor


def middle(board: GreyBoard, row: int, column: int) -> QPoint:
    return board.cell_rect(row, column).center()


def stroke(board: GreyBoard, *cells: tuple[int, int], button: Qt.MouseButton = LEFT) -> None:
    """Presses on the first cell, jumps from each to the next, and lets go on the last."""
    QTest.mousePress(board, button, pos=middle(board, *cells[0]))
    for cell in cells[1:]:
        QTest.mouseMove(board, middle(board, *cell))
    QTest.mouseRelease(board, button, pos=middle(board, *cells[-1]))


def painted(board: GreyBoard) -> set[tuple[int, int]]:
    return {(int(row), int(column)) for row, column in np.argwhere(board.pixels > 0)}


def turn_wheel(board: GreyBoard, angle: int) -> bool:
    at = QPointF(middle(board, 0, 0))
    none = Qt.KeyboardModifier.NoModifier
    event = QWheelEvent(
        at, at, QPoint(), QPoint(0, angle), Qt.MouseButton.NoButton, none, Qt.ScrollPhase.NoScrollPhase, False
    )
    QApplication.sendEvent(board, event)
    return event.isAccepted()


def test_a_click_paints_and_asks(editor: DrawingEditor) -> None:
    asked: list[str] = []
    editor.source_requested.connect(asked.append)
    stroke(editor.board, (1, 2))
    assert painted(editor.board) == {(1, 2)}
    assert asked == [image_text(editor.board.pixels)]
    shown = editor.board.grab().toImage()
    corner = editor.board.cell_rect(1, 2).topLeft() + QPoint(8, 8)
    assert shown.pixelColor(corner) == QColor("white")
    assert editor.board.accessibleDescription() == "row 2, column 3: 1"


def colour_at(board: GreyBoard, x: int, y: int) -> QColor:
    return board.grab().toImage().pixelColor(x, y)


@pytest.fixture
def patches() -> Callable[[str], PatchedImage]:
    """How a model cuts its example."""

    def find_patches(model: str) -> PatchedImage:
        found = find_drawing(txviz.trace(model, find(model).example))
        assert found is not None
        return found

    return find_patches


@pytest.mark.parametrize("shade", [0.0, 0.5, 1.0])
@pytest.mark.parametrize(
    ("model", "high", "wide"), [("digits", 2, 2), ("vit-guide-2x2", 2, 2), ("vit-guide-3x2", 3, 2)]
)
def test_borders_of_patches_are_told_from_those_of_pixels(
    editor: DrawingEditor, patches: Callable[[str], PatchedImage], model: str, high: int, wide: int, shade: float
) -> None:
    board = editor.board
    board.show_pixels(np.full((6, 6), shade))
    editor.show_patches(patches(model))
    for at in range(1, 6):
        place = board.cell_rect(at, at)
        beside, above = place.center().y() + 9, place.center().x() + 9  # and not on a number
        assert (colour_at(board, place.left(), beside) == QColor(BORDER)) == (at % wide == 0)
        assert (colour_at(board, above, place.top()) == QColor(BORDER)) == (at % high == 0)


@pytest.mark.parametrize(("shade", "ink"), [(0.0, LIGHT_INK), (1.0, DARK_INK)])
def test_patches_have_letters_that_are_seen_on_black_and_on_white(
    editor: DrawingEditor, patches: Callable[[str], PatchedImage], shade: float, ink: str
) -> None:
    board = editor.board
    board.show_pixels(np.full((6, 6), shade))
    before = board.grab().toImage()
    editor.show_patches(patches("digits"))
    after = board.grab().toImage()
    for row, column in np.ndindex(6, 6):
        corner = board.cell_rect(row, column).adjusted(3, 3, -26, -28)
        spots = [
            QPoint(x, y) for x in range(corner.left(), corner.right()) for y in range(corner.top(), corner.bottom())
        ]
        changed = [after.pixelColor(spot) for spot in spots if after.pixel(spot) != before.pixel(spot)]
        assert bool(changed) == (row % 2 == column % 2 == 0), (row, column)
        wanted = QColor(ink).lightness()
        assert not changed or min(abs(colour.lightness() - wanted) for colour in changed) < 60


def test_pointing_says_which_patch_it_is(editor: DrawingEditor, patches: Callable[[str], PatchedImage]) -> None:
    said: list[str] = []
    editor.pointed.connect(said.append)
    stroke(editor.board, (2, 3))
    assert said[-1] == "pixel (2, 3) = 1", "before the model has cut it"
    editor.show_patches(patches("digits"))
    QTest.mouseMove(editor.board, middle(editor.board, 2, 3))
    QTest.mouseMove(editor.board, middle(editor.board, 3, 3))
    assert said[-1] == "patch E, row 1, column 1, middle centre  ·  pixel (3, 3) = 0"
    QTest.mouseMove(editor.board, middle(editor.board, 0, 5))
    assert said[-1] == "patch C, row 0, column 2, top right  ·  pixel (0, 5) = 0"
    QTest.mouseMove(editor.board, QPoint(1, editor.board.height() - 1))
    assert said[-1] == ""
    editor.show_patches(patches("vit-guide-3x2"))
    QTest.mouseMove(editor.board, middle(editor.board, 3, 2))
    assert said[-1] == "patch E, row 1, column 1, bottom centre  ·  pixel (3, 2) = 0"
    QApplication.sendEvent(editor.board, QEvent(QEvent.Type.Leave))
    assert said[-1] == ""


def test_a_stroke_says_nothing_until_it_ends(editor: DrawingEditor, patches: Callable[[str], PatchedImage]) -> None:
    """Words below the picture are set anew each time, which painting must not wait for."""
    editor.show_patches(patches("digits"))
    said: list[str] = []
    editor.pointed.connect(said.append)
    stroke(editor.board, (0, 0), (0, 3), (5, 5))
    assert said == ["patch I, row 2, column 2, bottom right  ·  pixel (5, 5) = 1"]


def test_the_keyboard_is_told_as_well(editor: DrawingEditor, patches: Callable[[str], PatchedImage]) -> None:
    editor.show_patches(patches("digits"))
    said: list[str] = []
    editor.pointed.connect(said.append)
    QTest.keyClick(editor.board, Qt.Key.Key_Down)
    QTest.keyClick(editor.board, Qt.Key.Key_Down)
    assert said[-1] == "patch D, row 1, column 0, middle left  ·  pixel (2, 0) = 0"
    assert editor.board.accessibleDescription() == "row 3, column 1: 0, in patch D"


def test_an_image_of_another_size_has_other_patches(editor: DrawingEditor) -> None:
    before = editor.board.grab().toImage()
    editor.show_patches(PatchedImage(np.zeros((8, 8)), (2, 2), {"A": 0}))
    assert editor.board.grab().toImage() == before
    assert editor.board.accessibleDescription() == "row 1, column 1: 0"


def test_a_fast_diagonal_leaves_no_gaps(editor: DrawingEditor) -> None:
    stroke(editor.board, (0, 0), (5, 5))
    assert painted(editor.board) == {(i, i) for i in range(6)}


def test_a_stroke_that_leaves_the_board_and_comes_back(editor: DrawingEditor) -> None:
    board = editor.board
    QTest.mousePress(board, LEFT, pos=middle(board, 2, 4))
    QTest.mouseMove(board, middle(board, 2, 4) + QPoint(200, 0))
    QTest.mouseMove(board, middle(board, 3, 4))
    QTest.mouseRelease(board, LEFT, pos=middle(board, 3, 4))
    assert painted(board) >= {(2, 4), (2, 5), (3, 4)}


@pytest.mark.parametrize("end", [(5, 2), (1, 5), (-3, 4), (0, 0), (4, -4)])
def test_every_line_is_connected(end: tuple[int, int]) -> None:
    cells = line((0, 0), end)
    assert cells[0] == (0, 0)
    assert cells[-1] == end
    steps = [max(abs(a[0] - b[0]), abs(a[1] - b[1])) for a, b in pairwise(cells)]
    assert set(steps) <= ({0} if end == (0, 0) else {1})


def test_the_right_button_erases(editor: DrawingEditor) -> None:
    editor.board.show_pixels(np.ones((6, 6)))
    stroke(editor.board, (0, 0), (0, 5), button=RIGHT)
    assert (editor.board.pixels[0] == 0).all()
    assert (editor.board.pixels[1:] == 1).all()


def test_the_wheel_and_the_slider_set_the_shade(editor: DrawingEditor) -> None:
    assert turn_wheel(editor.board, -120)
    assert turn_wheel(editor.board, -120)
    assert editor.shade.value() == 90
    stroke(editor.board, (0, 0))
    assert editor.board.pixels[0, 0] == 0.9
    editor.shade.setValue(35)
    stroke(editor.board, (0, 1))
    assert editor.board.pixels[0, 1] == 0.35
    editor.shade.setFocus()
    assert not turn_wheel(editor.board, 120)  # so that the panel scrolls
    assert editor.shade.value() == 35


def test_one_stroke_is_one_step_to_undo(editor: DrawingEditor) -> None:
    board = editor.board
    stroke(board, (0, 0), (0, 3), (3, 3))
    first = board.pixels
    stroke(board, (5, 0), (5, 5))
    second = board.pixels
    QTest.mouseClick(editor.undo, LEFT)
    assert (board.pixels == first).all()
    QTest.keyClick(board, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert (board.pixels == 0).all()
    QTest.mouseClick(editor.redo, LEFT)
    QTest.mouseClick(editor.redo, LEFT)
    assert (board.pixels == second).all()
    assert not editor.redo.isEnabled()


def test_a_stroke_that_changes_nothing_is_no_step() -> None:
    drawing = Drawing(BLANK)
    drawing.begin()
    assert not drawing.paint([(0, 0)], 0.0)
    assert not drawing.can_undo
    drawing.undo()
    drawing.redo()
    assert (drawing.pixels == BLANK).all()


def test_there_is_nothing_to_undo_at_first(qtbot: QtBot) -> None:
    editor = DrawingEditor(find("vit-guide-2x2"))
    qtbot.addWidget(editor)
    assert not editor.undo.isEnabled()
    assert editor.source() == find("vit-guide-2x2").example


def test_typing_values(editor: DrawingEditor) -> None:
    board = editor.board
    QTest.keyClick(board, Qt.Key.Key_Right)
    QTest.keyClick(board, Qt.Key.Key_Down)
    QTest.keyClicks(board, "0.35")
    assert board.accessibleDescription() == "row 2, column 2: typing 0.35"
    assert (board.pixels == 0).all()
    QTest.keyClick(board, Qt.Key.Key_Return)
    assert board.pixels[1, 1] == 0.35
    assert board.accessibleDescription() == "row 2, column 2: 0.35"
    QTest.keyClicks(board, ",7")
    QTest.keyClick(board, Qt.Key.Key_Left)
    assert board.pixels[1, 1] == 0.7
    QTest.keyClicks(board, "0.9")
    QTest.keyClick(board, Qt.Key.Key_Escape)
    assert board.pixels[1, 0] == 0
    QTest.keyClick(board, Qt.Key.Key_Space)
    assert board.pixels[1, 0] == 1
    QTest.keyClick(board, Qt.Key.Key_Delete)
    assert board.pixels[1, 0] == 0


def test_a_value_that_is_none(editor: DrawingEditor) -> None:
    refused: list[str] = []
    editor.refused.connect(refused.append)
    QTest.keyClicks(editor.board, "7")
    QTest.keyClick(editor.board, Qt.Key.Key_Enter)
    assert refused == ["a pixel is a number from 0 (black) to 1 (white), not 7"]
    assert (editor.board.pixels == 0).all()


def test_enter_corrects_the_value_that_is_there(editor: DrawingEditor) -> None:
    editor.board.show_pixels(np.full((6, 6), 0.35))
    QTest.keyClick(editor.board, Qt.Key.Key_Return)
    QTest.keyClick(editor.board, Qt.Key.Key_Backspace)
    QTest.keyClicks(editor.board, "9")
    QTest.keyClick(editor.board, Qt.Key.Key_Return)
    assert editor.board.pixels[0, 0] == 0.39


def test_the_cursor_stays_on_the_board_and_is_seen(editor: DrawingEditor) -> None:
    for _ in range(8):
        QTest.keyClick(editor.board, Qt.Key.Key_Right)
    assert editor.board.accessibleDescription() == "row 1, column 6: 0"
    place = editor.board.cell_rect(0, 5)
    assert editor.board.grab().toImage().pixelColor(place.left() + 1, place.center().y()) == QColor(LIGHT.accent)


def test_clear_invert_and_shift(editor: DrawingEditor) -> None:
    board = editor.board
    stroke(board, (2, 2))
    left, up, down, right = editor.shifts
    for button, cell in ((left, (2, 1)), (up, (1, 1)), (right, (1, 2)), (down, (2, 2))):
        QTest.mouseClick(button, LEFT)
        assert painted(board) == {cell}
    QTest.mouseClick(editor.invert, LEFT)
    assert board.pixels[2, 2] == 0
    assert board.pixels.sum() == 35
    QTest.mouseClick(editor.clear, LEFT)
    assert (board.pixels == 0).all()
    QTest.mouseClick(editor.undo, LEFT)
    assert board.pixels.sum() == 35


def test_what_is_shifted_out_is_gone() -> None:
    image = np.arange(6.0).reshape(2, 3)
    assert shifted(image, 0, 1).tolist() == [[0, 0, 1], [0, 3, 4]]
    assert shifted(image, -1, 0).tolist() == [[3, 4, 5], [0, 0, 0]]


def test_inverting_twice_is_the_identity_with_short_decimals(editor: DrawingEditor) -> None:
    example = find("vit-guide-2x2").example
    editor.show_source(example)
    QTest.mouseClick(editor.invert, LEFT)
    assert editor.source().startswith("0.9 0.8 0.7")
    QTest.mouseClick(editor.invert, LEFT)
    assert editor.source() == example


def halves() -> QImage:
    """Black above white."""
    image = QImage(60, 90, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.black)
    for y in range(45, 90):
        for x in range(60):
            image.setPixelColor(x, y, QColor("white"))
    return image


def preview_of(qtbot: QtBot, editor: DrawingEditor) -> PicturePreview:
    qtbot.waitUntil(lambda: editor.findChild(PicturePreview) is not None)
    found = editor.findChild(PicturePreview)
    assert isinstance(found, PicturePreview)
    return found


def test_pasting_a_picture(qtbot: QtBot, editor: DrawingEditor) -> None:
    asked: list[str] = []
    editor.source_requested.connect(asked.append)
    QGuiApplication.clipboard().setImage(halves())
    QTest.keyClick(editor.board, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    preview = preview_of(qtbot, editor)
    assert asked == []
    preview.invert.click()
    QTest.mouseClick(preview.buttons.button(QDialogButtonBox.StandardButton.Ok), LEFT)
    assert (editor.board.pixels[:3] == 1).all()
    assert (editor.board.pixels[3:] == 0).all()
    assert len(asked) == 1
    QTest.mouseClick(editor.undo, LEFT)
    assert (editor.board.pixels == 0).all()


def test_a_picture_can_be_declined(qtbot: QtBot, editor: DrawingEditor) -> None:
    stroke(editor.board, (1, 1))
    QGuiApplication.clipboard().setImage(halves())
    editor.paste()
    preview = preview_of(qtbot, editor)
    QTest.mouseClick(preview.buttons.button(QDialogButtonBox.StandardButton.Cancel), LEFT)
    assert painted(editor.board) == {(1, 1)}


def test_pasting_numbers_and_nonsense(editor: DrawingEditor) -> None:
    refused: list[str] = []
    editor.refused.connect(refused.append)
    example = find("vit-guide-2x2").example
    QGuiApplication.clipboard().setText(example)
    editor.paste()
    assert editor.source() == example
    QGuiApplication.clipboard().setText("hello")
    editor.paste()
    QGuiApplication.clipboard().clear()
    editor.paste()
    assert len(refused) == 2
    assert refused[0].startswith("there is no file 'hello'; give a greyscale image")
    assert editor.source() == example


def drag_enter(*arguments: object) -> QDragEnterEvent:
    """Newer versions of Qt want a place between pixels, older ones know whole pixels only."""
    make: Callable[..., QDragEnterEvent] = QDragEnterEvent
    try:
        return make(QPointF(5, 5), *arguments)
    except TypeError:
        return make(QPoint(5, 5), *arguments)


def drop(editor: DrawingEditor, path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    none = Qt.KeyboardModifier.NoModifier
    copy = Qt.DropAction.CopyAction
    entering = drag_enter(copy, data, LEFT, none)
    QApplication.sendEvent(editor, entering)
    assert entering.isAccepted()
    QApplication.sendEvent(editor, QDropEvent(QPointF(5, 5), copy, data, LEFT, none))


def test_dropping_a_picture(qtbot: QtBot, editor: DrawingEditor, tmp_path: Path) -> None:
    halves().save(str(tmp_path / "halves.png"))
    drop(editor, tmp_path / "halves.png")
    preview_of(qtbot, editor).accept()
    assert (editor.board.pixels[3:] == 1).all()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("broken.png", b"\x89PNG\r\n\x1a\n and then nothing", "is not an image that can be read"),
        ("words.txt", b"hello", "is not an image that can be read"),
        ("missing.png", None, "is a broken image file"),
    ],
)
def test_a_broken_file_is_refused_and_the_drawing_is_left(
    qtbot: QtBot, editor: DrawingEditor, tmp_path: Path, name: str, content: bytes | None, message: str
) -> None:
    stroke(editor.board, (1, 1))
    refused: list[str] = []
    editor.refused.connect(refused.append)
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with qtbot.waitSignal(editor.refused):
        drop(editor, tmp_path / name)
    assert len(refused) == 1
    assert message in refused[0]
    assert painted(editor.board) == {(1, 1)}
    assert editor.findChild(PicturePreview) is None


def test_a_path_that_is_pasted_is_a_picture_too(qtbot: QtBot, editor: DrawingEditor, tmp_path: Path) -> None:
    halves().save(str(tmp_path / "halves.png"))
    QGuiApplication.clipboard().setText(str(tmp_path / "halves.png"))
    editor.paste()
    preview_of(qtbot, editor).accept()
    assert (editor.board.pixels[3:] == 1).all()


class SlowPictures:
    """Reads pictures as ever, but only when it is let."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._let = Event()
        self.names: list[str] = []
        monkeypatch.setattr("txviz.gui.inputs.pictures.read_picture", self._read)

    def let(self) -> None:
        self._let.set()

    def _read(self, path: Path) -> Array:
        self.names.append(path.stem)
        assert self._let.wait(PATIENCE), "nobody lets the picture be read: who should is waiting for it"
        return read_picture(path)


def test_one_draws_while_a_picture_is_read(
    qtbot: QtBot, editor: DrawingEditor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = SlowPictures(monkeypatch)
    halves().save(str(tmp_path / "halves.png"))
    drop(editor, tmp_path / "halves.png")
    stroke(editor.board, (1, 1))
    assert painted(editor.board) == {(1, 1)}
    slow.let()
    preview = preview_of(qtbot, editor)
    assert painted(editor.board) == {(1, 1)}
    preview.accept()
    assert (editor.board.pixels[3:] == 1).all()
    QTest.mouseClick(editor.undo, LEFT)
    assert painted(editor.board) == {(1, 1)}


def test_of_pictures_that_are_dropped_quickly_the_last_counts(
    qtbot: QtBot, editor: DrawingEditor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = SlowPictures(monkeypatch)
    for name, turn in (("first", 0), ("second", 0), ("third", 180)):
        halves().transformed(QTransform().rotate(turn)).save(str(tmp_path / f"{name}.png"))
        drop(editor, tmp_path / f"{name}.png")
    slow.let()
    preview_of(qtbot, editor).accept()
    assert (editor.board.pixels[:3] == 1).all()
    assert (editor.board.pixels[3:] == 0).all()
    assert slow.names == ["first", "third"]


@pytest.mark.parametrize("leave", [QWidget.hide, QWidget.close])
def test_a_picture_that_comes_too_late_asks_nothing(
    qtbot: QtBot,
    editor: DrawingEditor,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    leave: Callable[[QWidget], object],
) -> None:
    slow = SlowPictures(monkeypatch)
    halves().save(str(tmp_path / "halves.png"))
    drop(editor, tmp_path / "halves.png")
    slow.let()
    leave(editor)
    qtbot.waitUntil(lambda: not editor._reading.busy)
    settle()
    assert slow.names == ["halves"]
    assert editor.findChild(PicturePreview) is None
    assert painted(editor.board) == set()


def test_reducing_averages_areas_and_puts_what_is_transparent_on_white(tmp_path: Path) -> None:
    grid = np.arange(36).reshape(6, 6) * 7
    large = np.repeat(np.kron(grid, np.ones((5, 3), int))[..., None], 3, axis=-1)
    assert reduce_picture(large, (6, 6)).tolist() == (grid / 255).round(2).tolist()
    uneven = np.zeros((1, 4, 3)) + np.array([0, 255, 255, 0])[:, None]
    assert reduce_picture(uneven, (1, 3)).tolist() == [[0.25, 1, 0.25]]
    clear = QImage(8, 8, QImage.Format.Format_ARGB32)
    clear.fill(Qt.GlobalColor.transparent)
    clear.save(str(tmp_path / "clear.png"))
    assert (read_picture(tmp_path / "clear.png") == 255).all()


def test_boards_of_other_sizes(qtbot: QtBot) -> None:
    board = GreyBoard(np.zeros((2, 4)), LIGHT)
    qtbot.addWidget(board)
    board.resize(200, 100)
    board.show()
    stroke(board, (0, 0), (1, 3))
    assert painted(board) == {(0, 0), (0, 1), (1, 2), (1, 3)}
    assert board.accessibleName() == "Drawing board, 2 rows of 4 pixels"


def test_every_control_has_a_name_and_a_tip(editor: DrawingEditor) -> None:
    controls = [editor.board, editor.shade, editor.undo, editor.redo, editor.clear, editor.invert, editor.picture]
    for control in (*controls, *editor.shifts):
        assert control.accessibleName()
        assert control.toolTip()
    assert read_image(editor.source(), (6, 6)).sum() == 0
