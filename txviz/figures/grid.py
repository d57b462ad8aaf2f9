"""One matrix of a tensor as it is drawn: its rows and columns, their labels, and which cells of the tensor they are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from txviz.figures.colour_scale import Span
from txviz.figures.numerals import number_width
from txviz.figures.photographs import Raster
from txviz.ops import Array, Index

FIRST_HEAD = " · head 0"

Labels = tuple[str, ...]

Axis = tuple[str, Labels]
"""Of a matrix: "row" or "column" where the result has it, "inner" where it is summed over; and all its labels."""


@dataclass(frozen=True, eq=False)
class Grid:
    """A matrix of a tensor, with what is needed to find a cell of the tensor in it and back."""

    name: str
    """Of the step or parameter."""

    output: bool
    """Whether this is what the step made, and not what it read."""

    caption: str
    shape: str
    values: Array  # (rows,columns)
    row_labels: Labels
    column_labels: Labels
    row_ids: Array
    column_ids: Array
    place: Index
    rank: int
    turned: bool
    """Rows and columns are swapped: a transposed matrix, or a vector that stands upright."""

    picture: bool
    """Pixels of the input, to be shown in grey, or in their own colours where there is a raster."""

    square: bool
    """An image as it is seen, so that its cells are to be square."""

    extent: Span
    """From the lowest number of the whole tensor to its highest: colours are the same, whichever matrix is shown."""

    form: str = ".2f"
    """How its numbers are written, the same in every matrix of the tensor; what ``format`` takes."""

    row_axis: Axis = ("row", ())
    column_axis: Axis = ("column", ())
    """Whole, where only some of their entries are shown."""

    marked: tuple[int, int] | None = None
    """The row and the column of the chosen cell, if it is here."""

    raster: Raster | None = None
    """Of an image in three colours, which is drawn as it is seen; the ``values`` are those of one of its colours."""

    @cached_property
    def number_width(self) -> float:
        """Of a cell in which each of its numbers fits, by the size of the text; 0 where it has too many of them."""
        return 0.0 if self.raster else number_width(self.values, self.form)

    @property
    def scaled(self) -> bool:
        """Whether the colours of its cells stand for numbers on a scale."""
        return not self.counts and not (self.raster and self.picture)

    @property
    def called(self) -> str:
        """Its caption, whichever head and way round is shown."""
        return self.caption.removesuffix(FIRST_HEAD).removesuffix("ᵀ")

    @property
    def counts(self) -> bool:
        """Whole numbers name something (a token, a class): their size means nothing, so they have no colour."""
        return self.values.dtype.kind in "iub"

    @cached_property
    def key(self) -> tuple[Any, ...]:
        """The same of grids that have the same cells of a run in the same rows and columns."""
        return self.name, self.place, self.turned, self.row_ids.tobytes(), self.column_ids.tobytes()

    def shows_as(self, other: Grid) -> bool:
        """Whether the other has the same entries of the tensor in the same rows and columns."""
        both = ((self.row_ids, other.row_ids), (self.column_ids, other.column_ids))
        return all(np.array_equal(mine, theirs) for mine, theirs in both)

    def index(self, row: int, column: int) -> Index:
        """Which cell of the tensor stands in this row and column."""
        return self._index(int(self.row_ids[row]), int(self.column_ids[column]))

    @property
    def indices(self) -> list[Index]:
        """The same of all cells, row by row."""
        columns = self.column_ids.tolist()
        return [self._index(i, j) for i in self.row_ids.tolist() for j in columns]

    def _index(self, i: int, j: int) -> Index:
        if self.raster:
            return self.raster.index(i, j)
        if self.turned:
            i, j = j, i
        return (*self.place, i, j) if self.rank > 1 else (j,) if self.rank else ()

    def same_cells(self, value: Array) -> Array:  # -> (rows,columns)
        """The cells that are shown, of another tensor of the same shape."""
        if not self.rank:
            return value.reshape(1, 1)
        if self.raster:
            return np.asarray(self.raster.cells(value)[np.ix_(self.row_ids, self.column_ids)])
        rows, columns = (self.column_ids, self.row_ids) if self.turned else (self.row_ids, self.column_ids)
        if self.rank == 1:
            return value[columns].reshape(self.values.shape)
        cut = value[self.place][np.ix_(rows, columns)]
        return np.asarray(cut.T if self.turned else cut)

    def find(self, index: Index) -> tuple[int, int] | None:
        """Where a cell of the tensor stands, if it is shown; an index for other axes is none of its cells."""
        if len(index) != self.rank or (self.rank > 1 and not self.raster and index[:-2] != self.place):
            return None
        i, j = self._cell(index)
        row, column = self._rows.get(i), self._columns.get(j)
        return None if row is None or column is None else (row, column)

    def find_all(self, indices: Iterable[Index]) -> list[tuple[int, int]]:
        """Where those of some cells stand that are shown; as ``find`` says it, but quickly."""
        if self.rank < 2 or self.raster:
            return [place for place in map(self.find, indices) if place is not None]
        down, across = (self._columns, self._rows) if self.turned else (self._rows, self._columns)
        here = [index[-2:] for index in indices if len(index) == self.rank and index[:-2] == self.place]
        found = [(down[i], across[j]) for i, j in here if i in down and j in across]
        return [(row, column) for column, row in found] if self.turned else found

    def _cell(self, index: Index) -> tuple[int, int]:
        """The row and the column of a cell, where all of them are shown."""
        if self.raster:
            return self.raster.find(index)
        i, j = index[-2:] if self.rank > 1 else (0, index[0]) if self.rank else (0, 0)
        return (j, i) if self.turned else (i, j)

    @cached_property
    def largest(self) -> tuple[int, int] | None:
        """The row and the column of the number that is farthest from 0; of such as are as far, the first."""
        if not self.values.size:
            return None
        ends = [int(self.values.argmax()), int(self.values.argmin())]
        sizes = np.abs(self.values.reshape(-1)[ends])
        if np.isfinite(sizes).all():
            place = min(end for end, size in zip(ends, sizes, strict=True) if size == sizes.max())
        else:
            place = int(np.abs(np.where(np.isfinite(self.values), self.values, 0)).argmax())
        row, column = divmod(place, self.values.shape[1])
        return row, column

    @cached_property
    def _rows(self) -> dict[int, int]:
        return {i: row for row, i in enumerate(self.row_ids.tolist())}

    @cached_property
    def _columns(self) -> dict[int, int]:
        return {j: column for column, j in enumerate(self.column_ids.tolist())}


def unlabelled(grid: Grid) -> Grid:
    rows, columns = grid.values.shape
    return replace(grid, row_labels=("",) * rows, column_labels=("",) * columns)


def in_order(ids: Array) -> bool:  # (n,)
    """Whether entries stand as in the tensor; the likeliest words do not."""
    return bool((np.diff(ids) > 0).all())


def is_all(ids: Array, whole: int) -> bool:  # (n,)
    """Whether none of an axis is left out, and all stand as in the tensor."""
    return len(ids) == whole and in_order(ids)
