"""From the export dialog to files: asks where to, works in the background, tells how it went."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QDialog, QFileDialog, QProgressDialog, QWidget

from txviz.errors import TxvizError
from txviz.figures.export import Export, check_path, export, suggested_name
from txviz.figures.formats import FORMATS
from txviz.gui.background import Background
from txviz.gui.export_dialog import ExportDialog, PlotFigure
from txviz.gui.export_settings import ExportSettings
from txviz.gui.session import Session


class Exporter(QObject):
    message = Signal(str)
    failed = Signal(object)
    """With the exception."""

    settings_changed = Signal()

    def __init__(self, session: Session, settings: ExportSettings, plot: PlotFigure, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._plot, self._window = session, plot, window
        self.settings = settings
        self.background = Background(self)
        self.background.finished.connect(self._finished)
        self.background.failed.connect(self._failed)
        self.background.progressed.connect(self._progress_to)
        self.background.busy_changed.connect(lambda busy: None if busy else self._close_progress())
        self._progress: QProgressDialog | None = None

    def ask(self) -> None:
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
                self._try(wanted, path)

    def _try(self, wanted: Export, path: Path) -> None:
        try:
            self.run(wanted, path)
        except TxvizError as error:
            self.failed.emit(error)

    def _ask_where(self, wanted: Export) -> Path | None:
        if not FORMATS[wanted.format].one_file and len(wanted.shown) > 1:
            folder = QFileDialog.getExistingDirectory(self._window, "Export into a folder", str(Path.home()))
            return Path(folder) if folder else None
        suggested = str(Path.home() / suggested_name(wanted))
        path, _ = QFileDialog.getSaveFileName(self._window, "Export", suggested, f"*.{wanted.format}")
        return Path(path if Path(path).suffix else f"{path}.{wanted.format}") if path else None

    def run(self, wanted: Export, path: Path) -> None:
        """Off the GUI thread; until the end nothing is written, so that Cancel leaves nothing behind."""
        check_path(wanted, path)
        self._progress = QProgressDialog("Exporting…", "Cancel", 0, len(wanted.shown), self._window)
        self._progress.setWindowModality(Qt.WindowModality.WindowModal)
        self._progress.setMinimumDuration(400)
        self._progress.canceled.connect(self.background.cancel)
        self.background.submit(lambda watch: export(replace(wanted, watch=watch), path))

    def _progress_to(self, done: int) -> None:
        if self._progress is not None:
            self._progress.setValue(min(done, self._progress.maximum() - 1))

    def _finished(self, written: list[Path]) -> None:
        self.message.emit(f"Exported {written[0]}" if len(written) == 1 else f"Exported {len(written)} files")

    def _failed(self, error: Exception) -> None:
        self.failed.emit(error)

    def _close_progress(self) -> None:
        if self._progress is not None:
            self._progress.canceled.disconnect(self.background.cancel)
            self._progress.close()
            self._progress.deleteLater()
            self._progress = None
