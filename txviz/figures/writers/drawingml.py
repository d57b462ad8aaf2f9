"""Marks as the native shapes of a slide: XML that PowerPoint, Keynote, Google Slides and LibreOffice let one edit.

A slide has up to a thousand shapes, so they are written as text, which is far quicker than making them one by one.
Lengths in the file are whole EMU, 9525 to the pixel of a slide that is 1280 pixels wide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import count
from math import cos, radians, sin
from typing import NamedTuple
from xml.sax.saxutils import escape

from txviz.figures import fonts
from txviz.figures.formula import SIZE as FORMULA_SIZE
from txviz.figures.marks import Anchor, Arrow, Box, Colour, Group, Heat, Line, Mark, Outline, Shape, Text
from txviz.figures.presets import POINT
from txviz.figures.writers.connectors import STRAIGHT, connector, corners, side_at
from txviz.figures.writers.glyphs import Frame, extent, glyphs
from txviz.figures.writers.omml import SPACES as MATHS
from txviz.figures.writers.omml import omml

PIXEL = 9525
MONO = "Courier New"
"""As wide as the figures' own mono, and on every machine."""

MIDDLE, LINE = 0.35, 1.2
"""How far the baseline of a text is below the middle of its line, and how tall the line is, for a text of size 1."""

JOINERS = "\u200c\u200d\u200e\u200f"
"""Invisible, but parts of words and emoji."""

LONGEST_DESCRIPTION = 250
"""Characters of an alternative text; a reader of the screen reads it out."""

_ALIGNED: dict[Anchor, str] = {"start": "l", "middle": "ctr", "end": "r"}
_SHARES: dict[Anchor, float] = {"start": 0.0, "middle": 0.5, "end": 1.0}
_RECTANGLE = '<a:prstGeom prst="rect"><a:avLst/></a:prstGeom>'
_MITRED = '<a:miter lim="800000"/>'
THINNEST = 2 * POINT
"""Heads of lines that are thinner are as large as those of a line like this."""

_NO_LINE = "<a:ln><a:noFill/></a:ln>"
_ALTERNATIVES = (
    '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
    '<mc:Choice xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main"'
    ' xmlns:p159="http://schemas.microsoft.com/office/powerpoint/2015/09/main" Requires="a14 p159">{native}</mc:Choice>'
    "<mc:Fallback>{drawn}</mc:Fallback></mc:AlternateContent>"
)
"""The second of the two is known to PowerPoint alone: other programs say that they know formulas, and mangle them."""

_BODY = '<a:bodyPr wrap="none" lIns="0" tIns="0" rIns="0" bIns="0" rtlCol="0" anchor="ctr"><a:noAutofit/></a:bodyPr>'


class Fit(NamedTuple):
    """Where a figure stands on the slide, in the slide's pixels, and how much larger it is there."""

    left: float
    top: float
    scale: float


Picture = Callable[[Heat], str | None]
"""The relationship of the image that stands for a heat map, or None where its cells are to be shapes."""


def shapes(marks: Iterable[Mark], fit: Fit, picture: Picture, ids: Mapping[int, int], first_id: int) -> str:
    """The marks as XML, in order, with ids that count up; ``ids`` has those of marks that others refer to.

    What others refer to is found by its identity: marks that are alike are others.
    """
    marks = list(marks)
    writer = _Writer(fit, picture, count(first_id), marks, ids)
    return "".join(map(writer.mark, marks))


def one_line(text: str) -> str:
    """The text with a space for every character that breaks a line or that a file can't hold."""
    return text if text.isprintable() else "".join(c if c.isprintable() or c in JOINERS else " " for c in text)


def legal(text: str) -> str:
    """The same, escaped."""
    return escape(one_line(text), {'"': "&quot;"})


def bounds(mark: Mark) -> Frame:
    """The smallest rectangle around a mark."""
    if isinstance(mark, Heat | Box):
        return Frame(mark.x, mark.y, mark.x + mark.width, mark.y + mark.height)
    if isinstance(mark, Line):
        xs, ys = sorted((mark.x1, mark.x2)), sorted((mark.y1, mark.y2))
        return Frame(xs[0], ys[0], xs[1], ys[1])
    if isinstance(mark, Text):
        return _turned(_line_of(mark), mark.turn)
    if isinstance(mark, Group):
        return _around(list(map(bounds, mark.marks)))
    if isinstance(mark, Arrow):
        return _around(list(map(bounds, mark.parts)))
    left, top, right, bottom = (side * mark.scale for side in _extent(mark.outline))
    return Frame(mark.x + left, mark.y + top, mark.x + right, mark.y + bottom)


