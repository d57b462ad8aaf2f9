"""The arithmetic of cells is true in checkpoints, too, for every step of every family."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import txviz
from tests.models.checkpoints.reference import ALL, TRANSLATORS, WRITERS, path, source
from tests.ops.test_laws import check_cell
from tests.ops.test_texts import check


@pytest.mark.parametrize("name", ALL)
def test_random_cells_of_every_step(name: str) -> None:
    rng = np.random.default_rng(5)
    options: dict[str, Any] = {"max_steps": 2, "strategy": "beam"} if name in (*WRITERS, *TRANSLATORS) else {}
    for step in txviz.trace(path(name), source(name), dtype="float64", **options):
        for _ in range(3):
            index = tuple(int(rng.integers(size)) for size in step.value.shape)
            check_cell(step.operation, index, step.value, step.operands, step.params)
            check(step.operation, index, step.operands, step.params)
