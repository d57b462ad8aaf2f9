"""What comes from a file or a keyboard is shown as it is, wherever Qt would read it as HTML."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent
from PySide6.QtGui import QHelpEvent, QTextDocument
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from txviz.gui.inputs.sentence import SentenceEditor
from txviz.gui.toolbar import Toolbar
from txviz.gui.window import Window
from txviz.models import find
from txviz.trace import Run, Trace

IMAGE = "<img src='cat.png'>cat"


def read(html: str) -> str:
    """What somebody sees of a tool tip."""
    document = QTextDocument()
    document.setHtml(html)
    return document.toPlainText()


@pytest.fixture
def odd(window: Window) -> Window:
    """A window on a trace whose note, labels and answer ask for an image."""
    run = Run({}, notes={"tokens": IMAGE})
    run.given("tokens", np.arange(2), axes="token", labels={"token": (IMAGE, "b")})
    window.session.show_trace(Trace(run.steps, {"model": "<b>any</b>"}, IMAGE), None)
    return window


def test_the_step_in_words(odd: Window) -> None:
    odd.session.pin((0,))
    shown = odd.explanation.toPlainText()
    assert f"tokens[{IMAGE}] = given: 0" in shown
    assert shown.count(IMAGE) >= 2, "the note, too"


def test_the_answer_and_its_tool_tip(odd: Window) -> None:
    toolbar = odd.findChild(Toolbar)
    assert toolbar is not None
    assert read(toolbar.output.toolTip()) == f"What the model says: {IMAGE}"
    assert toolbar.output.text().endswith(IMAGE)
    letters = toolbar.output.fontMetrics().horizontalAdvance(toolbar.output.text())
    assert toolbar.output.sizeHint().width() >= letters, "none of them is taken for a sign of HTML"


def test_a_tool_tip_of_a_token(qtbot: QtBot) -> None:
    editor = SentenceEditor(find("writer"))
    qtbot.addWidget(editor)
    editor.resize(280, 400)
    editor.show_source("the cat")
    with qtbot.waitActive(editor):
        editor.show()
    chips = editor.sentence.chips.chips
    over = chips.chip_rect(0).center()
    QApplication.sendEvent(chips, QHelpEvent(QEvent.Type.ToolTip, over, chips.mapToGlobal(over)))
    assert read(QToolTip.text()).startswith("“<SOS>”, number ")
