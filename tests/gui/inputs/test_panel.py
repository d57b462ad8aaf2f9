"""The panel as a whole: models, examples, options, and showing a request."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

import txviz
from tests.gui.inputs.test_sentence import ink
from txviz import TxvizError, resources
from txviz.figures.theme import DARK
from txviz.gui.inputs import InputPanel
from txviz.gui.inputs.chooser import ModelChooser
from txviz.gui.inputs.drawing_editor import DrawingEditor
from txviz.gui.inputs.options import OptionsForm
from txviz.gui.inputs.sentence import SentenceEditor
from txviz.models import find
from txviz.models.request import Request
from txviz.models.trained import training_options
from txviz.nets.optimiser import Recipe


@pytest.fixture
def panel(qtbot: QtBot) -> InputPanel:
    panel = InputPanel()
    qtbot.addWidget(panel)
    panel.resize(900, 70)
    with qtbot.waitActive(panel):
        panel.show()
    return panel


@pytest.fixture
def asked(panel: InputPanel) -> list[Request]:
    requests: list[Request] = []
    panel.requested.connect(requests.append)
    return requests


def form(qtbot: QtBot, model: str) -> tuple[OptionsForm, list[dict[str, object]]]:
    form = OptionsForm(find(model).options)
    qtbot.addWidget(form)
    form.show()
    asked: list[dict[str, object]] = []
    form.options_requested.connect(asked.append)
    return form, asked


def choose(box: QWidget, text: str) -> None:
    """By keyboard: from the first on, down to the one of this text or, among models, of this name."""
    assert isinstance(box, QComboBox)
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Home)
    while text not in (box.currentText(), box.currentData()):
        before = box.currentIndex()
        QTest.keyClick(box, Qt.Key.Key_Down)
        assert box.currentIndex() > before


def test_it_begins_with_the_first_example(panel: InputPanel) -> None:
    assert panel.request() == Request("sentence-guide", "The cat sat.", {})
    assert any("in three dimensions" in label.text() for label in panel.findChildren(QLabel) if label.isVisible())
    assert panel.models.currentText() == "Guide: a sentence as a vector"


def test_choosing_a_model_asks_for_its_example(panel: InputPanel, asked: list[Request]) -> None:
    choose(panel.models, "digits")
    assert asked[-1] == Request("digits", find("digits").example, {})
    assert isinstance(panel.page.editor, DrawingEditor)
    assert panel.page.isVisible()


def test_a_board_is_there_for_images_only(panel: InputPanel) -> None:
    assert not panel.drawings.isVisible()
    choose(panel.models, "digits")
    assert panel.drawings.isVisible()
    assert panel.page.editor.isVisible()
    choose(panel.models, "vit-guide-2x2")
    assert [editor for editor in panel.drawings.findChildren(DrawingEditor) if editor.isVisible()] == [
        panel.page.editor
    ]
    choose(panel.models, "writer")
    assert not panel.drawings.isVisible()


def test_each_model_keeps_its_own_input(panel: InputPanel, asked: list[Request]) -> None:
    editor = panel.page.editor
    assert isinstance(editor, SentenceEditor)
    QTest.keyClicks(editor.sentence.field, "!")
    assert asked[-1] == Request("sentence-guide", "The cat sat.!", {})
    choose(panel.models, "writer")
    choose(panel.models, "sentence-guide")
    assert panel.request() == Request("sentence-guide", "The cat sat.!", {})


def test_examples_are_a_click_away(panel: InputPanel, asked: list[Request]) -> None:
    panel.show_request(Request("digits", find("digits").example))
    actions = panel.page.examples.menu().actions()
    assert [action.text() for action in actions] == [f"Digit {i}" for i in range(10)]
    assert not actions[7].icon().isNull()
    actions[7].trigger()
    assert asked == [Request("digits", find("digits").examples[7], {})]


@pytest.mark.parametrize("model", txviz.models())
def test_every_example_is_shown_as_it_is_and_nothing_is_asked(
    panel: InputPanel, asked: list[Request], model: str
) -> None:
    for example in find(model).examples:
        request = Request(model, example, {})
        panel.show_request(request)
        assert panel.request() == request
    assert asked == []


@pytest.mark.parametrize(
    ("model", "options"),
    [
        ("sentence-guide", {"pooling": "cls"}),
        ("translator", {"language": "fr", "strategy": "beam", "beam_width": 8, "length_penalty": 0.6}),
        ("writer", {"strategy": "sample", "temperature": 0.85, "top_k": 5, "top_p": 0.925, "seed": 2**32 - 1}),
        ("writer", {"target": "on the table", "cache": True}),
        ("digits", {"target": "3"}),
    ],
)
def test_options_are_shown_and_then_the_defaults_again(
    panel: InputPanel, asked: list[Request], model: str, options: dict[str, object]
) -> None:
    request = Request(model, find(model).example, options)
    panel.show_request(request)
    assert panel.request() == request
    assert panel.page.options.text() == f"Options · {len(options)}"
    panel.show_request(Request(model, find(model).example, {}))
    assert panel.request().options == {}
    assert panel.page.options.text() == "Options"
    assert asked == []


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (Request("wrter", "a"), "no model is called"),
        (Request("digits", "cat"), "there is no file"),
        (Request("writer", "a", {"pooling": "cls"}), "writer has no option pooling"),
        (Request("writer", "a", {"seed": -1}), "seed is -1"),
    ],
)
def test_what_is_not_possible_is_not_shown(panel: InputPanel, request_: Request, message: str) -> None:
    before = panel.request()
    with pytest.raises(TxvizError, match=message):
        panel.show_request(request_)
    assert panel.request() == before


@pytest.mark.usefixtures("plugin")
class TestModelsOfOtherPackages:
    def test_their_own_options(self, panel: InputPanel, asked: list[Request]) -> None:
        choose(panel.models, "digits-again")
        own = panel.page.form.fields["two_eyes"]
        assert (own.accessibleName(), own.toolTip()) == ("Two eyes", "This model's own option, two eyes")
        assert panel.page.form.fields["temperature"].isEnabled()
        assert asked[-1] == Request("digits-again", find("digits").example, {})

    def test_one_that_can_not_be_loaded(self, panel: InputPanel, asked: list[Request]) -> None:
        refused: list[str] = []
        panel.refused.connect(refused.append)
        choose(panel.models, "digits-again")
        before = panel.request()
        QTest.keyClick(panel.models, Qt.Key.Key_Down)
        assert refused == ['the model "no-digits" of some_models:broken can\'t be loaded: no weights here']
        assert panel.request() == asked[-1] == before


def test_a_model_in_a_folder(panel: InputPanel, tmp_path: Path) -> None:
    folder = shutil.copytree(resources.path("models", "digits"), tmp_path / "mine")
    request = Request(str(folder), find("digits").examples[3], {})
    panel.show_request(request)
    assert panel.request() == request
    assert (panel.models.currentText(), panel.models.name) == (folder.name, str(folder))


def test_a_default_with_many_digits_is_not_a_change(qtbot: QtBot) -> None:
    """A recipe without a warm-up begins on the cosine: 0.009999725846…"""
    options = OptionsForm(training_options(Recipe(steps=300, batch=1, rate=0.01)))
    qtbot.addWidget(options)
    assert options.chosen() == {}
    options.show_options({"learning_rate": 0.02})
    assert options.chosen() == {"learning_rate": 0.02}


def test_options_ask_for_what_differs(qtbot: QtBot) -> None:
    options, asked = form(qtbot, "translator")
    choose(options.fields["strategy"], "Beam")
    assert asked[-1] == {"strategy": "beam"}
    width = options.fields["beam_width"]
    width.setFocus()
    QTest.keyClick(width, Qt.Key.Key_Up)
    assert asked[-1] == {"strategy": "beam", "beam_width": 5}
    QTest.keyClick(width, Qt.Key.Key_Down)
    assert asked[-1] == {"strategy": "beam"}
    target = options.fields["target"]
    QTest.keyClicks(target, "ti")
    assert asked[-1] == {"strategy": "beam", "target": "ti"}
    QTest.mouseClick(options.reset, Qt.MouseButton.LeftButton)
    assert asked[-1] == {}
    assert target.chosen() is None


def test_only_what_matters_is_enabled(qtbot: QtBot) -> None:
    options, _ = form(qtbot, "writer")

    def enabled() -> set[str]:
        return {name for name, field in options.fields.items() if field.isEnabled()}

    assert enabled() == {"target", "strategy", "max_steps", "cache"}
    options.show_options({"strategy": "beam"})
    assert enabled() == {"target", "strategy", "max_steps", "cache", "beam_width", "length_penalty"}
    options.show_options({"strategy": "sample"})
    assert {"temperature", "top_k", "top_p", "seed"} <= enabled()
    options.show_options({"target": "on the table"})
    assert enabled() == {"target", "learning_rate", "optimizer"}


def test_labels_are_plain_english(qtbot: QtBot) -> None:
    options, _ = form(qtbot, "translator")
    labels = [label.text() for label in options.findChildren(QLabel) if label.text()]
    assert {"Beam width", "Language", "Target (makes it a training step)"} <= set(labels)
    language = options.fields["language"]
    assert isinstance(language, QComboBox)
    assert [language.itemText(i) for i in range(language.count())] == ["Italian", "French"]
    for field in options.fields.values():
        assert field.toolTip()
        assert field.accessibleName() in labels


def test_options_open_below_their_button_and_escape_closes_them(panel: InputPanel, qtbot: QtBot) -> None:
    panel.show_request(Request("translator", "The dog", {}))
    page = panel.page
    assert not page.form.isVisible()
    QTest.mouseClick(page.options, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(page.form.isVisible)
    assert page.options.popup.y() >= page.options.mapToGlobal(QPoint(0, page.options.height())).y()
    assert page.options.screen().availableGeometry().contains(page.options.popup.geometry())
    assert page.form.fields["language"].hasFocus()
    QTest.keyClick(page.form.fields["language"], Qt.Key.Key_Escape)
    assert not page.form.isVisible()


def test_a_model_without_options_has_no_button_for_them(panel: InputPanel) -> None:
    panel.show_request(Request("masked-attention-guide", find("masked-attention-guide").example))
    assert not panel.page.options.isVisible()


def test_the_list_of_models_has_a_line_about_each(panel: InputPanel, qtbot: QtBot) -> None:
    panel.models.showPopup()
    view = panel.models.view()
    qtbot.waitUntil(view.isVisible)
    for row, name in enumerate(txviz.models()):
        index = view.model().index(row, 0)
        assert index.data(Qt.ItemDataRole.AccessibleTextRole) == f"{find(name).title}: {find(name).summary}"
        place = view.visualRect(index)
        whole = view.viewport().grab(place).toImage()
        half = whole.height() // 2
        assert all(ink(whole.copy(0, top, whole.width(), half)) > 40 for top in (0, half))
        assert ink(whole.copy(whole.width() - 6, 0, 6, whole.height())) == 0, f"the line about {name} is cut off"
    panel.models.hidePopup()


def test_an_option_is_part_of_the_request_and_of_the_chips(panel: InputPanel, asked: list[Request]) -> None:
    panel.show_request(Request("translator", "The dog", {}))
    panel.page.options.click()
    choose(panel.page.form.fields["language"], "French")
    assert asked == [Request("translator", "The dog", {"language": "fr"})]
    editor = panel.page.editor
    assert isinstance(editor, SentenceEditor)
    assert "<fr>" in editor.sentence.chips.accessibleDescription()


def test_refusals_are_passed_on(panel: InputPanel) -> None:
    refused: list[str] = []
    panel.refused.connect(refused.append)
    panel.show_request(Request("digits", find("digits").example))
    editor = panel.page.editor
    assert isinstance(editor, DrawingEditor)
    QTest.keyClicks(editor.board, "5")
    QTest.keyClick(editor.board, Qt.Key.Key_Return)
    assert refused == ["a pixel is a number from 0 (black) to 1 (white), not 5"]


@pytest.mark.parametrize("model", txviz.models())
def test_it_fits_a_narrow_window(qtbot: QtBot, model: str) -> None:
    panel = InputPanel(DARK)
    left = QWidget()
    for window, size in ((panel, (480, 70)), (left, (230, 300))):
        qtbot.addWidget(window)
        window.resize(*size)
    QVBoxLayout(left).addWidget(panel.drawings)
    panel.show_request(Request(model, find(model).example))
    left.show()
    with qtbot.waitActive(panel):
        panel.show()
    for holder in (panel, left):
        for widget in holder.findChildren(QWidget):
            if widget.isVisible() and widget.window() is holder:
                assert holder.rect().contains(QRect(widget.mapTo(holder, QPoint()), widget.size()))
                assert widget.width() >= min(widget.minimumSizeHint().width(), 100)


def test_tab_goes_from_left_to_right(panel: InputPanel) -> None:
    panel.show_request(Request("translator", "the catt", {}))
    panel.models.setFocus()
    reached: list[QWidget] = [panel.models]
    while reached.count(panel.models) < 2:
        QTest.keyClick(reached[-1], Qt.Key.Key_Tab)
        if panel.focusWidget() is not reached[-1]:  # but another link of the same label
            reached.append(panel.focusWidget())
    editor = panel.page.editor
    assert isinstance(editor, SentenceEditor)
    assert reached[:-1] == [
        panel.models, editor.sentence.field, editor.sentence.unknown,
        panel.page.examples, panel.page.what_if, panel.page.options,
    ]  # fmt: skip


def test_a_models_title_that_is_too_long_ends_in_three_dots(qtbot: QtBot) -> None:
    def painted(width: int) -> str:
        chooser.resize(width, chooser.sizeHint().height())
        shown = chooser.grab().toImage()
        titles = [title[:end] + "…" for end in range(len(title))] + [title]
        whole = (text for text in titles if chooser.fontMetrics().horizontalAdvance(text) < width - 20)
        return next((text for text in whole if shown == as_item(text, width)), "cut off")

    def as_item(text: str, width: int) -> QImage:
        box = QComboBox()
        box.addItem(text)
        box.resize(width, chooser.height())
        return box.grab().toImage()

    chooser = ModelChooser("translator")
    qtbot.addWidget(chooser)
    title = chooser.currentText()
    assert painted(600) == title
    assert painted(180).endswith("…")
