"""Where tensors stand in the sheets of a workbook, and how formulas name their cells.

A matrix stands as it does on the page. Of more axes one matrix stands below the other, with a line between them; a
vector is one row.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from txviz.ops import Index


@dataclass(frozen=True)
class Table:
    """One tensor: where its first number stands, counted from 0."""

    sheet: str
    top: int
    left: int
    shape: tuple[int, ...]
    near: bool = True
    """Whether the formula that names it stands on the same sheet."""

    @cached_property
    def height(self) -> int:
        """How many lines it takes."""
        return self.place((*(n - 1 for n in self.shape),))[0] - self.top + 1 if 0 not in self.shape else 0

    def read_on(self, sheet: str) -> Table:
        return replace(self, near=sheet == self.sheet)

    def place(self, index: Index) -> tuple[int, int]:
        """Row and column in the sheet."""
        *stack, row, column = (0,) * (2 - len(index)) + index
        block = 0
        for at, size in zip(stack, self.shape[: len(stack)], strict=True):
            block = block * size + at
        rows = self.shape[-2] if len(self.shape) > 1 else 1
        return self.top + block * (rows + 1) + row, self.left + column

    def cell(self, index: Index) -> str:
        return self._named(here(*self.place(index)))

    def row(self, before: Index, count: int | None = None) -> str:
        """All numbers of the last axis, or the first of them."""
        return self._span((*before, 0), (*before, (self.shape[-1] if count is None else count) - 1))

    def column(self, index: Index) -> str:
        """All numbers of the last axis but one: ``index`` has none for that."""
        *stack, column = index
        return self._span((*stack, 0, column), (*stack, self.shape[-2] - 1, column))

    @property
    def spans(self) -> list[str]:
        """All of it: one for each matrix."""
        if len(self.shape) < 2:
            return [self.row(())] if self.shape else [self.cell(())]
        rows, columns = self.shape[-2:]
        stacks = np.ndindex(*self.shape[:-2])
        return [self._span((*stack, 0, 0), (*stack, rows - 1, columns - 1)) for stack in stacks]

    def cells(self, indices: Iterable[Index]) -> list[str]:
        """These cells; those that stand below each other as one."""
        runs: list[list[tuple[int, int]]] = []
        for place in map(self.place, indices):
            if runs and place == (runs[-1][-1][0] + 1, runs[-1][-1][1]):
                runs[-1].append(place)
            else:
                runs.append([place])
        return [self._named(here(*run[0]) if len(run) == 1 else f"{here(*run[0])}:{here(*run[-1])}") for run in runs]

    def _span(self, first: Index, last: Index) -> str:
        return self._named(f"{here(*self.place(first))}:{here(*self.place(last))}")

    def _named(self, cells: str) -> str:
        return cells if self.near else f"'{self.sheet}'!{cells}"


def here(row: int, column: int) -> str:
    """
    >>> here(4, 27)
    'AB5'
    """
    letters = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return f"{letters}{row + 1}"
