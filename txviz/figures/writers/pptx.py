"""A talk as PowerPoint: a slide for each step, with its title, its figure as shapes to edit, and notes for the speaker.

Every number is a cell that can be moved, recoloured or animated: shapes and not a table, since a table grows with its
text, can't be grouped with its labels, and comes and goes as a whole. Heat maps with too many cells, or with cells too
small to be taken hold of, are pictures; their captions and labels stay text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from io import BytesIO
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import numpy as np

from txviz.figures import fonts, theme
from txviz.figures.marks import Colour, Figure, Heat
from txviz.figures.writers.drawingml import Fit, legal, one_line, shapes
from txviz.figures.writers.talk import FIGURE_TOP, HEIGHT, MADE, MARGIN, TITLE_POINTS, WIDTH, empty_talk

if TYPE_CHECKING:
    from pptx.parts.image import ImagePart
    from pptx.presentation import Presentation
    from pptx.slide import Slide as Page

MOST_CELLS = 600
"""Of a slide that are shapes: more of them make a program slow, and nobody edits so many."""

SMALLEST_CELL = 8.0
"""Pixels of a cell that one can take hold of."""

_SPACES = (
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    ' xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
    ' xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
)
_TREE = (
    '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr><a:xfrm><a:off x="0" y="0"/>'
    '<a:ext cx="0" cy="0"/><a:chOff x="0" y="0"/><a:chExt cx="0" cy="0"/></a:xfrm></p:grpSpPr>'
)
_LIGHT_ON_DARK = (
    f'<p:clrMapOvr {_SPACES}><a:overrideClrMapping bg1="dk1" tx1="lt1" bg2="dk2" tx2="lt2" accent1="accent1"'
    ' accent2="accent2" accent3="accent3" accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink"'
    ' folHlink="folHlink"/></p:clrMapOvr>'
)


class Slide(NamedTuple):
    title: str
    figure: Figure
    """Without the title, which the slide has."""

    notes: str
    """For the speaker; a paragraph on each line."""


def pptx(slides: Iterable[Slide], picture: Callable[[Figure], bytes]) -> bytes:
    """The file; the same bytes for the same slides. ``picture`` draws a figure as PNG."""
    talk = empty_talk()
    pictures = _Pictures(talk, picture)
    layout = talk.slide_layouts.get_by_name("Title Only")
    for slide in slides:
        page = talk.slides.add_slide(layout)
        _fill(page, slide, pictures)
        page.notes_slide.notes_text_frame.text = "\n".join(map(one_line, slide.notes.splitlines()))
    file = BytesIO()
    talk.save(file)
    return _repacked(file)


def _fill(page: Page, slide: Slide, pictures: _Pictures) -> None:
    from pptx.oxml import parse_xml

    figure = slide.figure
    fit = _fitted(figure)
    cells = _editable(figure, fit)

    def picture(heat: Heat) -> str | None:
        return None if heat in cells else pictures.relation(page, heat, figure.background)

    tree = f"<p:spTree>{_TREE}{_title(slide.title)}{shapes(figure.marks, fit, picture, first_id=3)}</p:spTree>"
    old = page._element
    old.replace(old.cSld, parse_xml(f"<p:cSld {_SPACES}>{_ground(figure.background)}{tree}</p:cSld>"))
    if _is_dark(figure.background):
        old.replace(old.clrMapOvr, parse_xml(_LIGHT_ON_DARK))


def _fitted(figure: Figure) -> Fit:
    """As large as it can be below the title, in the middle."""
    scale = min(WIDTH / figure.width, (HEIGHT - FIGURE_TOP) / figure.height)
    return Fit((WIDTH - figure.width * scale) / 2, FIGURE_TOP, scale)


def _editable(figure: Figure, fit: Fit) -> set[Heat]:
    """The heat maps whose cells are shapes: as many as may be, first those with numbers, first small ones."""
    heats = [mark for mark in figure.flat() if isinstance(mark, Heat)]
    heats = [heat for heat in heats if min(heat.cell_width, heat.cell_height) * fit.scale >= SMALLEST_CELL]
    heats.sort(key=lambda heat: (not heat.texts, heat.rows * heat.columns))
    sums = accumulate(heat.rows * heat.columns for heat in heats)
    return {heat for heat, cells in zip(heats, sums, strict=True) if cells <= MOST_CELLS}


def _title(text: str) -> str:
    """Where and how it stands is the layout's; only one that is too long is smaller."""
    needed = fonts.width(text, TITLE_POINTS / 0.75, bold=True) * 1.03
    room = WIDTH - 2 * MARGIN
    size = f' sz="{int(TITLE_POINTS * room / needed * 10) * 10}"' if needed > room else ""
    return (
        '<p:sp><p:nvSpPr><p:cNvPr id="2" name="Title"/><p:cNvSpPr><a:spLocks noGrp="1"/></p:cNvSpPr><p:nvPr>'
        '<p:ph type="title"/></p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:lstStyle/><a:p><a:r>'
        f'<a:rPr lang="en-US"{size} noProof="1"/><a:t>{legal(text)}</a:t></a:r></a:p></p:txBody></p:sp>'
    )


def _ground(colour: Colour) -> str:
    """The background of a slide, unless it is the theme's: then a slide takes that of any talk it is pasted into."""
    if colour == theme.LIGHT.panel:
        return ""
    fill = f'<a:solidFill><a:srgbClr val="{colour[1:].upper()}"/></a:solidFill>'
    return f"<p:bg><p:bgPr>{fill}<a:effectLst/></p:bgPr></p:bg>"


def _is_dark(colour: Colour) -> bool:
    return bool(theme.is_dark(np.array(theme.rgb(colour))))


class _Pictures:
    """The images of a talk, each kept once: many slides show the same weights and the same scale of colours."""

    def __init__(self, talk: Presentation, picture: Callable[[Figure], bytes]) -> None:
        self._package = talk.part.package
        self._picture = picture
        self._parts: dict[Figure, ImagePart] = {}

    def relation(self, page: Page, heat: Heat, background: Colour) -> str:
        """Of the slide to the image of a heat map, which is drawn as large as whole pixels come nearest to it."""
        from pptx.opc.constants import RELATIONSHIP_TYPE

        width, height = max(round(heat.width), 1), max(round(heat.height), 1)
        alone = replace(heat, x=0, y=0, cell_width=width / heat.columns, cell_height=height / heat.rows)
        figure = Figure(width, height, background, (alone,))
        if figure not in self._parts:
            self._parts[figure] = self._part(self._picture(figure))
        return page.part.relate_to(self._parts[figure], RELATIONSHIP_TYPE.IMAGE)

    def _part(self, png: bytes) -> ImagePart:
        from pptx.opc.packuri import PackURI
        from pptx.parts.image import ImagePart

        name = PackURI(f"/ppt/media/image{len(self._parts) + 1}.png")
        return ImagePart(name, "image/png", self._package, png)


def _repacked(file: BytesIO) -> bytes:
    """The same archive in a fixed order and with a fixed date."""
    made = BytesIO()
    with ZipFile(file) as old, ZipFile(made, "w", ZIP_DEFLATED) as new:
        for name in sorted(old.namelist()):
            entry = ZipInfo(name, MADE.timetuple()[:6])
            entry.compress_type, entry.create_system = ZIP_DEFLATED, 0
            new.writestr(entry, old.read(name))
    return made.getvalue()
