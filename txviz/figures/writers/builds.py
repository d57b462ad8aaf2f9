"""A step builds up on a slide: its operands, what one cell is made from, that cell with its arithmetic, the result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from txviz.figures.foot import WORKED
from txviz.figures.marks import TEXT_DROP, Box, Figure, Group, Mark, Text
from txviz.figures.stage import Stage, group_name, stroke_scale
from txviz.figures.stage_cells import Result, results
from txviz.figures.style import Style
from txviz.ops import Index

SAME = "!!"
"""How the names of shapes begin that PowerPoint looks for on the next slide, and moves to where they are there."""


class Built(NamedTuple):
    figure: Figure
    clicks: tuple[tuple[Group, ...], ...] = ()
    """The groups of the figure that come with the first click, with the second …"""


def build(made: Stage, figure: Figure, index: Index) -> Built:
    """The figure of a step, with what stands below it, and a cell outlined."""
    reads = Group("reads", made.around_reads(made.step.explain(index)))
    cell = Group("cell", tuple(_cell(made, figure, index)))
    groups = [mark for mark in figure.marks if isinstance(mark, Group)]
    worked = [group for group in groups if group.name == WORKED]
    clicks = ([reads], [cell, *worked], _results(made, figure, groups))
    there = (tuple(group for group in click if group.marks) for click in clicks)
    added = (group for group in (reads, cell) if group.marks)
    return Built(replace(figure, marks=(*figure.marks, *added)), tuple(filter(None, there)))


def _results(made: Stage, figure: Figure, groups: Iterable[Group]) -> list[Group]:
    """The groups of what the step made."""
    cells = {id(result.cells) for result in results(made, figure)}
    return [group for group in groups if any(id(mark) in cells for mark in group.marks)]


def _cell(made: Stage, figure: Figure, index: Index) -> Iterator[Mark]:
    """The cell by itself, as it is in the result, which comes later."""
    for result in results(made, figure):
        found = result.panel.grid.find(index)
        if found is not None:
            yield from _alone(result, *found, made.style)


def _alone(result: Result, row: int, column: int, style: Style) -> Iterator[Mark]:
    panel, cells = result
    x, y, width, height = panel.box([(row, column)])
    place = result.place(row, column)
    hatch = cells.hatch if cells.infinite and cells.infinite[place] else None
    fill = f"#{cells.colours[3 * place : 3 * place + 3].hex()}"
    yield Box(x, y, width, height, fill, style.theme.highlight, 2 * stroke_scale(style), hatch=hatch)
    if cells.texts:
        ink = cells.light_ink if cells.inks[place] else cells.dark_ink
        middle = y + height / 2 + TEXT_DROP * cells.text_size
        yield Text(x + width / 2, middle, cells.texts[place], cells.text_size, ink, "middle")


def named_alike(marks: Iterable[Mark], made: Stage) -> tuple[Mark, ...]:
    """The same marks, with names by which the next slide knows the tensors; each of them once on a slide."""
    tensors = {group_name(panel.grid) for panel in made.panels}
    seen: Counter[str] = Counter()

    def renamed(mark: Mark) -> Mark:
        if not isinstance(mark, Group) or mark.name not in tensors:
            return mark
        seen[mark.name] += 1
        again = f" ({seen[mark.name]})" if seen[mark.name] > 1 else ""
        return replace(mark, name=f"{SAME}{mark.name}{again}")

    return tuple(map(renamed, marks))
