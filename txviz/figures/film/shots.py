"""Steps and levels as shots of a film. What one step made moves to where the next one reads it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from txviz.figures.decimals import block_decimals
from txviz.figures.edited_foot import with_edits
from txviz.figures.film.motion import between, eased, faded, part
from txviz.figures.film.takes import Shot, Take
from txviz.figures.film.working import LINE, working
from txviz.figures.foot import WORKED
from txviz.figures.job import Export, Shown
from txviz.figures.levels.picture import Picture
from txviz.figures.marks import Figure, Group, Heat, Mark
from txviz.figures.panels import Panel
from txviz.figures.patches import find_drawing
from txviz.figures.stage import Stage, stage
from txviz.figures.stage_cells import heats_by_place, results, without
from txviz.trace import Step
from txviz.trace.outline import Node

ENTER, HOLD = 0.25, 0.25
"""Shares of a shot: coming in, and standing still at its end."""

LAST = 2.0
"""Seconds that the last picture stays."""

MOST_PICTURES = 48
"""Of a level that is computed in front of one."""


def film(wanted: Export) -> Iterator[Shot]:
    """A shot for each step or level."""
    before: Shot | None = None
    name: str | None = None
    for number, (scene, each) in enumerate(zip(wanted.scenes, wanted.watched(), strict=True), 1):
        shot = _shot(scene, each, before, again=each.name == name)
        last = number == len(wanted.shown)
        yield replace(shot, takes=(*shot.takes, Take(LAST, shot.end))) if last else shot
        before, name = shot, each.name


def _shot(wanted: Export, each: Shown, before: Shot | None, *, again: bool) -> Shot:
    """What was there before, with other numbers or another cell, need not come about once more."""
    seconds = wanted.seconds_each
    if again:
        end = wanted.figure(each)
        return Shot((Take(seconds, end),), end)
    if isinstance(each, Node) and wanted.at is None:
        return _level(wanted, each, before, seconds)
    worked = wanted.view == "stage" and wanted.ready is None and wanted.other is None
    if isinstance(each, Step) and worked:
        return _step(wanted, each, before, seconds)
    return _plain(wanted.figure(each), before, seconds)


def _step(wanted: Export, step: Step, before: Shot | None, seconds: float) -> Shot:
    """It comes in with what it reads, works, and stands there."""
    below = wanted.foot(step)
    made = _stage(wanted.above(below), step)
    page = replace(made.figure, height=made.figure.height + LINE * made.style.size)
    figure = with_edits(below.below(page), wanted.trace, made.style)
    waiting = [mark for mark in figure.marks if not (isinstance(mark, Group) and mark.name == WORKED)]
    given = replace(figure, marks=without(waiting, [result.cells for result in results(made, figure)]))
    cell = wanted.outlined
    around = () if cell is None else made.outlines(cell, step.explain(cell))
    end = replace(figure, marks=(*figure.marks, *around))
    takes = (
        _enter(before, given, made.panels, ENTER * seconds),
        Take((1 - ENTER - HOLD) * seconds, given, working(wanted.trace, made, page)),
        Take(HOLD * seconds, end),
    )
    return Shot(takes, end, made.panels)


def _stage(wanted: Export, step: Step) -> Stage:
    page, trace = wanted.page_of(step), wanted.trace
    height = page.height - LINE * page.style.size
    drawing, decimals = find_drawing(trace), block_decimals(trace, step)
    return stage(step, wanted.place, page.width, height, page.style, drawing, decimals, cell=wanted.outlined)


def _enter(before: Shot | None, given: Figure, panels: Sequence[Panel], seconds: float) -> Take:
    """The picture before goes, and this one comes; what both have moves from the one place to the other."""
    ways = _ways(before, given, panels) if before else []
    old = without(before.end.marks, [start for start, _ in ways]) if before else ()
    new = without(given.marks, [end for _, end in ways])
    under = given.background

    def moving(share: float) -> tuple[Mark, ...]:
        going, coming = faded(old, 1 - part(share, 0, 0.4), under), faded(new, part(share, 0.4, 1), under)
        return (*going, *coming, *(between(start, end, eased(share)) for start, end in ways))

    return Take(seconds, replace(given, marks=()), moving)


def _ways(before: Shot, given: Figure, panels: Sequence[Panel]) -> list[tuple[Heat, Heat]]:
    """The cells that the step before made, there and here."""
    made = {(panel.grid.name, panel.grid.place): panel for panel in before.panels if panel.grid.output}
    pairs = ((made.get((panel.grid.name, panel.grid.place)), panel) for panel in panels if not panel.grid.output)
    there, here = heats_by_place(before.end), heats_by_place(given)
    same = ((start, end) for start, end in pairs if start is not None and start.grid.shows_as(end.grid))
    return [(there[start.x, start.y], here[end.x, end.y]) for start, end in same]


def _level(wanted: Export, node: Node, before: Shot | None, seconds: float) -> Shot:
    """Its picture is pale at first, and lights up as it is computed."""
    steps = node.steps
    chosen = [steps[i * len(steps) // MOST_PICTURES] for i in range(MOST_PICTURES)]
    times = list(dict.fromkeys(chosen if len(steps) > MOST_PICTURES else steps))
    pictures = _Pictures(wanted, node, times)
    end = wanted.picture(node).figure
    blank = replace(end, marks=())
    enter = _enter(before, pictures.at(0.0).figure, (), ENTER * seconds)
    work = Take((1 - ENTER - HOLD) * seconds, blank, lambda share: pictures.at(share).figure.marks)
    return Shot((enter, work, Take(HOLD * seconds, end)), end)


class _Pictures:
    """Of a level while it is computed, each drawn when it is asked for, and one kept."""

    def __init__(self, wanted: Export, node: Node, times: Sequence[Step]) -> None:
        self._wanted, self._node, self._times = wanted, node, times
        self._last: tuple[Step, Picture] | None = None

    def at(self, share: float) -> Picture:
        step = self._times[min(int(share * len(self._times)), len(self._times) - 1)]
        if self._last is None or self._last[0] is not step:
            self._last = step, self._wanted.picture(self._node, step)
        return self._last[1]


def _plain(figure: Figure, before: Shot | None, seconds: float) -> Shot:
    """A picture in which nothing moves."""
    takes = _enter(before, figure, (), ENTER * seconds), Take((1 - ENTER) * seconds, figure)
    return Shot(takes, figure)
