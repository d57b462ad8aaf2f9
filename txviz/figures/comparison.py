"""The same step of two traces side by side: before, after, and what has changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from txviz.figures.layout import Block, best_layout
from txviz.figures.marks import Figure, Group, Mark, Text
from txviz.figures.stage import block_colours, place_blocks
from txviz.figures.style import MARGIN, Style
from txviz.figures.tensors import Grid, result_at, unlabelled
from txviz.figures.theme import largest
from txviz.figures.views.page import Page
from txviz.ops import Array, Index
from txviz.trace import Step


def comparison(
    before: Step,
    after: Step,
    place: Index = (),
    width: float = 900,
    height: float = 520,
    style: Style | None = None,
    thumbnails: Mapping[str, Array] | None = None,
) -> Figure:
    """Both steps on one scale of colours, their difference on its own. Different shapes are told in a sentence.

    As on the stage, all grows with the page only where all numbers can still be read.
    """
    style = style or Style()
    large, plain = (Page(width, height, wanted) for wanted in (style, replace(style, growth=1.0)))
    for page in (large, plain):
        page.title(f"{before.title}: before and after")
    if before.value.shape != after.value.shape:
        large.paragraph(_shapes(before, after))
        return large.figure()
    shown = compared(before, after, place)
    figure, complete = _side_by_side(large, shown, thumbnails or {})
    return figure if complete else _side_by_side(plain, shown, thumbnails or {})[0]


def _side_by_side(page: Page, shown: Sequence[Grid], thumbnails: Mapping[str, Array]) -> tuple[Figure, bool]:
    """The figure, and whether all its numbers can be read."""
    style, area = page.style, page.left
    shown = shown if style.labels else list(map(unlabelled, shown))
    before, after, difference = shown
    shared = before.row_labels == after.row_labels
    groups = [
        [Block(before, "", style.size, thumbnails)],
        [Block(after, "→", style.size, thumbnails, labelled=not shared)],
        [Block(difference, "", style.size, thumbnails)],
    ]
    legend = 0.0 if shown[0].counts else style.size * 4.2
    layout = best_layout(groups, area.width, area.height - legend, style.size)
    limits = {id(group[0]): group[0].grid.largest for group in groups}
    marks, _, right, bottom = place_blocks(layout, area.y, style, limits)
    width, height = max(page.width, right + MARGIN), max(page.height, bottom + MARGIN + legend)
    bars = _legend([group[0] for group in groups], width, height, style) if legend else []
    figure = page.figure()
    whole = replace(figure, width=width, height=height, marks=(*figure.marks, *marks, *bars))
    return whole, layout.complete(area.width)


def compared(before: Step, after: Step, place: Index) -> tuple[Grid, Grid, Grid]:
    """The same cells before, after, and their difference. Of a long vocabulary, the likeliest words of either."""
    with np.errstate(invalid="ignore"):
        either = replace(before, value=np.maximum(before.value, after.value))
        changed = np.where(
            before.value == after.value, 0, np.subtract(after.value, before.value, dtype=_signed(before))
        )
    grid = result_at(either, place)
    end = largest(before.value, after.value)
    first = replace(grid, values=grid.same_cells(before.value), caption="before", output=False, largest=end)
    second = replace(first, values=grid.same_cells(after.value), caption="after")
    same = replace(grid, values=grid.same_cells(changed), caption="difference", output=True, largest=largest(changed))
    return first, _labelled(second, after), _labelled(same, after)


def _signed(step: Step) -> np.dtype:
    """Whole numbers need a sign for their difference."""
    return np.dtype(np.int64) if step.value.dtype.kind in "iub" else step.value.dtype


def _labelled(grid: Grid, step: Step) -> Grid:
    """The grid with the labels of this step: another sentence has other tokens."""
    rows, columns = ([("",)] * 2 + [tuple(names) for names in step.labels])[-2:]
    if grid.turned:
        rows, columns = columns, rows
    row_labels, column_labels = tuple(rows[i] for i in grid.row_ids), tuple(columns[i] for i in grid.column_ids)
    return replace(grid, row_labels=row_labels, column_labels=column_labels)


def _shapes(before: Step, after: Step) -> str:
    return (
        f"Its shape has changed, from {before.dimensions} to {after.dimensions}, "
        "so there is no difference of the one from the other, cell by cell."
    )


def _legend(blocks: Sequence[Block], width: float, height: float, style: Style) -> list[Mark]:
    """At the bottom: the colours of before and after on the left, those of the difference on the right of them."""
    size, y = style.size, height - MARGIN - style.size * 3.6
    across = min(size * 14, (width - 2 * MARGIN - 2 * size) / 2)
    *both, difference = blocks
    bars = (both, "before and after", MARGIN), ([difference], "difference", MARGIN + across + 2 * size)
    return [
        Group(
            f"colours of {name}",
            (
                Text(x, y + size, name, size * 0.92, style.theme.muted),
                *block_colours(shown[0], shown[0].grid.largest, (x, y + size * 1.4, across), style, shown[1:]),
            ),
        )
        for shown, name, x in bars
    ]
