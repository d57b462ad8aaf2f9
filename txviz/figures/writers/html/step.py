"""One step as data for the page: its figures, what its cells hold, how they are made, and the words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from txviz.figures.decimals import block_decimals
from txviz.figures.grid import Grid
from txviz.figures.looks import shape_arithmetic
from txviz.figures.naming import matrix_name
from txviz.figures.panels import Panel
from txviz.figures.patches import Drawing
from txviz.figures.place import leading, leading_axes
from txviz.figures.presets import Preset
from txviz.figures.prints import prints
from txviz.figures.sentences import sentences
from txviz.figures.stage import Stage, stage
from txviz.figures.tensors import grids
from txviz.figures.writers.html import columns
from txviz.figures.writers.html.compact import ROLES, Shared, figure
from txviz.ops import Index
from txviz.trace import Cell, Step, Trace, verify


class Values:
    """The numbers of a matrix, taken apart. Most matrices are read by several steps, and written once."""

    def __init__(self, most: int) -> None:
        self._most = most
        """Cells of a matrix; larger ones have none in the file."""

        self._known: dict[tuple[Any, ...], str] = {}

    def of(self, grid: Grid) -> str | None:
        if grid.values.size > self._most:
            return None
        if grid.key not in self._known:
            self._known[grid.key] = columns.numbers(grid.values)
        return self._known[grid.key]


class Extents:
    """Where the cells of a list stand in a panel. All cells of a row or a column were made from the same list, and a
    weight is read by every time step: each is looked for once, by its identity, for which it is kept."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], dict[int, tuple[list[Index], list[int]]]] = {}

    def within(self, i: int, panel: Panel) -> Callable[[list[Index]], list[int]]:
        """Panel, row, column, rows and columns of one block after the other, in the panel of this number."""
        known = self._known.setdefault((i, panel.grid.key), {})

        def find(indices: list[Index]) -> list[int]:
            if id(indices) not in known:
                known[id(indices)] = indices, [n for block in panel.blocks(indices) for n in (i, *_extent(block))]
            return known[id(indices)][1]

        return find


class Setting(NamedTuple):
    """What all steps of a page have in common."""

    positions: Mapping[str, int]
    """Of the steps on the page, by name."""

    layouts: Sequence[Preset]
    """The same figure for a wide screen and for a narrow one."""

    drawing: Drawing | None
    trace: Trace
    values: Values
    extents: Extents


def encoded(step: Step, places: Sequence[Index], explained: bool, setting: Setting) -> dict[str, Any]:
    """The step at some places of its leading axes; with the arithmetic of every cell that is shown, or with none."""
    shared = Shared()
    wrong = verify.verify([step], exact=setting.trace.exact)
    shown = [_place(step, place, explained, setting, shared) for place in places]
    return {
        "formula": step.formula,
        "dimensions": step.dimensions,
        "shape": shape_arithmetic(step),
        "prints": [[entry.agrees, entry.text] for entry in prints(step)],
        "wrong": str(wrong[0]) if wrong else "",
        "axes": list(zip(leading_axes(step), leading(step), strict=True)),
        "picture": "Step",
        "places": shown,
        "shared": shared.contents,
    }


def _place(step: Step, place: Index, explained: bool, setting: Setting, shared: Shared) -> dict[str, Any]:
    decimals = block_decimals(setting.trace, step)
    whole = grids(step, place, decimals)

    def made(page: Preset) -> Stage:
        style = replace(page.style, theme=ROLES)
        return stage(step, place, page.width, page.height, style, setting.drawing, decimals, whole=whole)

    stages = [made(layout) for layout in setting.layouts]
    first = stages[0]
    cells = _Cells(first, setting.extents) if explained else None
    return {
        "at": place,
        "words": " ".join(sentences(step, place)),
        "figures": [_figure(each, shared) for each in stages],
        "panels": [_panel(step, panel.grid, cells, setting, shared) for panel in _panels(first)],
    }


def _figure(shown: Stage, shared: Shared) -> list[Any]:
    """Width, height, marks, and where the cells of each panel are."""
    sides = [[panel.x, panel.y, panel.cell_width, panel.cell_height] for panel in _panels(shown)]
    return [*figure(shown.figure, shared), [[round(side, 4) for side in panel] for panel in sides]]


def _panels(shown: Stage) -> list[Panel]:
    """Those that have a number at each of their cells; a photograph has three."""
    return [panel for panel in shown.panels if not panel.grid.raster]


def _panel(step: Step, grid: Grid, cells: _Cells | None, setting: Setting, shared: Shared) -> dict[str, Any]:
    """What is needed to name a cell of a panel, to tell its number, and to explain it where it is a result."""
    made_by = step if grid.output else next(source for source in step.sources if source.name == grid.name)
    known = isinstance(made_by, Step)
    row_ids, column_ids = (tuple(map(str, ids.tolist())) for ids in (grid.row_ids, grid.column_ids))
    values = setting.values.of(grid)
    return {
        "opening": matrix_name(made_by, grid.place) if isinstance(made_by, Step) else f"{made_by.name}[",
        "rows": shared.number(grid.row_labels if known else row_ids),
        "columns": shared.number(grid.column_labels if known else column_ids),
        "ids": [shared.number(row_ids), shared.number(column_ids)],
        "place": grid.place,
        "rank": grid.rank,
        "turned": int(grid.turned),
        "output": int(grid.output),
        "step": setting.positions.get(grid.name, -1) if not grid.output else -1,
        "values": -1 if values is None else shared.number(values),
        "cells": cells.of(grid) if grid.output and cells else None,
    }


class _Cells:
    """The arithmetic of the cells of a stage."""

    def __init__(self, shown: Stage, extents: Extents) -> None:
        self._step = shown.step
        self._inputs = [
            (i, panel.grid, extents.within(i, panel)) for i, panel in enumerate(_panels(shown)) if not panel.grid.output
        ]

    def of(self, grid: Grid) -> list[Any]:
        """For each cell, row by row: the arithmetic, and the blocks of cells that it was made from; in columns."""
        cells = [(cell.text, self._blocks(cell)) for cell in self._step.explain_all(grid.indices)]
        return [columns.texts([text for text, _ in cells]), columns.lists([blocks for _, blocks in cells])]

    def _blocks(self, cell: Cell) -> list[int]:
        """Panel, row, column, rows and columns of one block after the other."""
        flat: list[int] = []
        for i, grid, extents in self._inputs:
            indices = cell.reads.get(grid.name, [])
            if len(indices) == 1:  # most operations read one cell of each
                place = grid.find(indices[0])
                flat += (i, *place, 1, 1) if place is not None else ()
            elif indices:
                flat += extents(indices)
        return flat


def _extent(block: list[tuple[int, int]]) -> tuple[int, int, int, int]:
    """Row, column, rows and columns of a block of cells."""
    rows, columns = zip(*block, strict=True)
    top, left = min(rows), min(columns)
    return top, left, max(rows) - top + 1, max(columns) - left + 1
