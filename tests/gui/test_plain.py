"""Names, tokens, notes and outputs that look like HTML: everywhere in the window they are seen letter for letter."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent, QTextDocument
from PySide6.QtGui import Qt as QtText
from PySide6.QtWidgets import QApplication, QLabel, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from tests.gui.conftest import settle
from txviz import ops
from txviz.figures.theme import LIGHT
from txviz.gui.help_dialogs import card_dialog
from txviz.gui.inputs.chips import Chips
from txviz.gui.inputs.sentence import UnknownWords
from txviz.gui.plain import tip
from txviz.gui.window import Window
from txviz.models.model import Token
from txviz.trace import Printed, Run, Trace

NASTY = ("<b>x</b>", "<img src=missing.png>", "<UNK>", "&amp;", "&lt;i&gt; & so on", "a & b", "<!-- gone")
SAID = " ".join(NASTY)


def seen(text: str) -> str:
    """What a tooltip or a label that guesses shows of a text."""
    if not QtText.mightBeRichText(text):
        return text
    page = QTextDocument()
    page.setHtml(text)
    return page.toPlainText()


def nasty_trace() -> Trace:
    """An attention block over tokens that look like HTML, with a note, a print and an output that do."""
    labels = {"query": NASTY, "key": NASTY, "head": (SAID, "1")}
    run = Run({}, notes={"encoder.0.attention.weights": SAID})
    with run.at(part="encoder", layer=0, block="attention"):
        scores = run.given("scores", np.eye(len(NASTY))[None].repeat(2, 0), axes="head query key", labels=labels)
        run(ops.softmax, "weights", scores, axes="head query key")
    return Trace(run.steps, {"model": SAID, "input": SAID, "options": {}}, SAID)


@pytest.fixture
def nasty(window: Window, qtbot: QtBot, tmp_path: Path) -> Window:
    """The window on a file with such a trace."""
    path = tmp_path / "a & <b>trace.safetensors"
    nasty_trace().save(path)
    with qtbot.waitSignal(window.session.trace_changed):
        window.computing.open(path)
    window.session.go_to("encoder.0.attention.weights")
    return window


@pytest.mark.parametrize("text", [*NASTY, SAID, "plain", "", "one\n<b>two</b>"])
def test_a_tooltip_shows_every_letter(text: str) -> None:
    assert seen(tip(text)) == text


def test_no_label_guesses_what_its_text_is(nasty: Window) -> None:
    """Labels show plain text; the one with links is HTML, and escapes what it is given."""
    assert nasty.plots is not None
    for title in ("Attention", "Softmax", "Tokens", "Values"):
        nasty.plots.choose(title)
        settle()
    labels = [label for label in nasty.findChildren(QLabel) if not isinstance(label, UnknownWords)]
    assert len(labels) > 15
    guessing = [label for label in labels if label.textFormat() != Qt.TextFormat.PlainText]
    assert [label.accessibleName() or label.text() for label in guessing] == []


def test_the_output_and_its_tooltip(nasty: Window) -> None:
    assert SAID in nasty.badge.accessibleDescription()
    assert SAID in seen(nasty.badge.toolTip())


def test_the_words_and_the_arithmetic(nasty: Window) -> None:
    assert SAID in nasty.explanation.toPlainText(), "the note"
    nasty.session.pin((0, 0, 1))
    text = nasty.explanation.toPlainText()
    assert f"weights[head {SAID}, {NASTY[0]}, {NASTY[1]}]" in text
    assert "<b>x</b> looks most at itself" in text, "its row in words"


def test_what_a_guide_prints(window: Window) -> None:
    run, cells = Run({}), np.array([1.0, 2.0])
    step = run.given("numbers", cells, axes="token")
    printed = Printed(f"where {SAID}", (), [1.0, 2.0], [1.0, 2.0], True, f"note {SAID}")
    window.session.show_trace(Trace([replace(step, printed=(printed,))], {}, ""), None)
    assert f"where {SAID}" in window.explanation.toPlainText()


def hover(widget: QWidget, at: QPoint) -> str:
    """The tooltip that comes up there, as it is seen."""
    QApplication.sendEvent(widget, QHelpEvent(QEvent.Type.ToolTip, at, widget.mapToGlobal(at)))
    return seen(QToolTip.text())


def test_the_tooltip_of_a_step(nasty: Window) -> None:
    scrubber = nasty.timeline.scrubber
    assert hover(scrubber, QPoint(scrubber.width() - 3, 10)).endswith(SAID)


def test_the_tooltip_of_a_token(qtbot: QtBot) -> None:
    chips = Chips(LIGHT)
    qtbot.addWidget(chips)
    chips.resize(800, 60)
    chips.show_tokens([Token(text, i, known=False, nearest=("<b>",)) for i, text in enumerate(NASTY)])
    for i, text in enumerate(NASTY):
        said = f"“{text}”, number {i}, is not in the vocabulary; nearest: <b>"
        assert hover(chips, chips.chip_rect(i).center()) == said


def test_unknown_words_and_errors_below_a_sentence(qtbot: QtBot) -> None:
    label, page = UnknownWords(), QTextDocument()
    qtbot.addWidget(label)
    label.setFixedWidth(2000)  # all of it
    for text in NASTY:
        label.show_tokens([Token(text, 1, known=False, nearest=(text,))])
        page.setHtml(label.text())
        assert page.toPlainText() == f"⚠ “{text}” is unknown; nearest: {text}"
        label.show_error(f"it says {text}")
        page.setHtml(label.text())
        assert page.toPlainText() == f"⚠ It says {text}"


def test_messages(window: Window) -> None:
    window.notice.show_message(SAID, SAID)
    window.toast.show_message(SAID)
    assert window.notice.text.text() == SAID
    assert window.notice.text.textFormat() == Qt.TextFormat.PlainText
    assert window.notice.details.toPlainText() == SAID
    assert window.toast.text() == SAID


def test_recent_files_have_no_keys(nasty: Window) -> None:
    nasty.files.menu.aboutToShow.emit()
    (action,) = nasty.files.menu.actions()
    assert action.text().replace("&&", "+").count("&") == 0
    assert action.text().replace("&&", "&") == nasty.files.recent[0]


@pytest.mark.parametrize("name", NASTY)
def test_a_card_of_a_model_without_one(name: str, qtbot: QtBot) -> None:
    dialog = card_dialog(name.replace("/", ""), f"reads {SAID} # and *stars*", None)
    qtbot.addWidget(dialog)
    assert dialog.text.toPlainText() == f"{name.replace('/', '')}\nreads {SAID} # and *stars*."
