"""Sentences of one's own: what is typed is compared, and what is painted are the cosines of the model's vectors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

import txviz
from txviz.figures.marks import Heat, Text
from txviz.gui.meaning import FIRST, MOST, Meaning
from txviz.gui.window import Window


@pytest.fixture
def meaning(window: Window, qtbot: QtBot) -> Iterator[Meaning]:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.area.take_focus()
    qtbot.keyClick(window.area.shown, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
    found = window.findChild(Meaning)
    assert found is not None
    qtbot.waitUntil(lambda: len(found.page.shown.sentences) == len(FIRST))
    yield found
    found.reject()


def written(meaning: Meaning, qtbot: QtBot, *lines: str, question: str = "") -> None:
    meaning.question.setText(question)
    meaning.sentences.setFocus()
    meaning.sentences.clear()
    for i, line in enumerate(lines):
        if i:
            qtbot.keyClick(meaning.sentences, Qt.Key.Key_Return)
        qtbot.keyClicks(meaning.sentences, line)
    wanted = list(lines)[:MOST]
    shown = meaning.page
    qtbot.waitUntil(lambda: (list(shown.shown.sentences), shown.shown.question) == (wanted, question if lines else ""))


def marks(meaning: Meaning, kind: type) -> list:  # type: ignore[type-arg]
    return [mark for mark in meaning.page.figure().flat() if isinstance(mark, kind)]


def test_cells_are_the_cosines_that_the_model_itself_computes(meaning: Meaning, qtbot: QtBot) -> None:
    lines = ("the cat sleeps", "the dog sleeps", "the train is late")
    written(meaning, qtbot, *lines)
    (heat,) = marks(meaning, Heat)
    for i, first in enumerate(lines):
        for j, second in enumerate(lines):
            cosine = float(txviz.trace("sentence", f"{first} | {second}")["similarity.cosine"].value)
            assert meaning.page.shown.cosines[i, j] == pytest.approx(cosine, abs=1e-9)
            assert float(heat.texts[i * 3 + j].replace("−", "-")) == pytest.approx(cosine, abs=0.0051)


def test_the_nearest_sentence_answers_the_question(meaning: Meaning, qtbot: QtBot) -> None:
    lines = ("the train is late", "the cat sleeps on the sofa")
    written(meaning, qtbot, *lines, question="a kitten naps on the couch")
    (best, cosine), (other, less) = meaning.page.shown.answers
    assert (best, other) == (1, 0)
    assert cosine > less
    said = [mark.text for mark in marks(meaning, Text)]
    assert said.index(lines[1]) < said.index(lines[0])
    assert any("Nearest to the question is “the cat sleeps on the sofa”" in text for text in " ".join(said).split(". "))


def test_what_is_not_known_and_what_is_too_much_is_said(meaning: Meaning, qtbot: QtBot) -> None:
    written(meaning, qtbot, "the zyzzyva sleeps")
    qtbot.waitUntil(lambda: "zyzzyva" in meaning.said.text())
    written(meaning, qtbot, *[f"the cat sleeps {n}" for n in range(MOST + 2)])
    qtbot.waitUntil(lambda: "Only the first" in meaning.said.text())


def test_without_sentences_it_says_what_to_do(meaning: Meaning, qtbot: QtBot) -> None:
    written(meaning, qtbot)
    assert "Write some sentences, one on each line." in [mark.text for mark in marks(meaning, Text)]
    assert not np.isnan(meaning.page.shown.vectors).any()
