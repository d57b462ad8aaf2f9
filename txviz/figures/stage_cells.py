"""The cells of a stage that is drawn, to be shown in part: a film fills them in, a worksheet leaves them blank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from txviz.figures.marks import Colour, Figure, Group, Heat, Mark
from txviz.figures.panels import Panel
from txviz.figures.stage import Stage
from txviz.figures.theme import rgb
from txviz.ops import Array, Index


class Result(NamedTuple):
    panel: Panel
    cells: Heat
    """As many as the panel has, or fewer, where those are too small to be seen."""

    def place(self, row: int, column: int) -> int:
        """Which of the cells that are drawn stands for one of the panel, counted row by row."""
        rows, columns = self.panel.grid.values.shape
        return int(row * self.cells.rows // rows * self.cells.columns + column * self.cells.columns // columns)

    def cell(self, place: int) -> Index:
        """A cell of the tensor, and the first where one that is drawn stands for many."""
        rows, columns = self.panel.grid.values.shape
        row, column = divmod(place, self.cells.columns)
        return self.panel.grid.index(row * rows // self.cells.rows, column * columns // self.cells.columns)


def heats_by_place(figure: Figure) -> dict[tuple[float, float], Heat]:
    """All that is drawn as cells, by its left and top: those of a panel are where the panel is."""
    return {(mark.x, mark.y): mark for mark in figure.flat() if isinstance(mark, Heat)}


def drawn_cells(made: Stage, figure: Figure) -> list[Result]:
    """The cells of each tensor, as they are drawn."""
    heats = heats_by_place(figure)
    return [Result(panel, heats[panel.x, panel.y]) for panel in made.panels]


def results(made: Stage, figure: Figure) -> list[Result]:
    """The same of what the step made."""
    return [each for each in drawn_cells(made, figure) if each.panel.grid.output]


def without(marks: Sequence[Mark], cells: Sequence[Heat]) -> tuple[Mark, ...]:
    """All but these cells; their captions, frames and labels stay."""
    gone = set(map(id, cells))
    inside = (replace(m, marks=without(m.marks, cells)) if isinstance(m, Group) else m for m in marks)
    return tuple(mark for mark in inside if id(mark) not in gone)


def only(mark: Heat, shown: Array, under: Colour) -> Heat:  # shown: (rows·columns,), true where a cell is there
    """The same grid with the others left empty."""
    colours = np.frombuffer(mark.colours, np.uint8).reshape(-1, 3)
    kept = np.where(shown[:, None], colours, np.array(rgb(under), np.uint8))
    texts = tuple(text if there else "" for text, there in zip(mark.texts, shown.tolist(), strict=False))
    infinite = (np.frombuffer(mark.infinite, bool) & shown).tobytes() if mark.infinite else b""
    return replace(mark, colours=kept.tobytes(), texts=texts, infinite=infinite)
