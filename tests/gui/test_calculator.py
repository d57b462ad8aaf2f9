"""The cost calculator, by keys and pointer: what is painted follows what is chosen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from tests.gui.test_levels import pixels
from txviz.figures.marks import Text
from txviz.gui.calculator import OWN, Calculator
from txviz.gui.window import Window


@pytest.fixture
def calculator(window: Window, qtbot: QtBot) -> Iterator[Calculator]:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.area.take_focus()
    qtbot.keyClick(window.area.shown, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    found = window.findChild(Calculator)
    assert found is not None
    qtbot.waitUntil(found.page.isVisible)
    yield found
    found.close()


def said(calculator: Calculator) -> list[str]:
    return [mark.text for mark in calculator.page.figure().flat() if isinstance(mark, Text)]


def typed(calculator: Calculator, qtbot: QtBot, name: str, text: str) -> None:
    field = calculator.fields[name]
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, text)
    qtbot.keyClick(field, Qt.Key.Key_Tab)


def test_it_opens_on_vit_base(calculator: Calculator) -> None:
    assert {"196", "197", "86,567,656", "14×14 patches of 16×16"} <= set(said(calculator))


def test_what_is_typed_is_painted(calculator: Calculator, qtbot: QtBot) -> None:
    before = pixels(calculator.page)
    typed(calculator, qtbot, "patch", "32")
    assert calculator.presets.currentText() == OWN
    assert {"49", "50", "7×7 patches of 32×32"} <= set(said(calculator))
    assert (pixels(calculator.page) != before).any()
    typed(calculator, qtbot, "patch", "16")
    assert calculator.presets.currentText().startswith("ViT-Base")
    assert (pixels(calculator.page) == before).all()


def test_what_can_not_be_built_is_said(calculator: Calculator, qtbot: QtBot) -> None:
    typed(calculator, qtbot, "heads", "7")
    assert "768 features can't be shared by 7 heads: 5 are left." in " ".join(said(calculator))


@pytest.mark.parametrize("size", [(640, 420), (820, 520), (1900, 1000)])
def test_every_preset_is_painted_inside_its_page(calculator: Calculator, size: tuple[int, int]) -> None:
    calculator.page.resize(*size)
    for name in (calculator.presets.itemText(i) for i in range(calculator.presets.count() - 1)):
        calculator.presets.setCurrentText(name)
        figure = calculator.page.figure()
        for mark in figure.flat():
            if isinstance(mark, Text):
                assert 0 <= mark.x <= figure.width
                assert 0 <= mark.y <= figure.height
        assert f"{calculator.design.cost.parameters:,}" in said(calculator)


def test_the_figure_is_copied_and_saved(calculator: Calculator, qtbot: QtBot, tmp_path: Path) -> None:
    qtbot.mouseClick(calculator.buttons.copy, Qt.MouseButton.LeftButton)
    assert not QGuiApplication.clipboard().image().isNull()
    for name, start in (("cost.svg", b"<svg"), ("cost.png", b"\x89PNG")):
        calculator.buttons.write(tmp_path / name)
        assert start in (tmp_path / name).read_bytes()[:200]
    calculator.buttons.write(tmp_path / "missing" / "cost.svg")
    assert calculator.buttons.said.text().startswith("Can't write")
