"""A plot of a step of two runs: both side by side, or one above the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from txviz.errors import TxvizError
from txviz.figures import fonts
from txviz.figures.area import Area
from txviz.figures.levels.moving import Move
from txviz.figures.marks import Figure, Group, Mark, Text
from txviz.figures.pair import SIDES, Pair, Sides
from txviz.figures.scene import Scene
from txviz.figures.style import MARGIN
from txviz.figures.views import View

BAND = 1.9
"""The height of the line that says which run it is, by the size of the text."""


def draw_plots(scene: Scene, pair: Pair, view: View, sides: Sides) -> Figure:
    """``scene`` is that of B, on the page for both."""
    names = {"all": ("A", "B"), "a": ("A",), "b": ("B",)}.get(sides)
    if names is None:
        raise TxvizError(f"a plot can't be drawn as {SIDES[sides]}; --sides can be all, a or b")
    beside = len(names) > 1 and scene.width >= scene.height
    width, height = scene.width / (len(names) if beside else 1), scene.height / (1 if beside else len(names))
    marks: list[Mark] = []
    for place, name in enumerate(names):
        corner = (place * width, 0.0) if beside else (0.0, place * height)
        marks += _side(scene, pair, view, name, Area(*corner, width, height))
    return Figure(scene.width, scene.height, scene.style.theme.panel, tuple(marks))


def _side(scene: Scene, pair: Pair, view: View, name: str, area: Area) -> Iterator[Mark]:
    """A line that says which run it is, and its plot below."""
    style, is_b = scene.style, name == "B"
    run, step = (pair.b, scene.step) if is_b else (pair.a, pair.of_a(scene.step))
    if not view.exists(run, step):
        raise TxvizError(f"{step.name} of {name} has nothing to show as {view.name}; choose another step or view")
    told = fonts.elided(pair.told[is_b], style.size, area.width - 2 * MARGIN - style.size * 2)
    left, base = area.x + MARGIN, area.y + MARGIN + style.size
    which = Text(left, base, name, style.size * 1.15, style.theme.accent, bold=True)
    yield Group(f"{name} is", (which, Text(left + style.size * 1.6, base, told, style.size, style.theme.text)))
    top = MARGIN / 2 + style.size * BAND
    page = scene._replace(trace=run, step=step, width=area.width, height=area.height - top)
    drawn = view.draw(page._replace(style=replace(style, extents=pair.extent_of)))
    move = Move(area.x, area.y + top)
    yield from (move.mark(mark, name) for mark in drawn.marks)
