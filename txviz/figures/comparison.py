"""The same step of two traces side by side: before, after, and what has changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from txviz.figures.area import Area
from txviz.figures.blocks import Block, Group, Layout
from txviz.figures.layout import best_layout
from txviz.figures.marks import Figure, Mark, Text
from txviz.figures.marks import Group as Named
from txviz.figures.numerals import FEWEST_DECIMALS, MOST_DECIMALS, cell_form
from txviz.figures.patches import Drawing
from txviz.figures.stage import LARGER, block_colours, place_blocks
from txviz.figures.style import MARGIN, Style
from txviz.figures.tensors import Grid, result_at, unlabelled
from txviz.figures.theme import largest
from txviz.figures.views.page import Page
from txviz.ops import Index
from txviz.trace import Step


def comparison(
    before: Step,
    after: Step,
    place: Index = (),
    width: float = 900,
    height: float = 520,
    style: Style | None = None,
    drawing: Drawing | None = None,
) -> Figure:
    """Both steps on one scale of colours, their difference on its own. Different shapes are told in a sentence."""
    style = style or Style()
    page = Page(width, height, style)
    page.title(f"{before.title}: before and after")
    if before.value.shape != after.value.shape:
        page.paragraph(_shapes(before, after))
        return page.figure()
    usual = page.style.size
    legend = 0.0 if before.value.dtype.kind in "iub" else usual * 4.2
    area = page.left._replace(height=page.left.height - legend)
    for decimals in range(MOST_DECIMALS, FEWEST_DECIMALS - 1, -1):
        shown = compared(before, after, place, decimals)
        layout = best_layout(_groups(shown, style, drawing), area, usual, LARGER * usual)
        if layout.readable:
            break
    return _side_by_side(page, style, layout, area, legend)


def _side_by_side(page: Page, style: Style, layout: Layout, area: Area, legend: float) -> Figure:
    limits = {id(group[0]): group[0].grid.largest for group in layout.groups}
    marks, _, right, bottom = place_blocks(layout, area, style, limits)
    width, height = max(page.width, right + MARGIN), max(page.height, bottom + MARGIN + legend)
    bars = _legend([group[0] for group in layout.groups], width, height, page.style) if legend else []
    figure = page.figure()
    return replace(figure, width=width, height=height, marks=(*figure.marks, *marks, *bars))


def _groups(shown: Sequence[Grid], style: Style, drawing: Drawing | None) -> list[Group]:
    before, after, difference = shown if style.labels else map(unlabelled, shown)
    shared = before.row_labels == after.row_labels
    return [
        [Block(before, "", style.size, drawing, numbers=style.numbers)],
        [Block(after, "→", style.size, drawing, not shared, style.numbers)],
        [Block(difference, "", style.size, drawing, numbers=style.numbers)],
    ]


def compared(before: Step, after: Step, place: Index, decimals: int = 0) -> tuple[Grid, Grid, Grid]:
    """The same cells before, after, and their difference. Of a long vocabulary, the likeliest words of either."""
    with np.errstate(invalid="ignore"):
        either = replace(before, value=np.maximum(before.value, after.value))
        changed = np.where(
            before.value == after.value, 0, np.subtract(after.value, before.value, dtype=_signed(before))
        )
    grid = result_at(either, place)
    end, values = largest(before.value, after.value), [grid.same_cells(step.value) for step in (before, after)]
    form = cell_form(np.stack(values), decimals)
    first = replace(grid, values=values[0], caption="before", output=False, largest=end, form=form)
    second = replace(first, values=values[1], caption="after")
    same = replace(grid, values=grid.same_cells(changed), caption="difference", output=True, largest=largest(changed))
    same = replace(same, form=cell_form(same.values, decimals))
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
    marks: list[Mark] = []
    for shown, name, x in bars:
        bar = block_colours(shown[0], shown[0].grid.largest, (x, y + size * 1.4, across), style, shown[1:])
        if bar:
            marks.append(Named(f"colours of {name}", (Text(x, y + size, name, size * 0.92, style.theme.muted), *bar)))
    return marks
