"""Pictures from the clipboard, from a drop or from a file, and a look at them before they are taken."""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import numpy as np
from PySide6.QtCore import QLockFile, QMimeData, QStandardPaths, Qt
from PySide6.QtGui import QImage, QPainter, QPixmap
from PySide6.QtWidgets import QCheckBox, QDialog, QDialogButtonBox, QGridLayout, QLabel, QVBoxLayout, QWidget

from txviz.figures.theme import greys
from txviz.files import checksum, is_file, saying, write_whole
from txviz.gui.inputs.drawing import inverted
from txviz.gui.plain import plain_label
from txviz.models.images import read_picture, reduce_picture
from txviz.ops import Array

_SHOWN = 150
"""Pixels of the longer side of what the preview shows."""
_LARGEST_SIDE = 1000
MOST_KEPT = 20
"""Pictures that came from no file; more only while a window is open."""

OPEN = "open-"
"""How the names of files begin that windows lock."""


def holds_picture(data: QMimeData) -> bool:
    return data.hasImage() or any(url.isLocalFile() for url in data.urls())


def picture_in(data: QMimeData) -> QImage | Path | None:
    """The picture that was copied or dropped, or the file that it is in."""
    image = QImage(data.imageData()) if data.hasImage() else QImage()
    if not image.isNull():
        return image
    files = [url.toLocalFile() for url in data.urls() if url.isLocalFile()]
    if not files and is_file(Path(data.text())):
        files = [data.text()]
    return Path(files[0]) if files else None


def read_colours(picture: QImage | Path) -> Array:  # -> (H,W,3)
    """May take seconds: not for the GUI thread."""
    return read_picture(picture) if isinstance(picture, Path) else _colours(picture)


def _colours(image: QImage) -> Array:  # -> (H,W,3)
    """On white, and not larger than is of use."""
    if max(image.width(), image.height()) > _LARGEST_SIDE:
        keep, smooth = Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
        image = image.scaled(_LARGEST_SIDE, _LARGEST_SIDE, keep, smooth)
    opaque = QImage(image.size(), QImage.Format.Format_RGB888)
    opaque.fill(Qt.GlobalColor.white)
    painter = QPainter(opaque)
    painter.drawImage(0, 0, image)
    painter.end()
    lines = np.frombuffer(opaque.constBits(), dtype=np.uint8).reshape(opaque.height(), opaque.bytesPerLine())
    return lines[:, : 3 * opaque.width()].reshape(opaque.height(), opaque.width(), 3).copy()


def keep_picture(colours: Array) -> Path:  # (H,W,3) ->
    """Puts a picture that came from no file into one, among what may be deleted at any time."""
    from PIL import Image

    written = BytesIO()
    Image.fromarray(colours).save(written, "PNG")
    path = _kept() / f"pasted-{checksum(written.getvalue())}.png"
    with saying(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, written.getvalue())
    return path


class OpenWindow:
    """Tells other windows, by a file with a lock, that one is open which may need its pictures."""

    def __init__(self) -> None:
        with suppress(OSError):
            _kept().mkdir(parents=True, exist_ok=True)
        self._lock = _lock(_kept() / f"{OPEN}{os.getpid()}")
        self._lock.tryLock(0)

    def end(self) -> None:
        self._lock.unlock()


def _is_open(path: Path) -> bool:
    """Whether the window is still there that has locked the file; one that was killed leaves it behind."""
    lock = _lock(path)
    if lock.tryLock(0):
        lock.unlock()  # which removes it
        return False
    return lock.error() == QLockFile.LockError.LockFailedError


def _lock(path: Path) -> QLockFile:
    lock = QLockFile(str(path))
    lock.setStaleLockTime(0)  # as long as its process is there, however old it is
    return lock


def forget_pictures(needed: Collection[str]) -> None:
    """When the last window is closed: of the pictures that were pasted the newest stay, and those that it needs."""
    if any(map(_is_open, _kept().glob(f"{OPEN}*"))):
        return
    found = sorted(_kept().glob("pasted-*.png"), key=_changed, reverse=True)
    for old in found[MOST_KEPT:]:
        if str(old) not in needed:
            with suppress(OSError):  # another window has done it
                old.unlink()


def _kept() -> Path:
    return Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericCacheLocation), "txviz")


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def pixmap(colours: Array, longest: int, smooth: bool) -> QPixmap:  # (H,W,3) ->
    """Colours to look at, enlarged or reduced."""
    height, width = colours.shape[:2]
    image = QImage(np.ascontiguousarray(colours).tobytes(), width, height, 3 * width, QImage.Format.Format_RGB888)
    how = Qt.TransformationMode.SmoothTransformation if smooth else Qt.TransformationMode.FastTransformation
    return QPixmap.fromImage(image).scaled(longest, longest, Qt.AspectRatioMode.KeepAspectRatio, how)


class PicturePreview(QDialog):
    """The picture, and what the model would see of it; ``pixels`` is what is taken when the answer is OK."""

    def __init__(self, colours: Array, size: tuple[int, int], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Take this picture?")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._reduced = reduce_picture(colours, size)
        self.invert = QCheckBox("Invert: dark for bright")
        self.invert.setToolTip("For dark ink on bright paper: makes it bright ink on a dark ground")
        self.invert.toggled.connect(self._show)
        self._result = plain_label()
        self._result.setAccessibleName("The picture as the model sees it")
        original = plain_label()
        original.setPixmap(pixmap(colours, _SHOWN, smooth=True))
        original.setAccessibleName("The picture")
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self._arrange(original, f"As {size[1]}×{size[0]} pixels")
        self._show()

    @property
    def pixels(self) -> Array:  # -> (rows,columns)
        return inverted(self._reduced) if self.invert.isChecked() else self._reduced

    def _arrange(self, original: QLabel, result: str) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        for column, (caption, picture) in enumerate((("The picture", original), (result, self._result))):
            grid.addWidget(plain_label(caption), 0, column)
            grid.addWidget(picture, 1, column, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        whole = QVBoxLayout(self)
        whole.setSpacing(12)
        whole.addLayout(grid)
        whole.addWidget(self.invert)
        whole.addWidget(self.buttons)

    def _show(self) -> None:
        self._result.setPixmap(pixmap(greys(self.pixels), _SHOWN, smooth=False))
