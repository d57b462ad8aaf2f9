"""A run that was drawn is gone when nobody holds it any more, whatever was kept for the next picture of it."""

from __future__ import annotations

import gc
from collections.abc import Callable
from weakref import ref

import txviz
from tests.models.checkpoints.reference import path, source
from txviz.figures.job import Export
from txviz.figures.levels.map_page import laid_out
from txviz.figures.photographs import original


def test_two_runs_that_were_compared_at_a_level() -> None:
    held = _compared()
    laid_out.cache_clear()
    gc.collect()
    assert [run() for run in held] == [None, None]


def _compared() -> list[Callable[[], object]]:
    """As the window and the command do it."""
    a, b = (txviz.trace("sentence-guide", text) for text in ("The cat sat.", "The dog sat."))
    node = b.outline.find("encoder.0.attention")
    Export(b, [node], "png", other=a).figure(node)
    return [ref(a), ref(b)]


def test_a_photograph() -> None:
    held = _looked_at()
    gc.collect()
    assert held() is None


def _looked_at() -> Callable[[], object]:
    given = txviz.trace(path("vit"), source("vit"))[0]
    assert original(given) is given
    return ref(given)
