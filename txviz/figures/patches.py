"""The image that a model read, cut into patches: where they are, and what they are called."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from txviz.figures.area import Area
from txviz.figures.marks import Colour, Line, Text
from txviz.figures.photographs import colours_of, is_photograph, original
from txviz.figures.theme import DARK_INK, LIGHT, LIGHT_INK, LUMINANCE, greys, is_dark, levels
from txviz.ops import Array, Index
from txviz.trace import Step, Trace
from txviz.trace.kept import kept

BORDER = LIGHT.stages[1]
"""Of patches on pixels, in every theme: it is seen on black and on white, and is no grey."""

HALO = LIGHT_INK
"""Beside those borders on colours, of which some are like theirs."""

LETTER_AIR = 0.3
"""Beside the letter of a patch, by its size."""

LETTER_BASE = 0.12 + 0.75
LETTER_HEIGHT = LETTER_BASE + 0.13
"""How far down in a pixel it stands, and what it takes of its height with some air below it, by its size."""

MOST_NAMED = 3
"""Where more patches stand side by side, "top" and "middle" would not say which one is meant."""


@dataclass(frozen=True, eq=False)
class Drawing:
    """The image that a model read, and the patches it was cut into."""

    pixels: Array  # (rows,columns[,colours])
    patch: tuple[int, int]
    places: dict[str, int]
    """The label of each patch, and its place: row by row."""

    @property
    def grid(self) -> tuple[int, int]:
        return self.pixels.shape[0] // self.patch[0], self.pixels.shape[1] // self.patch[1]

    @cached_property
    def colours(self) -> Array:  # (rows,columns,3)
        return levels(self.pixels) if self.coloured else greys(self.pixels)

    @cached_property
    def ground(self) -> Array:  # (rows,columns,3)
        """The same in greys, for what is laid over it in colour."""
        if not self.coloured:
            return self.colours
        return greys(self.pixels @ LUMINANCE)

    @property
    def coloured(self) -> bool:
        return self.pixels.ndim == 3

    @cached_property
    def thumbnails(self) -> dict[str, Array]:
        """The colours of each patch, by its label: shown beside the label, since "patch 4" says little."""
        (rows, columns), (high, wide) = self.grid, self.patch
        tiles = self.colours[: rows * high, : columns * wide].reshape(rows, high, columns, wide, 3).swapaxes(1, 2)
        return {label: tiles[divmod(place, columns)] for label, place in self.places.items()}

    def corner(self, label: str) -> tuple[int, int]:
        """The row and column of its first pixel."""
        down, across = divmod(self.places[label], self.grid[1])
        return down * self.patch[0], across * self.patch[1]

    def patch_at(self, row: int, column: int) -> str | None:
        """The label of the patch that a pixel is in."""
        (rows, columns), down, across = self.grid, row // self.patch[0], column // self.patch[1]
        place = down * columns + across if 0 <= down < rows and 0 <= across < columns else None
        return next((label for label, at in self.places.items() if at == place), None)

    def name(self, label: str) -> str:
        """``patch B, row 0, column 1, top centre``: all that one can call it by."""
        down, across = divmod(self.places[label], self.grid[1])
        said = [f"patch {label}", f"row {down}", f"column {across}", place_name((down, across), self.grid)]
        return ", ".join(filter(None, said))


def place_name(place: tuple[int, int], grid: tuple[int, int]) -> str:
    """Where a patch is, in words, as far as few enough stand side by side.

    >>> place_name((0, 1), (2, 3)), place_name((1, 1), (3, 3)), place_name((0, 1), (1, 2)), place_name((1, 1), (4, 4))
    ('top centre', 'middle centre', 'right', '')
    """
    if max(grid) > MOST_NAMED:
        return ""
    words = _SIDES[0][grid[0]][place[0]], _SIDES[1][grid[1]][place[1]]
    return " ".join(filter(None, words))


_SIDES: tuple[dict[int, tuple[str, ...]], ...] = (
    {1: ("",), 2: ("top", "bottom"), 3: ("top", "middle", "bottom")},
    {1: ("",), 2: ("left", "right"), 3: ("left", "centre", "right")},
)
"""Down and across, by how many there are."""


@kept
def find_drawing(trace: Trace) -> Drawing | None:
    """What was cut into patches, in the trace of an image model."""
    cut = next((step for step in trace if step.op == "patchify"), None)
    if cut is None or not isinstance(cut.sources[0], Step) or cut.axes != ("token", "pixel"):
        return None
    patch = tuple(cut.params["patch"])
    if len(patch) != 2:
        return None
    drawing = drawing_of(cut)
    return drawing if _is_whole(drawing) else None


def drawing_of(cut: Step) -> Drawing:
    """What a step cut into patches, as it was before its colours were standardised."""
    image, (high, wide) = cut.sources[0], cut.params["patch"]
    pixels = colours_of(original(image)) / 255.0 if isinstance(image, Step) and is_photograph(image) else image.value
    return Drawing(pixels, (high, wide), {label: i for i, label in enumerate(cut.labels[-2])})


def _is_whole(drawing: Drawing) -> bool:
    """Whether the patches are all of the image, as in every run; in a file they may be anything."""
    size, patch = drawing.pixels.shape[:2], drawing.patch
    if drawing.pixels.ndim not in (2, 3) or min(patch) < 1:
        return False
    cut = tuple(n * each for n, each in zip(drawing.grid, patch, strict=True))
    return cut == size and len(drawing.places) == drawing.grid[0] * drawing.grid[1]


def place_of_pixel(trace: Trace, step: Step, index: Index) -> str:
    """The patch that a pixel of the image or of its patches belongs to, with its place; nothing for other cells."""
    shows_image, shows_patches = step.axes[:2] == ("row", "column"), step.axes == ("token", "pixel")
    drawing = find_drawing(trace) if shows_image or shows_patches else None
    if drawing is None:
        return ""
    label = drawing.patch_at(index[0], index[1]) if shows_image else step.labels[0][index[0]]
    return drawing.name(label) if label in drawing.places else ""


def patch_areas(drawing: Drawing, area: Area) -> dict[str, Area]:
    """Where each patch is, of a drawing that is shown in this area."""
    rows, columns = drawing.grid
    wide, high = area.width / columns, area.height / rows
    return {
        label: Area(area.x + place % columns * wide, area.y + place // columns * high, wide, high)
        for label, place in drawing.places.items()
    }


def patch_lines(drawing: Drawing, area: Area, colour: Colour, width: float = 0.6) -> list[Line]:
    """Lines between the patches, thin ones unless another width is given."""
    rows, columns = drawing.grid
    across = [area.x + j * area.width / columns for j in range(1, columns)]
    down = [area.y + i * area.height / rows for i in range(1, rows)]
    return [
        *(Line(x, area.y, x, area.bottom, colour, width) for x in across),
        *(Line(area.x, y, area.right, y, colour, width) for y in down),
    ]


def patch_letters(drawing: Drawing, area: Area, size: float) -> list[Text]:
    """The label of each patch in its upper left corner, readable on the pixel that is there."""
    dark, inside = is_dark(drawing.colours), size * LETTER_AIR
    return [
        Text(
            at.x + inside,
            at.y + size * LETTER_BASE,
            label,
            size,
            LIGHT_INK if dark[drawing.corner(label)] else DARK_INK,
            bold=True,
        )
        for label, at in patch_areas(drawing, area).items()
    ]
