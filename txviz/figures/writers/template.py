"""An empty presentation: 16:9, a title at the top left of each slide, a typeface of every machine, our colours."""

from __future__ import annotations

import re
from datetime import datetime
from io import BytesIO
from typing import TYPE_CHECKING
from zipfile import ZipFile

from txviz.figures.theme import LIGHT
from txviz.figures.writers.drawingml import PIXEL

if TYPE_CHECKING:
    from pptx.presentation import Presentation

FACE = "Arial"
"""It, or one just as wide, is on every machine; its digits are narrower than those a figure is laid out with."""

WIDTH, HEIGHT = 1280, 720
"""Pixels of 1/96 inch: 13⅓ by 7½ inches, 16:9."""

AREA = (20, 76, 1240, 620)
"""Where figures stand: left, top, width and height."""

TITLE = (40, 20, 1200, 54)
"""The same of the title, which begins where figures with their margin begin."""

TITLE_POINTS = 28
LAYOUT = "slideLayout6.xml"
"""The one that has nothing but a title."""

COVER = "slideLayout1.xml"
"""The one of the first slide: a large title, and lines below it."""

COVER_POINTS, COVER_LINES = 32, 6
"""How large those are, and how many there is room for."""

MADE = datetime(2020, 1, 1)
"""The date in the file: like all else in it, always the same."""

LONGEST = 255
"""Characters that the file's own title may have."""

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"


def empty_presentation(title: str) -> dict[str, bytes]:
    """The files of a presentation without slides, by their names.

    They are those of the template that comes with the library, made ours; all its layouts stay of use to a teacher.
    """
    import pptx  # takes a while
    from pptx.opc.constants import RELATIONSHIP_TYPE as RELATION

    presentation = pptx.Presentation()
    for owner, kind in (
        (presentation.part.package, RELATION.THUMBNAIL),
        (presentation.part, RELATION.PRINTER_SETTINGS),
    ):
        owner.drop_rel(owner.relate_to(owner.part_related_by(kind), kind))
    _widen(presentation)
    _place_title(presentation)
    _place_cover(presentation)
    themed = presentation.slide_master.part.part_related_by(RELATION.THEME)
    themed.blob = _coloured(themed.blob.decode()).encode()
    _ = presentation.notes_master  # is made when it is asked for
    said = presentation.core_properties
    said.title, said.author, said.last_modified_by = title[:LONGEST], "txviz", "txviz"
    said.comments, said.revision = "", 1
    said.created = said.modified = MADE
    file = BytesIO()
    presentation.save(file)
    with ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _widen(presentation: Presentation) -> None:
    """From 4:3 to 16:9: all that the layouts hold gets wider."""
    (size,) = presentation._element.xpath("p:sldSz")
    widened = WIDTH * PIXEL / int(size.get("cx"))
    size.set("cx", str(WIDTH * PIXEL))
    size.set("cy", str(HEIGHT * PIXEL))
    del size.attrib["type"]  # which names 4:3
    for part in (presentation.slide_master, *presentation.slide_layouts):
        for side, tag in (("x", "off"), ("cx", "ext")):
            for element in part._element.iter(_A + tag):
                if side in element.attrib:  # an extension is an "ext", too
                    element.set(side, str(round(int(element.get(side)) * widened)))


def _place_title(presentation: Presentation) -> None:
    title = next(shape for shape in presentation.slide_master.placeholders if shape.placeholder_format.type == 1)
    title.left, title.top, title.width, title.height = (side * PIXEL for side in TITLE)
    for side in ("lIns", "tIns", "rIns", "bIns"):
        title.text_frame._bodyPr.set(side, "0")
    (style,) = presentation.slide_master._element.xpath("p:txStyles/p:titleStyle/a:lvl1pPr")
    style.set("algn", "l")
    letters = style.find(_A + "defRPr")
    letters.set("sz", str(TITLE_POINTS * 100))
    letters.set("b", "1")


def _place_cover(presentation: Presentation) -> None:
    """Both at the left, as the titles of all other slides."""
    left, _, width, height = TITLE
    for shape in list(presentation.slide_layouts[0].placeholders):
        top = {3: HEIGHT * 0.36, 4: HEIGHT * 0.46}.get(shape.placeholder_format.type)  # its title, and what is below
        if top is not None:
            shape.left, shape.top, shape.width, shape.height = (
                round(n * PIXEL) for n in (left, top, width, height * 2)
            )
            shape.text_frame._bodyPr.set("lIns", "0")
            shape.text_frame._bodyPr.set("anchor", "t")


def _coloured(theme: str) -> str:
    """The theme's XML with our typeface and our colours, so that what a teacher adds looks like the rest."""
    accents = {f"accent{i}": colour for i, colour in enumerate(LIGHT.stages[:6], start=1)}
    for name, colour in {"dk1": LIGHT.text, "lt1": LIGHT.panel, **accents}.items():
        theme = re.sub(
            f"<a:{name}>.*?</a:{name}>", f'<a:{name}><a:srgbClr val="{colour[1:].upper()}"/></a:{name}>', theme
        )
    return theme.replace('<a:latin typeface="Calibri"/>', f'<a:latin typeface="{FACE}"/>')
