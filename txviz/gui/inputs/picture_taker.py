"""What editors have in common that take pictures: from the clipboard, from a drop or from a file."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QHideEvent, QImage
from PySide6.QtWidgets import QFileDialog

from txviz.errors import TxvizError
from txviz.gui.background import Background
from txviz.gui.inputs.editor import Editor
from txviz.gui.inputs.pictures import holds_picture, picture_in, read_colours

NOTHING = "there is no picture to take; copy an image, or drop an image file here"


class PictureTaker(Editor):
    """Pictures are read off the GUI thread; what was there stays until a new one is read and taken."""

    def __init__(self) -> None:
        super().__init__()
        self._reading = Background(self)
        self._reading.finished.connect(self._take_read)
        self._reading.failed.connect(self._refuse)
        self.setAcceptDrops(True)

    def paste(self) -> None:
        """Takes what the clipboard holds."""
        self.take(QGuiApplication.clipboard().mimeData() or QMimeData())  # an empty clipboard has none

    def open_picture(self) -> None:
        chosen, _ = QFileDialog.getOpenFileName(self, "Open a picture")
        if chosen:
            self._read(Path(chosen))

    def take(self, data: QMimeData) -> None:
        picture = picture_in(data)
        if picture is not None:
            self._read(picture)
        elif data.hasText():
            self._take_text(data.text())
        else:
            self.refused.emit(NOTHING)

    def _read(self, picture: QImage | Path) -> None:
        self._reading.submit(lambda _: self._look_at(picture))

    def _look_at(self, picture: QImage | Path) -> object:
        """In another thread: what ``_take_read`` is given."""
        return read_colours(picture)

    def _take_read(self, read: object) -> None:
        raise NotImplementedError

    def _take_text(self, text: str) -> None:
        """Text that is no file's name."""
        self.refused.emit(NOTHING)

    def _refuse(self, error: Exception) -> None:
        if not isinstance(error, TxvizError):
            raise error
        self.refused.emit(str(error))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if holds_picture(event.mimeData()) or event.mimeData().hasText():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        self.take(event.mimeData())

    def hideEvent(self, event: QHideEvent) -> None:
        if not self.window().isVisible():  # closed: nothing may run on that belongs to it
            self._reading.wait()
        super().hideEvent(event)