class _Writer:
    def __init__(
        self, fit: Fit, picture: Picture, ids: Iterator[int], marks: Sequence[Mark], known: Mapping[int, int]
    ) -> None:
        self._fit, self._picture, self._ids = fit, picture, ids
        self._joined = _joined_boxes(marks)
        self._reserved = {**known, **{id(box): next(ids) for boxes in self._joined.values() for box in boxes}}
        """Besides the known ones those of boxes that arrows hold on to; some arrows are written before them."""

    def mark(self, mark: Mark) -> str:
        if isinstance(mark, Heat):
            relation = self._picture(mark)
            return "".join(self._cells(mark)) if relation is None else self._image(mark, relation)
        if isinstance(mark, Text):
            return self._text(mark)
        if isinstance(mark, Box):
            return self._box(mark)
        if isinstance(mark, Group):
            return self._group(mark)
        if isinstance(mark, Arrow):
            return self._arrow(mark)
        return self._line(mark) if isinstance(mark, Line) else self._shape(mark)

    def _named(
        self, kind: str, name: str, special: str = "", described: str = "", inside: str = "", mark: Mark | None = None
    ) -> str:
        number = self._reserved.get(id(mark)) or next(self._ids)
        own = f"<p:cNv{kind}Pr>{inside}</p:cNv{kind}Pr>" if inside else f"<p:cNv{kind}Pr{special}/>"
        return f'<p:nv{kind}Pr><p:cNvPr id="{number}" name="{legal(name)}"{described}/>{own}<p:nvPr/></p:nv{kind}Pr>'

    def _at(self, frame: Frame) -> str:
        """The edges are rounded, and not the width, so that neighbours meet."""
        x, y, scale = self._fit
        left, right = (round((x + side * scale) * PIXEL) for side in (frame.left, frame.right))
        top, bottom = (round((y + side * scale) * PIXEL) for side in (frame.top, frame.bottom))
        return f'<a:off x="{left}" y="{top}"/><a:ext cx="{right - left}" cy="{bottom - top}"/>'

    def _body(self, text: str, size: float, colour: Colour, anchor: Anchor, special: str = "", face: str = "") -> str:
        """One line that neither wraps nor shrinks, in the middle of its shape.

        The typeface is the theme's, so that a whole talk takes another one in one go; no spelling is checked.
        """
        hundredths = max(round(size * self._fit.scale * 7.5) * 10, 100)
        return (
            f'<p:txBody>{_BODY}<a:lstStyle/><a:p><a:pPr algn="{_ALIGNED[anchor]}"/><a:r>'
            f'<a:rPr lang="en-US" sz="{hundredths}"{special} noProof="1">{solid(colour)}{face}</a:rPr>'
            f"<a:t>{legal(text)}</a:t></a:r></a:p></p:txBody>"
        )

    def _group(self, mark: Group) -> str:
        if not mark.marks:
            return ""
        at = self._at(bounds(mark))
        inside = at.replace("a:off", "a:chOff").replace("a:ext", "a:chExt")
        head = self._named("GrpSp", mark.name, described=_described(mark), mark=mark)
        marks = "".join(map(self.mark, mark.marks))
        return f"<p:grpSp>{head}<p:grpSpPr><a:xfrm>{at}{inside}</a:xfrm></p:grpSpPr>{marks}</p:grpSp>"

    def _text(self, mark: Text) -> str:
        turn = f' rot="{round(-mark.turn % 360 * 60_000)}"' if mark.turn else ""
        face = f'<a:latin typeface="{MONO}"/>' if mark.mono else ""
        body = self._body(mark.text, mark.size, mark.colour, mark.anchor, ' b="1"' if mark.bold else "", face)
        head = self._named("Sp", mark.text, ' txBox="1"')
        at = f"<a:xfrm{turn}>{self._at(_line_of(mark))}</a:xfrm>"
        return f"<p:sp>{head}<p:spPr>{at}{_RECTANGLE}<a:noFill/></p:spPr>{body}</p:sp>"

    def _line(self, mark: Line) -> str:
        flips = (' flipH="1"' if mark.x2 < mark.x1 else "") + (' flipV="1"' if mark.y2 < mark.y1 else "")
        at = f"<a:xfrm{flips}>{self._at(bounds(mark))}</a:xfrm>"
        geometry = '<a:prstGeom prst="line"><a:avLst/></a:prstGeom>'
        stroke = self._stroke(mark.colour, mark.width)
        return f"<p:cxnSp>{self._named('CxnSp', 'line')}<p:spPr>{at}{geometry}{stroke}</p:spPr></p:cxnSp>"

    def _box(self, mark: Box) -> str:
        at = f"<a:xfrm>{self._at(bounds(mark))}</a:xfrm>"
        fill = _hatched(mark.hatch, mark.fill) if mark.hatch else solid(mark.fill) if mark.fill else "<a:noFill/>"
        stroke = self._stroke(mark.stroke, mark.stroke_width) if mark.stroke else _NO_LINE
        return f"<p:sp>{self._named('Sp', 'box', mark=mark)}<p:spPr>{at}{_corners(mark)}{fill}{stroke}</p:spPr></p:sp>"

    def _stroke(self, colour: Colour, width: float, end: str = "") -> str:
        return f'<a:ln w="{round(width * self._fit.scale * PIXEL)}">{solid(colour)}{end}</a:ln>'

    def _arrow(self, mark: Arrow) -> str:
        """A connector that holds on to the boxes it joins. A drawn line where none is bent like it, or where a bent one
        would hang loose: some programs find a way of their own for those."""
        made = connector(mark.points)
        stroke = self._stroke(mark.colour, mark.width, _MITRED + _head(mark, self._fit.scale))
        name = " → ".join(filter(None, (mark.source, mark.target))) or "arrow"
        start, end = (
            self._held("stCxn", mark.source, mark.points[0]),
            self._held("endCxn", mark.target, mark.points[-1]),
        )
        if made is None or (made.kind != STRAIGHT and not (start and end)):
            path = corners(mark.points)
            at = f"<a:xfrm>{self._at(_around([Frame(x, y, x, y) for x, y in path]))}</a:xfrm>"
            return f"<p:sp>{self._named('Sp', name)}<p:spPr>{at}{_polyline(path)}{stroke}</p:spPr></p:sp>"
        flips = "".join(f' {side}="1"' for side, on in zip(("flipH", "flipV"), made.flipped, strict=True) if on)
        turned = ' rot="5400000"' if made.turned else ""
        at = f"<a:xfrm{turned}{flips}>{self._at(made.frame)}</a:xfrm>"
        bends = "".join(
            f'<a:gd name="adj{i}" fmla="val {round(share * 100_000)}"/>' for i, share in enumerate(made.adjust, start=1)
        )
        geometry = f'<a:prstGeom prst="{made.kind}"><a:avLst>{bends}</a:avLst></a:prstGeom>'
        head = self._named("CxnSp", name, inside=start + end)
        return f"<p:cxnSp>{head}<p:spPr>{at}{geometry}{stroke}</p:spPr></p:cxnSp>"

    def _held(self, end: str, group: str, point: tuple[float, float]) -> str:
        """Where the arrow ends in the middle of a side of a box: elsewhere programs would move it there."""
        for box in self._joined.get(group, ()):
            side = side_at(bounds(box), point)
            if side is not None:
                return f'<a:{end} id="{self._reserved[id(box)]}" idx="{side}"/>'
        return ""

    def _shape(self, mark: Shape) -> str:
        """A formula can be edited where a program knows formulas, and is drawn elsewhere."""
        at, fill = f"<a:xfrm>{self._at(bounds(mark))}</a:xfrm>", solid(mark.colour)
        described = f' descr="{legal(mark.latex)}"' if mark.latex else ""
        head = self._named("Sp", "formula", described=described)
        drawn = f"<p:sp>{head}<p:spPr>{at}{_paths(mark.outline)}{fill}{_NO_LINE}</p:spPr></p:sp>"
        if not mark.latex:
            return drawn
        size = max(round(FORMULA_SIZE * mark.scale * self._fit.scale * 7.5) * 10, 100)
        look = f'<a:rPr lang="en-US" sz="{size}">{fill}<a:latin typeface="Cambria Math"/></a:rPr>'
        maths = f"<a14:m><m:oMath {MATHS}>{omml(mark.latex, look)}</m:oMath></a14:m>"
        body = f'<p:txBody>{_BODY}<a:lstStyle/><a:p><a:pPr algn="l"/>{maths}</a:p></p:txBody>'
        box = head.replace("<p:cNvSpPr/>", '<p:cNvSpPr txBox="1"/>')
        native = f"<p:sp>{box}<p:spPr>{at}{_RECTANGLE}<a:noFill/></p:spPr>{body}</p:sp>"
        return _ALTERNATIVES.format(native=native, drawn=drawn)

    def _image(self, mark: Heat, relation: str) -> str:
        described = f' descr="Heat map of {mark.rows} × {mark.columns} cells"'
        at = f"<a:xfrm>{self._at(bounds(mark))}</a:xfrm>"
        blip = f'<a:blip r:embed="{relation}"/><a:stretch><a:fillRect/></a:stretch>'
        head = self._named("Pic", "cells", described=described)
        return f"<p:pic>{head}<p:blipFill>{blip}</p:blipFill><p:spPr>{at}{_RECTANGLE}</p:spPr></p:pic>"

    def _cells(self, mark: Heat) -> Iterator[str]:
        hatched, inks = set(mark.hatched), (mark.dark_ink, mark.light_ink)
        for cell in range(mark.rows * mark.columns):
            row, column = divmod(cell, mark.columns)
            x, y = mark.x + column * mark.cell_width, mark.y + row * mark.cell_height
            at = self._at(Frame(x, y, x + mark.cell_width, y + mark.cell_height))
            colour = f"#{mark.colours[3 * cell : 3 * cell + 3].hex()}"
            fill = _hatched(mark.hatch, colour) if cell in hatched else solid(colour)
            head = self._named("Sp", f"cell {row},{column}")
            text = ""
            if mark.texts:
                text = self._body(mark.texts[cell], mark.text_size, inks[mark.inks[cell]], "middle")
            yield f"<p:sp>{head}<p:spPr><a:xfrm>{at}</a:xfrm>{_RECTANGLE}{fill}{_NO_LINE}</p:spPr>{text}</p:sp>"


