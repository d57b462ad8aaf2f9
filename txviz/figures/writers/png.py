"""PNG: the figure in pixels."""

from __future__ import annotations

import zlib
from struct import pack

import numpy as np
from PySide6.QtGui import QImage

from txviz.figures.job import Export
from txviz.figures.marks import PIXELS_PER_INCH, Figure
from txviz.figures.metadata import SOFTWARE, Metadata, metadata
from txviz.figures.writers.raster import image

METRES_PER_INCH = 0.0254
EFFORT = 3
"""Of 9, to make the file small: more makes it a tenth smaller, in three times the time."""


def png(figure: Figure, scale: float = 2.0, transparent: bool = False, about: Metadata | None = None) -> bytes:
    """The figure in ``scale`` times as many pixels; the file says how many go to an inch, so it keeps its size."""
    density = round(PIXELS_PER_INCH * scale / METRES_PER_INCH)
    return _encoded(image(figure, scale, transparent), density, _texts(about) if about else b"")


def write(wanted: Export) -> bytes:
    (figure,) = wanted.figures()
    return png(figure, wanted.scale, wanted.transparent, metadata(wanted))


def _texts(about: Metadata) -> bytes:
    """What the file says about itself, under the names that other programs use; the command is our own."""
    named = {"Title": about.title, "Description": about.description, "Command": about.command, "Software": SOFTWARE}
    return b"".join(
        _chunk(b"iTXt", name.encode() + b"\0\0\0\0\0" + _legal(text)) for name, text in named.items() if text
    )


def _legal(text: str) -> bytes:
    """As UTF-8, without what ends a text there."""
    return text.replace("\0", "").encode()


def _encoded(painted: QImage, density: int, texts: bytes) -> bytes:
    """The file, with ``density`` dots per metre, and what it says about itself.

    Qt and Pillow filter every row before they pack it, which is for photographs: flat colours get larger by it, and
    half as quick.
    """
    clear = painted.hasAlphaChannel()
    plain = painted.convertToFormat(QImage.Format.Format_RGBA8888 if clear else QImage.Format.Format_RGB888)
    width, height, channels = plain.width(), plain.height(), 4 if clear else 3
    pixels = np.frombuffer(plain.constBits(), np.uint8).reshape(height, plain.bytesPerLine())
    rows = np.zeros((height, 1 + width * channels), np.uint8)  # a row begins with its filter: 0, none
    rows[:, 1:] = pixels[:, : width * channels]
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", pack(">IIBBBBB", width, height, 8, 6 if clear else 2, 0, 0, 0)),
            _chunk(b"pHYs", pack(">IIB", density, density, 1)),
            texts,
            _chunk(b"IDAT", zlib.compress(rows.tobytes(), EFFORT)),
            _chunk(b"IEND", b""),
        )
    )


def _chunk(kind: bytes, content: bytes) -> bytes:
    return pack(">I", len(content)) + kind + content + pack(">I", zlib.crc32(kind + content))
