"""Typing sentences: what is asked for, the chips, and unknown words that are replaced."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtCore import QMimeData, QPoint, QRect, Qt
from PySide6.QtGui import QImage, QTextDocumentFragment
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from txviz.figures.theme import DARK, LIGHT
from txviz.gui.inputs.sentence import PairEditor, Sentence, SentenceEditor
from txviz.models import find


def shown(qtbot: QtBot, model: str, text: str) -> SentenceEditor:
    editor = SentenceEditor(find(model))
    qtbot.addWidget(editor)
    editor.resize(560, 60)
    editor.show_source(text)
    with qtbot.waitActive(editor):
        editor.show()
    return editor


@pytest.mark.parametrize(
    "text", ["", "the cat", "| ", "the cat | ", "the cat|", "the cat | a dog", " | a dog", "a | b | c"]
)
def test_two_sentences_stay_the_text_that_was_shown(qtbot: QtBot, text: str) -> None:
    """A text with a bar and nothing behind it is a pair, too: what is shown again is not another request."""
    editor = PairEditor(find("sentence"))
    qtbot.addWidget(editor)
    editor.show_source("something else | and this")
    editor.show_source(text)
    assert editor.source() == text


def listened(editor: SentenceEditor | PairEditor) -> list[str]:
    asked: list[str] = []
    editor.source_requested.connect(asked.append)
    return asked


def said(sentence: Sentence) -> str:
    return sentence.chips.accessibleDescription()


def click_link(label: QLabel, text: str) -> None:
    """Clicks on a link, found by moving the pointer over the label as a person would."""
    hovered: list[str] = []
    label.linkHovered.connect(hovered.append)
    for y in range(4, label.height(), 6):
        for x in range(2, label.width(), 4):
            QTest.mouseMove(label, QPoint(x, y))
            if hovered and hovered[-1] == text:
                QTest.mouseClick(label, Qt.MouseButton.LeftButton, pos=QPoint(x, y))
                return
    raise AssertionError(f"there is no link {text!r} in {label.text()}")


def test_typing_asks_for_the_text_letter_by_letter(qtbot: QtBot) -> None:
    editor = shown(qtbot, "sentence-guide", "The cat sat.")
    asked = listened(editor)
    editor.sentence.field.selectAll()
    QTest.keyClicks(editor.sentence.field, "A dog")
    assert asked == ["A", "A ", "A d", "A do", "A dog"]
    told = said(editor.sentence)
    assert told.startswith("“[CLS]”, number 0, a special token; “A”, number 5, is not in the vocabulary")


def test_enter_and_pasted_lines_add_no_lines(qtbot: QtBot) -> None:
    editor = shown(qtbot, "writer", "the keys")
    QTest.keyClick(editor.sentence.field, Qt.Key.Key_Return)
    QTest.keyClick(editor.sentence.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert editor.source() == "the keys"
    data = QMimeData()
    data.setText(" on\nthe\r\ntable")
    editor.sentence.field.insertFromMimeData(data)
    assert editor.source() == "the keys on the table"


def test_a_whole_book_is_not_pasted(qtbot: QtBot) -> None:
    editor = shown(qtbot, "writer", "the keys")
    refused: list[str] = []
    editor.refused.connect(refused.append)
    data = QMimeData()
    data.setText("word " * 10_000)
    editor.sentence.field.insertFromMimeData(data)
    assert refused == ["the text has 50,000 letters; at most 20,000 can be pasted"]
    assert editor.source() == "the keys"


def test_showing_emits_nothing_and_keeps_the_cursor_where_nothing_changes(qtbot: QtBot) -> None:
    editor = shown(qtbot, "sentence-guide", "The cat sat.")
    asked = listened(editor)
    cursor = editor.sentence.field.textCursor()
    cursor.setPosition(3)
    editor.sentence.field.setTextCursor(cursor)
    editor.show_source("The cat sat.")
    assert editor.sentence.field.textCursor().position() == 3
    editor.show_source("The cat")
    assert editor.source() == "The cat"
    assert asked == []


def test_an_unknown_word_is_replaced_by_a_click(qtbot: QtBot) -> None:
    editor = shown(qtbot, "sentence", "the Catt sleeps")
    asked = listened(editor)
    assert "“catt” is unknown; nearest: " in editor.sentence.unknown.text()
    assert "is not in the vocabulary; nearest: cat" in said(editor.sentence)
    click_link(editor.sentence.unknown, "0")
    assert asked == ["the Cat sleeps"]
    assert not editor.sentence.unknown.isVisible()
    editor.sentence.field.undo()
    assert editor.source() == "the Catt sleeps"


def test_an_unknown_word_is_replaced_by_keyboard(qtbot: QtBot) -> None:
    editor = shown(qtbot, "sentence", "the catt sleeps")
    editor.sentence.field.setFocus()
    QTest.keyClick(editor.sentence.field, Qt.Key.Key_Tab)
    assert editor.sentence.unknown.hasFocus()
    QTest.keyClick(editor.sentence.unknown, Qt.Key.Key_Return)
    assert editor.source() == "the cat sleeps"


def test_an_unknown_chip_looks_different_and_not_by_colour_alone(qtbot: QtBot) -> None:
    editor = shown(qtbot, "sentence", "cat xat")
    chips = editor.sentence.chips
    for theme in (LIGHT, DARK):
        editor.set_theme(theme)
        picture = chips.grab().toImage()

        def dots(chip: int, top: int, picture: QImage = picture) -> int:
            place = chips.chip_rect(chip)
            row = [picture.pixelColor(x, place.top() + top).name() for x in range(place.left() + 6, place.right() - 5)]
            return sum(a != b for a, b in pairwise(row))

        assert dots(0, 0) == 0  # a whole outline
        assert dots(1, 0) > 2  # a broken one


def test_a_long_sentence_has_as_many_chips_as_there_is_room_for(qtbot: QtBot) -> None:
    editor = shown(qtbot, "writer", "the keys on the table")
    chips, high = editor.sentence.chips, editor.height()
    assert chips.left_out == 0
    editor.show_source("the keys " * 20)
    assert editor.height() == high
    seen = 41 - chips.left_out
    assert 5 < seen < 20
    assert all(0 < chips.chip_rect(i).right() < chips.width() for i in range(seen))
    assert chips.chip_rect(seen).isNull()
    place = chips.chip_rect(seen - 1)
    rest = chips.grab(QRect(place.right() + 2, 0, chips.width() - place.right() - 2, chips.height())).toImage()
    assert ink(rest) > 10, "how many are left out is written behind them"
    with_tokens = chips.grab().toImage()
    editor.show_source("the keys " * 20 + "xyzzy")
    assert chips.grab().toImage() != with_tokens, "one of those that are left out is unknown"


def ink(picture: QImage) -> int:
    """Pixels that are not as the first one."""
    ground = picture.pixel(0, 0)
    return sum(picture.pixel(x, y) != ground for x in range(picture.width()) for y in range(picture.height()))


def test_bad_text_is_explained(qtbot: QtBot) -> None:
    editor = shown(qtbot, "masked-attention-guide", "your dog")
    assert "The guide has numbers for its own words only" in editor.sentence.unknown.text()
    assert said(editor.sentence) == ""
    assert editor.sentence.unknown.width() > editor.width() // 2
    editor.show_source("")
    assert not editor.sentence.unknown.isVisible()


def test_the_option_of_the_language_is_seen_in_the_chips(qtbot: QtBot) -> None:
    editor = shown(qtbot, "translator", "The dog")
    assert "<it>" in said(editor.sentence)
    editor.show_options({"language": "fr"})
    assert "<fr>" in said(editor.sentence)


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("a cat | a dog", "a cat", "a dog"),
        ("a cat|a dog", "a cat", "a dog"),
        ("a cat", "a cat", ""),
        ("a | b | c", "a", "b | c"),
    ],
)
def test_pairs(qtbot: QtBot, text: str, first: str, second: str) -> None:
    editor = PairEditor(find("sentence"))
    qtbot.addWidget(editor)
    editor.show_source(text)
    assert (editor.first.field.text(), editor.second.field.text()) == (first, second)
    assert editor.source() == text.replace("a cat|a dog", "a cat | a dog")


def test_typing_a_second_sentence(qtbot: QtBot) -> None:
    editor = PairEditor(find("sentence"))
    qtbot.addWidget(editor)
    editor.show_source("a cat")
    asked = listened(editor)
    QTest.keyClicks(editor.second.field, " b")
    assert asked == ["a cat", "a cat |  b"]
    editor.show_source("a cat |  b")
    assert editor.second.field.text() == " b"


def pair(qtbot: QtBot, text: str, width: int) -> PairEditor:
    editor = PairEditor(find("sentence"))
    qtbot.addWidget(editor)
    editor.resize(width, 60)
    editor.show_source(text)
    with qtbot.waitActive(editor):
        editor.show()
    return editor


def test_two_sentences_have_as_much_room_each(qtbot: QtBot) -> None:
    """Also when both are shown at once, as when the model opens: nobody types then."""
    editor = pair(qtbot, "the cat sleeps on the sofa | a dog runs in the garden", 520)
    assert abs(editor.first.field.width() - editor.second.field.width()) <= 1
    editor.show_source("the cat sleeps on the sofa")
    qtbot.waitUntil(lambda: editor.first.field.width() > 2 * editor.second.field.width())


def written(label: QLabel) -> str:
    return QTextDocumentFragment.fromHtml(label.text()).toPlainText()


def test_a_warning_that_has_no_room_ends_in_dots(qtbot: QtBot) -> None:
    editor = pair(qtbot, "the cat | the dogz run", 900)
    warning = editor.second.unknown
    whole = written(warning)
    assert whole.startswith("⚠ “dogz” is unknown; nearest: dog, ")
    for width in (760, 640, 560, 480, 240):
        editor.resize(width, 60)
        QTest.qWait(10)
        shown = written(warning)
        assert warning.fontMetrics().horizontalAdvance(shown) <= warning.width()
        assert shown == whole or (shown.endswith("…") and whole.startswith(shown[:-1]))
    assert shown == "⚠ …"
    assert "nearest: " in warning.toolTip()
    editor.resize(900, 60)
    qtbot.waitUntil(lambda: written(warning) == whole)
