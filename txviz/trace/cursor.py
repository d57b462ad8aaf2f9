"""Finding one's way in a list of steps: stages, key steps, the same step elsewhere, and where a step has gone to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from txviz.trace.site import Site, read_name
from txviz.trace.step import Step
from txviz.trace.trace import Trace


class Stage(NamedTuple):
    """Steps that follow each other in one layer or part of the model."""

    site: Site
    """Of the stage: no block and no leaf."""

    start: int
    size: int
    """How many steps it has."""

    @property
    def title(self) -> str:
        return self.site.title or "input"


@lru_cache(maxsize=20_000)
def stage_of(site: Site) -> Site:
    """The layer or part of the model that a step belongs to, in its pass, time step, beam and sentence."""
    return site._replace(leaf="", block=None, reader=None, again=None, role=None)


def stages(steps: Sequence[Step]) -> list[Stage]:
    """The stages in order."""
    return _grouped(steps, stage_of)


def segments(steps: Sequence[Step]) -> list[Stage]:
    """The same, but a whole time step is one, and so is all that goes backward: what a person counts a long run in."""
    return _grouped(steps, _segment_of)


@lru_cache(maxsize=20_000)
def _segment_of(site: Site) -> Site:
    if site.pass_ not in ("forward", "loss"):
        return Site(pass_=site.pass_)
    return stage_of(site) if site.time is None else Site(time=site.time)


def _grouped(steps: Sequence[Step], key: Callable[[Site], Site]) -> list[Stage]:
    found, start = [], 0
    for site, group in groupby(steps, lambda step: key(step.site)):
        size = sum(1 for _ in group)
        found.append(Stage(site, start, size))
        start += size
    return found


def next_key(trace: Trace, position: int, by: int) -> int:
    """The place of the next key step (1) or of the one before (−1); the place itself where there is none."""
    names = {step.name for step in trace.key_steps}
    places = range(position + 1, len(trace)) if by > 0 else range(position - 1, -1, -1)
    return next((place for place in places if trace[place].name in names), position)


def elsewhere(steps: Sequence[Step], position: int, by: int) -> int:
    """The place of the same step at the next time step (1) or the one before (−1), or in the other of two sentences.

    It stays in its beam, or comes to the nearest one; from outside of all time steps it goes to the first step of the
    nearest that way. The place itself where there is nothing that way.
    """
    turns = [_turn(step.site) for step in steps]
    known, here = list(dict.fromkeys(turn for turn in turns if any(turn))), turns[position]
    if not any(here):
        starts = [turns.index(turn) for turn in known]
        beyond = [start for start in starts[::by] if (start - position) * by > 0]
        return beyond[0] if beyond else position
    wanted = known.index(here) + by
    if not 0 <= wanted < len(known):
        return position
    site = steps[position].site
    inside = [place for place, turn in enumerate(turns) if turn == known[wanted]]
    return max(inside, key=lambda place: _likeness(steps[place].site, site))


def _turn(site: Site) -> tuple[str | None, int | None]:
    return site.sentence, site.time


def _likeness(a: Site, b: Site) -> tuple[bool, int, int]:
    """How like two steps are that stand in different time steps or sentences."""
    inner, other = (site._replace(sentence=None, time=None, beam=None) for site in (a, b))
    return inner == other, -abs((a.beam or 0) - (b.beam or 0)), shared(inner.path, other.path)


def nearest(steps: Sequence[Step], wanted: str) -> int:
    """The place of the step of this name, or of the one that stands for it now.

    That is the latest step which shares the most levels from the outside in, one with the same end if there is one:
    when time.5 is gone, time.5.head.logits becomes time.4.head.logits. Of the hypotheses of a beam it is the best.
    """
    for place, step in enumerate(steps):
        if step.name == wanted:
            return place
    path = read_name(wanted).path
    paths = [step.site.path for step in steps]

    def likeness(place: int) -> tuple[int, int, int, int]:
        worse = steps[place].site.beam or 0
        return shared(paths[place], path), shared(paths[place][::-1], path[::-1]), -worse, place

    best = max(range(len(steps)), key=likeness, default=0)
    return best if likeness(best)[0] else 0


def shared(a: Sequence[str | int], b: Sequence[str | int]) -> int:
    """How many levels two paths share, from the first on."""
    count = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        count += 1
    return count


def next_stage(steps: Sequence[Step], here: int, by: int) -> int:
    """Where the next stage begins, or this or the one before; the ends of the run where there is none."""
    starts = [stage.start for stage in stages(steps)]
    if by > 0:
        return next((start for start in starts if start > here), len(steps) - 1)
    return next((start for start in reversed(starts) if start < here), 0)
