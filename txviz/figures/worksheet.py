"""A worksheet to print: steps of this very run with blanked cells, and on the last pages the answers, worked out.

Three depths: some "cells" of each result, with the arithmetic to fill in; the whole "result"; or the whole "block",
where what one step made is blank as well where the next one reads it, so that only inputs and weights are given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import ceil
from typing import NamedTuple
from zlib import crc32

import numpy as np

from txviz.errors import TxvizError
from txviz.figures import fonts
from txviz.figures.decimals import block_decimals
from txviz.figures.formats import DEPTHS
from txviz.figures.grid import Grid
from txviz.figures.job import Export, Shown
from txviz.figures.levels.moving import Move
from txviz.figures.marks import Box, Figure, Group, Line, Mark, Text
from txviz.figures.naming import cell_name
from txviz.figures.patches import find_drawing
from txviz.figures.stage import Stage, stage
from txviz.figures.stage_cells import Result, drawn_cells, only, without
from txviz.figures.style import MARGIN, Style
from txviz.figures.views.page import wrapped
from txviz.ops import Array, Index
from txviz.trace import Step
from txviz.trace.outline import Node

A4 = (794.0, 1123.0)
TOP, FIGURE = 90.0, 560.0
"""Room for the heading of a page, and for the tensors."""

SIZE = 13.0
MOST_CELLS, MOST_LINES = 6, 10
"""Blank cells of one step where some are to be filled in, and lines to write on."""

COPIES = ("split_heads", "merge_heads", "concat", "stack", "select", "place", "take")
"""Operations that just move numbers: nobody learns from copying them."""

GAP = "______"
_NUMBER = re.compile(r"(?<!… )[−-]?\b\d+(?:\.\d+)?(?:×10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?")
_SPREAD = 0.618
"""The share of a row of cells from one blank to the next: no pattern, and none next to another."""


class Task(NamedTuple):
    """A step of which something is to be found out."""

    number: int
    made: Stage
    figure: Figure
    blank: dict[int, Array]
    """By the place of the panel: which of its cells are blank, row by row."""

    asked: list[Index]
    """The blank cells of the result."""


def worksheet(wanted: Export) -> Iterator[Figure]:
    """A page for each step, and a page with its answers after all of them."""
    if wanted.worksheet not in DEPTHS:
        raise TxvizError(f'no worksheet is called "{wanted.worksheet}"; there are {", ".join(DEPTHS)}')
    tasks = list(_tasks(wanted))
    if not tasks:
        raise TxvizError("none of these steps fits on a worksheet with its numbers; choose others, or a shorter input")
    yield from (_page(wanted, task, solved=False) for task in tasks)
    yield from (_page(wanted, task, solved=True) for task in tasks)


def first_page(wanted: Export) -> Figure:
    return next(worksheet(wanted))


def _tasks(wanted: Export) -> Iterator[Task]:
    """Of steps that compute something, as far as it can be worked out from what is on the page."""
    steps = list(dict.fromkeys(step for each in wanted.watched() for step in _steps(each)))
    hidden: set[str] = set()
    number = 0
    for step in steps:
        made = _workable(wanted, step)
        if wanted.worksheet == "block" and (made or (step.op in COPIES and hidden.intersection(step.inputs))):
            hidden.add(step.name)
        if made is not None:
            number += 1
            found = drawn_cells(made, made.figure)
            blank = {k: _blank(each, step, wanted.worksheet) for k, each in enumerate(found) if _asks(each, hidden)}
            yield Task(number, made, made.figure, blank, _asked(found, blank))


def _workable(wanted: Export, step: Step) -> Stage | None:
    """All of the step, else what the page would be cropped to, if it can be worked out from that."""
    if step.op in COPIES or not step.sources:
        return None
    tried = (_stage(wanted, step, preset.style) for preset in (wanted.preset.whole(), wanted.preset))
    return next((made for made in tried if _can_be_worked_out(step, drawn_cells(made, made.figure))), None)


def _can_be_worked_out(step: Step, found: Sequence[Result]) -> bool:
    """Whether every number that the cells of the result are made from is on the page."""
    inputs: dict[str, list[Grid]] = {}
    for each in found:
        if each.cells.texts and not each.panel.grid.output:
            inputs.setdefault(each.panel.grid.name, []).append(each.panel.grid)
    outputs = [each for each in found if each.panel.grid.output]
    asked = (each.panel.grid.index(*cell) for each in outputs for cell in np.ndindex(each.panel.grid.values.shape))
    reads = (read for index in asked for read in step.explain(index).reads.items())
    wanted = ((inputs.get(name, ()), index) for name, indices in reads for index in indices)
    there = all(each.cells.texts for each in outputs)
    return there and all(any(grid.find(index) is not None for grid in grids) for grids, index in wanted)


def _steps(shown: Shown) -> Sequence[Step]:
    return shown.steps if isinstance(shown, Node) else [shown]


def _asks(each: Result, hidden: set[str]) -> bool:
    """Whether a tensor has blanks: the result, and what an earlier task was to find out."""
    return each.panel.grid.output or (each.panel.grid.name in hidden and bool(each.cells.texts))


def _stage(wanted: Export, step: Step, style: Style) -> Stage:
    style = replace(style, size=SIZE, growth=1.2)
    drawing, decimals = find_drawing(wanted.trace), block_decimals(wanted.trace, step)
    return stage(step, wanted.place, A4[0], FIGURE, style, drawing, decimals)


def _blank(each: Result, step: Step, depth: str) -> Array:  # -> (rows·columns,), true where nothing is shown
    count = each.cells.rows * each.cells.columns
    blank = np.full(count, depth != "cells")
    if depth == "cells":
        first = crc32(step.name.encode()) / 2**32
        some = min(MOST_CELLS, ceil(count / 4))
        blank[[int((first + k * _SPREAD) % 1 * count) for k in range(some)]] = True
    return blank


def _asked(found: Sequence[Result], blank: dict[int, Array]) -> list[Index]:
    outputs = ((found[k], cells) for k, cells in blank.items() if found[k].panel.grid.output)
    return [
        each.panel.grid.index(*divmod(int(cell), each.cells.columns))
        for each, cells in outputs
        for cell in np.flatnonzero(cells)
    ]


def _page(wanted: Export, task: Task, *, solved: bool) -> Figure:
    theme = task.made.style.theme
    tensors = _solved(task) if solved else _open(task)
    marks = [Move(0, TOP).mark(mark, str(task.number)) for mark in tensors]
    below = TOP + task.figure.height
    lines = _answers(task, below) if solved else _questions(task, wanted.worksheet, below)
    return Figure(*A4, theme.panel, (*_heading(wanted, task, solved), *marks, *lines))


def _heading(wanted: Export, task: Task, solved: bool) -> list[Mark]:
    theme, right = task.made.style.theme, A4[0] - MARGIN
    about = wanted.trace.about
    what = f"{'Answers' if solved else 'Worksheet'} {task.number} · {about.get('title', about.get('model', ''))}"
    said = " · ".join(filter(None, (str(about.get("input", "")), wanted.trace.edited_text)))
    given = fonts.elided(said, SIZE, right - MARGIN - 16 * SIZE)
    marks: list[Mark] = [
        Text(MARGIN, 40, what, SIZE * 1.3, theme.text, bold=True),
        Text(MARGIN, 62, given, SIZE, theme.muted),
        Line(MARGIN, 78, right, 78, theme.line),
    ]
    return marks if solved else [*marks, Text(right, 40, "Name ______________________", SIZE, theme.muted, "end")]


def _open(task: Task) -> list[Mark]:
    """The figure without the numbers that are asked for; their colours would give them away, and so would the bar."""
    found, under = drawn_cells(task.made, task.figure), task.made.style.theme.panel
    left = [only(found[k].cells, ~blank, under) for k, blank in task.blank.items()]
    rest = without(task.figure.marks, [found[k].cells for k in task.blank])
    shown = [mark for mark in rest if not (isinstance(mark, Group) and mark.name == "colours")]
    return [*shown, *left, *_frames(task, found)]


def _solved(task: Task) -> list[Mark]:
    """The whole figure, with a frame around each answer."""
    return [*task.figure.marks, *_frames(task, drawn_cells(task.made, task.figure))]


def _frames(task: Task, found: Sequence[Result]) -> Iterator[Box]:
    for k, blank in task.blank.items():
        for cell in np.flatnonzero(blank):
            box = found[k].panel.box([divmod(int(cell), found[k].cells.columns)])
            yield Box(*box, stroke=task.made.style.theme.muted, stroke_width=1)


def _questions(task: Task, depth: str, top: float) -> list[Mark]:
    """Arithmetic with gaps, or lines to write on."""
    asked = task.asked[:MOST_LINES]
    worked = [_worked(task, index) for index in asked]
    texts = [f"{name} = {_NUMBER.sub(GAP, text) if depth == 'cells' else ''}" for name, text in worked]
    what = "Fill in the blank cells" if depth == "cells" else "Work out the blank cells; some of them here"
    return _lines(task, what, texts, top, ruled=True)


def _answers(task: Task, top: float) -> list[Mark]:
    said = "Worked out with the full numbers: with those that are printed, the last digit may differ"
    texts = [" = ".join(_worked(task, index)) for index in task.asked]
    return _lines(task, said, texts, top, ruled=False)


def _worked(task: Task, index: Index) -> tuple[str, str]:
    return cell_name(task.made.step, index), task.made.step.explain(index).text


def _lines(task: Task, heading: str, texts: Sequence[str], top: float, *, ruled: bool) -> list[Mark]:
    """As many as there is room for, each on as many lines of the page as it needs."""
    theme, room = task.made.style.theme, A4[0] - 2 * MARGIN
    marks: list[Mark] = [Text(MARGIN, top + SIZE, f"{heading}:", SIZE, theme.muted)]
    y, bottom = top + SIZE * 3.2, A4[1] - 2 * MARGIN
    for done, text in enumerate(texts):
        lines = wrapped(text, SIZE, room)
        if y + len(lines) * SIZE * 1.5 > bottom:
            marks.append(Text(MARGIN, bottom, f"and {len(texts) - done} more", SIZE, theme.muted))
            break
        for line in lines:
            marks.append(Text(MARGIN, y, line, SIZE, theme.text))
            y += SIZE * 1.5
        if ruled:
            marks.append(Line(MARGIN, y - SIZE * 0.5, A4[0] - MARGIN, y - SIZE * 0.5, theme.line))
            y += SIZE * 1.1
    return marks
