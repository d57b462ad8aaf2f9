"""Slides as PowerPoint: a slide for each step, with its title, its figure as shapes to edit, and notes for the speaker.

Every number is a cell that can be moved, recoloured or animated: shapes and not a table, since a table grows with its
text, can't be grouped with its labels, comes and goes as a whole, and takes LibreOffice twice as long. Heat maps with
too many cells, or with cells too small to be taken hold of, are pictures; their captions and labels stay text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import accumulate
from math import ceil
from typing import NamedTuple

import numpy as np

from txviz.figures import fonts, theme
from txviz.figures.marks import Colour, Figure, Group, Heat
from txviz.figures.metadata import Metadata
from txviz.figures.writers.drawingml import Fit, legal, shapes, solid
from txviz.figures.writers.presentation import PptxFile, picture_id, placeholder
from txviz.figures.writers.template import AREA, COVER, COVER_LINES, COVER_POINTS, TITLE, TITLE_POINTS
from txviz.figures.writers.timing import TRANSITION, timing

MOST_CELLS = 600
"""Of a slide that are shapes: more of them make a program slow, and nobody edits so many."""

SMALLEST_CELL = 24.0
"""Pixels of a cell without a number that is a shape: a quarter of an inch. Smaller ones nobody takes hold of."""

FINEST_CELL = 8
"""Pixels of such a cell in a picture: enough for sharp edges."""

FILLED = 0.85
"""Of a line of words, on average: the next word would not have fitted."""

FIRST_ID = 3
"""Of a slide's shapes; all of them together are 1, and its title is 2."""

Picture = Callable[[Figure], bytes]
"""Draws a figure as PNG."""


class Slide(NamedTuple):
    title: str
    figure: Figure
    """Without the title, which the slide has."""

    notes: str
    """For the speaker; a paragraph on each line."""

    section: str = ""
    """The part of the talk that it belongs to."""

    clicks: tuple[tuple[Group, ...], ...] = ()
    """The groups of the figure that come with the first click, with the second …"""


class Cover(NamedTuple):
    """The first slide of a talk."""

    title: str
    below: str
    """A paragraph on each line."""

    background: Colour


def pptx(
    slides: Iterable[Slide],
    picture: Picture,
    cover: Cover | None = None,
    *,
    morph: bool = False,
    about: Metadata | None = None,
) -> bytes:
    """The file; the same bytes for the same slides. With ``morph`` each slide turns into the next."""
    file = PptxFile(about.title if about else cover.title if cover else "txviz", about.command if about else "")
    pictures = _Pictures(file, picture)
    if cover:
        _open(file, cover)
    for place, slide in enumerate(slides):
        _add(file, slide, pictures, TRANSITION if morph and (place or cover) else "")
    return file.packed()


