"""Numbers typed where a comma is usual: read with either sign, and shown with a point everywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QLocale, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Compute
from txviz.figures.colour_scale import Span
from txviz.gui.export_dialog import ExportDialog
from txviz.gui.inputs.drawing_editor import DrawingEditor
from txviz.gui.window import Window
from txviz.models import find

TYPED = [("0,8", 0.8), ("1.5", 1.5), ("1,25", 1.25), (",5", 0.5), ("2", 2.0)]


@pytest.fixture
def german(start: Callable[..., Window]) -> Iterator[Window]:
    before = QLocale()
    QLocale.setDefault(QLocale(QLocale.Language.German, QLocale.Country.Germany))
    window = start()
    window.activateWindow()
    yield window
    QLocale.setDefault(before)


def enter(field: QWidget, text: str) -> None:
    """Types over what is in a field."""
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(field, text)


def shown(field: QAbstractSpinBox) -> float:
    assert "," not in field.text()
    return float(field.text())


@pytest.mark.parametrize(("typed", "meant"), TYPED)
def test_the_end_of_the_colours(german: Window, typed: str, meant: float) -> None:
    german.stage_bar.scale.setCurrentText("fixed")
    enter(german.stage_bar.limit, typed)
    assert shown(german.stage_bar.limit) == meant
    assert german.stage.style_shown.scale == Span(-meant, meant)


@pytest.mark.parametrize(("typed", "meant"), TYPED)
def test_an_option(german: Window, qtbot: QtBot, compute: Compute, typed: str, meant: float) -> None:
    compute(german, "writer", find("writer").example, strategy="sample")
    german.input.page.options.click()
    field = german.input.page.form.fields["temperature"]
    assert isinstance(field, QAbstractSpinBox)
    assert field.isVisible()
    enter(field, typed)
    assert shown(field) == german.input.request().options.get("temperature", 1.0) == meant
    qtbot.waitUntil(lambda: not german.computing.background.busy)
    assert german.session.trace.about["options"].get("temperature", 1.0) == meant


@pytest.mark.parametrize(("typed", "meant"), TYPED)
def test_the_export_dialog(german: Window, typed: str, meant: float) -> None:
    german.actions_by_key["export"].trigger()
    (dialog,) = german.findChildren(ExportDialog)
    for field in (dialog.resolution, dialog.seconds):
        enter(field, typed)
        assert shown(field) == meant
    assert (dialog.settings.resolution, dialog.settings.seconds) == (meant, meant)
    dialog.reject()


@pytest.mark.parametrize(("typed", "meant"), [("0,8", 0.8), ("0.25", 0.25), (",5", 0.5)])
def test_a_pixel(german: Window, compute: Compute, typed: str, meant: float) -> None:
    compute(german, "digits", find("digits").example)
    editor = german.input.page.editor
    assert isinstance(editor, DrawingEditor)
    editor.board.setFocus()
    QTest.keyClicks(editor.board, typed)
    QTest.keyClick(editor.board, Qt.Key.Key_Return)
    assert editor.board.pixels[0, 0] == meant
    assert editor.board.accessibleDescription() == f"row 1, column 1: {meant:g}, in patch A"


def test_no_field_shows_a_comma(german: Window, compute: Compute) -> None:
    german.actions_by_key["export"].trigger()
    for model in ("writer", "translator", "digits"):
        compute(german, model, find(model).example)
    fields = [field for top in QApplication.topLevelWidgets() for field in top.findChildren(QAbstractSpinBox)]
    assert len(fields) > 10
    assert [field.accessibleName() for field in fields if "," in field.text()] == []
