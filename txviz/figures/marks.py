"""Figures as plain data: marks on a page, measured in pixels from the top left.

Whatever shows a figure (the window, a file writer) draws its marks one after the other and knows nothing of tensors.
Marks are frozen and compare by value, so that tests read what is drawn without looking at pixels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, hypot
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from txviz.ops import Array

Colour: TypeAlias = str
"""``#rrggbb``."""

Anchor: TypeAlias = Literal["start", "middle", "end"]

Outline: TypeAlias = tuple[tuple[str, tuple[float, ...]], ...]
"""A filled shape: ("M", (x, y)), ("L", (x, y)), ("Q", (x1, y1, x, y)), ("C", (x1, y1, x2, y2, x, y)), ("Z", ())."""

HATCH_STEP, HATCH_WIDTH = 6, 0.7
"""Hatching is lines where x + y is a multiple of the step, from the lower left to the upper right."""

PIXELS_PER_INCH = 96
"""As in CSS: a figure of 960 pixels is 10 inches wide. Times this, a scale is a resolution in DPI."""

TEXT_DROP = 0.36
"""How far below the middle of a cell the baseline of its number is, by the size of the text."""


@dataclass(frozen=True, slots=True)
class Text:
    """One line of text. ``y`` is its baseline; ``turn`` turns it anticlockwise about (x, y), in degrees."""

    x: float
    y: float
    text: str
    size: float
    colour: Colour
    anchor: Anchor = "start"
    bold: bool = False
    mono: bool = False
    turn: float = 0


@dataclass(frozen=True, slots=True)
class Line:
    x1: float
    y1: float
    x2: float
    y2: float
    colour: Colour
    width: float = 1


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle, filled, outlined or both; ``hatch`` draws slanting lines of that colour over it."""

    x: float
    y: float
    width: float
    height: float
    fill: Colour | None = None
    stroke: Colour | None = None
    stroke_width: float = 1
    radius: float = 0
    hatch: Colour | None = None


@dataclass(frozen=True, slots=True)
class Heat:
    """A grid of coloured cells, with a number in each where they fit.

    One mark and not a thousand boxes: the window draws it as one image, a file as an image or as boxes.
    """

    x: float
    y: float
    cell_width: float
    cell_height: float
    rows: int
    columns: int
    colours: bytes
    """Red, green and blue of each cell, row by row."""

    infinite: bytes = b""
    """For each cell 1 where it is −∞, so it is drawn as hatched, and 0 elsewhere; nothing where none is."""

    hatch: Colour = "#808080"
    texts: tuple[str, ...] = ()
    """One for each cell, row by row, or none at all."""

    inks: bytes = b""
    """For each text 1 where it stands on a dark cell, so it has to be light; 0 elsewhere."""

    light_ink: Colour = "#ffffff"
    dark_ink: Colour = "#000000"
    text_size: float = 0
    thumbnail: bool = False
    """Shows a pattern, so that it may be small; all else of it stands elsewhere."""

    @property
    def width(self) -> float:
        return self.columns * self.cell_width

    @property
    def height(self) -> float:
        return self.rows * self.cell_height

    @property
    def hatched(self) -> tuple[int, ...]:
        """Which cells are, counted row by row."""
        return tuple(cell for cell, infinite in enumerate(self.infinite) if infinite)

    @property
    def hatched_areas(self) -> list[CellArea]:
        """The same in rectangles: a mask of a thousand tokens hides half a million cells, and one run in each row."""
        return cell_areas(np.frombuffer(self.infinite, bool).reshape(self.rows, self.columns)) if self.infinite else []


class CellArea(NamedTuple):
    """Cells of a grid that fill a rectangle."""

    row: int
    column: int
    rows: int
    columns: int


def cell_areas(chosen: Array) -> list[CellArea]:  # (n,m) of true and false
    """The chosen cells in rectangles: runs of each row, and those that go on below as one.

    >>> cell_areas(np.array([[False, True, True], [False, True, True], [True, True, False]]))
    [CellArea(row=0, column=1, rows=2, columns=2), CellArea(row=2, column=0, rows=1, columns=2)]
    """
    edges = np.diff(np.pad(chosen, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    rows, starts = np.nonzero(edges == 1)
    found: dict[tuple[int, int, int], CellArea] = {}  # by the row below them, and the columns they are in
    for row, start, stop in zip(rows.tolist(), starts.tolist(), np.nonzero(edges == -1)[1].tolist(), strict=True):
        above = found.pop((row, start, stop), None) or CellArea(row, start, 0, stop - start)
        found[row + 1, start, stop] = above._replace(rows=above.rows + 1)
    return sorted(found.values())


@dataclass(frozen=True, slots=True)
class Shape:
    """A filled outline, such as a typeset formula, made larger by ``scale`` and moved to (x, y)."""

    x: float
    y: float
    scale: float
    outline: Outline
    colour: Colour
    latex: str = ""
    """Of a formula: what it says, for formats that have formulas of their own, and for whoever can't see it."""


