"""What lies on a page, measured as data: texts that overlap, things outside, the smallest type, how the page is used.

``python -m tests.figures.measure`` draws all steps, views and levels of all shipped runs with every preset, and prints
one table.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from math import cos, radians, sin
from typing import NamedTuple

import numpy as np

from tests.figures import shipped
from txviz.errors import TxvizError
from txviz.figures import fonts
from txviz.figures.job import Export, Shown
from txviz.figures.levels import LEVELS, kinds
from txviz.figures.marks import Box, Figure, Group, Heat, Line, Mark, Shape, Text
from txviz.figures.presets import PRESETS, Preset
from txviz.figures.style import MARGIN
from txviz.figures.views import VIEWS
from txviz.ops import Array
from txviz.trace import Trace

POINTS = 0.75
"""In a pixel, of which an inch has 96: a slide of 1280 pixels is 13.33 inches wide."""

ABOVE = ("heading", "colours")
"""The groups of marks that stand above the picture itself."""

_STARTS = {"start": 0.0, "middle": 0.5, "end": 1.0}


def corners(mark: Mark) -> Array:  # -> (4,2)
    """Of the smallest box around it, turned as it is. Of a text only the letters count, not the air around them."""
    if isinstance(mark, Text):
        wide = fonts.width(mark.text, mark.size, bold=mark.bold, mono=mark.mono)
        left, right = -_STARTS[mark.anchor] * wide, (1 - _STARTS[mark.anchor]) * wide
        turn = radians(mark.turn)
        along, up = np.array([cos(turn), -sin(turn)]), np.array([-sin(turn), -cos(turn)]) * 0.7 * mark.size
        letters = [left * along, right * along, right * along + up, left * along + up]
        return np.array([corner + np.array([mark.x, mark.y]) for corner in letters])
    if isinstance(mark, Shape):
        points = np.array([number for _, numbers in mark.outline for number in numbers]).reshape(-1, 2)
        (left, top), (right, bottom) = (mark.scale * end(axis=0) + (mark.x, mark.y) for end in (points.min, points.max))
    elif isinstance(mark, Line):
        left, top, right, bottom = mark.x1, mark.y1, mark.x2, mark.y2
    else:
        assert isinstance(mark, Box | Heat)
        left, top, right, bottom = mark.x, mark.y, mark.x + mark.width, mark.y + mark.height
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]])


class Measured(NamedTuple):
    """A figure on its page."""

    figure: Figure

    @property
    def texts(self) -> list[Text]:
        return [mark for mark in self.figure.flat() if isinstance(mark, Text) and mark.text.strip()]

    @property
    def overlaps(self) -> list[tuple[str, str]]:
        """Texts that lie on another, and numbers that are wider or higher than their cells."""
        areas = [corners(mark) for mark in self.texts]
        boxes = np.array([[*area.min(axis=0), *area.max(axis=0)] for area in areas]).reshape(-1, 4)
        found = [(i, k) for i, k in _near(boxes) if _meet(areas[i], areas[k])]
        return [(self.texts[i].text, self.texts[k].text) for i, k in found] + self._squeezed

    @property
    def _squeezed(self) -> list[tuple[str, str]]:
        found = []
        for heat in (mark for mark in self.figure.flat() if isinstance(mark, Heat) and mark.texts):
            text = max(heat.texts, key=lambda each: fonts.width(each, heat.text_size))
            if fonts.width(text, heat.text_size) > heat.cell_width or 0.7 * heat.text_size > heat.cell_height:
                found.append((text, "its cell"))
        return found

    @property
    def outside(self) -> list[str]:
        """What leaves the page."""
        page = np.array([self.figure.width, self.figure.height]) + 0.5
        return [
            mark.text if isinstance(mark, Text) else type(mark).__name__
            for mark in self.figure.flat()
            if (corners(mark) < -0.5).any() or (corners(mark) > page).any()
        ]

    @property
    def smallest(self) -> float:
        """Of all texts and numbers, in points."""
        numbers = [mark.text_size for mark in self.figure.flat() if isinstance(mark, Heat) and mark.texts]
        return POINTS * min((*numbers, *(mark.size for mark in self.texts)), default=0.0)

    @property
    def content(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of all that stands below the heading."""
        marks = [mark for mark in self.figure.marks if not (isinstance(mark, Group) and mark.name in ABOVE)]
        points = _points(marks) if marks else np.zeros((1, 2))
        return (*points.min(axis=0).tolist(), *points.max(axis=0).tolist())

    @property
    def free(self) -> tuple[float, float, float, float]:
        """The page below the heading, without its margins."""
        above = [mark for mark in self.figure.marks if isinstance(mark, Group) and mark.name in ABOVE]
        top = float(_points(above)[:, 1].max()) if above else MARGIN
        return MARGIN, top, self.figure.width - MARGIN, self.figure.height - MARGIN

    @property
    def used(self) -> float:
        """The share of the free area that the content spans."""
        (left, top, right, bottom), free = self.content, self.free
        return (right - left) * (bottom - top) / ((free[2] - free[0]) * (free[3] - free[1]))

    @property
    def reach(self) -> float:
        """The larger of the shares of the width and of the height: a row of numbers fills a page across alone."""
        (left, top, right, bottom), free = self.content, self.free
        return max((right - left) / (free[2] - free[0]), (bottom - top) / (free[3] - free[1]))

    @property
    def off_centre(self) -> float:
        """How far the middle of the content is from that of the free area, by the width or the height of the page."""
        across, down = ((self.content[i] + self.content[i + 2] - self.free[i] - self.free[i + 2]) / 2 for i in (0, 1))
        return max(abs(across) / self.figure.width, abs(down) / self.figure.height)


