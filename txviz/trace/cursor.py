"""Finding one's way in a list of steps: stages, and where to go when the step that was open is gone."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from txviz.trace.site import Site, read_name
from txviz.trace.step import Step


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


def stage_of(site: Site) -> Site:
    """The layer or part of the model that a step belongs to, in its pass, time step, beam and sentence."""
    return site._replace(leaf="", block=None, reader=None, again=None, role=None)


def stages(steps: Sequence[Step]) -> list[Stage]:
    """The stages in order."""
    found, start = [], 0
    for site, group in groupby(steps, lambda step: stage_of(step.site)):
        size = sum(1 for _ in group)
        found.append(Stage(site, start, size))
        start += size
    return found


def nearest(steps: Sequence[Step], wanted: str) -> int:
    """The place of the step of this name, or of the one that stands for it now.

    That is the latest step which shares the most levels from the outside in, one with the same end if there is one:
    when time.5 is gone, time.5.head.logits becomes time.4.head.logits.
    """
    for place, step in enumerate(steps):
        if step.name == wanted:
            return place
    path = read_name(wanted).path
    paths = [step.site.path for step in steps]

    def likeness(place: int) -> tuple[int, int, int]:
        return shared(paths[place], path), shared(paths[place][::-1], path[::-1]), place

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
