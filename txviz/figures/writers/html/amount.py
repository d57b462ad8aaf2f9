"""How much of a run goes into a page: which heads, numbers and arithmetic, and how sharp its matrices are.

A small run goes in whole. Of a large one, what is largest goes first, and the page says so where it is looked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np

from txviz.figures.grid import Grid
from txviz.figures.place import full_place, leading
from txviz.figures.tensors import grids
from txviz.ops import Index
from txviz.trace import Step

MOST_SHOWN = 4_000_000
"""Cells of all figures. Where all heads would be more, only one is in the file."""

MOST_SHARP = 4_000_000
"""Cells of all figures, of which a pixel may have one. Where there are more, some are drawn as one: all weights of a
GPT-2 small with all their cells would be a hundred megabytes."""

MOST_VALUES, MOST_NUMBERS = 20_000, 1_500_000
"""Cells of a matrix whose numbers are in the file, five bytes each, and of all of them. Of larger ones it has only the
colours."""

MOST_EXPLAINED = 120_000
"""Cells with their arithmetic in the file, some thirty bytes each. Where there are more, the largest go without."""


class Amount(NamedTuple):
    steps: Sequence[Step]
    places: Sequence[list[Index]]
    """Of each step: the places of its leading axes that are in the file."""

    grids: Sequence[Sequence[Grid]]
    """Of each step: what its figure shows at one place; at all places they are alike."""

    @property
    def dots(self) -> float:
        """Cells of a pixel that are told apart."""
        cells = sum(_size(each, at) for each, at in zip(self.grids, self.places, strict=True))
        return min(1.0, sqrt(MOST_SHARP / max(cells, 1)))

    @property
    def most_numbers(self) -> int:
        """The size of the largest matrices whose numbers are in the file."""
        sizes = {  # one that several steps read is written once
            (grid.name, grid.place, grid.values.shape): (grid.values.size, len(at) if grid.place else 1)
            for each, at in zip(self.grids, self.places, strict=True)
            for grid in each
        }
        in_order = sorted(size for size in sizes.values() if size[0] <= MOST_VALUES)
        together = np.cumsum([size * count for size, count in in_order])
        fitting = int(np.searchsorted(together, MOST_NUMBERS, side="right"))
        return MOST_VALUES if fitting == len(in_order) else in_order[fitting][0] - 1

    @property
    def explained(self) -> list[bool]:
        """Which steps have the arithmetic in the file: from the smallest on, as many as there is room for."""
        made = [[grid for grid in each if grid.output] for each in self.grids]
        sizes = [_size(each, at) for each, at in zip(made, self.places, strict=True)]
        chosen, room = [False] * len(sizes), MOST_EXPLAINED
        for i in sorted(range(len(sizes)), key=lambda i: sizes[i]):
            chosen[i] = sizes[i] <= room
            room -= sizes[i]
        return chosen


def measured(steps: Sequence[Step], place: Index) -> Amount:
    """``place`` is the head to show where there is no room for all of them."""
    places = [list(np.ndindex(*leading(step))) for step in steps]
    shown = [_grids(step, at[0]) for step, at in zip(steps, places, strict=True)]
    if sum(_size(each, at) for each, at in zip(shown, places, strict=True)) > MOST_SHOWN:
        places = [[full_place(place, leading(step))] for step in steps]
    return Amount(steps, places, shown)


def _grids(step: Step, place: Index) -> list[Grid]:
    read, made = grids(step, place)
    return [*read, *made]


def _size(some: Sequence[Grid], places: list[Index]) -> int:
    """Cells at all of the places."""
    return len(places) * sum(grid.values.size for grid in some)
