"""How the result of a step comes about: cells that fill in one by one, bars that rise, a mask that falls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from txviz.figures.film.motion import eased, faded, part
from txviz.figures.film.takes import Moving
from txviz.figures.marks import Box, Figure, Heat, Mark, Text
from txviz.figures.stage import Stage
from txviz.figures.stage_cells import Result, only, results
from txviz.figures.style import MARGIN
from txviz.figures.worked import shortened, worked
from txviz.ops import Index
from txviz.trace import Trace

LINE = 1.8
"""The room for the arithmetic of a cell below the tensors, by the size of the text."""

EVEN, SLOW = 12, 4
"""Of more cells than that, only the first few are shown one by one; the others follow faster and faster."""

MOST_PIECES = 600
"""More than these are too small to be seen moving, each by itself."""


def working(trace: Trace, made: Stage, figure: Figure) -> Moving:
    """What moves while the step works, before all that it reads."""
    found = results(made, figure)
    pieces = sum(result.cells.rows * result.cells.columns for result in found)
    if pieces <= MOST_PIECES and made.step.op == "softmax":
        return lambda share: [mark for result in found for mark in _risen(result, share)]
    if pieces <= MOST_PIECES and made.step.op == "mask" and any(result.cells.infinite for result in found):
        under = made.style.theme.panel
        return lambda share: [mark for result in found for mark in _fallen(result, share, under)]
    return _filling(trace, made, figure, found)


def _filling(trace: Trace, made: Stage, figure: Figure, found: Sequence[Result]) -> Moving:
    """One cell after the other, in the order of reading: the row meets the column, and the cell fills in."""
    sizes = [result.cells.rows * result.cells.columns for result in found]
    under = made.style.theme.panel

    @lru_cache(maxsize=1)
    def filled(done: int) -> tuple[Mark, ...]:
        marks: list[Mark] = []
        before = 0
        for result, size in zip(found, sizes, strict=True):
            marks.append(only(result.cells, np.arange(size) < done - before, under))
            if 0 <= done - 1 - before < size:
                marks += _made_from(trace, made, figure, result.cell(done - 1 - before))
            before += size
        return tuple(marks)

    return lambda share: filled(_done(share, sum(sizes)))


def _done(share: float, cells: int) -> int:
    if cells <= EVEN:
        return round(share * cells)
    return round(part(share, 0, 0.5) * SLOW + part(share, 0.5, 1) ** 2 * (cells - SLOW))


def _made_from(trace: Trace, made: Stage, figure: Figure, index: Index) -> list[Mark]:
    """The cell, what it was made from, and its arithmetic below."""
    explained, style = made.step.explain(index), made.style
    text = shortened(worked(trace, made.step, index, explained=explained), style.size, figure.width - 2 * MARGIN)
    line = Text(figure.width / 2, figure.height - MARGIN, text, style.size, style.theme.text, "middle", mono=True)
    return [*made.outlines(index, explained), line]


def _risen(result: Result, share: float) -> list[Mark]:
    """A bar in each cell, as high as its number; then the cells are full."""
    panel, cells = result
    if share > 0.9:
        return [cells]
    values = np.nan_to_num(panel.grid.values / (panel.grid.extent.limit or 1.0)).clip(0, 1)
    grown, full = eased(part(share, 0, 0.6)), eased(part(share, 0.75, 0.9))
    high = (values * grown * (1 - full) + full) * cells.cell_height
    return [_piece(cells, cell, h, cells.cell_height - h) for cell, h in enumerate(high.ravel().tolist()) if h > 0]


def _fallen(result: Result, share: float, under: str) -> list[Mark]:
    """The scores that stay, and from above what hides the others, row after row."""
    cells = result.cells
    hidden = np.frombuffer(cells.infinite, bool)
    marks = list(faded([only(cells, ~hidden, under)], part(share, 0, 0.25), under))
    for cell in cells.hatched:
        start = 0.25 + 0.45 * (cell // cells.columns) / cells.rows
        way = eased(part(share, start, start + 0.3))
        if way:
            drop = (1 - way) * (cell // cells.columns + 1) * cells.cell_height
            marks.append(replace(_piece(cells, cell, cells.cell_height, -drop), hatch=cells.hatch))
    return marks


def _piece(cells: Heat, cell: int, height: float, down: float) -> Box:
    row, column = divmod(cell, cells.columns)
    x, y = cells.x + column * cells.cell_width, cells.y + row * cells.cell_height + down
    fill = "#" + cells.colours[3 * cell : 3 * cell + 3].hex()
    return Box(x, y, cells.cell_width, height, fill)