def _described(mark: Group) -> str:
    """What is in a group, for whoever can't see it: its texts, and of a tensor its caption and its shape."""
    inside = list(_within(mark.marks))
    texts = [each.text for each in inside if isinstance(each, Text)]
    if any(isinstance(each, Heat) and each.rows > 1 for each in inside):
        texts = texts[:2]
    said = one_line(", ".join(texts))
    said = said if len(said) <= LONGEST_DESCRIPTION else f"{said[: LONGEST_DESCRIPTION - 1]}…"
    return f' descr="{escape(said, {chr(34): "&quot;"})}"' if said else ""


def _joined_boxes(marks: Sequence[Mark]) -> dict[str, list[Box]]:
    """The boxes of the groups that arrows join, by the group's name."""
    named = {name for mark in _within(marks) if isinstance(mark, Arrow) for name in (mark.source, mark.target)}
    found: dict[str, list[Box]] = {}
    for group in _within(marks):
        if isinstance(group, Group) and group.name in named:
            found.setdefault(group.name, []).extend(mark for mark in group.marks if isinstance(mark, Box))
    return found


def _within(marks: Iterable[Mark]) -> Iterator[Mark]:
    """The marks, and those in groups."""
    for mark in marks:
        yield mark
        if isinstance(mark, Group):
            yield from _within(mark.marks)


