"""Whether a page is large enough for what is on it, and what would be: measured on the marks, not guessed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from math import prod

from txviz.errors import TxvizError
from txviz.figures.marks import Figure, Heat, Text
from txviz.figures.presets import CM, LIMITS, POINT, Preset

Draw = Callable[[Preset], Figure]

LEAST_TYPE = 4 * POINT
"""Nobody reads what is smaller."""

LEAST_CELL, COUNTED = 2.0, 16
"""A grid has this height for each row, up to so many, and this width for each column; or else it is squashed."""

READABLE = 7 * POINT
"""A text size to go down to."""

FACTORS = [1.15**step for step in range(20)]
"""How much larger the pages are that are tried."""


def check_fits(figure: Figure, name: str, page: Preset, draw: Draw) -> None:
    """One sentence about a page that is too small for the figure drawn on it. ``draw`` draws it on another one."""
    if is_fit(figure, page):
        return
    ways = [
        [f"{_size(each)} would do" for each in _first(_larger(page), draw)],
        [f"or a text size of {each.style.size:g}" for each in _first(_smaller_text(page), draw)],
        ["or no title and no formula" for _ in _first([_bare(page)], draw)],
    ]
    would = ", ".join(said for way in ways for said in way) or "show fewer tokens, or another picture"
    raise TxvizError(f"a page of {_size(page)} is too small for {name}; {would.removeprefix('or ')}")


def is_fit(figure: Figure, page: Preset) -> bool:
    """Whether all of it is on the page, no grid is squashed, and no text is too small to read."""
    if figure.width > page.width + 1 or figure.height > page.height + 1:
        return False
    marks = list(figure.flat())
    heats = [mark for mark in marks if isinstance(mark, Heat)]
    sizes = [mark.size for mark in marks if isinstance(mark, Text)] + [heat.text_size for heat in heats if heat.texts]
    return min(sizes, default=LEAST_TYPE) >= LEAST_TYPE and not any(map(_squashed, heats))


def _squashed(heat: Heat) -> bool:
    if heat.thumbnail:
        return False
    sides = ((heat.height, heat.rows), (heat.width, heat.columns))
    return any(length < LEAST_CELL * min(count, COUNTED) for length, count in sides)


def _first(pages: Iterable[Preset], draw: Draw) -> list[Preset]:
    """The first page that it fits on, if any."""
    return [each for each in [next((page for page in pages if is_fit(draw(page), page)), None)] if each]


def _larger(page: Preset) -> list[Preset]:
    """Taller, wider or both, the smallest first."""
    sizes = [(page.width * x, page.height * y) for x in FACTORS for y in FACTORS if 1 in (x, y) or x == y]
    found = sorted((size for size in sizes[1:] if max(size) <= LIMITS["width"][1]), key=prod)
    return [replace(page, width=width, height=height) for width, height in found]


def _smaller_text(page: Preset) -> list[Preset]:
    sizes = [round(page.style.size / factor, 1) for factor in FACTORS[1:]]
    return [replace(page, style=replace(page.style, size=size)) for size in sizes if size >= READABLE]


def _bare(page: Preset) -> Preset:
    return replace(page, style=replace(page.style, title=False, formula=False))


def _size(page: Preset) -> str:
    cm = [f"{round(length / CM + 0.049, 1):g}" for length in (page.width, page.height)]
    return f"{' × '.join(cm)} cm ({page.width:.0f} × {page.height:.0f} pixels)"
