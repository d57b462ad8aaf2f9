"""Below a figure, on a strip of its own: the arithmetic of the chosen cell, a caption, where the numbers are from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from txviz.figures.heading import text_size
from txviz.figures.marks import Figure, Group, Text
from txviz.figures.style import MARGIN, Style
from txviz.figures.views.page import LINE, wrapped
from txviz.figures.worked import shortened

WORKED, CAPTION, PROVENANCE = "worked", "caption", "provenance"
"""What the groups of marks are called; the texts stand in this order."""

SMALL, SMALLEST = 0.72, 9.0
"""The size of the provenance, by the size of the text, and at least."""

FIRST_GAP, GAP = 0.9, 0.5
"""Above the first of them and above each other one, by the size of the text."""

MOST_LINES = 3
"""Of the arithmetic; of two runs, each has two at most."""

LARGEST = 0.5
"""The share of a page that it takes: on a page that is lower still, the figure is longer than the page."""


class Foot(NamedTuple):
    lines: tuple[tuple[str, Text], ...] = ()
    """With the name of its group, each line; placed from the top of the strip."""

    height: float = 0.0

    def room(self, height: float) -> float:
        """How high the picture above it is on a page of this height."""
        return max(height - self.height, height * LARGEST)

    def below(self, figure: Figure) -> Figure:
        """The figure and the strip: it begins where the figure's own margin does."""
        top = figure.height - MARGIN
        marks = (
            Group(name, tuple(replace(text, y=text.y + top) for _, text in lines))
            for name, lines in groupby(self.lines, key=lambda line: line[0])
        )
        return replace(figure, height=figure.height + self.height, marks=(*figure.marks, *marks))


NO_FOOT = Foot()


def foot(texts: Mapping[str, str], width: float, height: float, style: Style) -> Foot:
    """Of what there is to say; nothing has no height."""
    size, y = text_size(width, height, style), 0.0
    placed: list[tuple[str, Text]] = []
    for name in (name for name in (WORKED, CAPTION, PROVENANCE) if texts.get(name)):
        y += size * (GAP if placed else FIRST_GAP)
        for line in _lines(name, texts[name], size, width - 2 * MARGIN, style):
            y += line.size * LINE
            placed.append((name, replace(line, y=y - line.size * (LINE - 1))))
    return Foot(tuple(placed), y)


def _lines(name: str, text: str, size: float, room: float, style: Style) -> Iterator[Text]:
    if name == WORKED:
        for line in _arithmetic(text, size, room):
            yield Text(MARGIN, 0, line, size, style.theme.text, mono=True)
        return
    small = name == PROVENANCE
    size, colour = (max(size * SMALL, SMALLEST), style.theme.muted) if small else (size, style.theme.text)
    for line in (line for paragraph in text.split("\n") for line in wrapped(paragraph, size, room)):
        yield Text(MARGIN, 0, line, size, colour)


def _arithmetic(text: str, size: float, room: float) -> list[str]:
    """On as many lines as it may have: what is left out of a long sum is as little as can be."""
    runs = text.split("\n")
    most = MOST_LINES if len(runs) == 1 else 2
    return [line for run in runs for line in _fitting(run, size, room, most)]


def _fitting(text: str, size: float, room: float, most: int) -> list[str]:
    """A page that is too narrow for any of it has what it has room for; whether that will do is told elsewhere."""
    for twentieths in range(20, -1, -1):
        lines = wrapped(shortened(text, size, most * room * twentieths / 20), size, room, mono=True)
        if len(lines) <= most:
            break
    return lines[:most]
