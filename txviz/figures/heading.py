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

TITLE, SMALLEST_TITLE, FORMULA, GAP = 1.5, 1.1, 1.5, 0.8
BAR, NAMES, LEGEND = 12.0, 1.2, 3.1
"""The width of the colour bar, the room for a line above it, and for itself with two lines below. All of these by the
size of the text."""

WHERE = 0.9
"""The size of where a step stands in the model, too."""

ASCENT, DESCENT = 1.55, 1.85
"""Of a formula, by its size; a taller one is made smaller."""

BAND = 0.18
"""Of a low page, the formula has at most this share."""


class Heading(NamedTuple):
    marks: list[Mark]
    bar: tuple[float, float, float]
    """Left, top and width of the colour bar."""

    bottom: float
    free: float
    """From where on there is nothing to the left of the bar."""


def text_size(width: float, height: float, style: Style) -> float:
    """Of the texts on a page: larger on a large page, but less so than the page. In whole pixels where it grows."""
    share = min(width / ROOMY[0], height / ROOMY[1]) * 12 / style.size
    return max(style.size, float(floor(style.size * min(style.growth, max(1.0, share) ** 0.6))))


def heading(
    title: str, latex: str, width: float, height: float, style: Style, least: float = 0.0, where: str = ""
) -> Heading:
    """Where everything stands depends on the page and the style alone, so that nothing jumps from step to step.

    ``least`` is a size of the text that it is to have in any case; ``where`` stands small beside the title.
    """
    size = max(text_size(width, height, style), least)
    room, y = width - 2 * MARGIN, MARGIN
    marks: list[Mark] = []
    if style.title:
        where = "" if isinstance(style.title, str) else where
        marks += title_marks(style.titled(title), where, y + size * TITLE * 0.8, room, size, style)
        y += size * TITLE * 1.2
    across = min(BAR * size, room / 2)
    if not style.formula:
        return Heading(marks, (width - MARGIN - across, y + size * NAMES, across), y + size * (NAMES + LEGEND), MARGIN)
    font = min(size * FORMULA, height * BAND / (ASCENT + DESCENT))
    baseline, free = y + font * ASCENT, MARGIN
    if latex:
        formula, wide = _formula(latex, baseline, room - across - size * 2, font, style)
        marks.append(formula)
        free += wide + size * 2
    top = max(baseline - size * 0.9, y + size * NAMES)
    bottom = max(baseline + font * DESCENT + size * GAP, top + size * LEGEND)
    return Heading(marks, (width - MARGIN - across, top, across), bottom, free)


def title_marks(title: str, where: str, baseline: float, room: float, size: float, style: Style) -> list[Mark]:
    """The title, and where in the model that is. Where there is no room for all, what a title says behind its colon
    goes first."""
    small = size * WHERE
    beside = fonts.width(where, small) + size if where else 0.0
    said = title
    if where and fonts.width(said, size * SMALLEST_TITLE, bold=True) + beside > room:
        said = said.partition(":")[0]
        beside = min(beside, room / 2)
    large = size * max(SMALLEST_TITLE, min(TITLE, (room - beside) / max(fonts.width(said, size, bold=True), 0.01)))
    shown = fonts.elided(said, large, room - beside, bold=True)
    marks: list[Mark] = [Text(MARGIN, baseline, shown, large, style.theme.text, bold=True)]
    if where:
        x = MARGIN + fonts.width(shown, large, bold=True) + size
        marks.append(Text(x, baseline, fonts.elided(where, small, MARGIN + room - x), small, style.theme.muted))
    return marks


def _formula(latex: str, baseline: float, room: float, size: float, style: Style) -> tuple[Shape, float]:
    """And its width."""
    made = typeset(latex)
    fits = min(ASCENT / made.ascent, DESCENT / max(made.descent, 0.01), room / size / max(made.width, 0.01))
    scale = size / FORMULA_SIZE * min(1.0, fits * FORMULA_SIZE)
    return Shape(MARGIN, baseline, scale, made.outline, style.theme.text, latex), made.width * scale