def _points(marks: Iterable[Mark]) -> Array:  # -> (n,2)
    page = Figure(0, 0, "", tuple(marks))
    return np.concatenate([corners(mark) for mark in page.flat()])


def _near(boxes: Array) -> Iterator[tuple[int, int]]:  # (n,4)
    """Pairs whose upright boxes meet."""
    for i, (left, top, right, bottom) in enumerate(boxes):
        others = boxes[:i]
        meets = (left < others[:, 2]) & (others[:, 0] < right) & (top < others[:, 3]) & (others[:, 1] < bottom)
        yield from ((i, int(k)) for k in np.flatnonzero(meets))


def _meet(a: Array, b: Array) -> bool:  # (4,2), (4,2)
    """Whether two rectangles share some area: no side of either lies between them."""
    for side in (a[1] - a[0], a[3] - a[0], b[1] - b[0], b[3] - b[0]):
        length = float(np.hypot(*side)) or 1.0
        one, other = a @ side / length, b @ side / length
        if one.max() <= other.min() + 0.1 or other.max() <= one.min() + 0.1:
            return False
    return True


class Page(NamedTuple):
    """One figure of a run."""

    run: str
    view: str
    shown: Shown
    figure: Figure

    @property
    def name(self) -> str:
        return f"{self.run}: {self.shown.name or 'run'} ({self.view})"


def pages(run: str, trace: Trace, preset: Preset, views: Sequence[str]) -> Iterator[Page]:
    """All that can be shown of a run on such a page, but for what is refused as too large for it. A view that shows the
    same for many steps is drawn once."""
    seen = set()
    for view in (name for name in views if name in VIEWS):
        for step in trace:
            shown = VIEWS[view].steps(trace, step)
            if shown and (view, shown[-1].name) not in seen:
                seen.add((view, shown[-1].name))
                with suppress(TxvizError):
                    yield Page(run, view, step, Export(trace, [step], "svg", preset, view).figure(step))
    for node in (node for node in trace.outline if node.children):
        for view in (kind for kind in kinds(node) if kind in views):
            with suppress(TxvizError):
                yield Page(run, view, node, Export(trace, [node], "svg", preset, view).figure(node))


HEAD = (
    *("preset", "view", "pages", "overlaps", "outside", "least pt", "median pt", "median use", "least reach"),
    *("most off centre", "smallest type on"),
)


class Row:
    """What was measured of all pages of one view with one preset."""

    def __init__(self, preset: str, view: str) -> None:
        self.preset, self.view = preset, view
        self._found: list[tuple[str, int, int, float, float, float, float]] = []

    def add(self, page: Page) -> None:
        made = Measured(page.figure)
        counts = len(made.overlaps), len(made.outside)
        self._found.append((page.name, *counts, made.smallest, made.used, made.reach, made.off_centre))

    @cached_property
    def cells(self) -> list[str]:
        names, overlaps, outside, smallest, used, reach, off = zip(*self._found, strict=True)
        return [
            *(self.preset, self.view, str(len(names)), str(sum(overlaps)), str(sum(outside))),
            *(f"{min(smallest):.1f}", f"{np.median(smallest):.1f}", f"{np.median(used):.0%}", f"{min(reach):.0%}"),
            *(f"{max(off):.1%}", names[int(np.argmin(smallest))]),
        ]

    def worst(self) -> Iterator[str]:
        """The pages behind the numbers of the row."""
        for name, overlaps, outside, smallest, used, reach, off in self._found:
            said = f"{overlaps} overlaps, {outside} outside, {smallest:.1f} pt, {used:.0%}, {reach:.0%}, {off:.1%} off"
            yield f"{name}: {said}"


def table(runs: Sequence[str], presets: Sequence[str], views: Sequence[str]) -> list[Row]:
    rows: dict[tuple[str, str], Row] = {}
    for preset in presets:
        for run in runs:
            for page in pages(run, shipped.trace(run), PRESETS[preset], views):
                rows.setdefault((preset, page.view), Row(preset, page.view)).add(page)
    return list(rows.values())


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.figures.measure", description=__doc__)
    parser.add_argument("--presets", nargs="+", default=list(PRESETS), choices=list(PRESETS))
    parser.add_argument("--views", nargs="+", default=[*VIEWS, *LEVELS], choices=[*VIEWS, *LEVELS])
    parser.add_argument("--runs", nargs="+", default=list(shipped.KINDS), choices=list(shipped.KINDS))
    parser.add_argument("--pages", action="store_true", help="print every page, too")
    chosen = parser.parse_args()
    rows = table(chosen.runs, chosen.presets, chosen.views)
    lines = [list(HEAD), *(row.cells for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
    for page in (page for row in rows for page in row.worst() if chosen.pages):
        print(page)


if __name__ == "__main__":
    main()
