"""Films: MP4 (H.264), WebM (VP9) and animated WebP, written by PyAV, and frames for the GIF.

What stands still in a take is painted once; a frame in which nothing has moved is not painted again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from PySide6.QtGui import QColor, QImage, QPainter

from txviz.errors import TxvizError
from txviz.figures.film import Take, film, subtitles
from txviz.figures.job import Export
from txviz.figures.marks import Figure
from txviz.figures.metadata import SOFTWARE, Metadata, metadata
from txviz.figures.painter import paint
from txviz.figures.writers.drawingml import legal
from txviz.figures.writers.raster import ready
from txviz.ops import Array

CODECS: dict[str, tuple[str, dict[str, str]]] = {
    "mp4": ("libx264", {"preset": "veryfast", "crf": "18", "tune": "animation", "x264-params": "mbtree=0"}),
    "webm": ("libvpx-vp9", {"deadline": "realtime", "cpu-used": "8", "row-mt": "1", "crf": "24", "b:v": "0"}),
    "webp": ("libwebp_anim", {"lossless": "0", "quality": "80", "compression_level": "0"}),
}
"""By format: what encodes it, and how. With x264's mbtree the same film has other bytes each time."""


def write(wanted: Export) -> bytes:
    """By way of a file: an MP4 that plays while it is loaded is written twice."""
    av = _av(wanted.format)
    try:
        with TemporaryDirectory() as folder:
            path = Path(folder) / f"film.{wanted.format}"
            _encode(av, wanted, path)
            made = path.read_bytes()
    except OSError as error:
        raise TxvizError(f"can't write a film to the folder for temporary files: {error.strerror}") from error
    return _described(made, metadata(wanted)) if wanted.format == "webp" else made


def _encode(av: Any, wanted: Export, path: Path) -> None:
    codec, how = CODECS[wanted.format]
    width, height = _size(wanted)
    with av.open(str(path), "w", options={"fflags": "+bitexact", **_container(wanted)}) as container:
        about = metadata(wanted)
        container.metadata.update({"title": about.title, "comment": about.command})
        stream = container.add_stream(codec, rate=Fraction(wanted.rate).limit_denominator(1000), options=how)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        for number, pixels in enumerate(frames(wanted, width, height)):
            frame = av.VideoFrame.from_ndarray(pixels, format="bgra")
            frame.pts = number
            container.mux(stream.encode(frame))
        container.mux(stream.encode())


def write_subtitles(wanted: Export) -> bytes:
    return subtitles(wanted).encode()


def frames(wanted: Export, width: int, height: int) -> Iterator[Array]:  # each (height,width,4), as Qt has its pixels
    """All frames of the film, one after the other. What moved last is kept until the next one is asked for."""
    ready()
    shots = enumerate(film(wanted))
    takes = ((take, number) for number, shot in shots for take in shot.takes)
    for take, number, moments in _moments(takes, wanted.rate):
        still = _page(take.still, width, height)
        paint_on(still, take.still)
        last: tuple[object, Array] | None = None
        for moment in moments:
            wanted.watch(number, len(wanted.shown))
            moving = take.moving(moment)
            if last is None or last[0] is not moving:
                page = still.copy()
                paint_on(page, Figure(take.still.width, take.still.height, take.still.background, tuple(moving)))
                last = moving, _pixels(page)
            yield last[1]


def _moments(takes: Iterable[tuple[Take, int]], rate: float) -> Iterator[tuple[Take, int, Array]]:
    """For each take the moments of its frames. The time of the film goes on over the takes, so none is lost."""
    start = 0.0
    for take, number in takes:
        end = start + take.seconds
        numbers = np.arange(ceil(start * rate - 1e-9), ceil(end * rate - 1e-9))
        if len(numbers):
            yield take, number, (numbers / rate - start) / take.seconds
        start = end


def paint_on(page: QImage, figure: Figure) -> None:
    """The figure as large as fits, in the middle."""
    scale = min(page.width() / figure.width, page.height() / figure.height)
    painter = QPainter(page)
    painter.translate((page.width() - figure.width * scale) / 2, (page.height() - figure.height * scale) / 2)
    painter.scale(scale, scale)
    paint(painter, figure.marks)
    painter.end()


def _page(figure: Figure, width: int, height: int) -> QImage:
    page = QImage(width, height, QImage.Format.Format_RGB32)
    page.fill(QColor(figure.background))
    return page


def _pixels(page: QImage) -> Array:  # -> (height,width,4)
    return np.frombuffer(page.constBits(), np.uint8).reshape(page.height(), page.width(), 4)


def _size(wanted: Export) -> tuple[int, int]:
    """In pixels; even, as the colours of a film need it."""
    page = wanted.preset
    width, height = (2 * max(1, round(side * wanted.scale / 2)) for side in (page.width, page.height))
    return width, height


HAS_XMP = 0x04
"""The bit of a WebP's flags that says so."""

XMP = (
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
    '<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" '
    'xmp:CreatorTool="{tool}" dc:source="{command}"><dc:title><rdf:Alt>'
    '<rdf:li xml:lang="x-default">{title}</rdf:li></rdf:Alt></dc:title></rdf:Description></rdf:RDF></x:xmpmeta>'
)


def _described(webp: bytes, about: Metadata) -> bytes:
    """With a title and the command, which PyAV leaves out of a WebP: another chunk at the end of the file, announced
    by a bit of the first one."""
    said = XMP.format(tool=SOFTWARE, command=legal(about.command), title=legal(about.title)).encode()
    file = bytearray(webp) + b"XMP " + len(said).to_bytes(4, "little") + said + b"\0" * (len(said) % 2)
    file[20] |= HAS_XMP
    file[4:8] = (len(file) - 8).to_bytes(4, "little")
    return bytes(file)


def _container(wanted: Export) -> dict[str, str]:
    """A film can be played while it is loaded; an animation plays for ever unless it is not to."""
    match wanted.format:
        case "mp4":
            return {"movflags": "+faststart"}
        case "webp":
            return {"loop": "0" if wanted.loop else "1"}
    return {}


def _av(ending: str) -> Any:
    try:
        import av
    except ImportError:
        raise TxvizError(f"{ending} needs PyAV, which is not installed: pip install 'txviz[video]'") from None
    return av
