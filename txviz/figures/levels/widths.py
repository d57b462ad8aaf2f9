"""How matrices that stand side by side share the width of a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Wish(NamedTuple):
    """What a matrix wants of the width, in pixels."""

    least: float
    """For its caption and its pattern."""

    numbers: float
    """For numbers in its cells that can be read."""

    most: float
    """More would not help."""

    rank: int = 0
    """Who gets room for numbers first: the lowest; those of one rank together or not at all."""


def share(wishes: Sequence[Wish], free: float) -> list[float]:
    """Room for the numbers of as many as possible, in the order of their ranks; what is left over enlarges all alike.

    Where not even the least fits, all get less of it. They take less than there is where all have the most.
    """
    widths = [wish.least for wish in wishes]
    for rank in sorted({wish.rank for wish in wishes}):
        wanted = [
            max(width, wish.numbers) if wish.rank == rank else width for width, wish in zip(widths, wishes, strict=True)
        ]
        widths = wanted if sum(wanted) <= free else widths
    return _stretched(widths, [max(wish.most, wish.least) for wish in wishes], free)


def _stretched(widths: list[float], most: list[float], free: float) -> list[float]:
    """All by the same factor, each up to its most."""
    if sum(widths) >= free:
        factor = max(free, 0.0) / (sum(widths) or 1.0)
        return [width * factor for width in widths]
    low, high = 1.0, max((end / width for end, width in zip(most, widths, strict=True) if width), default=1.0)
    for _ in range(24):
        factor = (low + high) / 2
        used = sum(min(end, width * factor) for end, width in zip(most, widths, strict=True))
        low, high = (factor, high) if used <= free else (low, factor)
    return [min(end, max(width, width * low)) for end, width in zip(most, widths, strict=True)]


def spread(start: float, gaps: Sequence[float], widths: Sequence[float], room: float) -> list[float]:
    """Where each begins, with its gap before it; what is left over of the room goes between them."""
    between = (room - sum(gaps) - sum(widths)) / max(len(widths) - 1, 1)
    lefts, x = [], start - between
    for gap, width in zip(gaps, widths, strict=True):
        x += gap + between
        lefts.append(x)
        x += width
    return lefts
