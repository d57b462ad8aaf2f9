"""Boxes in columns, from the left to the right, so that each stands behind all that it reads."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

from txviz.figures.views.page import Area

Key = TypeVar("Key", bound=Hashable)


class Size(NamedTuple):
    width: float
    height: float


class Flow(NamedTuple, Generic[Key]):
    """Where each box stands, from (0, 0) on, and how much room all of them take."""

    areas: dict[Key, Area]
    size: Size
    middle: float
    """How far down the boxes of the main line are: those that lead to the last one."""


def flow(boxes: Sequence[Key], reads: Mapping[Key, Sequence[Key]], sizes: Mapping[Key, Size], gap: Size) -> Flow[Key]:
    """``boxes`` are in the order of the computation; ``reads`` has those among them that each one reads."""
    columns = _columns(boxes, reads)
    rows = _rows(columns, reads)
    heights: dict[int, float] = {}
    for box, row in rows.items():
        heights[row] = max(heights.get(row, 0.0), sizes[box].height)
    tops, y = {}, 0.0
    for row in sorted(heights):
        tops[row], y = y, y + heights[row] + gap.height
    areas, x = {}, 0.0
    for column in columns:
        wide = max(sizes[box].width for box in column)
        for box in column:
            width, height = sizes[box]
            down = tops[rows[box]] + (heights[rows[box]] - height) / 2
            areas[box] = Area(x + (wide - width) / 2, down, width, height)
        x += wide + gap.width
    middle = areas[boxes[-1]].centre[1] if boxes else 0.0
    return Flow(areas, Size(max(x - gap.width, 0.0), max(y - gap.height, 0.0)), middle)


def _columns(boxes: Sequence[Key], reads: Mapping[Key, Sequence[Key]]) -> list[list[Key]]:
    """A box stands one column behind the last one that it reads; one that reads none, just before its first reader."""
    depth: dict[Key, int] = {}
    for box in boxes:
        depth[box] = 1 + max((depth[read] for read in reads[box]), default=-1)
    for box in reversed(boxes):
        readers = [depth[other] for other in boxes if box in reads[other]]
        if not reads[box] and readers:
            depth[box] = min(readers) - 1
    return [[box for box in boxes if depth[box] == d] for d in sorted(set(depth.values()))]


def _rows(columns: Sequence[Sequence[Key]], reads: Mapping[Key, Sequence[Key]]) -> dict[Key, int]:
    """A box stands in the row of the first that it reads, or in the next one that is free in its column and before.

    What is read later keeps its row free until then, so that no arrow runs through a box.
    """
    place = {box: i for i, column in enumerate(columns) for box in column}
    until = {
        box: max((place[reader] for reader, read in reads.items() if box in read), default=place[box]) for box in place
    }
    rows: dict[Key, int] = {}
    for i, column in enumerate(columns):
        passing = {rows[box] for box in rows if place[box] < i < until[box]}
        for box in sorted(column, key=lambda b: min((rows[r] for r in reads[b]), default=len(columns) + 1)):
            wanted = min((rows[read] for read in reads[box]), default=0)
            taken = passing | {rows[other] for other in column if other in rows}
            rows[box] = next(row for row in range(wanted, wanted + len(place) + 1) if row not in taken)
    return rows
