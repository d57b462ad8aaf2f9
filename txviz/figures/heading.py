"""Above the picture of a step or a block: its title and its formula, at the same place and in the same size everywhere,
and what the colours mean."""

from __future__ import annotations

from math import floor
from typing import NamedTuple

from txviz.figures import fonts
from txviz.figures.formula import SIZE as FORMULA_SIZE
from txviz.figures.formula import typeset
from txviz.figures.marks import Mark, Shape, Text
from txviz.figures.style import MARGIN, Style

ROOMY = (640.0, 420.0)
"""A page from which on the heading grows with it, at a text size of 12."""

TITLE, SMALLEST_TITLE, FORMULA, LEGEND, GAP = 1.5, 1.1, 1.5, 2.4, 0.8
BAR = 12.0
"""The width of the colour bar. All of these by the size of the text."""

ASCENT, DESCENT = 1.55, 1.85
"""Of a formula, by its size; a taller one is made smaller."""

BAND = 0.18
"""Of a low page, the formula has at most this share."""


class Heading(NamedTuple):
    marks: list[Mark]
    bar: tuple[float, float, float]
    """Left, top and width of the colour bar."""

    bottom: float


def text_size(width: float, height: float, style: Style) -> float:
    """Of the texts on a page: larger on a large page, but less so than the page. In whole pixels where it grows."""
    share = min(width / ROOMY[0], height / ROOMY[1]) * 12 / style.size
    return max(style.size, float(floor(style.size * min(style.growth, max(1.0, share) ** 0.6))))


def heading(title: str, latex: str, width: float, height: float, style: Style, least: float = 0.0) -> Heading:
    """Where everything stands depends on the page and the style alone, so that nothing jumps from step to step.

    ``least`` is a size of the text that it is to have in any case.
    """
    size = max(text_size(width, height, style), least)
    room, y = width - 2 * MARGIN, MARGIN
    marks: list[Mark] = []
    if style.title:
        marks.append(_title(title, y + size * TITLE * 0.8, room, size, style))
        y += size * TITLE * 1.2
    across = min(BAR * size, room / 2)
    if not style.formula:
        return Heading(marks, (width - MARGIN - across, y + size * 0.3, across), y + size * (LEGEND + GAP))
    font = min(size * FORMULA, height * BAND / (ASCENT + DESCENT))
    baseline = y + font * ASCENT
    if latex:
        marks.append(_formula(latex, baseline, room - across - size * 2, font, style))
    bottom = baseline + font * DESCENT + size * GAP
    return Heading(marks, (width - MARGIN - across, baseline - size * 0.9, across), bottom)


def _title(title: str, baseline: float, room: float, size: float, style: Style) -> Text:
    large = size * max(SMALLEST_TITLE, min(TITLE, room / fonts.width(title, size, bold=True)))
    return Text(MARGIN, baseline, fonts.elided(title, large, room, bold=True), large, style.theme.text, bold=True)


def _formula(latex: str, baseline: float, room: float, size: float, style: Style) -> Shape:
    made = typeset(latex)
    fits = min(ASCENT / made.ascent, DESCENT / max(made.descent, 0.01), room / size / max(made.width, 0.01))
    scale = size / FORMULA_SIZE * min(1.0, fits * FORMULA_SIZE)
    return Shape(MARGIN, baseline, scale, made.outline, style.theme.text, latex)