def _head(mark: Arrow, scale: float) -> str:
    """Programs draw heads 2, 3 or 5 times as long as the line is wide, or as if it were 2 points wide."""
    if not mark.head:
        return ""
    ratio = mark.head * scale / max(mark.width * scale, THINNEST)
    size = "sm" if ratio < 2.5 else "med" if ratio < 4 else "lg"
    return f'<a:tailEnd type="triangle" w="{size}" len="{size}"/>'


def _polyline(path: Sequence[tuple[float, float]]) -> str:
    left, top = (min(point[axis] for point in path) for axis in (0, 1))
    moved: list[tuple[str, tuple[float, ...]]] = [("L", (x - left, y - top)) for x, y in path]
    return _paths((("M", moved[0][1]), *moved[1:])).replace("<a:path ", '<a:path fill="none" ')


def _colour(colour: Colour) -> str:
    return f'<a:srgbClr val="{colour[1:].upper()}"/>'


def solid(colour: Colour) -> str:
    """A fill."""
    return f"<a:solidFill>{_colour(colour)}</a:solidFill>"


def _hatched(lines: Colour, ground: Colour | None) -> str:
    back = _colour(ground) if ground else '<a:schemeClr val="bg1"/>'
    return f'<a:pattFill prst="ltUpDiag"><a:fgClr>{_colour(lines)}</a:fgClr><a:bgClr>{back}</a:bgClr></a:pattFill>'


