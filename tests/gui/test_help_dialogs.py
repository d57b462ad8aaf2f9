"""The dialogs of the Help menu: read as they are shown."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.gui.conftest import Compute, press
from txviz import resources
from txviz.gui.help_dialogs import LICENCES, TextDialog, about_dialog, card_dialog, libraries
from txviz.gui.menus import COMMANDS
from txviz.gui.window import Window
from txviz.models import find
from txviz.models.registry import TRAINED


def test_the_list_of_keys_has_them_all(window: Window, qtbot: QtBot) -> None:
    press(qtbot, window, Qt.Key.Key_F1)
    (dialog,) = window.findChildren(TextDialog)
    text = dialog.text.toPlainText()
    for command in COMMANDS:
        if command.keys:
            assert command.text.replace("&", "").rstrip("…") in text
    dialog.reject()


@pytest.mark.parametrize("key", ["about", "card"])
def test_dialogs_tell(window: Window, key: str, compute: Compute) -> None:
    compute(window, "digits", find("digits").example)
    window.actions_by_key[key].trigger()
    (dialog,) = window.findChildren(TextDialog)
    assert {"about": "SIL OFL", "card": "UCI handwritten digits"}[key] in dialog.text.toPlainText()
    dialog.reject()


@pytest.mark.parametrize("model", TRAINED)
def test_a_card_is_shown_whole(model: str, qtbot: QtBot) -> None:
    dialog = card_dialog(model, "", None)
    qtbot.addWidget(dialog)
    written = resources.path("models", model, "card.md").read_text(encoding="utf-8")
    assert words(dialog.text.toPlainText()) == words(written)


def test_a_card_shows_what_looks_like_html(qtbot: QtBot) -> None:
    dialog = card_dialog("nobody", "reads <UNK> & <b>writes</b>", None)
    qtbot.addWidget(dialog)
    assert dialog.text.toPlainText() == "nobody\nreads <UNK> & <b>writes</b>."


def words(text: str) -> list[str]:
    """Without the signs that Markdown is written with."""
    return text.translate(str.maketrans("", "", "#*`|-")).split()


def test_every_library_is_named_with_its_licence(qtbot: QtBot) -> None:
    dialog = about_dialog(None)
    qtbot.addWidget(dialog)
    rows = dialog.text.toPlainText().splitlines()
    for library in libraries():
        shown = next(i for i, row in enumerate(rows) if row.startswith(f"{library} "))
        assert rows[shown + 1] == LICENCES[library]


def test_no_library_is_without_its_licence() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(LICENCES) == {line.lower().partition(">=")[0] for line in project["dependencies"]}
