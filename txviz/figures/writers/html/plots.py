"""The plots of a step as pieces of the page. Each is shown with the step that it is of, and not with its neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from txviz.figures.job import Export
from txviz.figures.levels.picture import Picture
from txviz.figures.scene import Scene
from txviz.figures.theme import Theme
from txviz.figures.views import VIEWS, View
from txviz.figures.writers.html.picture import Pictures, Piece, piece
from txviz.ops import Index
from txviz.trace import Step

WHOLE = ("tokens", "values")
"""Those that are the same for every head."""


def plots(step: Step, places: Sequence[Index], wanted: Export) -> Iterator[Pictures]:
    """At each of the places, or one for all of them."""
    for view in VIEWS.values():
        if view.plot and view.steps(wanted.trace, step)[-1:] == (step,):
            pieces = [_plot(view, step, at, wanted) for at in _places(view, places)]
            yield Pictures(view.name, view.name.capitalize(), pieces)


def _places(view: View, places: Sequence[Index]) -> Sequence[Index]:
    return places[:1] if view.name in WHOLE else places


def _plot(view: View, step: Step, place: Index, wanted: Export) -> Piece:
    page = wanted.page_of(step)

    def draw(theme: Theme) -> Picture:
        style = replace(page.style, theme=theme)
        return Picture(view.draw(Scene(wanted.trace, step, place, None, page.width, page.height, style)), ())

    return piece(draw, page.style.theme)[0]