def _corners(mark: Box) -> str:
    if not mark.radius:
        return _RECTANGLE
    share = min(mark.radius / max(min(mark.width, mark.height), 1e-9), 0.5)
    adjusted = f'<a:avLst><a:gd name="adj" fmla="val {round(share * 100_000)}"/></a:avLst>'
    return f'<a:prstGeom prst="roundRect">{adjusted}</a:prstGeom>'


def _line_of(mark: Text) -> Frame:
    """The rectangle of a text before it is turned, placed so that turning it about its middle puts it right."""
    across = fonts.width(mark.text, mark.size, bold=mark.bold, mono=mark.mono)
    dx, dy = (0.5 - _SHARES[mark.anchor]) * across, -MIDDLE * mark.size
    s, c = sin(radians(mark.turn)), cos(radians(mark.turn))
    x, y = mark.x + dx * c + dy * s, mark.y - dx * s + dy * c
    tall = LINE * mark.size
    return Frame(x - across / 2, y - tall / 2, x + across / 2, y + tall / 2)


def _turned(frame: Frame, degrees: float) -> Frame:
    """The rectangle around a rectangle that is turned about its middle."""
    s, c = abs(sin(radians(degrees))), abs(cos(radians(degrees)))
    wide, tall = frame.right - frame.left, frame.bottom - frame.top
    x, y = (frame.left + frame.right) / 2, (frame.top + frame.bottom) / 2
    dx, dy = (wide * c + tall * s) / 2, (wide * s + tall * c) / 2
    return Frame(x - dx, y - dy, x + dx, y + dy)


def _around(frames: list[Frame]) -> Frame:
    left, top, right, bottom = zip(*frames, strict=True)
    return Frame(min(left), min(top), max(right), max(bottom))


_extent = lru_cache(maxsize=500)(extent)

_COMMANDS = {"M": "moveTo", "L": "lnTo", "Q": "quadBezTo", "C": "cubicBezTo", "Z": "close"}
_FINE = 100
"""Parts of a pixel in which the points of an outline are written."""


@lru_cache(maxsize=500)
def _paths(outline: Outline) -> str:
    """The geometry of a filled outline: a path for each glyph."""
    left, top, right, bottom = extent(outline)
    size = f'w="{max(round((right - left) * _FINE), 1)}" h="{max(round((bottom - top) * _FINE), 1)}"'

    def drawn(kind: str, n: tuple[float, ...]) -> str:
        points = "".join(
            f'<a:pt x="{round((x - left) * _FINE)}" y="{round((y - top) * _FINE)}"/>'
            for x, y in zip(n[::2], n[1::2], strict=True)
        )
        return f"<a:{_COMMANDS[kind]}>{points}</a:{_COMMANDS[kind]}>"

    paths = ("".join(drawn(kind, n) for kind, n in glyph) for glyph in glyphs(outline))
    listed = "".join(f"<a:path {size}>{path}</a:path>" for path in paths)
    return (
        '<a:custGeom><a:avLst/><a:gdLst/><a:ahLst/><a:cxnLst/><a:rect l="0" t="0" r="r" b="b"/>'
        f"<a:pathLst>{listed}</a:pathLst></a:custGeom>"
    )
