"""The same step of two runs side by side: A, B, and B − A, with the cells that differ outlined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby

import numpy as np

from txviz.figures.area import Area
from txviz.figures.blocks import Block, Group, Layout
from txviz.figures.by_word import by_word
from txviz.figures.colour_bar import scale_bar
from txviz.figures.colour_scale import extent, reach, union
from txviz.figures.cropping import Cropping, cropped_layout
from txviz.figures.decimals import block_decimals
from txviz.figures.grid import Grid, unlabelled
from txviz.figures.layout import best_layout, zoomed
from txviz.figures.marks import Box, Mark, Text
from txviz.figures.marks import Group as Named
from txviz.figures.naming import counted
from txviz.figures.numerals import FEWEST_DECIMALS, MOST_DECIMALS, cell_form
from txviz.figures.pair import SIDES, Pair, Sides, corresponds, remarks
from txviz.figures.panels import Panel
from txviz.figures.patches import Drawing, find_drawing
from txviz.figures.sharing import Scaled, ends_by_grid, scale_of
from txviz.figures.stage import LARGER, Stage, place_blocks, stage
from txviz.figures.style import MARGIN, Style
from txviz.figures.tensors import NONE_LEFT_OUT, Entries, result_at
from txviz.figures.views.page import Page
from txviz.ops import Array, Index
from txviz.trace import Step
from txviz.trace.diff import differing

Drawings = tuple[Drawing | None, Drawing | None]

LOW = 320.0
"""The height of a page that has room for the cells alone: neither what A and B are nor what the colours mean."""

SMALLEST_OUTLINED = 4.0
"""Pixels of a cell: the outlines of smaller ones would cover them."""


def compared_stage(
    pair: Pair,
    step: Step,
    place: Index = (),
    width: float = 900,
    height: float = 520,
    style: Style | None = None,
    sides: Sides = "all",
) -> Stage:
    """A step of B beside that of A; or one of them as it is by itself, in the colours that both share."""
    style = replace(style or Style(), extents=pair.extent_of)
    a = pair.of_a(step)
    if sides not in ("a", "b"):
        drawings = find_drawing(pair.a), find_drawing(pair.b)
        return comparison(
            a, step, place, width, height, style, drawings, "all" if sides == "table" else sides, pair.told
        )
    run, shown = (pair.a, a) if sides == "a" else (pair.b, step)
    title = f"{SIDES[sides]} · {shown.heading} · {pair.told[sides == 'b']}"
    made = stage(shown, place, width, height, style, find_drawing(run), block_decimals(run, shown), title)
    if not corresponds(a, step) or a.value.shape != step.value.shape:
        return made
    changed = differing(a.value, step.value)
    found = [outline for panel in made.panels if panel.grid.output for outline in _outlines(panel, changed, style)]
    return _with_marks(made, [Named("cells that differ", tuple(found))] if found else [])


def _with_marks(made: Stage, marks: Sequence[Mark]) -> Stage:
    return replace(made, figure=replace(made.figure, marks=(*made.figure.marks, *marks)))


def comparison(
    a: Step,
    b: Step,
    place: Index = (),
    width: float = 900,
    height: float = 520,
    style: Style | None = None,
    drawings: Drawings = (None, None),
    sides: Sides = "all",
    told: tuple[str, str] = ("", ""),
) -> Stage:
    """Both steps on one scale of colours, their difference on its own. Where nothing can be subtracted, a sentence
    says why; ``told`` says what A and B are."""
    style = style or Style()
    page = Page(width, height, style)
    page.title(f"{SIDES[sides]} · {b.heading}", where="" if b.heading == b.title else b.title)
    for said in (*(_named(told) if height >= LOW else ()), *remarks(a, b)):
        page.paragraph(said)
    shown = _Shown(a, b, place, sides)
    legend = 0.0 if b.value.dtype.kind in "iub" or height < LOW else page.style.size * 4.2
    area = page.left._replace(height=page.left.height - legend)
    layout = _layout(shown, area, page.style.size, style, drawings)
    return _placed(page, shown, layout, area, legend, style)


def _named(told: tuple[str, str]) -> list[str]:
    return [f"A: {told[0]}  ·  B: {told[1]}"] if any(told) else []


@dataclass(frozen=True, eq=False)
class _Shown:
    a: Step
    b: Step
    place: Index
    sides: Sides

    @property
    def alike(self) -> bool:
        """Whether the one can be subtracted from the other."""
        return corresponds(self.a, self.b) and self.a.value.shape == self.b.value.shape

    @property
    def changed(self) -> Array | None:
        return differing(self.a.value, self.b.value) if self.alike else None

    @cached_property
    def _whole(self) -> list[Grid]:
        return self._made(NONE_LEFT_OUT)

    def _made(self, entries: Entries) -> list[Grid]:
        if not self.alike:
            return self._apart(entries)
        a, b, difference = compared(self.a, self.b, self.place, entries)
        return [difference] if self.sides == "difference" else [a, b, difference]

    def grids(self, decimals: int, entries: Entries = NONE_LEFT_OUT) -> list[Grid]:
        """A and B have numbers of one form, where the one can be subtracted from the other."""
        shown = self._made(entries) if entries else self._whole
        both = [grid.values for grid in shown if not grid.output]
        forms = [cell_form(grid.values, decimals) for grid in shown]
        if both and self.alike:
            forms[:2] = [cell_form(np.stack(both), decimals)] * 2
        return [replace(grid, form=form) for grid, form in zip(shown, forms, strict=True)]

    def cropping(self) -> Cropping:
        """What matters most is where they differ most."""
        *both, last = self.grids(FEWEST_DECIMALS)
        return Cropping(self.b, (both, [last]))

    def _apart(self, entries: Entries) -> list[Grid]:
        """Each as it is, in the same colours."""
        both = union(map(reach, (self.a, self.b)))
        named = zip((result_at(step, self.place, entries) for step in (self.a, self.b)), "AB", strict=True)
        apart = [replace(grid, name=self.b.name, output=False, extent=both, caption=caption) for grid, caption in named]
        return [*apart, *self._by_word(entries)]

    def _by_word(self, entries: Entries) -> list[Grid]:
        """B − A between the words that both have, where their attention has other tokens."""
        found = by_word(self.a, self.b) if corresponds(self.a, self.b) else None
        if found is None:
            return []
        a, b = found.matrices(self.place)
        change, axes = b - a, (("query", found.queries), ("key", found.keys))
        rows, columns = (entries.get(axis, np.arange(len(axis[1]))) for axis in axes)
        size = " × ".join(
            _part(len(shown), len(words)) for shown, (_, words) in zip((rows, columns), axes, strict=True)
        )
        grid = replace(result_at(self.b, self.place), values=change[np.ix_(rows, columns)], extent=extent(change))
        grid = replace(grid, row_ids=rows, column_ids=columns, row_axis=axes[0], column_axis=axes[1])
        grid = replace(grid, row_labels=tuple(found.queries[i] for i in rows))
        grid = replace(grid, column_labels=tuple(found.keys[i] for i in columns))
        return [replace(grid, caption="B − A by word", shape=f"{size} words", output=True)]


def _part(shown: int, whole: int) -> str:
    return str(whole) if shown == whole else f"{shown} of {whole}"


def _layout(shown: _Shown, area: Area, usual: float, style: Style, drawings: Drawings) -> Layout:
    """With as many decimals as can be read; where few can't, more need not be tried."""

    def grouped(entries: Entries, decimals: int = FEWEST_DECIMALS) -> list[Group]:
        return _groups(shown.grids(decimals, entries), style, drawings)

    def made(entries: Entries, least: float) -> Layout:
        tried = (
            best_layout(grouped(entries, decimals), area, usual, LARGER * usual, least)
            for decimals in (FEWEST_DECIMALS, *range(MOST_DECIMALS, FEWEST_DECIMALS, -1))
        )
        few = next(tried)
        return next((layout for layout in tried if layout.readable), few) if few.readable else few

    best = cropped_layout(style, area, shown.cropping, grouped, made)
    return zoomed(best, style.zoom) if style.zoom != 1 else best


