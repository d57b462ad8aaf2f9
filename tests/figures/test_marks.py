"""Cells of a grid in rectangles, and fewer cells where nobody could see each."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from txviz import ops
from txviz.figures.coarse import means
from txviz.figures.marks import cell_areas
from txviz.figures.stage import stage
from txviz.figures.stage_cells import heats_by_place
from txviz.ops import Array
from txviz.trace import Run, Step


@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 2**30))
def test_the_rectangles_are_the_chosen_cells_and_each_of_them_once(rows: int, columns: int, seed: int) -> None:
    chosen = np.random.default_rng(seed).random((rows, columns)) < 0.6
    covered = np.zeros((rows, columns), int)
    for row, column, down, across in cell_areas(chosen):
        covered[row : row + down, column : column + across] += 1
    assert np.array_equal(covered, chosen)


def test_a_mask_of_a_thousand_tokens_is_a_run_in_each_row() -> None:
    assert len(cell_areas(np.triu(np.ones((1000, 1000), bool), 1))) == 999
    assert len(cell_areas(np.ones((1000, 1000), bool))) == 1


@pytest.mark.parametrize("down", [1, 2, 3, 7, 20])
@pytest.mark.parametrize("across", [1, 2, 5])
def test_fewer_cells_are_the_means_of_those_that_are_finite(down: int, across: int) -> None:
    values = np.random.default_rng(0).normal(size=(17, 11))
    values[:9, :4] = -np.inf
    found = means(values, down, across)
    for i, j in np.ndindex(*found.shape):
        part = values[i * down : (i + 1) * down, j * across : (j + 1) * across]
        finite = part[np.isfinite(part)]
        assert found[i, j] == (pytest.approx(finite.mean()) if finite.size else -np.inf)


def made(value: Array) -> Step:
    run = Run({}, dtype="float32")
    scores = run.given("scores", value, axes="query key")
    return run(ops.scale, "scaled", scores, base=4, exponent=-0.5, axes="query key")


def test_a_large_matrix_is_drawn_as_fine_as_it_is_seen_and_each_of_its_cells_can_be_pointed_at() -> None:
    value = np.zeros((900, 900), np.float32)
    value[:450] = 1
    shown = stage(made(value), (), 400, 300)
    panel = shown.panels[-1]
    heat = heats_by_place(shown.figure)[panel.x, panel.y]
    assert 2 * heat.height <= heat.rows < 4 * heat.height, "two dots for a pixel, and not five"
    assert (heat.width, heat.height) == pytest.approx((panel.right - panel.x, panel.bottom - panel.y))
    colours = np.frombuffer(heat.colours, np.uint8).reshape(heat.rows, heat.columns, 3)
    assert (colours[0] == colours[0, 0]).all()
    assert (colours[0, 0] != colours[-1, -1]).any()
    assert panel.cell_at(panel.right - 1e-6, panel.bottom - 1e-6) == (899, 899)
