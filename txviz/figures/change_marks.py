"""Marks over a step's grids: a double frame around cells that were put in by hand, and a corner on each cell that is
not as it is without edits. They are told apart by their shapes, and not by a colour alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from txviz.figures.marks import Box, Mark, Outline, Shape
from txviz.figures.panels import Panel
from txviz.figures.theme import Theme
from txviz.ops import Array
from txviz.trace import Step
from txviz.trace.step import Parameter, cells_at

CORNER = 0.28
"""The size of a corner by that of its cell."""

LARGEST_CORNER = 8.0
MOST_CORNERS = 4000
"""Cells of one grid; of more, too small to see, all are framed together."""


def edited_frames(panel: Panel, source: Step | Parameter, theme: Theme) -> Iterator[Mark]:
    """Around each place that was changed by hand, as far as it is shown."""
    for place in source.edited:
        rows, columns = np.nonzero(panel.grid.same_cells(cells_at([place], source.value.shape)))
        if len(rows):
            x, y, width, height = panel.box([(rows.min(), columns.min()), (rows.max(), columns.max())])
            yield Box(x, y, width, height, stroke=theme.text, stroke_width=4)
            yield Box(x, y, width, height, stroke=theme.panel, stroke_width=1.4)


def changed_corners(panel: Panel, changed: Array, theme: Theme) -> Iterator[Mark]:
    """A small triangle in the upper right corner of each cell of the tensor that changed, as far as it is shown."""
    rows, columns = np.nonzero(panel.grid.same_cells(changed))
    if not len(rows):
        return
    if len(rows) > MOST_CORNERS:
        cells = [(int(rows.min()), int(columns.min())), (int(rows.max()), int(columns.max()))]
        yield Box(*panel.box(cells), stroke=theme.highlight, stroke_width=1.2)
        return
    size = min(LARGEST_CORNER, CORNER * min(panel.cell_width, panel.cell_height))
    yield Shape(panel.x, panel.y, 1, _corners(panel, rows, columns, size), theme.highlight)


def _corners(panel: Panel, rows: Array, columns: Array, size: float) -> Outline:
    outline: list[tuple[str, tuple[float, ...]]] = []
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        right, top = (column + 1) * panel.cell_width - 1, row * panel.cell_height + 1
        outline += [("M", (right - size, top)), ("L", (right, top)), ("L", (right, top + size)), ("Z", ())]
    return tuple(outline)