def _open(file: PptxFile, cover: Cover) -> None:
    title = placeholder(2, "Title", 'type="ctrTitle"', _body([cover.title]))
    lines = cover.below.splitlines()
    short = (_short(line, TITLE[2] * (COVER_LINES // len(lines))) for line in lines)
    below = placeholder(3, "Subtitle", 'type="subTitle" idx="1"', _body(short))
    ground = _background(cover.background), _is_dark(cover.background)
    file.add_slide(title + below, "", [], *ground, layout=COVER)


def _short(text: str, room: float) -> str:
    """As much as there is room for, on all its lines together. What is quoted stays in quotes."""
    cut = fonts.elided(text, COVER_POINTS / 0.75, room * FILLED)
    return cut + "”" if cut != text and text.startswith("“") else cut


def _body(lines: Iterable[str]) -> str:
    runs = (
        f'<a:p><a:pPr algn="l"/><a:r><a:rPr lang="en-US" noProof="1"/><a:t>{legal(line)}</a:t></a:r></a:p>'
        for line in lines
    )
    return f"<p:txBody><a:bodyPr/><a:lstStyle/>{''.join(runs)}</p:txBody>"


def _add(file: PptxFile, slide: Slide, pictures: _Pictures, transition: str) -> None:
    figure, fit = slide.figure, _fitted(slide.figure)
    editable = _editable(figure, fit)
    used: dict[str, str] = {}

    def picture(heat: Heat) -> str | None:
        if heat in editable:
            return None
        return used.setdefault(pictures.name(heat, figure.background), picture_id(len(used)))

    groups = [group for click in slide.clicks for group in click]
    ids = {id(group): number for number, group in enumerate(groups, FIRST_ID)}
    moving = transition + timing([[ids[id(group)] for group in click] for click in slide.clicks])
    drawn = _title(slide.title) + shapes(figure.marks, fit, picture, ids, FIRST_ID + len(ids))
    ground = _background(figure.background), _is_dark(figure.background)
    file.add_slide(drawn, slide.notes, list(used), *ground, section=slide.section, moving=moving)


def _fitted(figure: Figure) -> Fit:
    """As large as it can be below the title, in the middle."""
    left, top, width, height = AREA
    scale = min(width / figure.width, height / figure.height)
    return Fit(left + (width - figure.width * scale) / 2, top, scale)


def _editable(figure: Figure, fit: Fit) -> set[Heat]:
    """The heat maps whose cells are shapes: as many as may be, first those with numbers, first small ones."""
    heats = [mark for mark in figure.flat() if isinstance(mark, Heat)]
    held = [heat for heat in heats if heat.texts or _smallest_side(heat) * fit.scale >= SMALLEST_CELL]
    held.sort(key=lambda heat: (not heat.texts, heat.rows * heat.columns))
    sums = accumulate(heat.rows * heat.columns for heat in held)
    empty = {heat for heat in heats if not heat.colours}
    return empty | {heat for heat, cells in zip(held, sums, strict=True) if cells <= MOST_CELLS}


def _smallest_side(heat: Heat) -> float:
    return min(heat.cell_width, heat.cell_height)


def _title(text: str) -> str:
    """Where and how it stands is the layout's; only one that is too long is smaller."""
    needed, room = fonts.width(text, TITLE_POINTS / 0.75, bold=True) * 1.05, TITLE[2]
    size = f' sz="{int(TITLE_POINTS * room / needed * 10) * 10}"' if needed > room else ""
    run = f'<a:r><a:rPr lang="en-US"{size} noProof="1"/><a:t>{legal(text)}</a:t></a:r>'
    body = f"<p:txBody><a:bodyPr/><a:lstStyle/><a:p>{run}</a:p></p:txBody>"
    return placeholder(2, "Title", 'type="title"', body)


def _background(colour: Colour) -> str:
    """Nothing where it is the theme's: then a slide takes that of any presentation it is pasted into."""
    return "" if colour == theme.LIGHT.panel else f"<p:bg><p:bgPr>{solid(colour)}<a:effectLst/></p:bgPr></p:bg>"


def _is_dark(colour: Colour) -> bool:
    return bool(theme.is_dark(np.array(theme.rgb(colour))))


class _Pictures:
    """The pictures of a file, each drawn and kept once: many slides show the same weights and the same colour scale."""

    def __init__(self, file: PptxFile, picture: Picture) -> None:
        self._file, self._picture = file, picture
        self._names: dict[Figure, str] = {}

    def name(self, heat: Heat, background: Colour) -> str:
        """Of the picture of a heat map, which is drawn alone."""
        figure = _alone(heat, background)
        if figure not in self._names:
            self._names[figure] = self._file.add_picture(self._picture(figure))
        return self._names[figure]


def _alone(heat: Heat, background: Colour) -> Figure:
    """A figure that the cells fill, of whole pixels; without numbers in them no larger than it has to be."""
    if heat.texts:
        width, height = round(heat.width), round(heat.height)
    else:
        width = heat.columns * min(ceil(heat.cell_width), FINEST_CELL)
        height = heat.rows * min(ceil(heat.cell_height), FINEST_CELL)
    cells = replace(heat, x=0, y=0, cell_width=width / heat.columns, cell_height=height / heat.rows)
    return Figure(width, height, background, (cells,))
