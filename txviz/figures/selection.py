"""A part of a tensor that can be changed by hand: a cell, the row or the column that one sees, a head, or all of it.

Rows and columns are those of the screen: in a matrix that is drawn turned, a row is a column of the tensor.
"""

from __future__ import annotations

from math import prod
from typing import Literal, NamedTuple

from txviz.figures.grid import Grid
from txviz.figures.naming import cell_name, name
from txviz.ops import Array, Index
from txviz.trace import Step
from txviz.trace.step import Parameter, Place, index_of

Kind = Literal["cell", "row", "column", "head", "all"]


class Target(NamedTuple):
    """A cell of a tensor on the stage."""

    source: Step | Parameter
    grid: Grid
    cell: Index

    @property
    def value(self) -> float:
        return float(self.source.value[self.cell])


class Selection(NamedTuple):
    kind: Kind
    source: Step | Parameter
    place: Place
    words: str
    """What it is called: ``row “cat”``."""

    @property
    def name(self) -> str:
        """As an edit writes it: ``encoder.0.attention.weights[1,:,2]``."""
        return self.source.name + written(self.place)

    @property
    def values(self) -> Array:
        return self.source.value[index_of(self.place)]

    @property
    def size(self) -> int:
        return prod(n for n, i in zip(self.source.value.shape, self.place, strict=True) if i is None)

    @property
    def cells(self) -> Place:
        """The place, written in the same way whoever chose these cells: an axis of one place is all of it."""
        return tuple(None if n == 1 else i for n, i in zip(self.source.value.shape, self.place, strict=True))

    def set_to(self, values: str) -> str:
        """The edit that puts these numbers there."""
        return f"{self.name}={values}"

    def scaled(self, factor: str) -> str:
        return f"{self.name}*={factor}"


def written(place: Place) -> str:
    """
    >>> written((1, None, 2)), written((1, None, None)), written((None,)), written(())
    ('[1,:,2]', '[1]', '', '')
    """
    while place and place[-1] is None:
        place = place[:-1]
    return f"[{','.join(':' if i is None else str(i) for i in place)}]" if place else ""


def numbers(values: Array) -> str:
    """Exactly, as an edit takes them.

    >>> import numpy as np
    >>> numbers(np.array([0.1, -3.0])), numbers(np.array(7))
    ('0.1, -3.0', '7')
    """
    return ", ".join(str(x) for x in values.ravel().tolist())


def selections(target: Target) -> list[Selection]:
    """From the cell to all of the tensor; of those that are the same cells, one."""
    source, grid, index = target
    rank = source.value.ndim
    found = [Selection("cell", source, index, _cell(target))]
    if rank > 1 and not grid.raster:
        across, down = (rank - 1, rank - 2) if not grid.turned else (rank - 2, rank - 1)
        found += [
            Selection("row", source, _every(index, across), f"row {_at(target, down)}"),
            Selection("column", source, _every(index, down), f"column {_at(target, across)}"),
        ]
    if rank > 2 and not grid.raster:
        heads = [_at(target, axis) for axis in range(rank - 2) if source.value.shape[axis] > 1]
        found.append(Selection("head", source, (*index[:-2], None, None), ", ".join(heads)))
    found.append(Selection("all", source, (None,) * rank, f"all of {source.site.path[-1]}"))
    cells = [each.cells for each in found]
    larger = (each for i, each in enumerate(found) if each.size > 1 and each.cells not in cells[i + 1 :])
    return [found[0], *larger]


def _every(index: Index, axis: int) -> Place:
    return tuple(None if k == axis else i for k, i in enumerate(index))


def _at(target: Target, axis: int) -> str:
    """What stands at the cell's place of an axis: “cat”, feature 3, or the label beside a weight."""
    source, grid, index = target
    if isinstance(source, Step):
        return name(source, axis, index[axis])
    row, column = grid.find(index) or (0, 0)
    upright = (axis == source.value.ndim - 1) == grid.turned
    return (grid.row_labels[row] if upright else grid.column_labels[column]) or str(index[axis])


def _cell(target: Target) -> str:
    source, _, index = target
    if isinstance(source, Step):
        return cell_name(source, index)
    return f"{source.name}[{', '.join(map(str, index))}]" if index else source.name
