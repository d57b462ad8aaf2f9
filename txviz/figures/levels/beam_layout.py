"""Where the candidates of a beam stand on a page: a column for each time step, the best at the top.

A column has a gutter for the lines that branch, the end of each line with its token, and a box. What does not fit is
left out: time steps far from the one that matters, and the worst candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from txviz.figures.area import Area
from txviz.figures.levels.beam_tree import BeamTree, Candidate

GUTTER, RUN, BOX = 1.4, 3.6, 4.3
"""The least widths of the parts of a column."""

WIDEST_RUN, WIDEST_BOX = 9.0, 7.0
ROW, HIGHEST_ROW, BOX_HEIGHT = 3.1, 6.5, 2.7
TITLE, FOOT = 2.2, 1.6
"""Above the rows, and below them for how many are left out. All these by the size of the text."""


@dataclass(frozen=True, eq=False)
class BeamLayout:
    tree: BeamTree
    area: Area
    size: float
    around: int
    """A time step that has to be seen."""

    @cached_property
    def times(self) -> range:
        """Those that are shown."""
        count, free = len(self.tree.times), self.area.width - BOX * self.size
        fit = min(count, max(1, int(free / ((GUTTER + RUN + BOX) * self.size))))
        first = min(max(1, self.around - fit // 2), count - fit + 1)
        return range(first, first + fit)

    @cached_property
    def shown(self) -> dict[int, list[Candidate]]:
        """By time step as many as fit, the best first, and in any case the winner's and greedy's. Before them stand
        those that the first ones go on from."""
        before = self.times[0] - 1
        found = {time: self._some(self.tree.at(time)) for time in self.times}
        return {before: self._some(self.tree.beam(before)), **found}

    def _some(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        paths = (self.tree.path(self.tree.leader(len(self.tree.times))), self.tree.greedy)
        important = {each.place for path in paths for each in path}
        ranked = sorted(candidates, key=lambda each: (each.place not in important, each.rank))
        return sorted(ranked[: self._fit], key=lambda each: each.rank)

    @cached_property
    def rows(self) -> dict[tuple[int, int], int]:
        """In which row each of them stands, by its place in the tree."""
        return {each.place: row for shown in self.shown.values() for row, each in enumerate(shown)}

    def left_out(self, time: int) -> int:
        return len(self.tree.at(time)) - len(self.shown[time])

    @property
    def _fit(self) -> int:
        return max(2, int((self.area.height - (TITLE + FOOT) * self.size) / (ROW * self.size)))

    @cached_property
    def pitch(self) -> float:
        rows = max(len(self.shown[time]) for time in self.times)
        foot = FOOT if any(self.left_out(time) for time in self.times) else 0.0
        free = self.area.height - (TITLE + foot) * self.size
        return min(free / rows, HIGHEST_ROW * self.size)

    @cached_property
    def _widths(self) -> tuple[float, float, float]:
        """Of gutter, line end and box: all grow with the page, and the gutter takes what is left."""
        count = len(self.times)
        grown = max(1.0, self.area.width / (self.size * (count * (GUTTER + RUN + BOX) + BOX)))
        run, box = (min(least * grown, most) * self.size for least, most in ((RUN, WIDEST_RUN), (BOX, WIDEST_BOX)))
        return (self.area.width - box) / count - run - box, run, box

    def column(self, time: int) -> Area:
        """The ends of the lines and the boxes of a time step."""
        gutter, run, box = self._widths
        left = self.area.x + box + (time - self.times[0]) * (gutter + run + box) + gutter
        return Area(left, self.area.y, run + box, self.area.height)

    def line(self, time: int) -> tuple[float, float]:
        """Where the ends of the lines begin and end: they carry tokens."""
        left = self.column(time).x
        return left, left + self._widths[1]

    def middle(self, row: int) -> float:
        return self.area.y + TITLE * self.size + (row + 0.5) * self.pitch

    def box(self, time: int, row: int) -> Area:
        """That of a candidate; before the first column stand those that it goes on from."""
        wide, high = self._widths[2], BOX_HEIGHT * self.size
        left = self.area.x if time < self.times[0] else self.line(time)[1]
        return Area(left, self.middle(row) - high / 2, wide, high)
