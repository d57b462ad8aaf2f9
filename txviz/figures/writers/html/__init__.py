"""A trace as one HTML page that steps through it in any browser, offline: nothing in it is fetched from anywhere.

The page draws the same marks as the window, and everything it says is computed here: its script lays nothing out and
works nothing out. Each step is a packed piece of the file that the browser unpacks when it is first looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from txviz.figures.job import Export
from txviz.figures.place import full_place, leading
from txviz.figures.presets import Preset
from txviz.figures.stage import pictures
from txviz.figures.style import Style
from txviz.figures.tensors import grids
from txviz.figures.writers.html.frame import Blocks, frame
from txviz.figures.writers.html.step import Setting, Values, encoded
from txviz.ops import Index
from txviz.trace import Step, Trace

PAGE = Preset("page", 1040, 520, Style(size=12, growth=1.5))
"""As wide for its height as the room for the figure is in most browsers."""

NARROW = 400.0, 600.0
"""The page of a figure on a telephone, where the title stands above it, on as many lines as it needs."""

MOST_SHOWN = 4_000_000
"""Cells of all figures. Where all heads would be more, only one is in the file."""

MOST_EXPLAINED = 120_000
"""Cells with their arithmetic in the file, fifty bytes each. Where there are more, the largest tensors go without."""


def html(trace: Trace, steps: Sequence[Step], preset: Preset = PAGE, place: Index = ()) -> str:
    """The whole page. ``place`` is the head to show where there is no room for all of them."""
    return "".join(parts(trace, steps, preset, place))


def parts(trace: Trace, steps: Sequence[Step], preset: Preset = PAGE, place: Index = ()) -> Iterator[str]:
    """The page piece by piece: its beginning, each step, its end. Joined, they are the file."""
    places = [_places(step) for step in steps]
    if sum(_cells(step, at) * len(at) for step, at in zip(steps, places, strict=True)) > MOST_SHOWN:
        places = [[full_place(place, leading(step))] for step in steps]
    explained = _explained([_results(step, at) for step, at in zip(steps, places, strict=True)])
    small = replace(preset.style, size=12.0, growth=1.25, title=False)
    setting = Setting(
        {step.name: i for i, step in enumerate(steps)},
        (preset, Preset("narrow", *NARROW, small)),
        pictures(trace),
        Values(),
        trace,
    )
    before, after = frame(trace, steps, preset.style.theme, preset.theme_chosen)
    blocks = Blocks()
    yield before
    for step, at, all_cells in zip(steps, places, explained, strict=True):
        yield blocks.of(encoded(step, at, all_cells, setting))
    yield after


def write(wanted: Export) -> bytes:
    total = len(wanted.shown)
    pieces: list[str] = []
    for done, piece in enumerate(parts(wanted.trace, wanted.steps, wanted.preset, wanted.place)):
        wanted.watch(min(done, total), total)
        pieces.append(piece)
    return "".join(pieces).encode()


def _places(step: Step) -> list[Index]:
    return list(np.ndindex(*leading(step)))


def _cells(step: Step, places: Sequence[Index]) -> int:
    """Of the figure at one place: all are alike."""
    return sum(grid.values.size for some in grids(step, places[0]) for grid in some)


def _results(step: Step, places: Sequence[Index]) -> int:
    """Cells of the result that are shown, at all places together."""
    return sum(grid.values.size for grid in grids(step, places[0])[1]) * len(places)


def _explained(sizes: Sequence[int]) -> list[bool]:
    """Which steps have the arithmetic in the file: from the smallest on, as many as there is room for."""
    chosen = [False] * len(sizes)
    room = MOST_EXPLAINED
    for i in sorted(range(len(sizes)), key=lambda i: sizes[i]):
        chosen[i] = sizes[i] <= room
        room -= sizes[i]
    return chosen
