"""The gradients of a training step, from the loss back: a bar for each layer, and a heat map for each matrix."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from txviz.figures import fonts
from txviz.figures.colour_scale import Span
from txviz.figures.grid import Grid
from txviz.figures.levels.board import Board
from txviz.figures.levels.cells import BoardStyle, cells, learned_grid, panel_in
from txviz.figures.levels.sections import bar_colour, section
from txviz.figures.levels.training_steps import Layer, Learned, TrainingSteps
from txviz.figures.marks import Box, Heat, Text
from txviz.figures.naming import counted
from txviz.figures.numerals import trimmed
from txviz.figures.stage import Panel
from txviz.figures.theme import largest
from txviz.figures.views.page import MIDDLE, Area, bar_length
from txviz.ops import Array
from txviz.ops.arithmetic import number
from txviz.trace import Parameter, Step
from txviz.trace.kept import kept

NAMES, BARS, FOOT, BETWEEN = 11.0, 0.26, 1.7, 0.35
"""The most that names take, the share of the bars, the line below, and the room between maps."""

LONGEST, EXCERPT, END = 200, 16, 3.0
"""Of a table with more rows, so many are shown; and where colours end, by the root mean square."""

FLATTEST, THICK, ROW = 3.0, 1.5, 1.25
"""A map is at most so many times as wide as high, or as high as wide; how thick a bar may be, and how high a row must
be."""


def draw_gradients(board: Board, steps: TrainingSteps, area: Area) -> None:
    inside = section(board, area, "2 · Gradients, from the loss back", [steps.trace.outline.find("backward")])
    _Gradients(board, steps, inside).draw()


@dataclass(frozen=True, eq=False)
class _Gradients:
    board: Board
    steps: TrainingSteps
    area: Area

    def draw(self) -> None:
        for i, layer in enumerate(self.layers):
            row = Area(self.area.x, self.area.y + i * self.pitch, self.area.width, self.pitch)
            self._name(layer, row)
            self._bar(layer, row)
            self._maps(layer, row)
        self._together()

    @cached_property
    def layers(self) -> list[Layer]:
        return self.steps.layers(int((self.area.height - FOOT * self.board.size) / (ROW * self.board.size)))

    @cached_property
    def lit(self) -> str:
        """The innermost of the nodes around the step that the reader is at."""
        outline, current = self.steps.trace.outline, self.board.scene.current
        around = (layer.node for layer in self.layers if current in outline.find(layer.node).steps)
        return max(around, key=len, default="")

    @cached_property
    def pitch(self) -> float:
        return (self.area.height - FOOT * self.board.size) / len(self.layers)

    @cached_property
    def names(self) -> float:
        size = self.board.size
        widest = max(fonts.width(layer.title, size) for layer in self.layers)
        return min(widest, NAMES * size) + size * 0.6

    @cached_property
    def numbers(self) -> float:
        return max(fonts.width(self._written(layer), self.board.size) for layer in self.layers)

    def _written(self, layer: Layer) -> str:
        return number(layer.norm, 2)

    @cached_property
    def bars(self) -> Area:
        """Where bars are, without their numbers."""
        x = self.area.x + self.names
        wide = max(self.area.width * BARS - self.numbers, self.board.size * 3)
        return self.area._replace(x=x, width=wide)

    @cached_property
    def maps(self) -> Area:
        x = self.bars.right + self.numbers + self.board.size * 1.4
        return self.area._replace(x=x, width=self.area.right - x)

    @cached_property
    def side(self) -> float:
        """How high a map is: the same in all rows, and as large as fits."""
        side = self.pitch * 0.86
        for layer in self.layers:
            aspects = self._aspects(layer)
            while side > 1 and self._flow(aspects, side)[-1].bottom > self.pitch:
                side *= 0.94
        return side

    def _aspects(self, layer: Layer) -> list[float]:
        return [_map(each.gradient).aspect for each in layer.matrices]

    def _flow(self, aspects: list[float], side: float) -> list[Area]:
        """Where the maps of a row are, from its top on: side by side, in as many lines as it takes."""
        gap, x, y, found = BETWEEN * self.board.size, self.maps.x, 0.0, [Area(self.maps.x, 0.0, 0.0, 0.0)]
        for aspect in aspects:
            wide = side * aspect
            if x + wide > self.maps.right and x > self.maps.x:
                x, y = self.maps.x, y + side + gap
            found.append(Area(x, y, wide, side))
            x += wide + gap
        return found

    def _computed(self, layer: Layer) -> bool:
        return all(self.board.computed(each.gradient) for each in layer.members)

    def _name(self, layer: Layer, row: Area) -> None:
        board, size = self.board, self.board.size
        name = fonts.elided(layer.title, size, self.names - size * 0.6)
        text = Text(row.x, row.centre[1] + size * MIDDLE, name, size, board.ink(layer.members[-1].gradient))
        board.add("layers", text)
        node = self.steps.trace.outline.find(layer.node)
        area = row._replace(width=self.maps.x - row.x - size * 0.4)
        board.node_spot(node, area, lights=layer.node == self.lit)

    def _bar(self, layer: Layer, row: Area) -> None:
        board, size, bars = self.board, self.board.size, self.bars
        if not self._computed(layer):
            return
        most = largest(np.array([each.norm for each in self.layers]))
        thick, long = min(self.pitch * 0.6, THICK * size), bar_length(bars.width, layer.norm / most)
        box = Box(bars.x, row.centre[1] - thick / 2, long, thick, bar_colour(board, layer.members[0].gradient.site))
        board.add("norms", box)
        x, y = bars.x + long + size * 0.4, row.centre[1] + size * MIDDLE
        board.add("norms in numbers", Text(x, y, self._written(layer), size, board.theme.text))

    def _maps(self, layer: Layer, row: Area) -> None:
        _, *places = self._flow(self._aspects(layer), self.side)
        above = row.y + (row.height - places[-1].bottom) / 2 if places else row.y
        for each, place in zip(layer.matrices, places, strict=True):
            self._map(each, place._replace(y=above + place.y))

    def _map(self, each: Learned, area: Area) -> None:
        panel = panel_in(_map(each.gradient).grid, area)
        heat = _map(each.gradient).heat(panel, self.board.style)
        self.board.thumbnail(each.gradient, panel, heat, area, _hint(each))

    def _together(self) -> None:
        """How long all are together, and what becomes of that."""
        board, size, length = self.board, self.board.size, self.steps.length
        total = counted(sum(each.before.value.size for each in self.steps.learned), "number")
        if length is None:
            board.write(self.area.x, self.area.bottom - size * 0.3, f"A slope for each of {total}.", board.theme.muted)
            return
        limit, whole = float(length.params.get("limit", np.inf)), float(length.value)
        kept = "not clipped" if whole <= limit else f"all clipped to {trimmed(limit)}"
        text = f"All together: norm {number(whole, 3)}, {kept}."
        shown = fonts.elided(text if board.computed(length) else "All together", size, self.area.width)
        board.spot(length, board.write(self.area.x, self.area.bottom - size * 0.3, shown, board.ink(length)))


@dataclass(frozen=True, eq=False)
class _Map:
    grid: Grid
    aspect: float
    """Its width by its height."""

    _painted: dict[str, Heat] = field(default_factory=dict)

    def heat(self, panel: Panel, style: BoardStyle) -> Heat:
        """Painted once in each theme: there are many, and they are the same on every page."""
        name = style.theme.name
        if name not in self._painted:
            self._painted[name] = cells(panel, replace(style, numbers=False))
        width, height = panel.cell_width, panel.cell_height
        return replace(self._painted[name], x=panel.x, y=panel.y, cell_width=width, cell_height=height)


@kept
def _map(gradient: Step) -> _Map:
    grid = _grid(gradient)
    rows, columns = grid.values.shape
    return _Map(grid, float(max(1 / FLATTEST, min(FLATTEST, columns / max(rows, 1)))))


def _grid(gradient: Step) -> Grid:
    """All of it; of a long table, most of whose rows nobody read, those with the strongest gradients.

    Few numbers are large: colours end where most are, so that the others can be seen, too.
    """
    value, rows = gradient.value, np.arange(len(gradient.value))
    if len(value) > LONGEST:
        strength = np.abs(value).max(axis=-1)
        rows = np.argsort(-strength, kind="stable")[: max(1, min(EXCERPT, np.count_nonzero(strength)))]
    grid = learned_grid(Parameter(gradient.name, value[rows], gradient.site))
    return replace(grid, row_ids=rows, extent=Span.around_0(_end(grid.values)))


def _end(values: Array) -> float:
    """So far beyond the root of their mean square; by the largest, whose square may be more than numbers get."""
    most = largest(values)
    sizes = np.where(np.isfinite(values), values, 0.0) / most
    return min(END * float(np.sqrt(np.mean(sizes**2))) * most, float(np.finfo(float).max))


def _hint(each: Learned) -> str:
    shown, (rows, columns) = len(_map(each.gradient).grid.values), each.before.value.shape
    cut = f" (the {shown} strongest of its rows)" if shown < rows else ""
    return f"Gradient of {each.before.site.title}, {rows}×{columns}{cut}, norm {number(each.norm, 3)}"
