"""Row and column labels that stay in sight: while a zoomed figure is panned, they stand at the edge of what is seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import radians, sin

from txviz.figures import fonts
from txviz.figures.area import Area
from txviz.figures.marks import Box, Heat, Mark, Text
from txviz.figures.panels import Panel
from txviz.figures.stage import Stage

AIR = 4.0
"""Around the labels, in pixels."""


def headers(stage: Stage, seen: Area) -> list[Mark]:
    """For each tensor whose labels are out of sight, but not all of its cells: those of the rows and columns that are
    seen, on the page's colour, at the edge of the area."""
    return [mark for panel in stage.panels for mark in _headers(panel, stage, seen)]


def covers(mark: Mark, x: float, y: float) -> bool:
    """Whether a header lies over the cells at this point."""
    return isinstance(mark, Box) and Area(mark.x, mark.y, mark.width, mark.height).contains(x, y)


def _headers(panel: Panel, stage: Stage, seen: Area) -> Iterator[Mark]:
    rows, columns = _row_labels(panel, stage.panels), _column_labels(panel, stage.panels)
    left = min(max(panel.x, seen.x + _width(rows, panel)), panel.right)
    top = min(max(panel.y, seen.y + _height(columns, panel)), panel.bottom)
    inside = Area(left, top, min(panel.right, seen.right) - left, min(panel.bottom, seen.bottom) - top)
    if inside.width <= 0 or inside.height <= 0:
        return
    fill = stage.style.theme.panel
    if rows and left > panel.x:
        yield Box(seen.x, inside.y, left - seen.x, inside.height, fill=fill)
        yield from (mark for mark in _moved(rows, left - panel.x, 0) if _between(mark, inside, across=False))
    if columns and top > panel.y:
        yield Box(inside.x, seen.y, inside.width, top - seen.y, fill=fill)
        yield from (mark for mark in _moved(columns, 0, top - panel.y) if _between(mark, inside, across=True))
    if rows and columns and left > panel.x and top > panel.y:
        yield Box(seen.x, seen.y, left - seen.x, top - seen.y, fill=fill)


def _row_labels(panel: Panel, panels: Sequence[Panel]) -> tuple[Mark, ...]:
    """Its own, or those of a head on its left that has the same rows; moved to where its own would be."""
    if panel.row_labels:
        return panel.row_labels
    same = (each for each in panels if each.row_labels and each.y == panel.y and each.bottom == panel.bottom)
    lender = next((each for each in same if each.grid.row_labels == panel.grid.row_labels), None)
    return () if lender is None else tuple(_moved(lender.row_labels, panel.x - lender.x, 0))


def _column_labels(panel: Panel, panels: Sequence[Panel]) -> tuple[Mark, ...]:
    """Its own, or those of the matrix that it stands below."""
    if panel.column_labels:
        return panel.column_labels
    above = next((each for each in panels if each.column_labels and each.x == panel.x), None)
    if above is None or above.right != panel.right:
        return ()
    return tuple(_moved(above.column_labels, 0, panel.y - above.y))


def _width(labels: Sequence[Mark], panel: Panel) -> float:
    """How far labels of rows reach to the left of the cells."""
    ends = [mark.x - fonts.width(mark.text, mark.size) if isinstance(mark, Text) else _left(mark) for mark in labels]
    return panel.x - min(ends) + AIR if ends else 0.0


def _left(mark: Mark) -> float:
    return mark.x if isinstance(mark, Heat | Box) else float("inf")


def _height(labels: Sequence[Mark], panel: Panel) -> float:
    """How far labels of columns reach above the cells; those that are turned reach further."""
    texts = [mark for mark in labels if isinstance(mark, Text)]
    tops = [mark.y - max(mark.size, fonts.width(mark.text, mark.size) * sin(radians(mark.turn))) for mark in texts]
    return panel.y - min(tops) + AIR if tops else 0.0


def _moved(marks: Sequence[Mark], dx: float, dy: float) -> Iterator[Mark]:
    for mark in marks:
        if isinstance(mark, Text | Heat | Box):
            yield replace(mark, x=mark.x + dx, y=mark.y + dy)


def _between(mark: Mark, inside: Area, *, across: bool) -> bool:
    """Whether a label belongs to a row or column that is seen."""
    if isinstance(mark, Text):
        return inside.x <= mark.x <= inside.right if across else inside.y <= mark.y - mark.size / 3 <= inside.bottom
    return isinstance(mark, Heat | Box) and inside.y <= mark.y + mark.height / 2 <= inside.bottom
