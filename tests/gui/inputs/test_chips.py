"""Chips of word pieces: the pieces of a word share an outline, special tokens have another ground, numbers give way."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QHelpEvent, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from tests.models.checkpoints.reference import path
from txviz.figures.theme import DARK, LIGHT, Theme
from txviz.gui.inputs.chips import Chips
from txviz.gui.inputs.sentence import PairEditor
from txviz.models import find
from txviz.models.reading import read_tokens

WORD = "Running mats"
"""[CLS] run ##nin ##g mat ##s [SEP]."""


def shown(qtbot: QtBot, text: str, width: int = 700, model: str = "bert-masked") -> Chips:
    chips = Chips(LIGHT)
    qtbot.addWidget(chips)
    chips.resize(width, 24)
    chips.show_tokens(read_tokens(path(model), text))
    with qtbot.waitExposed(chips):
        chips.show()
    return chips


def colour(picture: QImage, x: int, y: int) -> str:
    return picture.pixelColor(x, y).name()


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_pieces_of_a_word_share_an_outline(qtbot: QtBot, theme: Theme) -> None:
    chips = shown(qtbot, WORD)
    chips.set_theme(theme)
    picture, places = chips.grab().toImage(), [chips.chip_rect(i) for i in range(len(chips.tokens))]
    for i in (1, 2):
        seam = places[i + 1].left()
        assert places[i].right() + 1 == seam, "no gap inside a word"
        assert {colour(picture, x, 0) for x in range(seam - 6, seam + 6)} == {theme.line}, "the outline goes on"
        assert colour(picture, seam, 12) == theme.line, "a line parts the pieces"
    between = (places[3].right() + places[4].left()) // 2 + 1
    assert colour(picture, between, 0) != theme.line, "words stand apart"


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_special_tokens_have_another_ground_and_no_outline(qtbot: QtBot, theme: Theme) -> None:
    chips = shown(qtbot, WORD)
    chips.set_theme(theme)
    picture, (special, word) = chips.grab().toImage(), (chips.chip_rect(i) for i in (0, 1))
    assert colour(picture, special.left() + 8, 2) == colour(picture, special.left() + 8, 0)
    assert colour(picture, word.left() + 8, 2) == theme.panel != colour(picture, special.left() + 8, 2)


def test_numbers_give_way_before_tokens_do(qtbot: QtBot) -> None:
    wide, narrow = shown(qtbot, WORD), shown(qtbot, WORD, width=300)
    assert wide.left_out == narrow.left_out == 0
    assert all(wide.chip_rect(i).width() > narrow.chip_rect(i).width() for i in range(7))
    assert shown(qtbot, f"{WORD} {WORD}", width=300).left_out > 0


def told(chips: Chips, index: int) -> str:
    """What the pointer is told of a token."""
    spot = chips.chip_rect(index).center()
    QTest.mouseMove(chips, spot)
    event = QHelpEvent(QHelpEvent.Type.ToolTip, spot, chips.mapToGlobal(spot))
    QApplication.sendEvent(chips, event)
    return QToolTip.text()


def test_the_pointer_is_told_the_number_and_the_word(qtbot: QtBot) -> None:
    chips = shown(qtbot, WORD, width=300)
    number = chips.tokens[2].number
    assert f"“##nin”, number {number}, in “Running”" in told(chips, 2)
    assert "“[CLS]”, number 2, a special token" in told(chips, 0)


def test_the_pointer_is_told_which_letter_a_byte_is_of(qtbot: QtBot) -> None:
    chips = shown(qtbot, "é日 x", model="llama", width=900)
    byte = next(i for i, token in enumerate(chips.tokens) if token.text == "<0xE6>")
    assert "“<0xE6>”, number 233, a part of “日”, in “é日”" in told(chips, byte)


def test_two_texts_that_are_read_together_have_one_start(qtbot: QtBot) -> None:
    """The chips of each line are what the model reads of it: the second text has no [CLS] of its own."""
    editor = PairEditor(find(path("bert-classifier")))
    qtbot.addWidget(editor)
    editor.resize(900, 80)
    editor.show_source("the cat | a dog")
    with qtbot.waitExposed(editor):
        editor.show()
    assert [token.text for token in editor.second.chips.tokens] == ["a", "dog", "[SEP]"]
    editor.second.field.selectAll()
    QTest.keyClick(editor.second.field, Qt.Key.Key_Delete)
    assert [token.text for token in editor.first.chips.tokens] == ["[CLS]", "the", "cat", "[SEP]"]
    assert not editor.second.chips.tokens
    QTest.keyClicks(editor.second.field, "mats")
    assert [token.text for token in editor.second.chips.tokens] == ["mat", "##s", "[SEP]"]
