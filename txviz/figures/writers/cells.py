"""A grid of cells taken apart, for files that have no mark like it: boxes, numbers, or an image of it."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, sqrt

import numpy as np

from txviz.figures.marks import TEXT_DROP, Box, Heat, Text

MOST_BOXES = 2500
"""More cells than these are one image: as boxes they would make a large file that is slow to open."""

SHARPNESS = 2
"""Such an image has so many dots for each pixel of the page."""

MOST_DOTS = 8_000_000
"""In all, however large the page: four times a screen of 1920 by 1080."""


def boxes(heat: Heat) -> Iterator[Box]:
    """The coloured cells, row by row."""
    colours = heat.colours.hex()
    for cell in range(heat.rows * heat.columns):
        yield Box(*_corner(heat, cell), heat.cell_width, heat.cell_height, fill=f"#{colours[6 * cell : 6 * cell + 6]}")


def hatched(heat: Heat) -> Iterator[Box]:
    """The hatching alone, to be drawn over the coloured cells."""
    across, down = heat.cell_width, heat.cell_height
    for row, column, rows, columns in heat.hatched_areas:
        x, y = heat.x + column * across, heat.y + row * down
        yield Box(x, y, columns * across, rows * down, hatch=heat.hatch)


def numbers(heat: Heat) -> Iterator[Text]:
    """The numbers, each in the middle of its cell."""
    inks = heat.dark_ink, heat.light_ink
    right, down = heat.cell_width / 2, heat.cell_height / 2 + TEXT_DROP * heat.text_size
    for cell, text in enumerate(heat.texts):
        x, y = _corner(heat, cell)
        yield Text(x + right, y + down, text, heat.text_size, inks[heat.inks[cell]], "middle")


def enlarged(heat: Heat) -> Heat:
    """The coloured cells alone, each as some smaller ones of the same colour: viewers blur a coarse image."""
    sharp, most = max(heat.cell_width, heat.cell_height) * SHARPNESS, sqrt(MOST_DOTS / (heat.rows * heat.columns))
    times = max(1, min(ceil(sharp), int(most)))
    colours = np.frombuffer(heat.colours, np.uint8).reshape(heat.rows, heat.columns, 3)
    return Heat(
        heat.x,
        heat.y,
        heat.cell_width / times,
        heat.cell_height / times,
        heat.rows * times,
        heat.columns * times,
        colours.repeat(times, axis=0).repeat(times, axis=1).tobytes(),
    )


def coarser(heat: Heat, most: int) -> Heat:
    """The coloured cells with so many at most: where there are more, each is the mean of some."""
    if heat.rows * heat.columns <= most:
        return heat
    from PIL import Image  # takes a while to import

    less = sqrt(heat.rows * heat.columns / most)
    rows, columns = max(1, int(heat.rows / less)), max(1, int(heat.columns / less))
    image = Image.frombytes("RGB", (heat.columns, heat.rows), heat.colours).resize(
        (columns, rows), Image.Resampling.BOX
    )
    return Heat(heat.x, heat.y, heat.width / columns, heat.height / rows, rows, columns, image.tobytes())


def _corner(heat: Heat, cell: int) -> tuple[float, float]:
    row, column = divmod(cell, heat.columns)
    return heat.x + column * heat.cell_width, heat.y + row * heat.cell_height
