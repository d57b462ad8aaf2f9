"""A step's result in little room: its matrix as coloured cells in a frame, which can be pointed at and gone to."""

from __future__ import annotations

from typing import NamedTuple

from txviz.figures import fonts
from txviz.figures.grid import Grid
from txviz.figures.levels.picture import Spot
from txviz.figures.marks import TEXT_DROP, Box, Mark, Text
from txviz.figures.stage import Panel, heat
from txviz.figures.style import Style
from txviz.figures.tensors import result_at
from txviz.figures.views.page import Area
from txviz.ops import Index
from txviz.trace import Step

FLATTEST = 0.12
"""A cell is at least this high, by its width, so that one row is no hair; and at most as high as wide."""


class Tile(NamedTuple):
    marks: tuple[Mark, ...]
    area: Area
    """What it takes of the room that it was given."""

    spot: Spot


def tile(step: Step, room: Area, style: Style, place: Index = (), hint: str = "", *, square: bool = True) -> Tile:
    """The matrix of the step at this place, as large as fits, in the middle of the room.

    ``square`` cells are as wide as high where there is room; others fill it. Whole numbers that name something, such
    as tokens, are written as what they name.
    """
    grid = result_at(step, place)
    area = _fitted(grid, room, square)
    rows, columns = grid.values.shape
    panel = Panel(grid, area.x, area.y, area.width / max(columns, 1), area.height / max(rows, 1))
    said = hint or f"{step.title}, {step.dimensions}"
    if grid.counts:
        return Tile(tuple(_names(step, grid, area, style)), area, Spot(area, step.name, said))
    cells = heat(panel, style, style.extent_of(grid.name, grid.extent).crowd)
    return Tile((cells, area.box(style.theme.line)), area, Spot(area, step.name, said, panel))


def _fitted(grid: Grid, room: Area, square: bool) -> Area:
    """As much of the room as the cells take, in its middle."""
    rows, columns = (max(n, 1) for n in grid.values.shape)
    if grid.counts:
        return room
    wide = room.width / columns
    high = min(room.height / rows, wide if square or grid.square else room.height)
    if square or grid.square:
        wide = min(wide, high / FLATTEST) if not grid.square else min(wide, high)
    return Area(
        room.x + (room.width - wide * columns) / 2,
        room.y + (room.height - high * rows) / 2,
        wide * columns,
        high * rows,
    )


def _names(step: Step, grid: Grid, area: Area, style: Style) -> list[Mark]:
    """What the numbers name: the chosen word, or the tokens of a sentence, in as many lines as there are rows."""
    words = _words(step, grid)
    size = min(style.size, area.height / max(len(words), 1))
    shown, top = (words, size) if size >= style.size * 0.5 else ([" ".join(words)], style.size)
    y = area.y + area.height / 2 - (len(shown) - 1) * top / 2 + style.size * TEXT_DROP
    return [
        Text(
            area.centre[0],
            y + i * top,
            fonts.elided(word, top * 0.95, area.width),
            top * 0.95,
            style.theme.text,
            "middle",
        )
        for i, word in enumerate(shown)
    ] or [Box(*area, stroke=style.theme.line)]


def _words(step: Step, grid: Grid) -> list[str]:
    if step.chosen is not None:
        return [step.chosen]
    labels = step.labels[-1] if step.value.ndim == 1 else ()
    return list(labels) if labels else [str(n) for n in grid.values.ravel()[:8].tolist()]
