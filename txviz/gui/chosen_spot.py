"""Which place of a picture the keys have chosen, of those that ask for something: the candidates of a board, the words
after each layer, the heads of all layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from txviz.figures.levels.picture import Spot
from txviz.ops import Index

Asked: TypeAlias = tuple[str, str, Index]
"""What a spot asks for (``Spot.asks``)."""


def find_spot(spots: Sequence[Spot], asked: Asked | None) -> Spot | None:
    """The one that asks for this."""
    return next((spot for spot in spots if asked is not None and spot.asks == asked), None)


def next_spot(spots: Sequence[Spot], asked: Asked | None, down: int, right: int) -> Spot | None:
    """The nearest in this direction; the same where there is none, and at the beginning the first of all."""
    offered = [spot for spot in spots if spot.asks is not None]
    here = find_spot(offered, asked)
    if here is None or not offered:
        return min(offered, key=lambda spot: (spot.area.x, spot.area.y), default=None)
    x, y = here.area.centre
    there = [(spot, (spot.area.centre[0] - x) * right, (spot.area.centre[1] - y) * down) for spot in offered]
    if right:
        ahead = [(across, abs(spot.area.centre[1] - y), spot) for spot, across, _ in there if across > 1]
    else:
        ahead = [(along, 0.0, spot) for spot, _, along in there if along > 1 and abs(spot.area.centre[0] - x) < 1]
    return min(ahead, key=lambda found: found[:2], default=(0.0, 0.0, here))[2]
