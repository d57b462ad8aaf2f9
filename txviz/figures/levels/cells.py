"""Coloured cells with their numbers, as large as they fit, or none where nobody could read them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from txviz.figures import fonts, theme
from txviz.figures.marks import Heat
from txviz.figures.numerals import MOST_NUMBERS, widest, written
from txviz.figures.stage import Panel, heat
from txviz.figures.style import Style
from txviz.figures.tensors import Grid
from txviz.figures.views.page import Area
from txviz.ops import Array
from txviz.trace import Parameter, Step

LARGEST, SMALLEST, LEGIBLE = 1.3, 0.72, 7.5
"""The numbers in cells, by the size of the text; and in pixels, on however small a page."""

DECIMALS = 2
"""Of all numbers on a page: enough to follow the arithmetic, few enough to be read from the last row."""

NOTHING = np.zeros(0)


def panel_in(grid: Grid, area: Area) -> Panel:
    """The grid, its cells filling the area."""
    rows, columns = (max(n, 1) for n in grid.values.shape)
    return Panel(grid, area.x, area.y, area.width / columns, area.height / rows)


def learned_grid(source: Parameter | Step) -> Grid:
    """All of a parameter, without labels."""
    values = source.value.reshape(-1, source.value.shape[-1])
    rows, columns = map(np.arange, values.shape)
    end = theme.largest(values)
    return Grid(source.name, False, "", "", values, (), (), rows, columns, (), 2, False, False, False, end)


def number_width(style: Style, values: Array) -> float:
    """How wide a cell must be for the smallest numbers."""
    size = _smallest(style)
    return max((fonts.width(text, size) for text in widest(values, DECIMALS)), default=0.0) + size * 0.5


def cells(panel: Panel, style: Style, among: Array = NOTHING) -> Heat:
    """The cells of a panel; their numbers have as many decimals as those ``among`` which they are."""
    limit = style.scale if isinstance(style.scale, float | int) else panel.grid.largest
    plain = heat(panel, replace(style, numbers=False), float(limit))
    texts, size = _numbers(panel, style, among)
    painted = np.frombuffer(plain.colours, np.uint8).reshape(-1, 3)
    inks = theme.is_dark(painted).astype(np.uint8).tobytes() if texts else b""
    return replace(plain, texts=texts, inks=inks, text_size=size)


def learned_row(source: Parameter, row: int, area: Area, style: Style) -> Heat:
    """One row of a parameter, in the colours of all of it."""
    grid = learned_grid(source)
    return cells(panel_in(replace(grid, values=grid.values[row : row + 1]), area), style, grid.values)


def _numbers(panel: Panel, style: Style, among: Array) -> tuple[tuple[str, ...], float]:
    """The numbers and their size."""
    values = panel.grid.values
    if not style.numbers or values.size > MOST_NUMBERS or not values.size:
        return (), 0.0
    together = np.concatenate([values.ravel(), among.ravel()])
    unit = max((fonts.width(text, 1) for text in widest(together, DECIMALS)), default=0.0) + 0.5
    size = min(panel.cell_width / unit, panel.cell_height / 1.15, style.size * LARGEST)
    if size < _smallest(style):
        return (), 0.0
    return tuple(written(together, DECIMALS)[: values.size]), size


def _smallest(style: Style) -> float:
    return max(style.size * SMALLEST, LEGIBLE)
