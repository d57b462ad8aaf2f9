"""All heads of an attention step as small pictures, one of them framed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil

from txviz.figures.coarse import coarse
from txviz.figures.colour_scale import Span
from txviz.figures.marks import Heat, Mark, Text
from txviz.figures.style import Style
from txviz.figures.theme import colours
from txviz.figures.views.page import LINE, Area, rows_of
from txviz.ops import Array

MOST_ACROSS = 6
SMALLEST, LARGEST = 24.0, 64.0
GAP = 8.0
"""These in pixels at a text size of 12."""


@dataclass(frozen=True, eq=False)
class Strip:
    weights: Array  # (heads,queries,keys)
    labels: tuple[str, ...]
    limit: float
    area: Area
    """It takes as much of the height as it needs."""

    style: Style
    room: float = LARGEST
    """How high a row of pictures may be."""

    across: int = MOST_ACROSS
    """How many stand side by side, at most."""

    @property
    def height(self) -> float:
        rows = ceil(len(self.weights) / self._across)
        return rows * self._pitch - self._gap

    @property
    def width(self) -> float:
        return self._across * (self._size[0] + self._gap) - self._gap

    def box(self, head: int) -> Area:
        """Where the picture of this head is."""
        down, over = divmod(head, self._across)
        wide, high = self._size
        start = self.area.x + (self.area.width - self.width) / 2
        return Area(start + over * (wide + self._gap), self.area.y + down * self._pitch, wide, high)

    def head_at(self, x: float, y: float) -> int | None:
        """The head at this point, its label and half the gap around it included."""
        for head in range(len(self.weights)):
            box = self.box(head).grown(self._gap / 2)
            if box._replace(height=box.height + self._line).contains(x, y):
                return head
        return None

    def marks(self, current: int) -> list[Mark]:
        theme, size = self.style.theme, self.style.size
        marks: list[Mark] = []
        for head, heat in enumerate(self._heats):
            box, mine = self.box(head), head == current
            middle, ink = box.centre[0], theme.accent if mine else theme.muted
            text = f"head {self.labels[head]}" if box.width > 3.4 * size else self.labels[head]
            marks += [
                heat,
                box.grown(1.5).box(theme.accent, 2) if mine else box.box(theme.line),
                Text(middle, box.bottom + size * 1.15, text, size, ink, "middle"),
            ]
        return marks

    @property
    def _gap(self) -> float:
        return GAP * self.style.size / 12

    @property
    def _line(self) -> float:
        return self.style.size * LINE

    @property
    def _pitch(self) -> float:
        return self._size[1] + self._line + self._gap

    @property
    def _across(self) -> int:
        return max(1, min(len(self.weights), self.across))

    @cached_property
    def _size(self) -> tuple[float, float]:
        """Width and height of a picture."""
        unit, (rows, columns) = self.style.size / 12, self.weights.shape[1:]
        room = self.area.width - (self._across - 1) * self._gap
        ratio = min(1.0, max(0.4, rows / columns))
        wide = max(8.0, min(LARGEST * unit, room / self._across, self.room * unit / ratio))
        return wide, wide * ratio

    @cached_property
    def _heats(self) -> list[Heat]:
        wide, high = self._size
        drawn = coarse(self.weights, (wide / self.weights.shape[2], high / self.weights.shape[1]))
        rows, columns = drawn.shape[1:]
        painted = colours(self.style.theme, drawn, self.style.ends_of(Span.around_0(self.limit)))
        return [
            Heat(*self.box(head)[:2], wide / columns, high / rows, rows, columns, rows_of(painted[head]))
            for head in range(len(self.weights))
        ]
