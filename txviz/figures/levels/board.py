"""What pictures of blocks are made of: a heading, matrices with captions and labels, and arrows for what was read.

What comes later than the step that the reader is at has not been computed yet: its frame is there, its numbers are not.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf, sqrt
from typing import NamedTuple, TypeAlias

import numpy as np

from txviz.figures import fonts, theme
from txviz.figures.formula import SIZE as FORMULA_SIZE
from txviz.figures.formula import typeset
from txviz.figures.grid import Grid
from txviz.figures.heading import Heading, heading
from txviz.figures.levels.cells import LEGIBLE, BoardStyle, cells, learned_grid, panel_in
from txviz.figures.levels.labels import column_labels, row_labels
from txviz.figures.levels.level_scales import level_legend, level_scales
from txviz.figures.levels.picture import NodeScene, Picture, Spot, Table
from txviz.figures.levels.titles import matrix_shape, node_title, short_name
from txviz.figures.marks import Anchor, Arrow, Box, Colour, Figure, Group, Heat, Line, Mark, Shape, Text
from txviz.figures.naming import counted
from txviz.figures.stage import Panel
from txviz.figures.style import MARGIN, Style
from txviz.figures.views.page import LINE, MIDDLE, Area, wrapped
from txviz.ops import Index
from txviz.trace import Parameter, Step
from txviz.trace.outline import Node
from txviz.trace.symbols import symbol

PAGE = 1280.0, 720.0
"""On a page of this size the text has the size ``TEXT``; on others it grows and shrinks with the page."""

TEXT, SMALLEST_TEXT, NARROW = 12.5, 9.0, 640.0
"""The text is no smaller than this, unless the page is narrower than that."""

MOST_PLACES = 1000
"""In a table; of more, nobody points at each."""

SMALLEST_NUMBER = 0.72
"""Of the numbers in cells, by the text that a page of this size has."""

HEADING = 1.2
"""The least size of the heading's text, by the size of the text."""

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
        least = least_number(scene.width, scene.height, scene.style)
        self.style = BoardStyle(**{**vars(scene.style), "size": self.size, "least": least})
        self.theme = scene.style.theme
        self.area = Area(0, 0, scene.width, scene.height).grown(-MARGIN)
        self._marks: list[Mark] = []
        self._above: list[Mark] = []
        self._spots: list[Spot] = []
        self._others: list[Spot] = []
        self._inner: list[Spot] = []
        self._legend: tuple[int, Heading] | None = None
        self.title = ""
        """What its heading says besides where it is."""

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
        self._explain_colours()
        marks = (*self._marks, *([Group("current", tuple(self._above))] if self._above else ()))
        figure = Figure(self.scene.width, self.scene.height, self.theme.panel, marks)
        return Picture(figure, (*self._others, *self._spots, *self._inner), title=self.title)

    def heading(self, title: str, *formulas: str, colours: bool = True, low: bool = False) -> None:
        """Title, formulas side by side, and what the colours mean, if anything: where the stage has them. On a picture
        that needs the height it is ``low``: the formulas are beside the colours, as large as fits there."""
        page, latex = self.scene, r" \qquad ".join(filter(None, formulas))
        where = node_title(page.node)
        self.title = "" if where and title.startswith(where) else title
        alone = not (latex or colours)
        style = replace(page.style, formula=page.style.formula and not (low or alone))
        made = heading(title, latex, page.width, page.height, style, self.size * HEADING)
        self.add("heading", *made.marks, *(self._low_formula(latex, made) if low and page.style.formula else ()))
        if colours:
            self._legend = len(self._marks), made
        bottom = made.bar[1] if alone else made.bottom  # a title by itself leaves the room for the colours
        self.area = self.area._replace(y=bottom, height=self.area.bottom - bottom)

    def _explain_colours(self) -> None:
        """Beside the heading, once it is known what is drawn."""
        if self._legend is not None:
            place, head = self._legend
            panels = [spot.panel for spot in (*self._others, *self._spots) if spot.panel is not None]
            found = level_scales((panel.grid for panel in panels), self.style)
            marks = level_legend(found, head, self.style)
            self._marks[place:place] = [Group("colours", tuple(marks))] if marks else []

    def _low_formula(self, latex: str, made: Heading) -> list[Mark]:
        shown, (left, top, _) = typeset(latex), made.bar
        room = left - self.area.x - self.size * 2, made.bottom - top - self.size
        scale = min(room[0] / shown.width, room[1] / (shown.ascent + shown.descent), self.size * 1.6 / FORMULA_SIZE)
        return [Shape(self.area.x, top + shown.ascent * scale, scale, shown.outline, self.theme.text, latex)]

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
        panel = panel_in(grid, area)
        marks = self._matrix(panel, area, apart) if self.computed(step) else [area.box(self.theme.line)]
        beside = row_labels(self.style, grid.row_labels, area, rows)
        above = column_labels(self.style, grid.column_labels, area, columns)
        self.add(step.name, *marks, *beside, *above)
        self.spot(step, area, panel=panel if self.computed(step) else None)
        return Plate(step, panel, area)

    def small_plate(self, step: Step, grid: Grid, area: Area, hint: str) -> None:
        """Another matrix of a step that has its plate already."""
        panel = panel_in(grid, area)
        self.thumbnail(step, panel, cells(panel, self.style), area, hint)

    def thumbnail(self, step: Step, panel: Panel, heat: Heat, area: Area, hint: str) -> None:
        """The cells of a step, made before; they have no numbers or are those of a plate that is there already."""
        computed = self.computed(step)
        marks = [replace(heat, thumbnail=True)] if computed else []
        self.add(step.name, *marks, area.box(self.theme.line))
        self._others.append(Spot(area, step.name, hint, panel if computed else None))

    def sketch(self, name: str, grid: Grid, area: Area, *, rows: float = 0.0) -> Panel:
        """A matrix that the run does not have, such as weights without their mask."""
        panel = panel_in(grid, area)
        self.add(name, *self._matrix(panel, area), *row_labels(self.style, grid.row_labels, area, rows))
        return panel

    def parameter(self, reader: Step, which: int, area: Area) -> None:
        """What the model has learned is known from the start. It stands for the step that reads it."""
        source = reader.sources[which]
        self.add(source.name, *self._matrix(panel_in(learned_grid(source), area), area))
        said = f"{source.site.title}, {'×'.join(map(str, source.value.shape))}, learned"
        self._others.append(Spot(area, reader.name, said))

    def spot(self, step: Step, area: Area, hint: str = "", panel: Panel | None = None) -> None:
        """A place that stands for the step; it lights up when the reader is there."""
        self._spots.append(Spot(area, step.name, hint or f"{step.title}, {step.dimensions}", panel))
        if self.is_current(step):
            self.light(area)

    def behind(self, step: Step, area: Area) -> None:
        """What was made on the way to what stands there, and has no place of its own."""
        self._others.append(Spot(area, step.name, f"{step.title}, {step.dimensions}"))
        if self.is_current(step):
            self.light(area)

    def place(self, step: Step, area: Area, hint: str, at: Index = ()) -> None:
        """A place inside another that says something of its own, and leads to the step, to a head or a cell of it."""
        self._inner.append(Spot(area, step.name, hint, at=at))

    def places(self, step: Step, area: Area, table: Table) -> None:
        """The same for rows and columns of them. Where they are very many, each is made when it is pointed at."""
        whole = Spot(area, step.name, f"{step.title}, {step.dimensions}", table=table)
        each = np.ndindex(table.rows, table.columns) if table.rows * table.columns <= MOST_PLACES else None
        self._inner += [whole] if each is None else [whole.place_in(table, i, j) for i, j in each]

    def offer(self, spot: Spot) -> None:
        """A place that stands for what its click asks for."""
        self._spots.append(spot)

    def node_spot(self, node: Node, area: Area, hint: str = "", *, lights: bool = True) -> None:
        """A place that stands for a block; it lights up when the reader is at one of its steps."""
        count = f", {counted(len(node.steps), 'step')}" if node.children else ""
        said = hint or f"{node_title(node) if node.children else node.first.title}{count}"
        self._spots.append(Spot(area, node.name, said))
        if lights and self.scene.current is not None and self.scene.current in node.steps:
            self.light(area)

    def light(self, area: Area) -> None:
        """Where the reader is."""
        self._above.append(area.grown(self.size * 0.2).box(self.theme.highlight, self.size * 0.2))

    def _matrix(self, panel: Panel, area: Area, apart: bool = False) -> list[Mark]:
        gaps = range(1, len(panel.grid.values)) if apart and panel.cell_height > self.size * 0.5 else ()
        tops = (area.y + i * panel.cell_height for i in gaps)
        between = (Line(area.x, y, area.right, y, self.theme.panel, self.size * 0.2) for y in tops)
        return [cells(panel, self.style), *between, area.box(self.theme.line)]

    def caption(
        self, step: Step | Parameter, x: float, baseline: float, room: float, name: str = "", shape: str = ""
    ) -> float:
        """The symbol, name and shape on one line, as much of that as fits; how wide it is."""
        size, gap, start = self.size, self.size * 0.4, x
        name, shape = name or short_name(step), shape or matrix_shape(step)
        after = fonts.width(shape, size * 0.92) + gap
        own = min(fonts.width(name, size, bold=True), max(room - after, room * 0.6))
        letter = symbol(step.site)
        sign = typeset(letter)
        scale = size * 1.25 / FORMULA_SIZE
        marks: list[Mark] = []
        if sign.width * scale + gap + own + after <= room:
            marks.append(Shape(x, baseline, scale, sign.outline, self.theme.text, letter))
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
        self,
        source: str,
        target: str,
        points: tuple[Point, ...],
        colour: Colour,
        width: float = LINE_WIDTH,
        verb: str = "reads",
    ) -> None:
        line = Arrow(points, colour, self.size * width, self.size * max(ARROW, width * 2.4), source, target)
        self.add(f"{target} {verb} {source}", line)

    def ink(self, step: Step) -> Colour:
        """Of what belongs to a step: pale before it is computed."""
        return self.tinted(self.theme.muted, step)

    def tinted(self, colour: Colour, step: Step) -> Colour:
        """A colour, or a pale one before the step is computed."""
        return colour if self.computed(step) else theme.mixed(colour, self.theme.panel, PALE)

    def arrow(self, source: Step, target: Step, *points: Point, label: str = "") -> None:
        """From what was read to what was made of it; the label, in LaTeX, stands above the middle of its last part."""
        self._lead(source.name, target.name, points, self.ink(target))
        if label:
            (x1, y1), (x2, y2) = points[-2:]
            self.formula(label, (x1 + x2) / 2, (y1 + y2) / 2 - self.size * 0.6, self.ink(target), "middle")

    def pointer(self, name: str, colour: Colour, *points: Point) -> None:
        """An arrow that stands for no read."""
        self.add(name, Arrow(points, colour, self.size * LINE_WIDTH, self.size * ARROW))

    def stream(self, source: Step, target: Step, start: Point, end: Point, colour: Colour) -> None:
        """The thick line of the residual stream."""
        self._lead(source.name, target.name, (start, end), self.tinted(colour, target), STREAM)

    def join(self, source: Step | Node, target: Node, *points: Point, verb: str = "reads") -> None:
        """From a step or a block to a block that reads it, or that uses what was made of it earlier."""
        self._lead(source.name, target.name, points, self.ink(target.first), verb=verb)

    def sign(self, sign: str, source: Step, target: Step, x: float, y: float) -> None:
        """A sign between matrices: the target is made with the source."""
        mark = Text(x, y + self.size * 0.6, sign, self.size * 1.7, self.ink(target), "middle")
        self.add(f"{target.name} reads {source.name}", mark)

    def chip_width(self, step: Step) -> float:
        return fonts.width(short_name(step), self.size) + self.size * 1.2

    def chip(self, step: Step, right: float, y: float) -> Area:
        """A step by its name alone, which ends at the right; where it is."""
        size, name, wide = self.size, short_name(step), self.chip_width(step)
        area = Area(right - wide, y - size, wide, size * 1.7)
        text = Text(area.centre[0], area.centre[1] + size * MIDDLE, name, size, self.ink(step), "middle")
        self.add(step.name, Box(*area, stroke=self.theme.line, radius=size * 0.4), text)
        self.spot(step, area)
        return area

    def formula(
        self, latex: str, x: float, y: float, colour: Colour, anchor: Anchor = "start", size: float = 1.1
    ) -> Area:
        """A formula on the baseline y, so large by the size of the text, and where it is."""
        shown, scale = typeset(latex), self.size * size / FORMULA_SIZE
        wide = shown.width * scale
        left = x - _ANCHORS[anchor] * wide
        self.add("formula", Shape(left, y, scale, shown.outline, colour, latex))
        return Area(left, y - shown.ascent * scale, wide, (shown.ascent + shown.descent) * scale)

    def formula_width(self, latex: str, size: float = 1.1) -> float:
        return typeset(latex).width * self.size * size / FORMULA_SIZE if latex else 0.0

    def write(self, x: float, y: float, text: str, colour: Colour, anchor: Anchor = "start", size: float = 1.0) -> Area:
        """A text of this size by that of all texts, and where it is."""
        high = self.size * size
        self.add("words", Text(x, y, text, high, colour, anchor))
        wide = fonts.width(text, high)
        return Area(x - _ANCHORS[anchor] * wide, y - high * 0.8, wide, high * 1.1)


def text_size(width: float, height: float, style: Style) -> float:
    """The size of texts on a page: it follows the page, and half of what is wished for, up to where numbers lose."""
    page = min(width / PAGE[0], height / PAGE[1])
    wished = max(0.9, min(1.225, sqrt(style.size / 12)))
    return max(SMALLEST_TEXT * min(1.0, width / NARROW), TEXT * page * wished)


def least_number(width: float, height: float, style: Style) -> float:
    """The smallest size of numbers in cells: it follows the page alone."""
    plain = min(text_size(width, height, style), TEXT * min(width / PAGE[0], height / PAGE[1]))
    return max(plain * SMALLEST_NUMBER, LEGIBLE)


def _elided(text: str, size: float, room: float, *, bold: bool = False) -> str:
    """Bold letters are wider, so that the room is less by as much."""
    wide = fonts.width(text, size, bold=bold)
    return text if wide <= room else fonts.elided(text, size, room * 0.94)
