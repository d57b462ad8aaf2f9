"""Coloured cells with their numbers, as large as they fit, or none where nobody could read them."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np

from txviz.figures import theme
from txviz.figures.marks import Heat
from txviz.figures.numerals import LEAST_HEIGHT, cell_form
from txviz.figures.panels import Panel, heat
from txviz.figures.style import Style
from txviz.figures.tensors import Grid
from txviz.figures.views.page import Area
from txviz.trace import Parameter, Step

LARGEST, SMALLEST, LEGIBLE = 1.3, 0.72, 7.5
"""The numbers in cells, by the size of the text; and in pixels, on however small a page."""


def panel_in(grid: Grid, area: Area) -> Panel:
    """The grid, its cells filling the area."""
    rows, columns = (max(n, 1) for n in grid.values.shape)
    return Panel(grid, area.x, area.y, area.width / columns, area.height / rows)


def learned_grid(source: Parameter | Step) -> Grid:
    """All of a parameter, without labels."""
    values = source.value.reshape(-1, source.value.shape[-1])
    rows, columns = map(np.arange, values.shape)
    drawn = (False, False, False, theme.largest(values), cell_form(values))
    return Grid(source.name, False, "", "", values, (), (), rows, columns, (), 2, *drawn)


def numbers_width(style: Style, grid: Grid, row: float = inf) -> float:
    """How wide the matrix must be for numbers in all its cells; 0 where its rows are too low for them."""
    if row < _smallest(style) * LEAST_HEIGHT:
        return 0.0
    return _smallest(style) * grid.number_width * len(grid.column_ids)


def cells(panel: Panel, style: Style) -> Heat:
    """The cells of a panel with their numbers."""
    limit = style.scale if isinstance(style.scale, float | int) else panel.grid.largest
    return heat(panel, replace(style, size=style.size * LARGEST), float(limit), _smallest(style))


def learned_row(source: Parameter, row: int, area: Area, style: Style) -> Heat:
    """One row of a parameter, in the colours of all of it."""
    grid = learned_grid(source)
    return cells(panel_in(replace(grid, values=grid.values[row : row + 1]), area), style)


def _smallest(style: Style) -> float:
    return max(style.size * SMALLEST, LEGIBLE)
