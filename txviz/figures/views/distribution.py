"""A histogram of a step's numbers on a page, with the value of one cell marked."""

from __future__ import annotations

from math import isfinite

from txviz.figures.marks import Box, Figure, Line, Mark
from txviz.figures.place import matrix_place
from txviz.figures.scene import Scene
from txviz.figures.style import Style
from txviz.figures.views.axes import Axes, axes
from txviz.figures.views.histogram import Histogram, count_ticks, histogram, scaled, summary
from txviz.figures.views.page import Page
from txviz.ops import Array, Index
from txviz.ops.arithmetic import number
from txviz.trace import Step


def ranges(counted: Histogram, heights: Array) -> tuple[tuple[float, float], tuple[float, float]]:
    """From where to where the two axes go: all bars, with a little air."""
    low, high = float(counted.edges[0]), float(counted.edges[-1])
    margin = (high - low) * 0.03 or 0.5
    return (low - margin, high + margin), (0.0, float(heights.max(initial=1.0)) * 1.05)


def distribution(
    step: Step,
    place: Index = (),
    width: float = 900,
    height: float = 520,
    style: Style | None = None,
    *,
    here_only: bool = False,
    logarithmic: bool = False,
    cell: Index | None = None,
) -> Figure | None:
    """All numbers of the step, or with ``here_only`` those at the place; None where there are none."""
    if not step.value.size:
        return None
    place = matrix_place(step, place) if here_only else ()
    page, values = Page(width, height, style), step.value[place]
    where = [f"{axis} {names[i]}" for axis, names, i in zip(step.axes, step.labels, place, strict=False) if names[1:]]
    page.title(" · ".join([step.title, *where]))
    marked = None if cell is None else float(step.value[cell])
    page.caption(summary(values) + ("" if marked is None else f" · this cell:\u00a0{number(marked)}"))
    counted = histogram(values)
    heights = scaled(counted.counts, logarithmic)
    up_ticks = count_ticks(int(counted.counts.max(initial=1)), logarithmic)
    made, marks = axes(page.left, *ranges(counted, heights), up_ticks, ("value", "count"), page.style)
    page.add("values", _bars(made, counted, heights, page.style))
    page.add("axes", marks)
    if marked is not None and isfinite(marked):
        x = made.x(marked)
        page.add("cell", [Line(x, made.inside.y, x, made.inside.bottom, page.style.theme.highlight, 2)])
    return page.figure()


def _bars(made: Axes, counted: Histogram, heights: Array, style: Style) -> list[Mark]:
    colours = style.theme
    marks: list[Mark] = []
    for i, height in enumerate(heights.tolist()):
        left, right, top = made.x(float(counted.edges[i])), made.x(float(counted.edges[i + 1])), made.y(height)
        if height:
            box = Box(left, top, right - left, made.inside.bottom - top, fill=colours.stages[0], stroke=colours.panel)
            marks.append(box)
    return marks


def draw(scene: Scene) -> Figure | None:
    return distribution(scene.step, scene.place, *scene.page, cell=scene.cell)
