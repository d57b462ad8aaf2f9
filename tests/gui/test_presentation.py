"""Presenting, as somebody with a page-turner does it, read from what is shown."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontInfo, QImage
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Compute
from txviz.figures import fonts
from txviz.gui.presentation import Presentation, first_sentence
from txviz.gui.window import Window

Key = Qt.Key
SIZES = ((1280, 720), (1920, 1080), (3840, 2160))


@pytest.fixture
def shown(window: Window, qtbot: QtBot) -> Iterator[Presentation]:
    window.session.go_to("encoder.0.attention.scores")
    window.actions_by_key["present"].trigger()
    presentation = window.overlays.presentation
    assert presentation is not None
    qtbot.waitExposed(presentation)
    presentation.resize(1280, 720)
    presentation.activateWindow()
    yield presentation
    if window.overlays.presentation is not None:
        presentation.close()


def press(qtbot: QtBot, shown: Presentation, *keys: Key) -> None:
    shown.area.take_focus()
    for key in keys:
        qtbot.keyClick(shown.area.shown, key)


def dark_share(widget: QWidget) -> float:
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(bytes(image.constBits()), np.uint8).reshape(-1, 4)
    return float((pixels[:, :3].max(axis=1) < 8).mean())


def fits(label: QLabel) -> bool:
    """Whether all of the text is seen."""
    return label.heightForWidth(label.width()) <= label.height()


def test_a_page_turner_steps(shown: Presentation, window: Window, qtbot: QtBot) -> None:
    seen = []
    for key in (Key.Key_PageDown, Key.Key_Right, Key.Key_Space, Key.Key_PageUp, Key.Key_Left):
        press(qtbot, shown, key)
        seen.append(window.session.step.site.leaf)
    assert seen == ["weights", "context", "merged", "context", "weights"]
    assert shown.sentence.text() == first_sentence(window.session.step.what)


@pytest.mark.parametrize("size", SIZES)
def test_words_are_large_and_all_there(
    window: Window, shown: Presentation, qtbot: QtBot, compute: Compute, size: tuple[int, int]
) -> None:
    """24 points at least, and no sentence of any step is cut off; nor is the arithmetic."""
    compute(window, "translator", "I love you very much")
    shown.resize(*size)
    qtbot.waitUntil(lambda: shown.width() == size[0])
    for i in range(0, len(window.session.trace), 9):
        window.session.go_to(i)
        step = window.session.step
        window.session.pin((0,) * step.value.ndim)
        assert QFontInfo(shown.sentence.font()).pixelSize() >= 32
        assert QFontInfo(shown.arithmetic.font()).pixelSize() >= 32
        shown.layout().activate()  # type: ignore[union-attr]
        assert fits(shown.sentence), step.name
        assert fits(shown.arithmetic), step.name
        assert shown.area.height() > size[1] * 0.5


def test_every_level_has_its_sentence(shown: Presentation, window: Window, compute: Compute) -> None:
    """About what is shown, and all of it; the arithmetic of a cell belongs to the step alone."""
    compute(window, "translator", "I love you")
    session = window.session
    session.go_to("time.2.decoder.1.cross_attention.scores")
    session.pin((0, 0, 0))
    assert shown.arithmetic.isVisible()
    levels = [node for node in session.path if node.children]
    for node in levels:
        session.show_node(node.name)
        assert shown.sentence.text() == first_sentence(node.why.text), node.name
        assert not shown.arithmetic.isVisible()
        shown.layout().activate()  # type: ignore[union-attr]
        assert fits(shown.sentence), node.name
    assert len({node.level for node in levels}) > 4


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("One thing. Another one.", "One thing."),
        ("One thing.", "One thing."),
        ("Words, e.g. The or Cat, i.e. Nouns. All of them.", "Words, e.g. The or Cat, i.e. Nouns."),
        ("The mean of 0.5 and 1. 2 is larger. So it is.", "The mean of 0.5 and 1. 2 is larger."),
        ("As A. Vaswani says. Nobody else does.", "As A. Vaswani says."),
        ("Why? Because.", "Why?"),
        ("It reads “a. b”. Then it stops.", "It reads “a. b”."),
    ],
)
def test_where_a_sentence_ends(text: str, first: str) -> None:
    assert first_sentence(text) == first


def test_the_arithmetic_is_that_of_the_pinned_cell(shown: Presentation, window: Window, qtbot: QtBot) -> None:
    window.session.pin((0, 2, 4))
    assert shown.arithmetic.isVisible()
    assert shown.arithmetic.text() == "scores[head 0, cat, .] = 0.8×0.1 + 0.3×0.1 + (−0.5)×0.2 = 0.01"
    window.session.pin(None)
    assert not shown.arithmetic.isVisible()


def test_black_screen(shown: Presentation, window: Window, qtbot: QtBot) -> None:
    at = window.session.position
    press(qtbot, shown, Key.Key_B)
    assert dark_share(shown) > 0.99
    press(qtbot, shown, Key.Key_Right)
    assert dark_share(shown) < 0.5
    assert window.session.position == at, "the key that ends the black does nothing else"


def test_escape_leaves_and_the_window_is_where_the_talk_was(shown: Presentation, window: Window, qtbot: QtBot) -> None:
    press(qtbot, shown, Key.Key_Right, Key.Key_M)
    assert shown.area.currentWidget() is shown.area.picture
    press(qtbot, shown, Key.Key_Escape)
    assert window.overlays.presentation is None
    assert window.windowTitle() == "txviz — map · encoder.0.attention.weights (12/21)"
    assert window.area.currentWidget() is window.area.picture


def test_the_way_shows_where_one_is(shown: Presentation, window: Window, qtbot: QtBot) -> None:
    assert [stage.title for _, stage, here in shown.way.boxes if here] == ["encoder 0"]
    press(qtbot, shown, Key.Key_End)
    assert [stage.title for _, stage, here in shown.way.boxes if here] == ["pool"]
    last, _, _ = shown.way.boxes[-1]
    assert last.right() <= shown.way.width()


def test_the_stage_that_is_shown_is_named(shown: Presentation, window: Window, qtbot: QtBot, compute: Compute) -> None:
    """Also among so many that there is no room for the names of all."""
    compute(window, "translator", "I love you very much")
    for name in ("embed.sum", "time.2.decoder.1.cross_attention.weights", "time.4.choice.token"):
        window.session.go_to(name)
        boxes = shown.way.boxes
        (here,) = (box for box, _, is_here in boxes if is_here)
        (title,) = (stage.title for _, stage, is_here in boxes if is_here)
        assert fonts.width(title, shown.way.height() * 0.4) < here.width() - 8
        assert boxes[0][0].left() >= 0
        assert boxes[-1][0].right() <= shown.way.width()
        assert all(a.right() <= b.left() for (a, _, _), (b, _, _) in pairwise(boxes))
        image = shown.way.grab(here.toRect()).toImage()
        inks = {image.pixelColor(x, image.height() // 2).name() for x in range(image.width())}
        assert len(inks) > 3, f"{title} is not written"
