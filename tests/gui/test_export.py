"""Exporting from the window: the dialog, its preview, the files, and cancelling."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit
from pytestqt.qtbot import QtBot

from tests.gui.test_recording import answer_file_dialog
from txviz.figures.export import Export, suggested_name
from txviz.figures.levels import LEVELS
from txviz.figures.levels.picture import NodeScene
from txviz.figures.marks import Text
from txviz.figures.worksheet import A4
from txviz.gui.export_dialog import ExportDialog
from txviz.gui.export_settings import ExportSettings
from txviz.gui.window import Window

SCORES = "encoder.0.attention.scores"


@pytest.fixture
def dialog(window: Window) -> ExportDialog:
    window.session.go_to(SCORES)
    window.actions_by_key["export"].trigger()
    (found,) = window.findChildren(ExportDialog)
    return found


def choose(dialog: ExportDialog, **values: str) -> None:
    for name, value in values.items():
        box = getattr(dialog, name)
        box.setCurrentIndex(box.findData(value))


def test_the_preview_is_the_figure(dialog: ExportDialog) -> None:
    assert dialog.preview.figure == dialog.wanted().figure(dialog.steps()[0])
    before = dialog.preview.figure
    dialog.parts["numbers"].setChecked(False)
    assert dialog.preview.figure != before
    assert dialog.preview.figure == dialog.wanted().figure(dialog.steps()[0])


def test_the_scale_of_the_colours(dialog: ExportDialog, qtbot: QtBot) -> None:
    """By name, or with two numbers; those that make no sense are told, and nothing is exported."""
    own = dialog.preview.figure
    for name, same in (("shared", False), ("each", True), ("", False)):
        dialog.scale.kind.setCurrentIndex(dialog.scale.kind.findData(name))
        assert (dialog.preview.figure == own) == same, "what is multiplied has its own scale anyway"
        assert dialog.scale.low.isVisible() == dialog.scale.high.isVisible() == (name == "")
    assert dialog.settings.scale == "fixed:-1.0,1.0"
    dialog.scale.high.setValue(-2)
    assert not dialog.go.isEnabled()
    assert "first number must be below its second" in dialog.matches.text()
    dialog.scale.low.setValue(-3)
    assert dialog.go.isEnabled()
    kept = ExportSettings.from_json(dialog.settings.as_json())
    assert kept.scale == "fixed:-3.0,-2.0"
    again = ExportDialog(dialog._session, kept, dialog._plot)
    qtbot.addWidget(again)
    assert again.settings.scale == kept.scale
    assert ExportSettings.from_json({"scale": "fixed:3,2"}).scale == "auto"


def test_a_pinned_cell_is_one_of_the_step_that_is_open(window: Window, dialog: ExportDialog) -> None:
    """Not of another step that a pattern finds: its cells may have other places."""
    window.session.pin((0, 2, 4))
    outlined = dialog.preview.figure
    choose(dialog, view="values", scope="pattern")
    for pattern, cell in ((SCORES, (0, 2, 4)), ("embed.sum", None), ("*", None)):
        dialog.pattern.setText(pattern)
        assert dialog.go.isEnabled()
        assert dialog.wanted().cell == cell
    choose(dialog, view="stage", scope="all")
    assert dialog.preview.figure != outlined, "of many steps none has its cell outlined"


def test_the_dialog_follows_steps_that_play_on_behind_it(window: Window, dialog: ExportDialog) -> None:
    before = dialog.preview.figure
    window.session.move(1)
    assert dialog.scope.currentText() == f"This step: {window.session.step.title}"
    assert dialog.preview.figure != before
    assert dialog.preview.figure == dialog.wanted().figure(window.session.step)


def test_which_steps(dialog: ExportDialog) -> None:
    assert [step.name for step in dialog.steps()] == [SCORES]
    choose(dialog, scope="stage")
    assert len(dialog.steps()) == 16
    assert {step.name.split(".")[0] for step in dialog.steps()} == {"encoder"}
    choose(dialog, scope="all")
    assert len(dialog.steps()) == 21
    choose(dialog, scope="pattern")
    dialog.pattern.setText("*.query*")
    assert dialog.matches.text() == "2 steps, a file for each, in one folder."
    dialog.pattern.setText("nothing")
    assert not dialog.go.isEnabled()
    assert "No step matches" in dialog.matches.text()


def test_the_picture_of_the_level_that_the_window_shows(window: Window) -> None:
    window.session.go_to(SCORES)
    window.session.go_out()
    window.actions_by_key["export"].trigger()
    (dialog,) = window.findChildren(ExportDialog)
    node = window.session.trace.outline.find("encoder.0.attention")
    page = dialog.settings.page()
    scene = NodeScene(window.session.trace, node, (0,), None, page.width, page.height, page.style)
    assert dialog.scope.currentText() == "This picture: encoder · layer 0 · attention"
    assert dialog.preview.figure == LEVELS["attention-block"].draw(scene).figure
    assert dialog.matches.text() == "One picture, one file."
    assert not dialog.view.isVisible()
    assert suggested_name(dialog.wanted()) == "encoder.0.attention.png"
    choose(dialog, format="csv")
    assert not dialog.go.isEnabled()
    assert dialog.matches.text().startswith("Csv has the numbers of a step; pictures of levels go into png")
    choose(dialog, scope="stage")
    assert dialog.view.isVisible()
    assert dialog.go.isEnabled()


def test_the_map_is_exported_as_it_is_shown(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    window.session.toggle_map()
    window.actions_by_key["export"].trigger()
    (dialog,) = window.findChildren(ExportDialog)
    assert suggested_name(dialog.wanted()) == "map.png"
    window.exporter.run(dialog.wanted(), tmp_path / "map.png")
    qtbot.waitUntil(lambda: window.toast.text() == f"Exported {tmp_path / 'map.png'}")
    figure, image = dialog.preview.figure, QImage(str(tmp_path / "map.png"))
    assert figure is not None
    assert (image.width(), image.height()) == (2 * figure.width, 2 * figure.height)
    dialog.reject()


def test_only_what_matters_is_shown(dialog: ExportDialog) -> None:
    assert dialog.transparent.isVisible()
    assert not dialog.seconds.isVisible()
    choose(dialog, format="gif")
    assert dialog.seconds.isVisible()
    assert not dialog.transparent.isVisible()
    choose(dialog, format="csv")
    assert not dialog.text_size.isVisible()


def test_a_film_has_a_pace_of_its_own(dialog: ExportDialog) -> None:
    """Until somebody sets another one."""
    choose(dialog, format="mp4")
    assert dialog.frames.isVisible()
    assert (dialog.resolution.value(), dialog.seconds.value(), dialog.frames.value()) == (1.5, 4, 30)
    dialog.seconds.setValue(7)
    choose(dialog, format="gif")
    assert (dialog.resolution.value(), dialog.seconds.value(), dialog.frames.value()) == (1, 7, 0)
    choose(dialog, format="png")
    assert dialog.resolution.value() == 2
    assert not dialog.frames.isVisible()


def test_slides_can_do_without_builds_and_a_cover(dialog: ExportDialog) -> None:
    choose(dialog, format="png")
    assert not dialog.builds.isVisible()
    choose(dialog, format="pptx")
    assert dialog.builds.isVisible()
    assert dialog.cover.isVisible()
    assert (dialog.wanted().builds, dialog.wanted().cover) == (True, True)
    dialog.builds.click()
    assert (dialog.wanted().builds, dialog.wanted().cover) == (False, True)
    dialog.cover.click()
    assert (dialog.wanted().builds, dialog.wanted().cover) == (False, False)


def test_a_worksheet_is_previewed_as_it_is_printed(dialog: ExportDialog) -> None:
    choose(dialog, format="png")
    assert not dialog.worksheet.isVisible()
    choose(dialog, format="pdf", worksheet="result")
    assert dialog.worksheet.isVisible()
    assert dialog.preview.figure is not None
    assert (dialog.preview.figure.width, dialog.preview.figure.height) == A4
    assert dialog.wanted().worksheet == "result"
    choose(dialog, format="png")
    assert (dialog.preview.figure.width, dialog.preview.figure.height) != A4, "a picture is no worksheet"


def test_a_picture_that_is_too_large_is_told_before_it_is_painted(dialog: ExportDialog) -> None:
    choose(dialog, format="png")
    for box in (dialog.width_box, dialog.height_box, dialog.resolution):
        box.setValue(box.maximum())
    assert dialog.matches.text().startswith("A picture of 80,000 × 80,000 pixels is too large")
    assert not dialog.go.isEnabled()
    choose(dialog, format="svg")
    assert dialog.go.isEnabled()
    choose(dialog, format="png")
    dialog.resolution.setValue(1)
    assert dialog.go.isEnabled()


def test_the_plot_beside_the_stage_as_it_is_now(window: Window, dialog: ExportDialog) -> None:
    assert window.plots is not None
    choose(dialog, view="plot", scope="all")
    page = dialog.settings.page()
    assert dialog.preview.figure == window.plots.figure(page.width, page.height, page.style)
    assert [step.name for step in dialog.steps()] == [SCORES]
    choose(dialog, format="pptx")
    assert dialog.go.isEnabled()
    choose(dialog, format="csv")
    assert not dialog.go.isEnabled()
    assert dialog.matches.text().startswith("Csv has no view but the stage")


def test_a_preset_brings_its_sizes(dialog: ExportDialog) -> None:
    choose(dialog, preset="paper")
    assert (dialog.settings.width, dialog.settings.theme) == (680, "paper")


def test_settings_are_remembered(start: Callable[..., Window]) -> None:
    first = start()
    first.actions_by_key["export"].trigger()
    (dialog,) = first.findChildren(ExportDialog)
    choose(dialog, format="svg", preset="paper")
    dialog.text_size.setValue(14)
    dialog.reject()
    first.close()
    second = start()
    assert second.exporter.settings.as_json() == first.exporter.settings.as_json()
    assert (second.exporter.settings.format, second.exporter.settings.text_size) == ("svg", 14)


@pytest.mark.parametrize(
    "nonsense",
    [
        None,
        5,
        {"format": "bmp"},
        {"width": "wide"},
        {"width": -1},
        {"width": 1e400},
        {"height": 1e6},
        {"seconds": float("nan")},
        {"scope": 3},
    ],
)
def test_settings_that_make_no_sense_are_the_defaults(nonsense: object) -> None:
    assert ExportSettings.from_json(nonsense) == ExportSettings()


def test_an_export_is_written_and_told(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    steps = window.session.trace.find("embed.*")
    window.exporter.run(Export(window.session.trace, steps, "svg"), tmp_path)
    qtbot.waitUntil(lambda: window.toast.text() == f"Exported 3 files to {tmp_path}")
    assert len(list(tmp_path.glob("*.svg"))) == 3


@pytest.mark.parametrize("ending", ["png", "pdf", "gif", "pptx", "html"])
def test_every_format_off_the_gui_thread(window: Window, qtbot: QtBot, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"scores.{ending}"
    step = window.session.trace[SCORES]
    window.exporter.run(Export(window.session.trace, [step], ending), path)
    qtbot.waitUntil(lambda: window.toast.text() == f"Exported {path}")
    assert path.stat().st_size > 1000


def test_a_lecture_goes_into_a_folder(
    window: Window, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here without what a film needs, which is told; with it, it takes a while."""
    monkeypatch.setitem(sys.modules, "av", None)
    answer_file_dialog(qtbot, str(tmp_path))
    window.actions_by_key["lecture"].trigger()
    qtbot.waitUntil(lambda: f"Exported 3 files to {tmp_path}" in window.toast.text(), timeout=60_000)
    assert "pip install 'txviz[video]'" in window.toast.text()
    endings = ("-worksheet.pdf", ".html", ".pptx")
    assert sorted(path.name for path in tmp_path.glob("*.*")) == [f"sentence-guide{ending}" for ending in endings]