def _groups(shown: Sequence[Grid], style: Style, drawings: Drawings) -> list[Group]:
    """B has its own labels where they are not those of A."""
    grids = shown if style.labels else [unlabelled(grid) for grid in shown]
    shared = len(grids) > 1 and grids[0].row_labels == grids[1].row_labels and _same_drawing(*drawings)
    labelled = [place != 1 or not shared for place in range(len(grids))]
    own = [drawings[bool(place) or len(grids) == 1] for place in range(len(grids))]
    found = zip(grids, own, labelled, strict=True)
    return [[Block(grid, "", style.size, drawing, named, style.numbers)] for grid, drawing, named in found]


def _same_drawing(a: Drawing | None, b: Drawing | None) -> bool:
    if a is None or b is None:
        return a is b
    return a.patch == b.patch and np.array_equal(a.pixels, b.pixels, equal_nan=True)


def _placed(page: Page, shown: _Shown, layout: Layout, area: Area, legend: float, style: Style) -> Stage:
    blocks = [group[0] for group in layout.groups]
    found = _scales([block.grid for block in blocks], style)
    marks, panels, right, bottom = place_blocks(layout, area, style, ends_by_grid(found))
    width, height = max(page.width, right + MARGIN), max(page.height, bottom + MARGIN + legend)
    changed = shown.changed
    outlines = [] if changed is None else [mark for panel in panels for mark in _outlines(panel, changed, style)]
    bars = _legend(found, width, height, page.style) if legend else []
    figure = page.figure()
    over = [Named("cells that differ", tuple(outlines))] if outlines else []
    figure = replace(figure, width=width, height=height, marks=(*figure.marks, *marks, *over, *bars))
    results = [replace(panel, grid=replace(panel.grid, output=True)) for panel in panels]
    results = results if shown.alike else results[:2]  # what is by word has no cells of the step
    return Stage(
        shown.b, figure, tuple(results[1:2] + results[:1] + results[2:]), style
    )  # first B, which can be changed


