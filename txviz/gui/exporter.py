"""From the export dialog to files: asks where to, works in the background, tells how it went."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QDialog, QFileDialog, QWidget

from txviz.errors import TxvizError
from txviz.gui.background import Background, Watch
from txviz.gui.export_settings import ExportSettings
from txviz.gui.notice import sentence
from txviz.gui.session import Session
from txviz.gui.writing import Writing
from txviz.trace import Trace

if TYPE_CHECKING:
    from txviz.figures.export import Export
    from txviz.gui.export_dialog import ExportDialog, PlotFigure


class Exporter(QObject):
    message = Signal(str)
    failed = Signal(object)
    """With the exception."""

    ended = Signal(bool)
    """Whether the files are there: not after Cancel or an error."""

    settings_changed = Signal()

    def __init__(self, session: Session, settings: ExportSettings, plot: PlotFigure, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._plot, self._window = session, plot, window
        self.settings = settings
        self._writing = Writing(window)
        self._writing.finished.connect(self.message.emit)
        self._writing.failed.connect(self.failed)
        self._writing.finished.connect(lambda _: self.ended.emit(True))
        for lost in (self.failed, self.background.cancelled):
            lost.connect(lambda *_: self.ended.emit(False))

    @property
    def background(self) -> Background:
        return self._writing.background

    def ask(self) -> None:
        from txviz.gui.export_dialog import ExportDialog  # the window is there before anybody exports

        dialog = ExportDialog(self._session, self.settings, self._plot, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.finished.connect(lambda result: self._chosen(dialog, result))
        dialog.open()

    def _chosen(self, dialog: ExportDialog, result: int) -> None:
        self.settings = dialog.settings
        self.settings_changed.emit()
        if result == QDialog.DialogCode.Accepted:
            wanted = dialog.wanted()
            path = self._ask_where(wanted)
            if path:
                self.start(wanted, path)

    def start(self, wanted: Export, path: Path) -> None:
        """The same as ``run``, but what can't be done is told in the window."""
        try:
            self.run(wanted, path)
        except TxvizError as error:
            self.failed.emit(error)

    def _ask_where(self, wanted: Export) -> Path | None:
        if not wanted.one_file and len(wanted.shown) > 1:
            folder = QFileDialog.getExistingDirectory(self._window, "Export into a folder", str(Path.home()))
            return Path(folder) if folder else None
        from txviz.figures.export import suggested_name

        suggested = str(Path.home() / suggested_name(wanted))
        path, _ = QFileDialog.getSaveFileName(self._window, "Export", suggested, f"*.{wanted.format}")
        return Path(path if Path(path).suffix else f"{path}.{wanted.format}") if path else None

    def run(self, wanted: Export, path: Path) -> None:
        """Off the GUI thread; until the end nothing is written, so that Cancel leaves nothing behind."""
        from txviz.figures.export import check_path, export

        check_path(wanted, path)
        self._writing.run("Exporting…", lambda watch: _told(export(replace(wanted, watch=watch), path)))

    def ask_lecture(self) -> None:
        folder = QFileDialog.getExistingDirectory(self._window, "Export a lecture into a folder", str(Path.home()))
        if folder:
            self.run_lecture(Path(folder))

    def run_lecture(self, folder: Path) -> None:
        """Slides, film, worksheet and web page of the run that is shown."""
        trace = self._session.trace
        self._writing.run("Making the lecture…", lambda watch: _lecture(trace, folder, watch))


def _lecture(trace: Trace, folder: Path, watch: Watch) -> str:
    from txviz.figures.lecture import write_lecture  # few want one

    written, left_out = write_lecture(trace, folder, watch=watch)
    return ". ".join([_told(written), *map(sentence, left_out)])


def _told(written: list[Path]) -> str:
    return f"Exported {written[0]}" if len(written) == 1 else f"Exported {len(written)} files to {written[0].parent}"
