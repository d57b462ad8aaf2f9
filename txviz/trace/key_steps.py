"""The key steps of a run: about a dozen that tell its story, for whoever has little time.

Beside its symbol, a leaf says how often it is worth a stop (``Leaf.key``). Here that is applied to a run: what comes
again in the next layer, beam, sentence or time step is not told twice. Of decoding the first and the last time step are
told in full, a few between them by what they choose; of a backward pass what reaches the first layers; and one update.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import ceil
from typing import NamedTuple

import numpy as np

from txviz.trace.site import Site
from txviz.trace.step import Step

MOST_BETWEEN = 3
"""Time steps between the first and the last that are told by their choice."""


def key_steps(steps: Sequence[Step]) -> tuple[Step, ...]:
    """In their order."""
    kinds = [step for step in steps if step.key and not _hides_nothing(step)]
    times = _Times.of(step.site.time for step in kinds)
    ends = {_stack(step.site): step for step in kinds if step.key == "end"}
    found: dict[Hashable, Step] = {}
    for step in kinds:
        story = _story(step, times, ends)
        if story is not None:
            found.setdefault(story, step)
    return tuple(found.values())


def _hides_nothing(step: Step) -> bool:
    """A mask with nothing behind it has no story to tell."""
    return step.op == "mask" and not np.isneginf(step.value).any()


class _Times(NamedTuple):
    """Time steps of decoding; those of a run without any are None."""

    first: int | None = None
    last: int | None = None
    between: tuple[int, ...] = ()

    @classmethod
    def of(cls, found: Iterable[int | None]) -> _Times:
        times = sorted({time for time in found if time is not None})
        inner = times[1:-1]
        return cls(times[0], times[-1], tuple(inner[:: ceil(len(inner) / MOST_BETWEEN) or 1])) if times else cls()


def _story(step: Step, times: _Times, ends: Mapping[Hashable, Step]) -> Hashable | None:
    """What the step tells; of steps that tell the same, the first is shown. None for one that is left out."""
    site, often = step.site, step.key
    if site.pass_ == "update":
        return site.pass_
    if often == "end":
        return (site.pass_, site.part) if ends[_stack(site)] is step and site.time is None else None
    if site.pass_ == "backward" or not _is_told(site, often, times):
        return None
    late = site.time is not None and site.time != times.first
    place = {"once": (), "block": (site.part, site.block, late), "each": (step.name,)}[often]
    return (site.leaf, *place)


def _is_told(site: Site, often: str, times: _Times) -> bool:
    return site.time in (None, times.first, times.last) or (often == "each" and site.time in times.between)


def _stack(site: Site) -> Hashable:
    """The encoder or the decoder that a layer stands in."""
    return site.pass_, site.sentence, site.time, site.beam, site.part