def compared(a: Step, b: Step, place: Index, entries: Entries = NONE_LEFT_OUT) -> tuple[Grid, Grid, Grid]:
    """The same cells in A, in B, and their difference; of some axes only these entries. Of a long vocabulary, the
    likeliest words of either."""
    with np.errstate(invalid="ignore", over="ignore"):
        either = replace(a, value=np.maximum(a.value, b.value))
        change = np.where(a.value == b.value, 0, np.subtract(b.value, a.value, dtype=_signed(a)))
    grid, changed = result_at(either, place, entries), differing(a.value, b.value)
    values, both = [grid.same_cells(step.value) for step in (a, b)], union(map(reach, (a, b)))
    first = replace(grid, values=values[0], caption="A", output=False, extent=both)
    second = replace(first, values=values[1], caption="B")
    same = replace(grid, values=grid.same_cells(change), caption="B − A", output=True, extent=extent(change))
    if grid.raster:  # each has its own colours, and the difference those of a scale
        first, second = (replace(g, raster=result_at(s, place).raster) for g, s in ((first, a), (second, b)))
        same = replace(same, picture=False)
    same = replace(same, form=cell_form(same.values), shape=_counted(int(changed.sum()), changed.size))
    return first, _labelled(second, b), _labelled(same, b)


def _counted(changed: int, cells: int) -> str:
    """
    >>> _counted(0, 9), _counted(9, 9), _counted(1, 1), _counted(2, 9)
    ('no cell differs', 'all 9 cells differ', 'it differs', '2 of 9 cells differ')
    """
    if not changed:
        return "no cell differs"
    if changed == cells:
        return "it differs" if cells == 1 else f"all {cells:,} cells differ"
    return f"{changed:,} of {counted(cells, 'cell')} {'differs' if changed == 1 else 'differ'}"