@dataclass(frozen=True, slots=True)
class Arrow:
    """A line through some points, with a head at its end. ``source`` and ``target`` are the groups that it joins."""

    points: tuple[tuple[float, float], ...]
    colour: Colour
    width: float = 1
    head: float = 0
    """The length of the head; 0 for none."""

    source: str = ""
    target: str = ""

    @property
    def parts(self) -> tuple[Line | Shape, ...]:
        """The same as lines and a triangle, for whatever has no arrows of its own. Corners overlap, so none gapes."""
        points = [*self.points[:-1], self._neck]
        lines: list[Line | Shape] = []
        for i, ((x1, y1), (x2, y2)) in enumerate(pairwise(points)):
            length = hypot(x2 - x1, y2 - y1)
            if length:
                beyond = self.width / 2 / length if i < len(points) - 2 else 0.0
                lines.append(Line(x1, y1, x2 + (x2 - x1) * beyond, y2 + (y2 - y1) * beyond, self.colour, self.width))
        return (*lines, Shape(*self.points[-1], 1, self._tip, self.colour)) if self.head else tuple(lines)

    @property
    def _direction(self) -> tuple[float, float]:
        (x1, y1), (x2, y2) = self.points[-2:]
        length = hypot(x2 - x1, y2 - y1) or 1.0
        return (x2 - x1) / length, (y2 - y1) / length

    @property
    def _neck(self) -> tuple[float, float]:
        """Where the line ends, inside the head."""
        (x, y), (dx, dy) = self.points[-1], self._direction
        return x - dx * self.head * 0.8, y - dy * self.head * 0.8

    @property
    def _tip(self) -> Outline:
        (dx, dy), long, half = self._direction, self.head, self.head * 0.45
        left = (-dx * long - dy * half, -dy * long + dx * half)
        right = (-dx * long + dy * half, -dy * long - dx * half)
        return (("M", (0.0, 0.0)), ("L", left), ("L", right), ("Z", ()))


@dataclass(frozen=True, slots=True)
class Group:
    """Marks that belong together, such as a tensor with its caption and labels; a file keeps them together, too."""

    name: str
    marks: tuple[Mark, ...]


def hatch_lines(
    left: float, top: float, right: float, bottom: float
) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """The hatching of a rectangle: lines where x + y is a multiple of the step, so that those of neighbours meet."""
    sums = range(ceil((left + top) / HATCH_STEP) * HATCH_STEP, ceil(right + bottom), HATCH_STEP)
    return [((max(left, s - bottom), min(bottom, s - left)), (min(right, s - top), max(top, s - right))) for s in sums]


Mark: TypeAlias = "Text | Line | Box | Heat | Shape | Arrow | Group"


@dataclass(frozen=True, slots=True)
class Figure:
    """A page with marks on it, drawn in order."""

    width: float
    height: float
    background: Colour
    marks: tuple[Mark, ...]

    def flat(self) -> Iterator[Text | Line | Box | Heat | Shape]:
        """All marks in order, out of their groups; arrows as lines and heads."""
        return _flat(self.marks)


def _flat(marks: Iterable[Mark]) -> Iterator[Text | Line | Box | Heat | Shape]:
    for mark in marks:
        if isinstance(mark, Group):
            yield from _flat(mark.marks)
        elif isinstance(mark, Arrow):
            yield from mark.parts
        else:
            yield mark
