"""Coloured cells with their numbers, as large as they fit, or none where nobody could read them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf

import numpy as np

from txviz.figures.colour_scale import Span, reach
from txviz.figures.grid import Grid
from txviz.figures.marks import Heat
from txviz.figures.numerals import LEAST_HEIGHT, cell_form
from txviz.figures.panels import Panel, heat
from txviz.figures.style import Style
from txviz.figures.views.page import Area
from txviz.ops import Array
from txviz.trace import Parameter, Step

LARGEST, LEGIBLE = 1.3, 7.5
"""The numbers in cells at most, by the size of the text; and at least, in pixels, on however small a page."""


@dataclass(frozen=True)
class BoardStyle(Style):
    least: float = LEGIBLE
    """How small the numbers in cells may become, in pixels: larger text for a large room must not drive them out."""


def panel_in(grid: Grid, area: Area) -> Panel:
    """The grid, its cells filling the area."""
    rows, columns = (max(n, 1) for n in grid.values.shape)
    return Panel(grid, area.x, area.y, area.width / columns, area.height / rows)


def learned_grid(source: Parameter | Step) -> Grid:
    """All of a parameter, without labels."""
    values = source.value.reshape(-1, source.value.shape[-1])
    return replace(plain_grid(values, reach(source), source.name), caption=source.site.labels[-1])


def plain_grid(values: Array, whole: Span, name: str = "") -> Grid:
    """Any matrix without labels; ``whole`` is the extent of the tensor that it is of."""
    rows, columns = map(np.arange, values.shape)
    drawn = (False, False, False, whole, cell_form(values))
    return Grid(name, False, "", "", values, (), (), rows, columns, (), 2, *drawn)


def numbers_width(style: BoardStyle, grid: Grid, row: float = inf) -> float:
    """How wide the matrix must be for numbers in all its cells; 0 where its rows are too low for them."""
    if row < style.least * LEAST_HEIGHT:
        return 0.0
    return style.least * grid.number_width * len(grid.column_ids)


def cells(panel: Panel, style: BoardStyle) -> Heat:
    """The cells of a panel with their numbers."""
    ends = style.extent_of(panel.grid.name, panel.grid.extent).crowd
    return heat(panel, replace(style, size=style.size * LARGEST), ends, style.least)


def learned_row(source: Parameter, row: int, area: Area, style: BoardStyle) -> Heat:
    """One row of a parameter, in the colours of all of it."""
    grid = plain_grid(source.value[row : row + 1], reach(source), source.name)
    return cells(panel_in(grid, area), style)
