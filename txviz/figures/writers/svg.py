"""SVG: vector shapes and real text, in groups with names, for browsers and for drawing programs.

Everything is said in plain attributes, which more programs understand than style sheets. The text is in the fonts that
ship, by name: where they are not installed another one takes their place. Every text is anchored where it belongs (a
number in the middle of its cell) and says how long it is, so that nothing moves and nothing meets. The formula is an
outline and needs no font, and so is all text on request.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from functools import lru_cache
from html import escape
from io import BytesIO
from itertools import pairwise

from txviz.figures import fonts
from txviz.figures.job import Export
from txviz.figures.marks import (
    HATCH_STEP,
    HATCH_WIDTH,
    Arrow,
    Box,
    Colour,
    Figure,
    Group,
    Heat,
    Line,
    Mark,
    Outline,
    Shape,
    Text,
)
from txviz.figures.metadata import SOFTWARE, Metadata, metadata
from txviz.figures.writers import cells
from txviz.figures.writers.lengths import short

_HELVETICA, _COURIER = "'Liberation Sans', 'Nimbus Sans'", "'Liberation Mono', 'Nimbus Mono PS'"
SANS = f"'{fonts.SANS}', 'Helvetica Neue', Arial, {_HELVETICA}, '{fonts.SYMBOLS}', sans-serif"
MONO = f"'{fonts.MONO}', Menlo, Consolas, {_COURIER}, '{fonts.SYMBOLS}', monospace"
"""Behind the fonts that ship, those of other systems that are about as wide: in wider ones captions would meet. Linux
has Helvetica and Courier under either name."""


def svg(figure: Figure, about: Metadata | None = None, transparent: bool = False) -> str:
    """The figure as an SVG document of the same size in pixels."""
    width, height = short(figure.width), short(figure.height)
    ground = [] if transparent else [f'<rect width="{width}" height="{height}" fill="{figure.background}"/>']
    named = ' role="img"' if about else ""
    lines = [
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" version="1.1"'
        f' width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="{SANS}" xml:space="preserve"'
        f"{named}>",
        *(_about(about) if about else ()),
        *_patterns(figure),
        *ground,
        *_drawn(figure.marks, set()),
        "</svg>\n",
    ]
    return "\n".join(lines)


def write(wanted: Export) -> bytes:
    (figure,) = wanted.figures()
    if wanted.text == "outlines":
        from txviz.figures.writers.outlines import outlined  # which needs Qt

        figure = outlined(figure)
    return svg(figure, metadata(wanted), wanted.transparent).encode()


def _about(about: Metadata) -> Iterator[str]:
    """The title that a browser shows at the pointer, what a screen reader says, and for programs the same in RDF."""
    yield f"<title>{_escaped(about.title)}</title>"
    yield f"<desc>{_escaped(about.description)}</desc>"
    yield (
        '<metadata><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
        ' xmlns:dc="http://purl.org/dc/elements/1.1/"><rdf:Description rdf:about="">'
        f"<dc:title>{_escaped(about.title)}</dc:title><dc:creator>{SOFTWARE}</dc:creator>"
        f"<dc:description>{_escaped(about.description)}</dc:description>"
        f"<dc:source>{_escaped(about.command)}</dc:source></rdf:Description></rdf:RDF></metadata>"
    )


def _drawn(marks: Iterable[Mark], taken: set[str]) -> Iterator[str]:
    """The marks in order; ``taken`` has the names that are used up."""
    for mark in marks:
        if isinstance(mark, Heat):
            yield from _heat(mark)
        elif isinstance(mark, Text):
            yield _text(mark)
        elif isinstance(mark, Box):
            yield from _box(mark)
        elif isinstance(mark, Group):
            yield f'<g id="{_id(mark.name, taken)}"><title>{_escaped(mark.name)}</title>'
            yield from _drawn(mark.marks, taken)
            yield "</g>"
        elif isinstance(mark, Arrow):
            yield "<g>"
            yield from _drawn(mark.parts, taken)
            yield "</g>"
        elif isinstance(mark, Line):
            ends = zip(("x1", "y1", "x2", "y2"), (mark.x1, mark.y1, mark.x2, mark.y2), strict=True)
            placed = " ".join(f'{name}="{short(n)}"' for name, n in ends)
            yield f'<line {placed} stroke="{mark.colour}" stroke-width="{short(mark.width)}"/>'
        else:
            yield _shape(mark)


def _text(mark: Text) -> str:
    x, y = short(mark.x), short(mark.y)
    wanted = (
        f'x="{x}" y="{y}" font-size="{short(mark.size)}" fill="{mark.colour}"',
        f' text-anchor="{mark.anchor}"' if mark.anchor != "start" else "",
        ' font-weight="600"' if mark.bold else "",
        f' font-family="{MONO}"' if mark.mono else "",
        f' transform="rotate({short(-mark.turn)} {x} {y})"' if mark.turn else "",
        _length(mark),
    )
    return f"<text {''.join(wanted)}>{_escaped(mark.text)}</text>"


_MEASURED = re.compile("[ -~\xa0-\xff–—‘’“”…−]{2,}")
"""What the fonts that ship have, so that its width is known; other letters come from elsewhere."""


def _length(mark: Text) -> str:
    """How long the text is, whatever font it is in."""
    if not _MEASURED.fullmatch(mark.text) or mark.text.isspace():
        return ""
    wide = fonts.width(mark.text, mark.size, bold=mark.bold, mono=mark.mono)
    return f' textLength="{short(wide)}" lengthAdjust="spacingAndGlyphs"'


def _box(mark: Box) -> Iterator[str]:
    area = _area(mark.x, mark.y, mark.width, mark.height) + (f' rx="{short(mark.radius)}"' if mark.radius else "")
    stroke = f' stroke="{mark.stroke}" stroke-width="{short(mark.stroke_width)}"' if mark.stroke else ""
    if mark.fill or mark.stroke:
        yield f'<rect {area} fill="{mark.fill or "none"}"{stroke}/>'
    if mark.hatch:
        yield f'<rect {area} fill="url(#{_pattern(mark.hatch)})"/>'


def _heat(mark: Heat) -> Iterator[str]:
    """Sharp cells, with no lines of the background between them; then the hatching and the numbers."""
    if mark.rows * mark.columns <= cells.MOST_BOXES:
        yield '<g shape-rendering="crispEdges">'
        yield from _rectangles(mark)
        yield "</g>"
    else:
        area = _area(mark.x, mark.y, mark.width, mark.height)
        sharp = 'image-rendering="optimizeSpeed" style="image-rendering:pixelated"'
        data = b64encode(_image(cells.enlarged(mark))).decode()
        yield f'<image {area} preserveAspectRatio="none" {sharp} xlink:href="data:image/png;base64,{data}"/>'
    for box in cells.hatched(mark):
        yield from _box(box)
    if mark.texts:
        yield f'<g font-size="{short(mark.text_size)}" text-anchor="middle">'
        for text in cells.numbers(mark):
            place = f'x="{short(text.x)}" y="{short(text.y)}"'
            yield f'<text {place} fill="{text.colour}">{_escaped(text.text)}</text>'
        yield "</g>"


def _rectangles(heat: Heat) -> Iterator[str]:
    """The cells; each ends just where the next one begins, after rounding."""
    across = _spans("x", "width", heat.x, heat.cell_width, heat.columns)
    down = _spans("y", "height", heat.y, heat.cell_height, heat.rows)
    colours = heat.colours.hex()
    for row, vertical in enumerate(down):
        for cell, horizontal in enumerate(across, start=row * heat.columns):
            yield f'<rect {horizontal} {vertical} fill="#{colours[6 * cell : 6 * cell + 6]}"/>'


def _spans(start: str, length: str, first: float, size: float, count: int) -> list[str]:
    ends = [round(first + i * size, 2) for i in range(count + 1)]
    return [f'{start}="{short(a)}" {length}="{short(b - a)}"' for a, b in pairwise(ends)]


def _image(heat: Heat) -> bytes:
    """As PNG, one pixel for each cell."""
    from PIL import Image  # takes a while to import

    buffer = BytesIO()
    Image.frombytes("RGB", (heat.columns, heat.rows), heat.colours).save(buffer, "PNG")
    return buffer.getvalue()


def _shape(mark: Shape) -> str:
    moved = f"translate({short(mark.x)} {short(mark.y)}) scale({round(mark.scale, 4):g})"
    return f'<path transform="{moved}" fill="{mark.colour}" d="{_path(mark.outline)}"/>'


@lru_cache(maxsize=500)
def _path(outline: Outline) -> str:
    return "".join(kind + " ".join(str(short(n)) for n in points) for kind, points in outline)


def _patterns(figure: Figure) -> Iterator[str]:
    """The hatching in each colour that the figure has it in."""
    marks = list(figure.flat())
    colours = {mark.hatch for mark in marks if isinstance(mark, Heat) and mark.infinite}
    colours |= {mark.hatch for mark in marks if isinstance(mark, Box) and mark.hatch}
    if colours:
        yield "<defs>"
        yield from (_hatching(colour) for colour in sorted(filter(None, colours)))
        yield "</defs>"


def _hatching(colour: Colour) -> str:
    """A tile with its diagonal, and the corners that the lines of its neighbours reach into."""
    n = HATCH_STEP
    lines = f"M0 {n}L{n} 0M-1 1L1 -1M{n - 1} {n + 1}L{n + 1} {n - 1}"
    return (
        f'<pattern id="{_pattern(colour)}" width="{n}" height="{n}" patternUnits="userSpaceOnUse">'
        f'<path d="{lines}" fill="none" stroke="{colour}" stroke-width="{short(HATCH_WIDTH)}"/></pattern>'
    )


def _pattern(colour: Colour) -> str:
    return f"hatch-{colour[1:]}"


def _area(x: float, y: float, width: float, height: float) -> str:
    return f'x="{short(x)}" y="{short(y)}" width="{short(width)}" height="{short(height)}"'


def _id(name: str, taken: set[str]) -> str:
    """The name with what an id can't have replaced, and a number behind it where it is taken."""
    plain = re.sub(r"[^A-Za-z0-9_.-]+", "-", name)
    first = plain if plain[:1].isalpha() else f"group-{plain}".rstrip("-")
    found, count = first, 1
    while found in taken:
        count += 1
        found = f"{first}-{count}"
    taken.add(found)
    return found


_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _escaped(text: str) -> str:
    """As XML has it; control characters, which it can't have at all, as the sign for what is missing."""
    return escape(_FORBIDDEN.sub("\ufffd", text), quote=False)
