"""Models of one's own in the window: opened, remembered, waited for and given up, as the user sees it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from threading import Event, Timer
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QProgressDialog, QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from tests.gui.conftest import PATIENCE, Compute, press
from tests.models.checkpoints.reference import path
from txviz.gui import saved_state
from txviz.gui.app import make_window
from txviz.gui.window import Window
from txviz.models import find
from txviz.models.model import Prepared
from txviz.models.registry import forget, lend
from txviz.models.request import Request
from txviz.trace import Run

Start = Callable[..., Window]


class Gated:
    """A model of two layers that stops before the second until the gate is open."""

    def __init__(self, name: str) -> None:
        self._model: Any = find(name)
        self.gate = Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def prepare(self, source: object, options: Mapping[str, Any]) -> Prepared:
        prepared: Prepared = self._model.prepare(source, options)

        def forward(run: Run) -> Any:
            at = run.at

            def waiting(**fields: Any) -> Any:
                if fields.get("layer") == 1:
                    assert self.gate.wait(PATIENCE)
                return at(**fields)

            run.at = waiting  # type: ignore[method-assign]
            return prepared.forward(run)

        return Prepared(prepared.parameters, forward, dtype=prepared.dtype)


@pytest.fixture
def gated() -> Iterator[Gated]:
    made: Any = Gated(path("bert-masked"))
    lend(path("bert-masked"), made)
    yield made
    made.gate.set()
    lend(path("bert-masked"), None)


def answer(chosen: Path) -> list[str]:
    """Types a name into the dialog that comes next, and takes it."""
    titles: list[str] = []

    def type_it() -> None:
        dialog = QApplication.activeModalWidget()
        if not isinstance(dialog, QFileDialog):
            QTimer.singleShot(20, type_it)
            return
        titles.append(dialog.windowTitle())
        dialog.findChildren(QLineEdit)[0].setText(str(chosen))
        dialog.accept()

    QTimer.singleShot(0, type_it)
    return titles


def drop(window: Window, dropped: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(dropped))])
    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(window, QDragEnterEvent(QPoint(5, 5), copy, data, left, none))
    QApplication.sendEvent(window, QDropEvent(QPointF(5, 5), copy, data, left, none))


def shown_model(window: Window) -> tuple[str, str]:
    """By the list of models and by the run."""
    return window.input.models.currentText(), str(window.session.trace.about["model"])


@pytest.fixture
def own_dialogs() -> Iterator[None]:
    """The system's can't be typed into from here."""
    QApplication.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs, True)
    yield
    QApplication.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs, False)


@pytest.mark.usefixtures("own_dialogs")
@pytest.mark.parametrize(
    ("command", "file", "title"),
    [
        ("open_folder", "", "Open a model folder"),
        ("open", "config.json", "Open a trace or a model"),
        ("open", "model.safetensors", "Open a trace or a model"),
    ],
)
def test_a_model_is_opened_from_the_menu(window: Window, qtbot: QtBot, command: str, file: str, title: str) -> None:
    titles = answer(Path(path("bert-masked"), file))
    with qtbot.waitSignal(window.computing.opened):
        window.actions_by_key[command].trigger()
    assert titles == [title]
    assert shown_model(window) == ("bert-masked", path("bert-masked"))
    assert window.input.request() == window.session.request
    assert window.files.recent == [path("bert-masked")]
    assert window.files.menu.isEnabled()
    assert [each.text() for each in window.files.menu.actions()] == [path("bert-masked")]


def test_an_index_of_shards_is_its_folder_too(window: Window, qtbot: QtBot) -> None:
    with qtbot.waitSignal(window.computing.opened):
        drop(window, Path(path("llama"), "model.safetensors.index.json"))
    assert shown_model(window) == ("llama", path("llama"))


def test_each_model_keeps_its_input(window: Window, qtbot: QtBot, compute: Compute) -> None:
    """From a toy to a checkpoint and back, by the list; and opened again, a folder has the input that it had."""
    compute(window, "sentence-guide", "A dog")
    with qtbot.waitSignal(window.computing.opened):
        window.open(Path(path("bert-masked")))
    compute(window, path("bert-masked"), "a [MASK] sat")
    models = window.input.models
    for name, source in (("sentence-guide", "A dog"), (path("bert-masked"), "a [MASK] sat")):
        with qtbot.waitSignal(window.session.trace_changed):
            models.show_model(name)
            models.chosen.emit(name)
        assert window.input.request().source == window.session.trace.about["input"] == source
    with qtbot.waitSignal(window.session.trace_changed):
        models.show_model("sentence-guide")
        models.chosen.emit("sentence-guide")
    with qtbot.waitSignal(window.computing.opened):
        window.open(Path(path("bert-masked")))
    assert window.input.request().source == "a [MASK] sat"


def test_the_next_start_has_it_again(start: Start, qtbot: QtBot, state_path: Path) -> None:
    window = start()
    with qtbot.waitSignal(window.computing.opened):
        window.open(Path(path("bert-masked")))
    window.close()
    again = start()
    assert shown_model(again) == ("bert-masked", path("bert-masked"))
    assert again.files.recent == [path("bert-masked")]
    again.overlays.show_start()
    assert again.overlays.start_page is not None
    buttons = {each.text(): each for each in again.overlays.start_page.findChildren(QToolButton)}
    with qtbot.waitSignal(again.computing.opened):
        buttons["bert-masked"].click()
    assert again.overlays.start_page is None


def test_a_folder_that_has_gone_gets_a_sentence(start: Start, qtbot: QtBot, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(path("bert-masked"), tmp_path / "mine"))
    window = start()
    with qtbot.waitSignal(window.computing.opened):
        window.open(folder)
    window.close()
    forget()
    shutil.rmtree(folder)
    again = start()
    said = again.notice.text.text()
    assert said.startswith(f'The last input can\'t be shown again: no model is called "{folder}", and there is no such')
    assert again.session.trace.about["model"] == "sentence-guide"
    again.notice.dismiss()
    again.files.menu.actions()[0].trigger()
    qtbot.waitUntil(again.notice.isVisible)
    assert again.notice.text.text() == f"There is no file or folder {folder}."


def test_pickles_are_refused_with_what_to_do(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "alone").mkdir()
    folder = Path(shutil.copytree(path("bert-masked"), tmp_path / "mine"))
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    shutil.copy(folder / "pytorch_model.bin", tmp_path / "alone" / "weights.pt")
    before = window.session.trace
    for dropped in (folder, folder / "pytorch_model.bin", tmp_path / "alone" / "weights.pt"):
        drop(window, dropped)
        qtbot.waitUntil(window.notice.isVisible)
        said = window.notice.text.text()
        assert "is not read, since opening it could run code" in said
        assert "save_pretrained" in said
        window.notice.dismiss()
    assert window.session.trace is before
    assert window.files.recent == []


def test_the_cache_of_hugging_face(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    """As ``hf download`` leaves it: the snapshot that ``main`` names, called as the model is."""
    cached = tmp_path / "models--someone--tiny-bert"
    for name in ("aaa", "bbb"):
        shutil.copytree(path("bert-masked"), cached / "snapshots" / name)
    (cached / "snapshots" / "bbb" / "config.json").write_text("{}")
    (cached / "refs").mkdir()
    (cached / "refs" / "main").write_text("aaa\n")
    for opened in (cached, cached / "snapshots" / "aaa"):
        with qtbot.waitSignal(window.computing.opened):
            window.open(opened)
        assert window.input.models.currentText() == window.session.trace.about["title"] == "tiny-bert"


def test_what_takes_long_says_how_far_it_is(window: Window, qtbot: QtBot, gated: Gated) -> None:
    window.open(Path(path("bert-masked")))
    qtbot.waitUntil(lambda: "Layer 1 of 2 · " in window.busy.told.text())
    assert window.busy.isVisible()
    assert window.busy.told.text().endswith(" steps")
    assert window.busy.bar.value() == window.busy.bar.maximum() / 2
    press(qtbot, window, Qt.Key.Key_Right)
    assert window.windowTitle() == "txviz — embed.tokens (2/21)", "the window lives on"
    gated.gate.set()
    qtbot.waitUntil(lambda: not window.busy.isVisible())
    assert shown_model(window) == ("bert-masked", path("bert-masked"))


def test_what_is_quick_shows_no_bar(window: Window, qtbot: QtBot, compute: Compute) -> None:
    seen: list[bool] = []
    window.computing.finished.connect(lambda _: seen.append(window.busy.isVisible()))
    compute(window, "sentence-guide", "A dog")
    assert seen == [False]
    assert not window.busy._delay.isActive()


def test_escape_leaves_all_as_it_was(window: Window, qtbot: QtBot, gated: Gated) -> None:
    before, request = window.session.trace, window.input.request()
    window.open(Path(path("bert-masked")))
    qtbot.waitUntil(window.busy.isVisible)
    press(qtbot, window, Qt.Key.Key_Escape)
    assert not window.busy.isVisible()
    gated.gate.set()
    qtbot.waitUntil(lambda: not window.computing.background.busy)
    assert window.session.trace is before
    assert window.input.request() == request == window.session.request
    assert window.input.models.findText("bert-masked") < 0
    assert window.files.recent == []


def test_a_second_input_while_the_first_is_computed(window: Window, qtbot: QtBot, gated: Gated) -> None:
    window.open(Path(path("bert-masked")))
    qtbot.waitUntil(window.busy.isVisible)
    second = Request("sentence-guide", "A dog")
    window.input.show_request(second)
    window.computing.compute(second)
    gated.gate.set()
    qtbot.waitUntil(lambda: window.session.request == second)
    qtbot.waitUntil(lambda: not window.busy.isVisible())
    assert window.input.request() == second
    assert window.input.models.findText("bert-masked") < 0


def test_closing_the_window_while_it_is_computed(window: Window, qtbot: QtBot, gated: Gated, state_path: Path) -> None:
    window.open(Path(path("bert-masked")))
    qtbot.waitUntil(window.busy.isVisible)
    Timer(0.2, gated.gate.set).start()  # the step that is being computed takes a while
    window.close()
    assert not window.isVisible()
    assert not window.computing.background._pool.activeThreadCount()
    assert json.loads(state_path.read_text())["request"]["model"] == "sentence-guide"


def test_a_start_that_takes_long_can_be_cancelled(start: Start, qtbot: QtBot, state_path: Path, gated: Gated) -> None:
    """Before there is a window, a dialog tells how far it is; cancelled, the window starts with what ships."""
    window = start()
    gated.gate.set()
    with qtbot.waitSignal(window.computing.opened):
        window.open(Path(path("bert-masked")))
    window.close()
    gated.gate.clear()
    told: list[str] = []

    def cancel() -> None:
        shown = [each for each in QApplication.topLevelWidgets() if isinstance(each, QProgressDialog)]
        dialogs = [each for each in shown if each.isVisible() and "Layer 1 of 2" in each.labelText()]
        if not dialogs:
            QTimer.singleShot(20, cancel)
            return
        told.append(dialogs[0].windowTitle())
        dialogs[0].findChildren(QPushButton)[0].click()
        gated.gate.set()

    QTimer.singleShot(0, cancel)
    again = start()
    assert told == ["txviz — opening bert-masked"]
    assert again.notice.text.text() == "Opening bert-masked was cancelled."
    assert again.session.trace.about["model"] == "sentence-guide"
    assert saved_state.load(state_path)[0]["recent"] == [path("bert-masked")]


def test_a_start_on_a_folder(qtbot: QtBot, state_path: Path) -> None:
    name = path("bert-masked")
    window = make_window(state_path, request=Request(name, find(name).example))
    assert shown_model(window) == ("bert-masked", name)
    assert window.files.recent == [name]
    window.close()
    window.deleteLater()
