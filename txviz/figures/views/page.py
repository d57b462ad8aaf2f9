"""What the views share: areas of a page, titles and captions, and texts that fit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from math import ceil

import numpy as np

from txviz.figures import fonts
from txviz.figures.area import Area as Area
from txviz.figures.heading import title_marks
from txviz.figures.marks import TEXT_DROP, Figure, Group, Mark, Text
from txviz.figures.style import MARGIN, Style
from txviz.ops import Array

LINE = 1.3
"""The height of a line of text, by its size."""

MIDDLE = TEXT_DROP
"""How far the baseline of a text is below its middle, by its size."""

ROOMY = 420.0
"""From this width and height on, at a text size of 12, all may grow."""


class Page:
    """A page that is filled from the top (title) and from the bottom (caption); a drawing gets what is left."""

    def __init__(self, width: float, height: float, style: Style | None) -> None:
        style = style or Style()
        room = min(width, height) / ROOMY * 12 / style.size
        self.style = replace(style, size=style.size * max(1.0, min(style.growth, room)))
        self.width, self.height = width, height
        self.left = Area(MARGIN, MARGIN, width - 2 * MARGIN, height - 2 * MARGIN)
        self._marks: list[Mark] = []

    def add(self, name: str, marks: Sequence[Mark]) -> None:
        if marks:
            self._marks.append(Group(name, tuple(marks)))

    def title(self, text: str, reserved: float = 0.0, where: str = "") -> None:
        """Bold, at the top, on two lines where it is long; ``reserved`` is kept free on its right, for a colour bar.
        ``where`` in the model that is stands small behind it, and then all is on one line."""
        if not self.style.title:
            self._take_top(self.style.size * 2.8 if reserved else 0.0)
            return
        if where and not isinstance(self.style.title, str):
            baseline, room = self.left.y + self.style.size * 1.3, self.left.width - reserved
            self.add("heading", title_marks(text, where, baseline, room, self.style.size, self.style))
            self._take_top(self.style.size * (2.8 if reserved else 2.4))
            return
        text, size, room = self.style.titled(text), self.style.size, self.left.width - reserved
        wide = fonts.width(text, 1, bold=True) or room  # of a title that can't be seen
        large = max(size * 1.2, min(size * 1.6, room / wide))
        lines = wrapped(text, large, room, bold=True)[:2]
        top = self.left.y + size * 1.3
        marks = [
            Text(self.left.x, top + i * large * LINE, line, large, self.style.theme.text, bold=True)
            for i, line in enumerate(lines)
        ]
        self.add("heading", marks)
        self._take_top(size * (2.8 if reserved else 2.4) + (len(lines) - 1) * large * LINE)

    def paragraph(self, text: str) -> None:
        """At the top of what is left."""
        size = self.style.size * 1.1
        lines = wrapped(text, size, self.left.width)
        tops = (self.left.y + size * (1 + i * LINE) for i in range(len(lines)))
        marks = [Text(self.left.x, y, line, size, self.style.theme.text) for y, line in zip(tops, lines, strict=True)]
        self.add("sentence", marks)
        self._take_top(size * (len(lines) * LINE + 0.5))

    def caption(self, text: str) -> None:
        """Muted, at the bottom, on as many lines as it needs."""
        size = self.style.size
        lines = wrapped(text, size, self.left.width)
        top = self.left.bottom - len(lines) * size * LINE
        self.add(
            "caption",
            [
                Text(self.left.x, top + (i + 1) * size * LINE - size * 0.3, line, size, self.style.theme.muted)
                for i, line in enumerate(lines)
            ],
        )
        self.left = self.left._replace(height=top - size * 0.7 - self.left.y)

    def figure(self) -> Figure:
        return Figure(self.width, self.height, self.style.theme.panel, tuple(self._marks))

    def _take_top(self, height: float) -> None:
        self.left = self.left._replace(y=self.left.y + height, height=self.left.height - height)


def wrapped(text: str, size: float, room: float, *, bold: bool = False, mono: bool = False) -> list[str]:
    """The text on lines that fit, broken between words, but not before a %; a word that is too long is shortened."""
    lines: list[str] = []
    for word in re.split(" (?!%)", text):
        if lines and fonts.width(f"{lines[-1]} {word}", size, bold=bold, mono=mono) <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return [fonts.elided(line, size, room, bold=bold, mono=mono) for line in lines]


def stride(pitch: float, needed: float) -> int:
    """Every how many places a label fits, where places are ``pitch`` apart and a label needs ``needed``."""
    return max(1, ceil(needed / max(pitch, 1e-6)))


def bar_length(room: float, share: float) -> float:
    """As much of the room as the share says; all of it for ∞, and none for what is not a number.

    >>> bar_length(80, 0.5), bar_length(80, float("inf")), bar_length(80, float("nan"))
    (40.0, 80.0, 0.0)
    """
    return room * min(1.0, max(0.0, share))


def rows_of(colours: Array) -> bytes:  # (rows,columns,3) -> red, green and blue, row by row
    return np.ascontiguousarray(colours, dtype=np.uint8).tobytes()
