"""A head as a matrix: queries down, keys across, one coloured cell for each weight."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import floor
from typing import NamedTuple

from txviz.figures import fonts, theme
from txviz.figures.colour_scale import Span
from txviz.figures.marks import Colour, Heat, Mark, Text
from txviz.figures.numerals import cell_numbers, number_width, roomy_form
from txviz.figures.style import Style
from txviz.figures.views.heads import NOTHING, Head, Pair
from txviz.figures.views.page import LINE, MIDDLE, Area, rows_of, stride
from txviz.ops import Array

LARGEST_CELL = 8.0
GAP = 0.4
"""Between the labels and the cells. Both by the size of the text."""


class Layout(NamedTuple):
    grid: Area
    left: float
    """The width of the queries' labels."""
    top: float
    """The height of the keys' labels."""
    turned: bool
    """Whether the keys' labels are turned, because a cell is too narrow for them."""


@dataclass(frozen=True, eq=False)
class Matrix:
    """Labels on both sides: shortened where long, turned where cells are narrow, every second where they are small."""

    head: Head
    area: Area
    style: Style

    @cached_property
    def colours(self) -> Array:  # (queries,keys,3)
        """The colour of each cell, as drawn."""
        return theme.colours(self.style.theme, self.head.weights, self.style.ends_of(Span.around_0(self.head.limit)))

    @property
    def grid(self) -> Area:
        return self.layout.grid

    @cached_property
    def layout(self) -> Layout:
        """Cells as large as they can be, square, and centred across together with their labels."""
        size, (rows, columns) = self.style.size, self.head.weights.shape
        line, gap = (size * LINE, size * GAP) if self.style.labels else (0.0, 0.0)
        left = min(fonts.widest(self.head.queries, size), self.area.width * 0.3) if self.style.labels else 0.0
        longest = fonts.widest(self.head.keys, size) if self.style.labels else 0.0
        wide = self.area.width - left - line - 2 * gap
        high = self.area.height - line - gap
        turned = longest + gap > min(wide / columns, (high - line) / rows, LARGEST_CELL * size)
        top = min(longest, max(line, high * 0.25)) if turned else line
        side = max(0.5, min(wide / columns, (high - top) / rows, LARGEST_CELL * size))
        side = float(floor(side)) if side >= 4 else side
        start = self.area.x + line + left + 2 * gap + max(0.0, (wide - side * columns) / 2)
        return Layout(Area(start, self.area.y + line + top + gap, side * columns, side * rows), left, top, turned)

    @property
    def cell(self) -> float:
        """The side of a cell."""
        return self.grid.width / len(self.head.keys)

    def pair_at(self, x: float, y: float) -> tuple[int, int] | None:
        """The query and the key at this point."""
        if not self.grid.contains(x, y):
            return None
        return int((y - self.grid.y) // self.cell), int((x - self.grid.x) // self.cell)

    def box(self, pair: Pair) -> Area:
        """Around a cell, the row of a query, or the column of a key."""
        (query, key), grid, cell = pair, self.grid, self.cell
        x, y = grid.x + (key or 0) * cell, grid.y + (query or 0) * cell
        return Area(x, y, grid.width if key is None else cell, grid.height if query is None else cell)

    def marks(self, pair: Pair = NOTHING) -> list[Mark]:
        colours = self.style.theme
        marks: list[Mark] = [self._heat, self.grid.box(colours.line)]
        if self.style.labels:
            marks += [*self._queries(pair[0]), *self._keys(pair[1]), *self._names()]
        return marks if pair == NOTHING else [*marks, self.box(pair).box(colours.highlight, 2)]

    @cached_property
    def _heat(self) -> Heat:
        rows, columns = self.head.weights.shape
        weights, style = self.head.weights, self.style
        form = roomy_form(weights, self.cell / style.size) if style.numbers else ""
        texts, size = cell_numbers(weights, form, (self.cell, self.cell), number_width(weights, form), style)
        return Heat(
            self.grid.x,
            self.grid.y,
            self.cell,
            self.cell,
            rows,
            columns,
            rows_of(self.colours),
            texts=texts,
            inks=rows_of(theme.is_dark(self.colours)) if texts else b"",
            dark_ink=theme.DARK_INK,
            text_size=size,
        )

    def _ink(self, marked: bool) -> Colour:
        return self.style.theme.highlight if marked else self.style.theme.text

    def _queries(self, marked: int | None) -> list[Mark]:
        size, grid, room = self.style.size, self.grid, self.layout.left
        x, down = grid.x - size * GAP, grid.y + self.cell / 2 + size * MIDDLE
        return [
            Text(x, down + i * self.cell, fonts.elided(label, size, room + 1), size, self._ink(i == marked), "end")
            for i, label in self._shown(self.head.queries)
        ]

    def _keys(self, marked: int | None) -> list[Mark]:
        size, grid, layout = self.style.size, self.grid, self.layout
        y = grid.y - size * GAP
        if not layout.turned:
            middles = [(grid.x + (j + 0.5) * self.cell, label) for j, label in enumerate(self.head.keys)]
            return [Text(x, y, label, size, self._ink(j == marked), "middle") for j, (x, label) in enumerate(middles)]
        across, room = grid.x + self.cell / 2 + size * MIDDLE, layout.top + 1
        return [
            Text(across + j * self.cell, y, fonts.elided(label, size, room), size, self._ink(j == marked), turn=90)
            for j, label in self._shown(self.head.keys)
        ]

    def _shown(self, labels: tuple[str, ...]) -> list[tuple[int, str]]:
        return list(enumerate(labels))[:: stride(self.cell, self.style.size * 1.1)]

    def _names(self) -> list[Mark]:
        """Which axis is which."""
        size, muted, layout = self.style.size, self.style.theme.muted, self.layout
        across, down = layout.grid.centre
        aside = layout.grid.x - 2 * size * GAP - layout.left
        above = layout.grid.y - 2 * size * GAP - layout.top
        return [
            Text(aside - size * 0.25, down, "query", size, muted, "middle", turn=90),
            Text(across, above, "key", size, muted, "middle"),
        ]