def test_no_folder_no_lecture(window: Window, qtbot: QtBot) -> None:
    answer_file_dialog(qtbot, "")
    window.actions_by_key["lecture"].trigger()
    assert not window.exporter.background.busy


def test_a_cancelled_export_leaves_nothing(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    steps = list(window.session.trace) * 20
    path = tmp_path / "all.pdf"
    window.exporter.run(Export(window.session.trace, steps, "pdf"), path)
    window.exporter.background.cancel()
    qtbot.waitUntil(lambda: not window.exporter.background.busy)
    assert list(tmp_path.iterdir()) == []
    assert not window.notice.isVisible()


def test_a_path_that_can_not_be_is_told_in_a_sentence(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    """Chosen in the dialog of files, as a user does."""
    window.actions_by_key["export"].trigger()
    (dialog,) = window.findChildren(ExportDialog)
    (tmp_path / "file").write_text("")

    def answer() -> None:
        asking = QApplication.activeModalWidget()
        assert isinstance(asking, QFileDialog)
        field = asking.findChild(QLineEdit)
        assert field is not None
        field.setText(str(tmp_path / "file" / "x.png"))
        qtbot.keyClick(field, Qt.Key.Key_Return)

    QTimer.singleShot(100, answer)
    dialog.go.click()
    qtbot.waitUntil(window.notice.isVisible)
    assert window.notice.text.text().startswith("Can't write")


def test_a_failed_export_is_a_sentence(window: Window, qtbot: QtBot) -> None:
    """Nobody can make a folder there."""
    window.exporter.run(Export(window.session.trace, [window.session.step], "svg"), Path("/proc/no/such/x.svg"))
    qtbot.waitUntil(window.notice.isVisible)
    assert window.notice.text.text().startswith("Can't make the folder /proc/no")


def texts_of(dialog: ExportDialog) -> list[str]:
    """What the preview says."""
    assert dialog.preview.figure is not None
    return [mark.text for mark in dialog.preview.figure.flat() if isinstance(mark, Text)]


WORKED = "scores[head 0, cat, .] = 0.8×0.1 + 0.3×0.1 + (−0.5)×0.2 = 0.01"


def test_title_caption_and_arithmetic_are_in_the_preview(window: Window, dialog: ExportDialog, qtbot: QtBot) -> None:
    window.session.pin((0, 2, 4))
    assert WORKED in texts_of(dialog)
    qtbot.keyClicks(dialog.title_text, "Who is {name}?")
    qtbot.keyClicks(dialog.caption, "Figure {number}")
    dialog.provenance.click()
    said = texts_of(dialog)
    assert said[0] == f"Who is {SCORES}?"
    assert "Figure 11" in said
    assert any(text.startswith("21 of 21 steps replayed") for text in said)
    dialog.parts["title"].click()
    assert not dialog.title_text.isVisible()
    assert texts_of(dialog)[0] != f"Who is {SCORES}?"
    assert dialog.settings.title is False


def test_words_are_remembered(window: Window, dialog: ExportDialog) -> None:
    dialog.title_text.setText("Mine")
    dialog.caption.setText("Below")
    choose(dialog, format="svg", text="outlines")
    kept = ExportSettings.from_json(dialog.settings.as_json())
    assert (kept.title, kept.caption, kept.text) == ("Mine", "Below", "outlines")
    assert ExportSettings.from_json({"title": 3, "text": "?"}) == ExportSettings()


def test_a_file_for_each_step_is_said(dialog: ExportDialog) -> None:
    choose(dialog, scope="all", format="pdf")
    assert dialog.matches.text() == "21 steps in one file."
    dialog.separate.click()
    assert dialog.matches.text() == "21 steps, a file for each, in one folder."
    choose(dialog, format="html")
    assert not dialog.separate.isVisible()
    assert dialog.matches.text() == "21 steps in one file."


def test_the_plot_has_room_for_what_is_below(window: Window, dialog: ExportDialog) -> None:
    window.session.pin((0, 2, 4))
    choose(dialog, view="plot")
    figure = dialog.preview.figure
    assert figure is not None
    assert figure.height == dialog.height_box.value()
    assert WORKED in texts_of(dialog)


def test_what_is_exported_says_its_command(window: Window, dialog: ExportDialog, qtbot: QtBot, tmp_path: Path) -> None:
    window.session.pin((0, 2, 4))
    choose(dialog, theme="dark")
    dialog.caption.setText("Below")
    with qtbot.waitSignal(window.exporter.message, timeout=20_000):
        window.exporter.run(dialog.wanted(), tmp_path / "a.png")
    with Image.open(tmp_path / "a.png") as image:
        assert image.info["Command"] == (
            f"txviz export sentence-guide 'The cat sat.' --steps {SCORES} --cell 0,2,4 --theme dark --caption Below"
            f" -o {SCORES}.png"
        )


def test_what_is_copied_has_the_arithmetic_below(window: Window) -> None:
    window.session.go_to(SCORES)
    window.session.pin((0, 2, 4))
    drawing = bytes(window.files.figure_data().data("image/svg+xml").data()).decode()
    assert WORKED in drawing
    window.session.pin(None)
    assert WORKED not in bytes(window.files.figure_data().data("image/svg+xml").data()).decode()
