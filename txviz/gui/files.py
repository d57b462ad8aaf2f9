"""Traces from and to files, pictures to files and to the clipboard, and the list of recent files."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QObject, Qt, QUrl, Signal
from PySide6.QtGui import QDrag, QGuiApplication, QPixmap
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from txviz.gui.background import Background, Watch
from txviz.gui.plain import without_keys
from txviz.gui.session import Session
from txviz.gui.stage_area import StageArea
from txviz.gui.writing import Writing
from txviz.models.folders import UNREAD

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory

MOST_RECENT = 8
OPENED = (".safetensors", ".json", *UNREAD)
"""Endings of what is opened, or refused in a sentence that helps, and is no picture."""

MODELS_AND_TRACES = "Models and traces (*.safetensors config.json)"
TRACES = "txviz traces (*.safetensors)"
COMPACT = "small txviz traces, for who has the same model (*.safetensors)"


class Files(QObject):
    open_requested = Signal(object)
    """A Path."""

    message = Signal(str)
    """A short message, for the status bar."""

    failed = Signal(object)
    """With the exception."""

    recent_changed = Signal()

    def __init__(self, session: Session, stage: StageArea, recent: list[str], parent: QWidget) -> None:
        super().__init__(parent)
        self._session, self._stage, self._window = session, stage, parent
        self.recent = recent[:MOST_RECENT]
        self._opened: list[str] = []
        """Of these, what was opened or saved here."""

        self._dragged: TemporaryDirectory[str] | None = None
        self._writing = Writing(parent)
        self._writing.finished.connect(self._saved)
        self._writing.failed.connect(self.failed)
        self.menu = QMenu("Open &recent", parent)
        self.recent_changed.connect(self._fill_menu)  # before it is asked for: while it is empty it can't be
        self._fill_menu()

    @property
    def background(self) -> Background:
        return self._writing.background

    def ask_open(self) -> None:
        kinds = f"{MODELS_AND_TRACES};;{TRACES};;All files (*)"
        path, _ = QFileDialog.getOpenFileName(self._window, "Open a trace or a model", self._folder(), kinds)
        if path:
            self.open_requested.emit(Path(path))

    def ask_open_folder(self) -> None:
        path = QFileDialog.getExistingDirectory(self._window, "Open a model folder", self._folder())
        if path:
            self.open_requested.emit(Path(path))

    def ask_save(self) -> None:
        suggested = str(Path(self._folder()) / f"{self._session.trace.about.get('model', 'trace')}.safetensors")
        kinds = f"{TRACES};;{COMPACT}"
        path, kind = QFileDialog.getSaveFileName(self._window, "Save the trace", suggested, kinds)
        if path:
            self.save(Path(path), compact=kind == COMPACT)

    def save(self, path: Path, compact: bool = False) -> None:
        """The whole trace, off the GUI thread: it may be large. Where that can't be done, ``failed`` tells."""
        path = path if path.suffix else path.with_suffix(".safetensors")
        trace = self._session.trace

        def work(watch: Watch) -> Path:
            trace.save(path, compact=compact, watch=watch)
            return path

        self._writing.run("Saving the trace…", work)

    def _saved(self, path: Path) -> None:
        self.add_recent(path)
        self.message.emit(f"Saved {path}")

    def copy(self) -> None:
        """The stage as a picture, and the cell that is shown (else the step in a sentence) as text."""
        QGuiApplication.clipboard().setMimeData(self.figure_data())
        known = self._session.shows_step and self._session.cell is not None
        self.message.emit("Copied the figure, and the cell as text." if known else "Copied the figure.")

    def figure_data(self) -> QMimeData:
        """The figure as picture (PNG) and as drawing (SVG), and the cell in words: each program takes what it likes."""
        from txviz.figures.writers.raster import image  # the window is there before anybody copies
        from txviz.figures.writers.svg import svg

        figure = self._stage.figure_shown()
        data = QMimeData()
        data.setImageData(image(figure, 2.0))
        data.setData("image/svg+xml", svg(figure).encode())
        data.setText(self._said())
        return data

    def _said(self) -> str:
        session = self._session
        if not session.shows_step:
            return f"{session.title}: {session.node.why.text}"
        return session.arithmetic or f"{session.title}: {session.step.text}"

    def drag(self, handle: QWidget) -> None:
        """Lets the figure be dropped into another program, as a picture or as a file."""
        from txviz.figures.writers.raster import image

        drag = QDrag(handle)
        drag.setMimeData(self.dragged_data())
        small = QPixmap.fromImage(image(self._stage.figure_shown(), 0.3))
        drag.setPixmap(small)
        drag.exec(Qt.DropAction.CopyAction)

    def dragged_data(self) -> QMimeData:
        """The figure as a file, too, unless there is no room for one."""
        from tempfile import TemporaryDirectory

        from txviz.figures.export import called
        from txviz.figures.writers.png import png

        data = self.figure_data()
        with suppress(OSError):
            self._dragged = self._dragged or TemporaryDirectory(prefix="txviz-")
            path = Path(self._dragged.name) / f"{called(self._session.node)}.png"
            path.write_bytes(png(self._stage.figure_shown()))
            data.setUrls([QUrl.fromLocalFile(str(path))])
        return data

    def forget_dragged(self) -> None:
        """Only when the window closes: whoever got a file may read it late."""
        if self._dragged is not None:
            self._dragged.cleanup()
            self._dragged = None

    def add_recent(self, path: Path) -> None:
        self._opened = [str(path), *(other for other in self._opened if other != str(path))]
        self._show_recent(self.recent)

    def learn_recent(self, others: list[str]) -> None:
        """What another window has remembered meanwhile comes after what was opened here."""
        if others != self.recent:
            self._show_recent([*others, *self.recent])

    def _show_recent(self, known: list[str]) -> None:
        found = list(dict.fromkeys([*self._opened, *known]))[:MOST_RECENT]
        if found != self.recent:
            self.recent = found
            self.recent_changed.emit()

    def _folder(self) -> str:
        return str(Path(self.recent[0]).parent) if self.recent else str(Path.home())

    def _fill_menu(self) -> None:
        self.menu.clear()
        for path in self.recent:
            self.menu.addAction(without_keys(path), partial(self.open_requested.emit, Path(path)))
        self.menu.setEnabled(bool(self.recent))
