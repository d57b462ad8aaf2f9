r"""TikZ: a drawing for LaTeX, with its texts and formulas in the fonts of the paper that it stands in.

A file can be put into a paper with ``\input``, and compiled on its own. Coordinates are the pixels of the figure, and a
pixel is 3/4 of a PostScript point, as in every other format. Each text has the room that it has in txviz's own font;
where the paper's is wider, it is made narrower.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from txviz.errors import one_line
from txviz.figures import fonts
from txviz.figures.formula import SIZE
from txviz.figures.job import Export
from txviz.figures.marks import (
    HATCH_WIDTH,
    PIXELS_PER_INCH,
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
    hatch_lines,
)
from txviz.figures.metadata import Metadata, metadata
from txviz.figures.writers import cells
from txviz.figures.writers.glyphs import extent
from txviz.figures.writers.lengths import short
from txviz.figures.writers.tex import UNKNOWN, escaped

PIXEL = 72 / PIXELS_PER_INCH
"""In PostScript points."""

MOST_CELLS = 12_000
"""Of a grid; one that has more is drawn coarser, which nobody sees in print, so that TeX does not take minutes."""

OVERLAP = 0.3
"""Cells reach so far under the next ones, or else viewers show hair lines between them."""

ALONE = r"""\ifx\tikzpicture\undefined
  \documentclass{{article}}
  \usepackage{{fix-cm,amsmath,amssymb,tikz}}
  \usepackage[paperwidth={width}bp,paperheight={height}bp,margin=0bp]{{geometry}}
  \pagestyle{{empty}}\parindent=0pt \topskip=0pt
  \begin{{document}}\enlargethispage{{9pt}}\def\txvizend{{\end{{document}}}}
