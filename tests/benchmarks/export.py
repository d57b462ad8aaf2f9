"""Figures: how many a second beside matplotlib, how long a talk takes, how large the files are."""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np

import txviz
from tests.benchmarks.measure import Result, ratio
from txviz.figures.export import Export, export
from txviz.figures.film.shots import LAST
from txviz.figures.grid import Grid
from txviz.figures.presets import SCREEN, SLIDE
from txviz.figures.stage import stage
from txviz.models import find
from txviz.trace import Trace

PAGE = "820 pictures and 120,000 worked cells: no single part of it stands out any more"


def results() -> Iterator[Result]:
    digits = txviz.trace("digits", find("digits").example)
    with tempfile.TemporaryDirectory() as folder:
        for ending in ("svg", "png"):
            ours = partial(export, Export(digits, digits.steps, ending, SCREEN), Path(folder))
            theirs = _matplotlib(digits, ending)
            yield Result(
                f"export: txviz / matplotlib, the steps of digits as {ending}", ratio(ours, theirs, 1, 3), "×", 0.2
            )
            yield Result(f"export: figures a second, {ending}", len(digits) / _seconds(ours), "1/s")
        yield from _whole(Path(folder))
        yield from _films(digits, Path(folder))


def _whole(folder: Path) -> Iterator[Result]:
    trace = txviz.trace("translator", "I love you very much")
    deck = Export(trace, [trace.outline, *trace.key_steps], "pptx", SLIDE)
    took = _seconds(partial(export, deck, folder / "deck.pptx"))
    yield Result(f"export: its map and its {len(trace.key_steps)} key steps as slides", took, "s", 2.0)
    for ending, most, why in (("pptx", 10.0, ""), ("pdf", None, ""), ("html", 5.0, PAGE)):
        path = folder / f"talk.{ending}"
        wanted = Export(trace, trace.steps, ending, SLIDE)
        took = _seconds(partial(export, wanted, path))
        yield Result(f"export: a translation of {len(trace)} steps as {ending}", took, "s", most, why)
        yield Result(f"export: its size as {ending}", path.stat().st_size / 2**20, "MB")


def _films(trace: Trace, folder: Path) -> Iterator[Result]:
    """The steps of a layer, four seconds each, at 1080p."""
    steps = trace.find("encoder.0.*")
    for ending, most in (("mp4", 1000 / 30), ("webm", None)):
        wanted = Export(trace, steps, ending)
        frames = (len(steps) * wanted.seconds_each + LAST) * wanted.rate
        took = _seconds(partial(export, wanted, folder / f"film.{ending}"))
        yield Result(f"export: a frame of a film at 1080p, {ending}", 1000 * took / frames, "ms", most)


def _seconds(call: Callable[[], object]) -> float:
    start = perf_counter()
    call()
    return perf_counter() - start


def _matplotlib(trace: Trace, ending: str) -> Callable[[], None]:
    """The same heat maps with the same labels and numbers, as one writes them with matplotlib."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    grids = [[panel.grid for panel in stage(step, (), SCREEN.width, SCREEN.height).panels] for step in trace]

    def draw() -> None:
        for panels in grids:
            figure, axes = pyplot.subplots(1, len(panels), figsize=(9.6, 6.0), squeeze=False)
            for axis, grid in zip(axes[0], panels, strict=True):
                _heat_map(axis, grid)
            figure.savefig(io.BytesIO(), format=ending, dpi=200)
            pyplot.close(figure)

    return draw


def _heat_map(axis: Any, grid: Grid) -> None:
    axis.imshow(grid.values.astype(float), cmap="PuOr", aspect="auto")
    axis.set_title(grid.caption)
    if grid.values.shape[0] <= 20:
        axis.set_yticks(range(grid.values.shape[0]), grid.row_labels)
    if grid.values.size <= 100:
        for i, j in np.ndindex(*grid.values.shape):
            axis.text(j, i, f"{grid.values[i, j]:.2f}", ha="center", va="center")
