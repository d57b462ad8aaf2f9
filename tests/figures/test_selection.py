"""Which part of a tensor is meant by a cell on the stage."""

from __future__ import annotations

import numpy as np
import pytest

import txviz
from txviz.figures.grid import Grid
from txviz.figures.selection import Selection, Target, numbers, selections
from txviz.figures.tensors import grids
from txviz.models import find
from txviz.trace import Step, Trace
from txviz.trace.edits import read_edit
from txviz.trace.step import Parameter, index_of

RUNS = {
    "sentence-guide": "The cat sat.",
    "vit-guide-2x2": find("vit-guide-2x2").example,
    "digits": find("digits").example,
    "translator": "I love you",
}


@pytest.fixture(scope="module", params=RUNS)
def trace(request: pytest.FixtureRequest) -> Trace:
    return txviz.trace(request.param, RUNS[request.param])


def shown(step: Step) -> list[tuple[Step | Parameter, Grid]]:
    """All grids of a step, at a place that is not the first where there is another."""
    inputs, outputs = grids(step, (1,))
    sources = {source.name: source for source in step.sources}
    return [*((sources[grid.name], grid) for grid in inputs), *((step, grid) for grid in outputs)]


def test_rows_and_columns_are_those_that_are_seen(trace: Trace) -> None:
    """Of every grid of every step, turned, cut short or neither."""
    turned = cut = 0
    for step in trace:
        for source, grid in shown(step):
            if not grid.values.size:
                continue
            turned, cut = turned + grid.turned, cut + (grid.values.size < np.prod(source.value.shape[-2:]))
            row, column = (n // 2 for n in grid.values.shape)
            found = {part.kind: part for part in selections(Target(source, grid, grid.index(row, column)))}
            assert seen(found["cell"], grid) == {(row, column)}, (step.name, grid.name)
            if "row" in found and source.value.ndim > 1:
                assert seen(found["row"], grid) == {(row, k) for k in range(grid.values.shape[1])}
            if "column" in found:
                assert seen(found["column"], grid) == {(k, column) for k in range(grid.values.shape[0])}
    assert turned
    assert cut or trace.about["model"] != "translator"


def seen(part: Selection, grid: Grid) -> set[tuple[int, int]]:
    """The cells of a grid that an edit of this name changes."""
    edit = read_edit(part.set_to("0"))
    assert edit.name == part.source.name
    chosen = np.zeros(part.source.value.shape, dtype=bool)
    chosen[index_of(edit.place)] = True
    return {(int(row), int(column)) for row, column in np.argwhere(grid.same_cells(chosen))}


def test_the_parts_of_a_cell_are_named_and_no_two_are_the_same() -> None:
    digits = txviz.trace("digits", find("digits").example)
    step = digits["encoder.0.attention.weights"]
    (grid,) = grids(step, (1,))[1]
    found = selections(Target(step, grid, (1, 0, 2)))
    assert [part.kind for part in found] == ["cell", "row", "column", "head", "all"]
    assert [part.name.removeprefix(step.name) for part in found] == ["[1,0,2]", "[1,0]", "[1,:,2]", "[1]", ""]
    assert [part.words for part in found][1:] == ["row patch A", "column patch C", "head 1", "all of weights"]
    guide = txviz.trace("vit-guide-2x2", find("vit-guide-2x2").example)
    cls = guide["pool.cls"]
    found = selections(Target(cls, grids(cls, ())[1][0], (1,)))
    assert [part.kind for part in found] == ["cell", "all"]
    token = guide["head.prediction"]
    assert [part.name for part in selections(Target(token, grids(token, ())[1][0], ()))] == ["head.prediction"]


def test_numbers_are_written_exactly() -> None:
    values = np.array([0.1 + 0.2, -1e-300, -np.inf])
    assert [float(text) for text in numbers(values).split(",")] == values.tolist()
