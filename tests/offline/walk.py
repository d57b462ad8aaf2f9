"""Everything that the program can do, one thing after the other; each says what it was."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

import txviz
from scripts.notebooks import NOTEBOOKS, run
from tests.models.checkpoints.reference import ALL, path
from txviz.cli import main
from txviz.figures.export import Export, export
from txviz.figures.formats import FORMATS
from txviz.figures.lecture import write_lecture
from txviz.figures.settings import Settings
from txviz.gui.app import make_application, make_window
from txviz.gui.help_dialogs import about_dialog, keys_dialog
from txviz.gui.window import Window
from txviz.models import find, models
from txviz.models.request import Request

QUICK = Settings(frames=1, resolution=0.2, seconds=1)
"""A film of few and small frames."""


def walk(folder: Path) -> Iterator[str]:
    app = make_application()
    window = make_window(folder / "state.json")
    window.show()
    yield "the window"
    for name in models():
        _compute(window, Request(name, find(name).examples[-1]))
        _look_around(window)
        yield f"the model {name}"
    for name in ALL:
        _open(window, Path(path(name)))
        yield f"the checkpoint {name}"
    yield from _help(window)
    yield _train(window)
    yield _record(window, folder / "film.gif")
    window.close()
    yield from _export(folder)
    yield from _command_line(folder)
    for notebook in NOTEBOOKS:
        run(notebook)
        yield f"the notebook {notebook.stem}"
    QGuiApplication.clipboard().clear()  # what is left in it outlives Python, and crashes
    app.shutdown()


def _settle(window: Window) -> None:
    while any(worker.background.busy for worker in (window.computing, window.comparing, window.exporter, window.files)):
        QTest.qWait(10)


def _compute(window: Window, request: Request) -> None:
    window.overlays.leave_start()
    window.input.show_request(request)
    window.computing.compute(request)
    _settle(window)
    assert window.session.trace.about["model"] == request.model


def _open(window: Window, folder: Path) -> None:
    window.open(folder)
    _settle(window)
    assert window.session.trace.about["model"] == str(folder)


def _look_around(window: Window) -> None:
    """The map, the middle of the run, all plots, why it is there, a comparison and the presentation."""
    window.plots_holder.build()
    window.session.show_node("")
    window.session.go_to(len(window.session.trace) // 2)
    window.session.show_node(window.session.step.name)
    assert window.plots is not None
    for key in ("compare", "next_side", "compare", "why", "map", "next_picture", "map", "copy"):
        window.actions_by_key[key].trigger()
        QTest.qWait(1)
    for tab in range(window.plots.tabs.count()):
        window.plots.tabs.setCurrentIndex(tab)
        QTest.qWait(1)
    window.overlays.present()
    assert window.overlays.presentation is not None
    window.overlays.presentation.close()


def _help(window: Window) -> Iterator[str]:
    for dialog in (keys_dialog(window.theme, window), about_dialog(window)):
        dialog.open()
        QTest.qWait(50)
        dialog.close()
    window.tools.open_calculator()
    window.tools.open_meaning()
    QTest.qWait(300)
    for opened in QApplication.topLevelWidgets():
        if opened is not window and opened.isVisible():
            opened.close()
    yield "what helps"


def _train(window: Window) -> str:
    window.tools.open_training()
    dock = window.tools.training
    assert dock is not None
    dock.panel.jumps["One step"].click()
    while dock.panel.last is None or dock.panel.last.step < 1:
        QTest.qWait(10)
    dock.close()
    _settle(window)
    return "a step of training"


def _record(window: Window, film: Path) -> str:
    window.recorder.toggle()
    window.session.move(1)
    assert window.recorder.recording is not None
    scenes = window.recorder.recording.scenes()
    window.recorder.forget()
    window.exporter.run(window.recorder._film(scenes, film), film)
    _settle(window)
    assert film.exists()
    return "a recording"


def _export(folder: Path) -> Iterator[str]:
    trace = txviz.trace("vit-guide-2x2", find("vit-guide-2x2").example)
    for name, form in FORMATS.items():
        wanted = Export(trace, trace.steps[8:10], name, frames=1 if form.frames else None)
        export(wanted, folder / f"all.{form.suffix}" if form.one_file else folder / name)
        yield f"the format {name}"
    write_lecture(trace, folder / "lecture", QUICK)
    yield "a lecture"
    notebook = txviz.figure(trace)._repr_html_()
    (folder / "notebook.html").write_text(notebook, "utf-8")
    yield "a figure in a notebook"


def _command_line(folder: Path) -> Iterator[str]:
    saved = str(folder / "cat.safetensors")
    lines = (
        ["models"],
        ["show", "sentence-guide", "The cat sat.", "--json"],
        ["trace", "translator", "The house is big", "-o", saved],
        ["verify", saved],
        ["compare", "sentence-guide", "The cat sat.", "A dog sat."],
    )
    for line in lines:
        with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):
            assert main(line) == 0, line
        yield f"txviz {line[0]}"
