"""Finding one's way in a list of steps: stages, and where to go when the step that was open is gone."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from txviz.trace import names

_WRAPPERS = ("time", "beam", "first", "second", "backward", "update")
"""Parts of a name that stand before a whole model's worth of steps."""


def stage(name: str) -> str:
    """The part of the model that a step belongs to; steps of one stage follow each other.

    >>> stage("encoder.0.attention.scores"), stage("time.3.decoder.1.norm_2"), stage("tokens")
    ('encoder.0', 'time.3.decoder.1', 'input')
    """
    *parts, _ = name.split(names.SEPARATOR)
    kept: list[str] = []
    for part in parts:
        if kept and not part.isdigit() and kept[-1] not in _WRAPPERS and not _counts_a_wrapper(kept):
            break
        kept.append(part)
    return names.join(*kept) if kept else "input"


def _counts_a_wrapper(kept: Sequence[str]) -> bool:
    return len(kept) > 1 and kept[-1].isdigit() and kept[-2] in _WRAPPERS


def kind(name: str) -> str:
    """What sort of stage it is: "encoder" for encoder.0 and encoder.1, "backward" for all of a backward pass."""
    parts = [part for part in stage(name).split(names.SEPARATOR) if not part.isdigit()]
    if parts[0] in ("backward", "update"):
        return parts[0]
    return "input" if parts[-1] in _WRAPPERS else parts[-1]


def stages(steps: Sequence[str]) -> list[tuple[str, int, int]]:
    """The stages in order: each with its name, its first step and how many steps it has."""
    found, start = [], 0
    for name, group in groupby(steps, stage):
        count = sum(1 for _ in group)
        found.append((name, start, count))
        start += count
    return found


def nearest(steps: Sequence[str], wanted: str) -> int:
    """The place of the step of this name, or of the one that stands for it now.

    That is the latest step which shares the most of the beginning of the name, one with the same end if there is one:
    when time.5 is gone, time.5.head.logits becomes time.4.head.logits.
    """
    if wanted in steps:
        return steps.index(wanted)
    parts = wanted.split(names.SEPARATOR)
    split = [name.split(names.SEPARATOR) for name in steps]

    def likeness(place: int) -> tuple[int, int, int]:
        return _shared(split[place], parts), _shared(split[place][::-1], parts[::-1]), place

    best = max(range(len(steps)), key=likeness, default=0)
    return best if likeness(best)[0] else 0


def _shared(a: Sequence[str], b: Sequence[str]) -> int:
    count = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        count += 1
    return count
