"""Attention on a page: one head as a matrix, as lines or on the image, with all heads small beside it."""

from __future__ import annotations

from typing import Literal

import numpy as np

from txviz.figures.colour_bar import scale_bar
from txviz.figures.colour_scale import extent
from txviz.figures.marks import Figure, Mark
from txviz.figures.numerals import percent
from txviz.figures.place import full_place
from txviz.figures.scene import Scene
from txviz.figures.style import Style
from txviz.figures.theme import largest
from txviz.figures.views import nearest
from txviz.figures.views.drawing import find_drawing
from txviz.figures.views.heads import NOTHING, Head, Pair, pair_of
from txviz.figures.views.lines import Lines
from txviz.figures.views.matrix import Matrix
from txviz.figures.views.page import Page
from txviz.figures.views.picture import Picture
from txviz.figures.views.strip import MOST_ACROSS, Strip
from txviz.ops import Index
from txviz.trace import Step, Trace
from txviz.trace.kept import kept

Mode = Literal["matrix", "lines", "picture"]

WIDE = 1.3
"""On a page that is so much wider than high, the small heads stand on the right, else above."""

BAR_WIDTH = 9
"""Of the colour bar, by the size of the text."""


def heading(weights: Step, place: Index) -> str:
    """The block, the scores where it is not the weights that are shown, and the head where there are several."""
    block = weights.site._replace(leaf="").title + (f" · {weights.site.leaf}" if nearest.is_scores(weights) else "")
    return f"{block} · head {weights.labels[-3][place[-1]]}" if weights.value.shape[-3] > 1 else block


def head_of(weights: Step, place: Index) -> Head:
    leaf = weights.site.leaf if nearest.is_scores(weights) else "weights"
    return Head(weights.value[place], weights.labels[-2], weights.labels[-1], _end(weights), leaf)


@kept
def _end(weights: Step) -> float:
    """Of the colours, for all heads alike. Kept, since stepping from head to head asks for it again and again."""
    return largest(weights.value)


def shown_step(trace: Trace, step: Step, mode: Mode) -> Step | None:
    """Whose numbers are shown at a step: those of the nearest weights, on an image the scores that are open."""
    found = (nearest.on_image(trace, step) if mode == "picture" else ()) or nearest.weights(trace, step)
    return next(iter(found), None)


def attention(
    trace: Trace,
    step: Step,
    place: Index = (),
    width: float = 900,
    height: float = 520,
    style: Style | None = None,
    *,
    mode: Mode = "matrix",
    pair: Pair = NOTHING,
    query: int = 0,
) -> Figure | None:
    """The weights that are nearest to the step, or on an image its scores; None where there are none yet. ``query`` is
    whose lie on the image."""
    weights = shown_step(trace, step, mode)
    if weights is None:
        return None
    place = full_place(place, weights.value.shape[:-2])
    page, head = Page(width, height, style), head_of(weights, place)
    drawing = find_drawing(trace) if mode == "picture" else None
    many = weights.value.shape[-3] > 1
    coloured = many or mode == "matrix"
    size, across = page.style.size, page.style.size * BAR_WIDTH
    at = page.left.right - across, page.left.y + size * 0.3, across
    page.title(heading(weights, place), across + size if coloured else 0.0)
    if coloured:
        page.add("colours", _colours(weights, head, at, page.style))
    page.caption(_caption(head, mode, (query, None) if mode == "picture" and pair == NOTHING else pair))
    if many:
        _add_heads(page, weights, place, head.limit)
    if drawing is not None:
        page.add("attention", Picture(head, drawing, query, page.left, page.style).marks(pair))
    else:
        kind = Lines if mode == "lines" else Matrix
        page.add("attention", kind(head, page.left, page.style).marks(pair))
    return page.figure()


def draw_matrix(scene: Scene) -> Figure | None:
    return _draw(scene, "matrix")


def draw_lines(scene: Scene) -> Figure | None:
    return _draw(scene, "lines")


def draw_image(scene: Scene) -> Figure | None:
    return _draw(scene, "picture")


def _draw(scene: Scene, mode: Mode) -> Figure | None:
    weights = shown_step(scene.trace, scene.step, mode)
    pair = NOTHING if weights is None else pair_of(scene.step, scene.cell, weights)
    query = pair[0] or 0
    return attention(scene.trace, scene.step, scene.place, *scene.page, mode=mode, pair=pair, query=query)


def _colours(weights: Step, head: Head, at: tuple[float, float, float], style: Style) -> list[Mark]:
    """What the colours of matrices mean: from 0 for weights, around 0 for scores."""
    whole = extent(weights.value)
    return scale_bar(at, style.ends_of(whole), whole, style, written=head.end_text)


def _caption(head: Head, mode: Mode, pair: Pair) -> str:
    if pair != NOTHING:
        return head.sentence(pair)
    if mode == "lines":
        return f"The bolder a line, the larger the weight: up to {percent(head.limit)}."
    sums = ": every row sums to 1" if np.allclose(head.weights.sum(axis=-1), 1) else ""
    return f"How much each query, on the left, looks at each key, above{sums}."


def _add_heads(page: Page, weights: Step, place: Index, limit: float) -> None:
    """All heads, small: in a column on the right, or in a row above."""
    heads, left, size = np.asarray(weights.value[place[:-1]]), page.left, page.style.size
    beside = left.width > WIDE * left.height
    for across in range(1 if beside else MOST_ACROSS, MOST_ACROSS + 1):
        strip = Strip(heads, weights.labels[-3], limit, left, page.style, across=across)
        if strip.height <= left.height:
            break
    if beside:
        taken = strip.width + size * 2
        strip = Strip(
            heads,
            weights.labels[-3],
            limit,
            left._replace(x=left.right - strip.width, width=strip.width),
            page.style,
            across=across,
        )
        page.left = left._replace(width=left.width - taken)
    else:
        taken = strip.height + size * 1.2
        page.left = left._replace(y=left.y + taken, height=left.height - taken)
    page.add("heads", strip.marks(place[-1]))
