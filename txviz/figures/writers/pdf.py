"""PDF: one page for each figure, of the figure's own size, with vector shapes and real text in embedded fonts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import ceil

from PySide6.QtCore import QBuffer, QHashSeed, QIODevice, QMarginsF, QRectF, QSizeF, QUuid
from PySide6.QtGui import QColor, QPageSize, QPainter, QPdfWriter

from txviz.errors import TxvizError
from txviz.figures.job import Export
from txviz.figures.marks import PIXELS_PER_INCH, Box, Figure, Group, Heat, Mark
from txviz.figures.metadata import Metadata, metadata
from txviz.figures.painter import paint
from txviz.figures.worksheet import worksheet
from txviz.figures.writers import cells
from txviz.figures.writers.pdf_outline import with_bookmarks
from txviz.figures.writers.raster import ready

POINTS = 72 / PIXELS_PER_INCH
"""In a pixel."""

FINENESS = 10
"""Dots of the file in a pixel: many, since the painter averages cells that are smaller than a dot."""

OVERLAP = 0.5
"""Cells reach this many pixels under the next ones, or else viewers show hair lines between them."""


def pdf(
    figures: Iterable[Figure], about: Metadata | None = None, titles: Sequence[str] = (), transparent: bool = False
) -> bytes:
    """All figures as pages, in order; a generator is asked for the next figure when the one before is written.
    ``titles`` are the bookmarks of the pages."""
    ready()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(PIXELS_PER_INCH * FINENESS)
    writer.setPageMargins(QMarginsF())
    writer.setCreator("txviz")
    writer.setTitle(about.title if about else "")
    writer.setDocumentId(QUuid("{00000000-0000-0000-0000-000000000000}"))
    with _same_order():
        _write(writer, figures, transparent)
    if not buffer.size():
        raise TxvizError("no figure to write; a PDF has one page at least")
    file = _undated(bytes(buffer.data().data()))
    return file if about is None else with_bookmarks(file, titles, about.command)


def write(wanted: Export) -> bytes:
    about = metadata(wanted)
    if wanted.worksheet:
        return pdf(worksheet(wanted), about)
    return pdf(wanted.figures(), about, [wanted.full_title(each) for each in wanted.shown], wanted.transparent)


@contextmanager
def _same_order() -> Iterator[None]:
    """Qt writes the fonts in the order of a hash table, which is another one in every process unless it is told."""
    QHashSeed.setDeterministicGlobalSeed()
    try:
        yield
    finally:
        QHashSeed.resetRandomGlobalSeed()


def _write(writer: QPdfWriter, figures: Iterable[Figure], transparent: bool) -> None:
    painter = QPainter()
    try:
        for figure in figures:
            size = QSizeF(ceil(figure.width * POINTS), ceil(figure.height * POINTS))
            writer.setPageSize(QPageSize(size, QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch))
            if painter.isActive():
                writer.newPage()
            else:
                painter.begin(writer)
                painter.scale(FINENESS, FINENESS)
            _paint(painter, figure, size, transparent)
    finally:
        if painter.isActive():
            painter.end()


def _paint(painter: QPainter, figure: Figure, page: QSizeF, transparent: bool) -> None:
    painter.setRenderHint(QPainter.RenderHint.LosslessImageRendering)
    if not transparent:
        painter.fillRect(QRectF(0, 0, page.width() / POINTS, page.height() / POINTS), QColor(figure.background))
    paint(painter, map(_vector, figure.marks))


def _vector(mark: Mark) -> Mark:
    """The mark as it is, but cells as boxes: viewers blur images."""
    if isinstance(mark, Group):
        return Group(mark.name, tuple(map(_vector, mark.marks)))
    if not isinstance(mark, Heat):
        return mark
    few = mark.rows * mark.columns <= cells.MOST_BOXES
    coloured = [_overlapping(box, mark) for box in cells.boxes(mark)] if few else [cells.enlarged(mark)]
    return Group("", (*coloured, *cells.hatched(mark), *cells.numbers(mark)))


def _overlapping(box: Box, heat: Heat) -> Box:
    """Those at the right and at the bottom end where the grid ends."""
    right, bottom = heat.x + heat.width, heat.y + heat.height
    width, height = min(box.width + OVERLAP, right - box.x), min(box.height + OVERLAP, bottom - box.y)
    return replace(box, width=width, height=height)


_DATES = re.compile(rb"\(D:\d{14}[^)]*\)|Date=\"[^\"]*\"")


def _undated(file: bytes) -> bytes:
    """Without the time of writing: the same figures make the same file. No byte moves, since the file counts them."""
    end = file.index(b"endstream")  # what the file says about itself comes first

    def fixed(date: re.Match[bytes]) -> bytes:
        text = b"(D:20000101000000Z)" if date[0].startswith(b"(") else b'Date="2000-01-01T00:00:00Z"'
        return text.ljust(len(date[0]))

    return _DATES.sub(fixed, file[:end]) + file[end:]
