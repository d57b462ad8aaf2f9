"""A picture that is not the stage of a step, as a piece of the page: of a level, or a plot of a step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from txviz.figures.levels.picture import Picture, Spot
from txviz.figures.theme import DARK, LIGHT, Theme, UndecidedError
from txviz.figures.writers.html.compact import ROLES, Shared, figure

Piece: TypeAlias = dict[str, Any]


class Pictures(NamedTuple):
    """A picture that a step or a level has besides its own."""

    name: str
    """As on the command line."""

    title: str
    pieces: list[Piece]
    """At each place of the step's leading axes, or one for all of them."""


def piece(draw: Callable[[Theme], Picture], theme: Theme) -> tuple[Piece, tuple[Spot, ...]]:
    """Drawn once, with roles for colours; one that has to know its colours by day and by night, with both of each."""
    try:
        picture, shared = draw(ROLES), Shared()
        marks = figure(picture.figure, shared)
    except UndecidedError:
        picture, shared = draw(LIGHT if theme is DARK else theme), Shared(true_colours=True)
        by_night = figure(draw(DARK).figure, Shared(true_colours=True))
        marks = _both(figure(picture.figure, shared), by_night)
    return {"figures": [[*marks, []]], "shared": shared.contents}, picture.spots


def _both(by_day: Any, by_night: Any) -> Any:
    """One drawing out of two that differ in their colours alone."""
    if isinstance(by_day, list):
        return [_both(*pair) for pair in zip(by_day, by_night, strict=True)]
    return by_day if by_day == by_night else f"{by_day} {by_night}"
