"""What pictures of blocks are made of: a heading, matrices with captions and labels, and arrows for what was read.

What comes later than the step that the reader is at has not been computed yet: its frame is there, its numbers are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf, sqrt
from typing import NamedTuple, TypeAlias

import numpy as np

from txviz.figures import fonts, theme
from txviz.figures.colour_bar import colour_bar, scale_colours
from txviz.figures.formula import SIZE as FORMULA_SIZE
from txviz.figures.formula import typeset
from txviz.figures.levels.map_box import WORDS
from txviz.figures.levels.picture import NodeScene, Picture, Spot
from txviz.figures.marks import Anchor, Arrow, Box, Colour, Figure, Group, Heat, Line, Mark, Shape, Text
from txviz.figures.naming import counted
from txviz.figures.numerals import cell_form, cell_numbers, number_width
from txviz.figures.stage import Panel, heat
from txviz.figures.style import MARGIN, Style
from txviz.figures.tensors import Grid
from txviz.figures.views.page import LINE, MIDDLE, Area, stride, wrapped
from txviz.ops import Array
from txviz.trace import Parameter, Step
from txviz.trace.outline import Node
from txviz.trace.site import Site
from txviz.trace.symbols import symbol

PAGE = 1280.0, 720.0
"""On a page of this size the text has the size ``TEXT``; on others it grows and shrinks with the page."""

TEXT, SMALLEST_TEXT = 12.5, 7.5
LARGEST_NUMBER, SMALLEST_NUMBER = 1.3, 0.72
"""The numbers in cells, by the size of the text."""

DECIMALS = 2
"""Of all numbers on a page: enough to follow the arithmetic, few enough to be read from the last row."""

NOTHING = np.zeros(0)

HEADING = 1.35
"""The text of the heading, by the size of the text."""

_ANCHORS = {"start": 0.0, "middle": 0.5, "end": 1.0}
PALE = 0.4
"""How strong the colour of an arrow is to what is not computed yet."""

LINE_WIDTH, STREAM = 0.11, 0.42
"""Of arrows, and of those that are the stream, by the size of the text."""

ARROW = 0.62
"""The length of the head of an arrow, by the size of the text."""


Point: TypeAlias = tuple[float, float]


class Plate(NamedTuple):
    """A matrix at its place on the page."""

    step: Step
    panel: Panel
    area: Area

    @property
    def name(self) -> str:
        return self.step.name


class Board:
    """A page that is filled from the top and from the bottom; ``area`` is what is left of it."""

    def __init__(self, scene: NodeScene) -> None:
        self.scene = scene
        self.size = text_size(scene.width, scene.height, scene.style)
        self.style = replace(scene.style, size=self.size)
        self.theme = scene.style.theme
        self.area = Area(0, 0, scene.width, scene.height).grown(-MARGIN)
        self._marks: list[Mark] = []
        self._above: list[Mark] = []
        self._spots: list[Spot] = []
        self._others: list[Spot] = []
        self._places = {step.name: i for i, step in enumerate(scene.trace)}
        self._now = inf if scene.current is None else self._places[scene.current.name]

    def computed(self, step: Step) -> bool:
        """Whether the reader has come to it already."""
        return self._places.get(step.name, -1) <= self._now

    def is_current(self, step: Step) -> bool:
        return self.scene.current is not None and self.scene.current.name == step.name

    def add(self, name: str, *marks: Mark) -> None:
        if marks:
            self._marks.append(Group(name, marks))

    def picture(self) -> Picture:
        marks = (*self._marks, *([Group("current", tuple(self._above))] if self._above else ()))
        figure = Figure(self.scene.width, self.scene.height, self.theme.panel, marks)
        return Picture(figure, (*self._others, *self._spots))

    def heading(self, title: str, *formulas: str) -> None:
        """Title, formulas side by side, and what the colours mean, at the top."""
        size, style, area = self.size * HEADING, self.scene.style, self.area
        bar = self.size * 9
        room, marks, y = area.width - bar - size, list[Mark](), area.y
        if style.title:
            y += size * 1.5
            large = size * max(1.1, min(1.6, room / fonts.width(title, 1, bold=True) / size))
            marks.append(Text(area.x, y, fonts.elided(title, large, room), large, self.theme.text, bold=True))
        if style.formula and any(formulas):
            shown = typeset(r" \qquad ".join(filter(None, formulas)))
            scale = min(size * 1.5 / FORMULA_SIZE, (area.width if style.title else room) / max(shown.width, 1))
            y += size * 0.9 + shown.ascent * scale
            marks.append(Shape(area.x, y, scale, shown.outline, self.theme.text))
            y += shown.descent * scale
        self.add("heading", *marks)
        at = area.right - bar, area.y + self.size * 0.3, bar
        self.add("colours", *colour_bar(at, scale_colours(self.style, -1, 1, 1), ("−", "0", "+"), self.style))
        top = max(y + size * 0.9, area.y + self.size * 3)
        self.area = area._replace(y=top, height=area.bottom - top)

    def sentences(self, *said: str) -> None:
        """At the bottom, each on lines of its own."""
        size = self.size * 1.12
        lines = [line for text in said if text for line in wrapped(text, size, self.area.width)]
        top = self.area.bottom - len(lines) * size * LINE
        tops = (top + (i + 1) * size * LINE - size * 0.3 for i in range(len(lines)))
        marks = (Text(self.area.x, y, line, size, self.theme.text) for y, line in zip(tops, lines, strict=True))
        self.add("sentences", *marks)
        self.area = self.area._replace(height=top - size * (0.8 if lines else 0) - self.area.y)

    def plate(
        self, step: Step, grid: Grid, area: Area, *, rows: float = 0.0, columns: float = 0.0, apart: bool = False
    ) -> Plate:
        """The matrix of a step, its cells filling the area; beside it labels of its rows, in a room so wide, and above
        it those of its columns, in a room so high. Rows that have nothing to do with each other stand ``apart``."""
        panel = _panel(grid, area)
        marks = self._matrix(panel, area, apart) if self.computed(step) else [area.box(self.theme.line)]
        beside = self.row_labels(grid.row_labels, area, rows) if self.style.labels and rows else []
        above = self.column_labels(grid.column_labels, area, columns) if self.style.labels and columns else []
        self.add(step.name, *marks, *beside, *above)
        self.spot(step, area, panel=panel if self.computed(step) else None)
        return Plate(step, panel, area)

    def small_plate(self, step: Step, grid: Grid, area: Area, hint: str, among: Array = NOTHING) -> None:
        """Another matrix of a step that has its plate already; it has as many decimals as the numbers ``among``."""
        panel = _panel(grid, area)
        computed = self.computed(step)
        marks = [self._cells(panel, among), area.box(self.theme.line)] if computed else [area.box(self.theme.line)]
        self.add(step.name, *marks)
        self._others.append(Spot(area, step.name, hint, panel if computed else None))

    def parameter(self, reader: Step, which: int, area: Area) -> None:
        """What the model has learned is known from the start. It stands for the step that reads it."""
        source = reader.sources[which]
        self.add(source.name, *self._matrix(_panel(_learned(source), area), area))
        said = f"{source.site.title}, {'×'.join(map(str, source.value.shape))}, learned"
        self._others.append(Spot(area, reader.name, said))

    def spot(self, step: Step, area: Area, hint: str = "", panel: Panel | None = None) -> None:
        """A place that stands for the step; it lights up when the reader is there."""
        self._spots.append(Spot(area, step.name, hint or f"{step.title}, {step.dimensions}", panel))
        if self.is_current(step):
            self._above.append(area.grown(self.size * 0.2).box(self.theme.highlight, self.size * 0.2))

    def node_spot(self, node: Node, area: Area) -> None:
        """A place that stands for a block; it lights up when the reader is at one of its steps."""
        count = f", {counted(len(node.steps), 'step')}" if node.children else ""
        self._spots.append(Spot(area, node.name, f"{node_title(node) if node.children else node.first.title}{count}"))
        if self.scene.current is not None and self.scene.current in node.steps:
            self._above.append(area.grown(self.size * 0.2).box(self.theme.highlight, self.size * 0.2))

    def _matrix(self, panel: Panel, area: Area, apart: bool = False) -> list[Mark]:
        gaps = range(1, len(panel.grid.values)) if apart and panel.cell_height > self.size * 0.5 else ()
        tops = (area.y + i * panel.cell_height for i in gaps)
        between = (Line(area.x, y, area.right, y, self.theme.panel, self.size * 0.2) for y in tops)
        return [self._cells(panel), *between, area.box(self.theme.line)]

    def caption(
        self, step: Step | Parameter, x: float, baseline: float, room: float, name: str = "", shape: str = ""
    ) -> float:
        """The symbol, name and shape on one line, as much of that as fits; how wide it is."""
        size, gap, start = self.size, self.size * 0.4, x
        name, shape = name or short_name(step), shape or matrix_shape(step)
        after = fonts.width(shape, size * 0.92) + gap
        own = min(fonts.width(name, size, bold=True), max(room - after, room * 0.6))
        sign = typeset(symbol(step.site))
        scale = size * 1.25 / FORMULA_SIZE
        marks: list[Mark] = []
        if sign.width * scale + gap + own + after <= room:
            marks.append(Shape(x, baseline, scale, sign.outline, self.theme.text))
            x += sign.width * scale + gap
        shown = _elided(name, size, start + room - x, bold=True)
        marks.append(Text(x, baseline, shown, size, self.theme.text, bold=True))
        x += fonts.width(shown, size, bold=True)
        if x + after <= start + room + 0.01:
            marks.append(Text(x + gap, baseline, shape, size * 0.92, self.theme.muted))
            x += after
        self.add(f"caption of {step.name}", *marks)
        return x - start

    def caption_width(self, step: Step | Parameter, name: str = "", shape: str = "") -> float:
        """The room that a whole caption takes."""
        name, shape = name or short_name(step), shape or matrix_shape(step)
        sign = typeset(symbol(step.site)).width * self.size * 1.25 / FORMULA_SIZE
        words = fonts.width(name, self.size, bold=True) + fonts.width(shape, self.size * 0.92)
        return sign + words + self.size * 0.8 + 0.1

    def feed(self, parameter: Parameter, target: Step, *points: Point) -> None:
        """An arrow from what is learned to what is made with it."""
        self._lead(parameter.name, target.name, points, self.ink(target))

    def _lead(
        self, source: str, target: str, points: tuple[Point, ...], colour: Colour, width: float = LINE_WIDTH
    ) -> None:
        line = Arrow(points, colour, self.size * width, self.size * max(ARROW, width * 2.4), source, target)
        self.add(f"{target} reads {source}", line)

    def ink(self, step: Step) -> Colour:
        """Of what belongs to a step: pale before it is computed."""
        return self.theme.muted if self.computed(step) else theme.mixed(self.theme.muted, self.theme.panel, PALE)

    def arrow(self, source: Step, target: Step, *points: Point, label: str = "") -> None:
        """From what was read to what was made of it; the label, in LaTeX, stands above the middle of its last part."""
        self._lead(source.name, target.name, points, self.ink(target))
        if label:
            (x1, y1), (x2, y2) = points[-2:]
            self.formula(label, (x1 + x2) / 2, (y1 + y2) / 2 - self.size * 0.6, self.ink(target), "middle")

    def stream(self, source: Step, target: Step, start: Point, end: Point, colour: Colour) -> None:
        """The thick line of the residual stream."""
        colour = colour if self.computed(target) else theme.mixed(colour, self.theme.panel, PALE)
        self._lead(source.name, target.name, (start, end), colour, STREAM)

    def join(self, source: Step | Node, target: Node, *points: Point) -> None:
        """From a step or a block to a block that reads it."""
        self._lead(source.name, target.name, points, self.ink(target.first))

    def sign(self, sign: str, source: Step, target: Step, x: float, y: float) -> None:
        """A sign between matrices: the target is made with the source."""
        mark = Text(x, y + self.size * 0.6, sign, self.size * 1.7, self.ink(target), "middle")
        self.add(f"{target.name} reads {source.name}", mark)

    def chip(self, step: Step, right: float, y: float) -> float:
        """A step by its name alone, which ends at the right; where it begins."""
        size, name = self.size, short_name(step)
        wide = fonts.width(name, size) + size * 1.2
        area = Area(right - wide, y - size, wide, size * 1.7)
        text = Text(area.centre[0], area.centre[1] + size * MIDDLE, name, size, self.ink(step), "middle")
        self.add(step.name, Box(*area, stroke=self.theme.line, radius=size * 0.4), text)
        self.spot(step, area)
        return area.x

    def formula(
        self, latex: str, x: float, y: float, colour: Colour, anchor: Anchor = "start", size: float = 1.1
    ) -> Area:
        """A formula on the baseline y, so large by the size of the text, and where it is."""
        shown, scale = typeset(latex), self.size * size / FORMULA_SIZE
        wide = shown.width * scale
        left = x - _ANCHORS[anchor] * wide
        self.add("formula", Shape(left, y, scale, shown.outline, colour))
        return Area(left, y - shown.ascent * scale, wide, (shown.ascent + shown.descent) * scale)

    def formula_width(self, latex: str, size: float = 1.1) -> float:
        return typeset(latex).width * self.size * size / FORMULA_SIZE if latex else 0.0

    def write(self, x: float, y: float, text: str, colour: Colour, anchor: Anchor = "start", size: float = 1.0) -> Area:
        """A text of this size by that of all texts, and where it is."""
        high = self.size * size
        self.add("words", Text(x, y, text, high, colour, anchor))
        wide = fonts.width(text, high)
        return Area(x - _ANCHORS[anchor] * wide, y - high * 0.8, wide, high * 1.1)

    def row_labels(self, labels: Sequence[str], area: Area, room: float) -> list[Mark]:
        """To the left of the area, every one that fits, so wide at most."""
        size, pitch = self.size, area.height / max(len(labels), 1)
        return [
            Text(
                area.x - size * 0.4,
                area.y + (i + 0.5) * pitch + size * MIDDLE,
                fonts.elided(labels[i], size, room - size * 0.4),
                size,
                self.theme.muted,
                "end",
            )
            for i in range(0, len(labels), stride(pitch, size * 1.05))
        ]

    def column_labels(self, labels: Sequence[str], area: Area, room: float) -> list[Mark]:
        """Above the area, turned where they are too wide; none where the room is too low for turned ones."""
        size, pitch = self.size, area.width / max(len(labels), 1)
        widths = [fonts.width(label, size) for label in labels]
        y = area.y - size * 0.4
        middles = [area.x + (j + 0.5) * pitch for j in range(len(labels))]
        if max(widths, default=0.0) + size * 0.3 <= pitch:
            return [
                Text(x, y, label, size, self.theme.muted, "middle") for x, label in zip(middles, labels, strict=True)
            ]
        if room < size * 1.8:
            return []
        return [
            Text(
                middles[j] + size * MIDDLE,
                y,
                fonts.elided(labels[j], size, room - size * 0.5),
                size,
                self.theme.muted,
                turn=90,
            )
            for j in range(0, len(labels), stride(pitch, size * 1.05))
        ]

    def column_label_height(self, labels: Sequence[str], width: float, most: float) -> float:
        """The room that the labels of columns need above a matrix of this width."""
        if not self.style.labels:
            return 0.0
        longest = max((fonts.width(label, self.size) for label in labels), default=0.0)
        if longest + self.size * 0.3 <= width / max(len(labels), 1):
            return self.size * 1.35
        return min(longest + self.size * 0.6, most)

    def row_label_width(self, labels: Sequence[str], most: float) -> float:
        if not self.style.labels or not any(labels):
            return 0.0
        return min(max(fonts.width(label, self.size) for label in labels) + self.size * 0.4 + 0.1, most)

    def number_width(self, values: Array) -> float:
        """How wide a cell must be for the smallest numbers."""
        size = self.size * SMALLEST_NUMBER
        return size * number_width(values, cell_form(values, DECIMALS))

    def learned_cells(self, source: Parameter, row: int, area: Area) -> Heat:
        """One row of what is learned, in the colours of all of it."""
        grid = _learned(source)
        return self._cells(_panel(replace(grid, values=grid.values[row : row + 1]), area), grid.values)

    def _cells(self, panel: Panel, among: Array = NOTHING) -> Heat:
        limit = self.style.scale if isinstance(self.style.scale, float | int) else panel.grid.largest
        cells = heat(panel, replace(self.style, numbers=False), float(limit))
        texts, size = self._numbers(panel, among)
        painted = np.frombuffer(cells.colours, np.uint8).reshape(-1, 3)
        inks = theme.is_dark(painted).astype(np.uint8).tobytes() if texts else b""
        return replace(cells, texts=texts, inks=inks, text_size=size)

    def _numbers(self, panel: Panel, among: Array) -> tuple[tuple[str, ...], float]:
        """The numbers as large as fits, all with the same decimals; none where they would be too small to read."""
        values = panel.grid.values
        if not values.size:
            return (), 0.0
        together = np.concatenate([values.ravel(), among.ravel()])
        form = cell_form(together, DECIMALS)
        across = number_width(together, form) if number_width(values, form) else 0.0
        largest = replace(self.style, size=self.size * LARGEST_NUMBER)
        cell = panel.cell_width, panel.cell_height
        return cell_numbers(values, form, cell, across, largest, self.size * SMALLEST_NUMBER)


def text_size(width: float, height: float, style: Style) -> float:
    """The size of texts on a page: it follows the page, and half of what is wished for."""
    page = min(width / PAGE[0], height / PAGE[1])
    wished = max(0.9, min(1.3, sqrt(style.size / 12)))
    return max(SMALLEST_TEXT, TEXT * page * wished)


def node_title(node: Node) -> str:
    """``time 3 · decoder 0 · feed-forward``, in words that a newcomer knows."""
    labels = node.first.site._replace(leaf="", block=None if node.level == "layer" else node.first.site.block).labels
    return " · ".join(WORDS.get(label, label) for label in labels)


def short_name(step: Step | Parameter) -> str:
    """What it is called inside its block."""
    return step.site.labels[-1] if isinstance(step, Parameter) else step.title.rpartition(" · ")[2]


def near_name(step: Step, site: Site) -> str:
    """What it is called by who stands at a site: without the levels that both are in."""
    here = site.labels
    shared = next((i for i, label in enumerate(step.site.labels) if here[i : i + 1] != (label,)), 0)
    return " · ".join(step.title.split(" · ")[shared:])


def matrix_shape(step: Step | Parameter) -> str:
    """Of the matrix that is shown: ``6×16``."""
    return "×".join(map(str, step.value.shape[-2:])) or "1"


def _learned(source: Parameter | Step) -> Grid:
    """All of it, without labels."""
    values = source.value.reshape(-1, source.value.shape[-1])
    rows, columns = map(np.arange, values.shape)
    end = theme.largest(values)
    form = cell_form(values, DECIMALS)
    return Grid(source.name, False, "", "", values, (), (), rows, columns, (), 2, False, False, False, end, form)


def _panel(grid: Grid, area: Area) -> Panel:
    rows, columns = (max(n, 1) for n in grid.values.shape)
    return Panel(grid, area.x, area.y, area.width / columns, area.height / rows)


def _elided(text: str, size: float, room: float, *, bold: bool = False) -> str:
    """Bold letters are wider, so that the room is less by as much."""
    wide = fonts.width(text, size, bold=bold)
    return text if wide <= room else fonts.elided(text, size, room * 0.94)