def _signed(step: Step) -> np.dtype:
    """Whole numbers need a sign for their difference."""
    return np.dtype(np.int64) if step.value.dtype.kind in "iub" else step.value.dtype


def _labelled(grid: Grid, step: Step) -> Grid:
    """The grid with the labels of this step: another sentence has other tokens."""
    if grid.raster:
        return grid
    rows, columns = ([("",)] * 2 + [tuple(names) for names in step.labels])[-2:]
    if grid.turned:
        rows, columns = columns, rows
    row_labels, column_labels = tuple(rows[i] for i in grid.row_ids), tuple(columns[i] for i in grid.column_ids)
    return replace(grid, row_labels=row_labels, column_labels=column_labels)


def _outlines(panel: Panel, changed: Array, style: Style) -> Iterator[Box]:
    """Around the cells of the panel that differ: a dark line in a light one, to be seen on every colour."""
    found = list(rectangles(panel.grid.same_cells(changed)))
    if len(found) > 1 and min(panel.cell_width, panel.cell_height) < SMALLEST_OUTLINED:
        return
    for top, left, bottom, right in found:
        box = panel.box([(top, left), (bottom, right)])
        yield Box(*box, stroke=style.theme.panel, stroke_width=3.2)
        yield Box(*box, stroke=style.theme.text, stroke_width=1.4)


def rectangles(chosen: Array) -> Iterator[tuple[int, int, int, int]]:  # (n,m) of true and false
    """Rectangles that cover the cells which are true, and no others: top, left, bottom and right.

    >>> list(rectangles(np.array([[True, True, False], [True, True, True]])))
    [(0, 0, 0, 1), (1, 0, 1, 2)]
    >>> list(rectangles(np.array([[True, False], [True, False]])))
    [(0, 0, 1, 0)]
    """
    rows = [tuple(_runs(row)) for row in chosen.tolist()]
    top = 0
    for runs, same in groupby(rows):
        height = len(list(same))
        yield from ((top, left, top + height - 1, right) for left, right in runs)
        top += height


def _runs(row: list[bool]) -> Iterator[tuple[int, int]]:
    """Where the cells of a row that are true begin and end."""
    start = 0
    for value, same in groupby(row):
        end = start + len(list(same))
        if value:
            yield start, end - 1
        start = end


def _scales(shown: Sequence[Grid], style: Style) -> list[Scaled]:
    """One for A and B, and one for the difference, which is always its own."""
    coloured = [grid for grid in shown if grid.scaled]
    plain = replace(style, extents=None)
    own = replace(plain, scale="each")
    sides = (([g for g in coloured if not g.output], plain), ([g for g in coloured if g.output], own))
    return [(scale_of(grids, how), grids) for grids, how in sides if grids]


def _legend(scales: Sequence[Scaled], width: float, height: float, style: Style) -> list[Mark]:
    """At the bottom: the colours of A and B on the left, those of the difference on the right of them."""
    size, y = style.size, height - MARGIN - style.size * 3.6
    across = min(size * 14, (width - 2 * MARGIN - 2 * size) / 2)
    marks: list[Mark] = []
    x = MARGIN
    for scale, grids in scales:
        name = " and ".join(dict.fromkeys(grid.caption for grid in grids))
        bar = scale_bar((x, y + size * 1.4, across), scale.ends, scale.extent, style, grey=scale.grey)
        if bar:
            marks.append(Named(f"colours of {name}", (Text(x, y + size, name, size * 0.92, style.theme.muted), *bar)))
        x += across + 2 * size
    return marks
