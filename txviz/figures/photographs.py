"""Images in three colours, to be drawn as what they are: their colours, and which number is at which pixel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from txviz.figures.colour_scale import extent
from txviz.ops import Array, Index
from txviz.trace import Step
from txviz.trace.kept import kept
from txviz.trace.site import Site

COLOURS = 3
BRIGHTEST = {Site("photograph"): 255.0, Site("image"): 1.0}
"""What is white. Elsewhere that is the highest number of all, and the lowest is black."""


class Raster(Protocol):
    """An image as it is seen, of which one colour is looked at: where the numbers of that colour are."""

    @property
    def colours(self) -> Array:  # (rows,columns,3)
        """To look at, from 0 to 255."""

    def index(self, row: int, column: int) -> Index:
        """Which cell of the tensor is at a pixel."""

    def find(self, index: Index) -> tuple[int, int]:
        """The row and the column of the pixel that a cell of the tensor belongs to, whichever colour it is of."""

    def cells(self, value: Array) -> Array:  # -> (rows,columns)
        """Those of the colour that is looked at, of a tensor of the same shape."""


@dataclass(frozen=True, eq=False)
class Photograph:
    """(rows, columns, 3)."""

    colours: Array
    colour: int

    def index(self, row: int, column: int) -> Index:
        return row, column, self.colour

    def find(self, index: Index) -> tuple[int, int]:
        return index[0], index[1]

    def cells(self, value: Array) -> Array:  # (rows,columns,3) -> (rows,columns)
        return np.asarray(value[..., self.colour])


@dataclass(frozen=True, eq=False)
class CutPhotograph:
    """(patches, pixels): each patch is a row, with the three colours of a pixel one after the other."""

    colours: Array
    colour: int
    patch: tuple[int, int]

    @property
    def across(self) -> int:
        """How many patches stand side by side."""
        return int(self.colours.shape[1]) // self.patch[1]

    def index(self, row: int, column: int) -> Index:
        (down, inner_row), (across, inner_column) = divmod(row, self.patch[0]), divmod(column, self.patch[1])
        pixel = inner_row * self.patch[1] + inner_column
        return down * self.across + across, pixel * COLOURS + self.colour

    def find(self, index: Index) -> tuple[int, int]:
        (down, across), inner = divmod(index[0], self.across), divmod(index[1] // COLOURS, self.patch[1])
        return down * self.patch[0] + inner[0], across * self.patch[1] + inner[1]

    def cells(self, value: Array) -> Array:  # (T,pixels) -> (rows,columns)
        return np.asarray(_laid_out(value, self.patch, self.across)[..., self.colour])


def is_photograph(step: object) -> bool:
    """Whether it is an image in three colours."""
    return isinstance(step, Step) and step.axes == ("row", "column", "colour") and step.value.shape[-1] == COLOURS


def is_cut_photograph(step: object) -> bool:
    """Whether it is all patches of such an image."""
    return isinstance(step, Step) and step.op == "patchify" and is_photograph(step.sources[0])


def raster(step: Step, colour: int) -> Raster:
    """How a step is drawn that is an image in three colours, or the patches of one."""
    if is_photograph(step):
        return Photograph(colours_of(step), colour)
    high, wide = step.params["patch"]
    return CutPhotograph(colours_of(step), colour, (high, wide))


@kept
def colours_of(step: Step) -> Array:  # -> (rows,columns,3), whole numbers
    """The colours to look at, of an image or of its patches."""
    value = step.value
    if is_cut_photograph(step):
        high, wide = step.params["patch"]
        value = _laid_out(value, (high, wide), step.sources[0].value.shape[1] // wide)
    span = extent(value)
    black, white = (0.0, BRIGHTEST[step.site]) if step.site in BRIGHTEST else (span.low, span.high)
    share = (np.nan_to_num(value) - black) / ((white - black) or 1.0)
    return np.rint(np.clip(share, 0, 1) * 255).astype(np.uint8)


def original(step: Step) -> Step:
    """The photograph that an image was made from, before its numbers were changed; itself where it was given."""
    first = step.sources[0] if step.sources else None
    return original(first) if isinstance(first, Step) and is_photograph(first) else step


def _laid_out(value: Array, patch: tuple[int, int], across: int) -> Array:  # (T,pixels) -> (rows,columns,3)
    high, wide = patch
    tiles = value.reshape(-1, across, high, wide, COLOURS).swapaxes(1, 2)
    return tiles.reshape(-1, across * wide, COLOURS)
