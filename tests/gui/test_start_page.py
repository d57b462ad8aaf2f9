"""The start page, as a newcomer meets it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QEnterEvent, QImage
from PySide6.QtWidgets import QApplication, QToolButton, QWidget
from pytestqt.qtbot import QtBot

import txviz
from txviz.figures.style import Style
from txviz.figures.theme import DARK, LIGHT
from txviz.gui.app import make_window, style_application
from txviz.gui.start_page import CARDS, PICTURE, Card, StartPage, drawn
from txviz.gui.window import Window
from txviz.models.request import compute

Key = Qt.Key


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication, state_path: Path) -> Iterator[Window]:
    """The first start of all."""
    style_application(qapp)
    window = make_window(state_path)
    window.show()
    qtbot.waitExposed(window)
    yield window
    window.close()
    window.deleteLater()


def page(window: Window) -> StartPage:
    assert window.overlays.start_page is not None
    return window.overlays.start_page


def colours(widget: QWidget) -> int:
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    return len(np.unique(np.frombuffer(bytes(image.constBits()), np.uint32)))


def test_a_newcomer_sees_cards_with_real_pictures(window: Window, qtbot: QtBot) -> None:
    assert window.windowTitle() == "txviz — start"
    shown = page(window)
    assert shown.size() == window.size()
    assert [card.accessibleName() for card in shown.cards] == [card.title for card in CARDS]
    qtbot.waitUntil(lambda: all(card.figure is not None for card in shown.cards))
    for card in shown.cards:
        assert card.isVisible()
        assert colours(card) > 40, f"{card.card.title} has a picture"


def test_a_card_opens_its_model_on_the_map(window: Window, qtbot: QtBot) -> None:
    card = page(window).cards[0]
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    with qtbot.waitSignal(window.session.trace_changed):
        qtbot.mouseClick(card, Qt.MouseButton.LeftButton)
    assert window.overlays.start_page is None
    assert window.session.trace.about["model"] == "translator"
    assert window.session.node is window.session.trace.outline
    assert window.area.picture.isVisible()
    assert window.windowTitle().startswith("txviz — map · ")
    qtbot.waitUntil(lambda: window.plots is not None)
    window.activateWindow()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is window.area.picture)


def test_the_arrows_go_from_card_to_card_and_enter_opens(window: Window, qtbot: QtBot) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    shown = page(window)
    window.resize(1280, 800)
    qtbot.waitUntil(lambda: shown.across == 3)
    shown.cards[0].setFocus()
    seen = []
    for key in (Key.Key_Right, Key.Key_Down, Key.Key_Left, Key.Key_Up):
        focused = QApplication.focusWidget()
        assert focused is not None
        qtbot.keyClick(focused, key)
        seen.append(next(i for i, card in enumerate(shown.cards) if card.hasFocus()))
    assert seen == [1, 4, 3, 0]
    with qtbot.waitSignal(window.session.trace_changed):
        qtbot.keyClick(shown.cards[0], Key.Key_Return)
    assert window.overlays.start_page is None


def test_escape_leaves_it_and_the_file_menu_brings_it_back(window: Window, qtbot: QtBot) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.keyClick(page(window).cards[0], Key.Key_Escape)
    assert window.overlays.start_page is None
    assert window.windowTitle() == "txviz — tokens (1/21)"
    window.actions_by_key["start"].trigger()
    assert page(window).isVisible()


def test_what_was_open_is_restored_instead(window: Window, qtbot: QtBot, state_path: Path) -> None:
    """Closed on the start page, the next start is there again; closed on something, that is open again."""
    window.close()
    again = make_window(state_path)
    assert again.overlays.start_page is not None
    again.overlays.start_page.leave()
    again.session.show_node("encoder.0")
    again.close()
    third = make_window(state_path)
    assert third.overlays.start_page is None
    assert third.session.node.name == "encoder.0"
    for each in (again, third):
        each.close()
        each.deleteLater()


def test_recent_files_are_there(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "a & b.safetensors"
    txviz.trace("sentence-guide", "cat").save(path)
    page(window).leave()
    window.files.add_recent(path)
    window.actions_by_key["start"].trigger()
    button = next(b for b in page(window).findChildren(QToolButton) if b.text() == "a && b.safetensors")
    with qtbot.waitSignal(window.session.trace_changed):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert window.session.trace[0].labels[0] == ("[CLS]", "cat")


def test_it_follows_the_window(window: Window, qtbot: QtBot) -> None:
    for size in ((640, 480), (1280, 800)):
        window.resize(*size)
        qtbot.waitUntil(lambda: page(window).size() == window.size())
        qtbot.waitUntil(lambda: page(window).horizontalScrollBar().maximum() == 0)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.model)
def test_each_card_has_a_picture_of_a_real_run(card: Card, theme: object) -> None:
    figure = drawn(card, compute(card.request), Style(theme=theme, size=11))  # type: ignore[arg-type]
    assert figure.marks
    assert (figure.width, figure.height) == (PICTURE.width(), PICTURE.height())


def test_one_card_is_lit_by_pointer_and_keys_alike(window: Window, qtbot: QtBot) -> None:
    """Two that looked chosen left open which one Enter would take."""
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    shown = page(window)
    window.resize(1280, 800)
    qtbot.waitUntil(lambda: shown.across == 3)

    def lit() -> list[int]:
        plain = QColor(window.theme.panel)
        return [i for i, card in enumerate(shown.cards) if card.grab().toImage().pixelColor(6, 30) != plain]

    for pointed in (3, 1):
        here = QPointF(shown.cards[pointed].rect().center())
        QApplication.sendEvent(shown.cards[pointed], QEnterEvent(here, here, here))
        qtbot.waitUntil(lambda pointed=pointed: lit() == [pointed])  # type: ignore[misc]
    qtbot.keyClick(shown.cards[1], Key.Key_Right)
    qtbot.waitUntil(lambda: lit() == [2])