\else\let\txvizend\relax\fi
"""

MACROS = (
    UNKNOWN
    + r"""\providecommand\txvizroom[2]{\sbox0{#2}\ifdim\wd0>#1bp\resizebox{#1bp}{\height}{\usebox0}\else\usebox0\fi}
\providecommand\txvizcell[3]{\definecolor{txvizcell}{HTML}{#1}\pgfsetfillcolor{txvizcell}%
  \pgfpathrectanglecorners{\pgfpointxy#2}{\pgfpointxy#3}\pgfusepath{fill}}
"""
)

STYLES = r"""x={pixel}bp, y=-{pixel}bp, every node/.style={{inner sep=0pt, outer sep=0pt}},
  start/.style={{anchor=base west}}, middle/.style={{anchor=base}}, end/.style={{anchor=base east}},
  pt/.style={{font=\fontsize{{#1bp}}{{#1bp}}\selectfont}}, wide/.style={{line width=#1bp}}"""


def tikz(figure: Figure, about: Metadata | None = None, transparent: bool = False) -> str:
    """The figure as a TikZ picture of the same size."""
    alone = ALONE.format(width=_points(figure.width), height=_points(figure.height))
    page, filled = _at(figure.width, figure.height), "" if transparent else f", fill={_name(figure.background)}"
    lines = [
        *(f"% {one_line(text)}" for text in about or () if text),
        r"% Alone: pdflatex this file. In a paper: \usepackage{amsmath,amssymb,tikz}, then \input this file.",
        alone + MACROS + rf"\begin{{tikzpicture}}[{STYLES.format(pixel=PIXEL)}]",
        *(rf"\definecolor{{{_name(each)}}}{{HTML}}{{{each[1:].upper()}}}" for each in _colours(figure)),
        rf"\path[use as bounding box{filled}] (0,0) rectangle {page};",
        *_drawn(figure.marks),
        "\\end{tikzpicture}%\n\\txvizend\n",
    ]
    return "\n".join(lines)


def write(wanted: Export) -> bytes:
    (figure,) = wanted.figures()
    return tikz(figure, metadata(wanted), wanted.transparent).encode()


def _drawn(marks: Iterable[Mark]) -> Iterator[str]:
    for mark in marks:
        if isinstance(mark, Group):
            yield f"% {one_line(mark.name)}"
            yield from _drawn(mark.marks)
        elif isinstance(mark, Arrow):
            yield from _drawn(mark.parts)
        elif isinstance(mark, Heat):
            yield from _heat(mark)
        elif isinstance(mark, Text):
            yield from _text(mark)
        elif isinstance(mark, Box):
            yield from _box(mark)
        elif isinstance(mark, Line):
            ends = f"{_at(mark.x1, mark.y1)} -- {_at(mark.x2, mark.y2)}"
            yield rf"\draw[{_name(mark.colour)}, wide={_points(mark.width)}] {ends};"
        else:
            yield from _shape(mark)


def _text(mark: Text) -> Iterator[str]:
    if not mark.text.strip():
        return
    room = fonts.width(mark.text, mark.size, bold=mark.bold, mono=mark.mono)
    face = r"\bfseries " * mark.bold + r"\ttfamily " * mark.mono
    turned = f", rotate={short(mark.turn)}" if mark.turn else ""
    yield _node(mark.x, mark.y, mark.anchor + turned, mark.size, mark.colour, room, face + escaped(mark.text))


def _node(x: float, y: float, how: str, size: float, colour: Colour, room: float, inside: str) -> str:
    told = rf"\txvizroom{{{_points(room)}}}{{{inside}}}"
    return rf"\node[{how}, pt={_points(size)}, text={_name(colour)}] at {_at(x, y)} {{{told}}};"


def _shape(mark: Shape) -> Iterator[str]:
    """A formula as mathematics, any other outline as a path."""
    if mark.latex:
        room = extent(mark.outline).right * mark.scale
        formula = rf"$\displaystyle {mark.latex}$"
        yield _node(mark.x, mark.y, "start", SIZE * mark.scale, mark.colour, room, formula)
    else:
        path = " ".join(_segments(mark.outline, mark.x, mark.y, mark.scale))
        yield rf"\fill[{_name(mark.colour)}] {path};"


def _segments(outline: Outline, x: float, y: float, scale: float) -> Iterator[str]:
    here = (x, y)
    for kind, numbers in outline:
        points = [(x + a * scale, y + b * scale) for a, b in zip(numbers[::2], numbers[1::2], strict=True)]
        if kind == "Q":  # TikZ has none but cubic curves
            corner, end = points
            points = [*(((a[0] + 2 * corner[0]) / 3, (a[1] + 2 * corner[1]) / 3) for a in (here, end)), end]
        here = points[-1] if points else here
        placed = [_at(*point) for point in points]
        yield {"M": "{}", "L": "-- {}", "Z": "-- cycle"}.get(kind, ".. controls {} and {} .. {}").format(*placed)


def _box(mark: Box) -> Iterator[str]:
    corners = f"{_at(mark.x, mark.y)} rectangle {_at(mark.x + mark.width, mark.y + mark.height)}"
    fill = [f"fill={_name(mark.fill)}"] if mark.fill else []
    stroke = [f"draw={_name(mark.stroke)}, wide={_points(mark.stroke_width)}"] if mark.stroke else []
    if fill or stroke:
        radius = [f"rounded corners={_points(mark.radius)}bp"] if mark.radius else []
        yield rf"\path[{', '.join(fill + stroke + radius)}] {corners};"
    if mark.hatch:
        lines = hatch_lines(mark.x, mark.y, mark.x + mark.width, mark.y + mark.height)
        drawn = " ".join(f"{_at(*a)} -- {_at(*b)}" for a, b in lines)
        yield rf"\draw[{_name(mark.hatch)}, wide={_points(HATCH_WIDTH)}] {drawn};"


def _heat(mark: Heat) -> Iterator[str]:
    grid = cells.coarser(mark, MOST_CELLS)
    across = _spans(grid.x, grid.cell_width, grid.columns)
    colours = grid.colours.hex().upper()
    for row, (top, bottom) in enumerate(_spans(grid.y, grid.cell_height, grid.rows)):
        for cell, (left, right) in enumerate(across, start=row * grid.columns):
            corners = f"{{{{{left}}}{{{top}}}}}{{{{{right}}}{{{bottom}}}}}"
            yield rf"\txvizcell{{{colours[6 * cell : 6 * cell + 6]}}}{corners}"
    for box in cells.hatched(mark):
        yield from _box(box)
    for text in cells.numbers(mark):
        yield from _text(text)


def _spans(first: float, size: float, count: int) -> list[tuple[float, float]]:
    ends = [first + i * size for i in range(count + 1)]
    return [(short(a), short(b + (OVERLAP if b < ends[-1] else 0))) for a, b in pairwise(ends)]


def _colours(figure: Figure) -> list[Colour]:
    """Each that is used, but for those of the cells."""
    found = {figure.background}
    for mark in figure.flat():
        if isinstance(mark, Heat):
            found |= {mark.hatch, mark.light_ink, mark.dark_ink}
        elif isinstance(mark, Box):
            found |= {each for each in (mark.fill, mark.stroke, mark.hatch) if each}
        else:
            found.add(mark.colour)
    return sorted(found)


def _name(colour: Colour) -> str:
    return f"txviz{colour[1:].upper()}"


def _at(x: float, y: float) -> str:
    return f"({short(x)},{short(y)})"


def _points(pixels: float) -> float:
    return short(pixels * PIXEL)
