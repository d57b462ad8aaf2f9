"""The picture of a level as data for the page: its figure in both themes, and links where it stands for something."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from txviz.figures.job import Export, Shown
from txviz.figures.levels.picture import Picture, Spot
from txviz.figures.marks import Colour
from txviz.figures.naming import counted
from txviz.figures.pair import remarks
from txviz.figures.theme import DARK, Theme
from txviz.figures.writers.html.compact import PLAIN, ROLES, Shared, figure
from txviz.figures.writers.lengths import short
from txviz.trace.outline import Node


class Palette:
    """Colours that are mixed from those of a theme, by a name and as they are by day and by night."""

    def __init__(self, by_day: Theme) -> None:
        self.by_day = by_day
        self._names: dict[tuple[Colour, Colour], str] = {}

    def name(self, by_day: Colour, by_night: Colour, role: str) -> str:
        """The role, if it has these very colours: what was mixed from roles may look like another one."""
        if (_colour(self.by_day, role), _colour(DARK, role)) == (by_day, by_night):
            return role
        return self._names.setdefault((by_day, by_night), f"mix-{len(self._names)}")

    def colours(self, theme: Theme) -> dict[str, Colour]:
        return {name: pair[theme is DARK] for pair, name in self._names.items()}


class Links(NamedTuple):
    """Where on the page each node is to be found."""

    outline: Node
    positions: Mapping[str, int]

    def to(self, name: str) -> int | None:
        """The picture of the node, else its first step that is on the page."""
        steps = (step.name for step in self.outline.find(name).steps)
        return next((self.positions[each] for each in (name, *steps) if each in self.positions), None)


def encoded(shown: Shown, wanted: Export, links: Links, palette: Palette) -> dict[str, Any]:
    """In the same form as a step, but without panels, and with spots in their place. A step of two runs, too."""
    shared = Shared()
    by_role = _drawn(shown, wanted, ROLES)
    by_day, by_night = (figure(_drawn(shown, wanted, each).figure, Shared()) for each in (palette.by_day, DARK))
    marks = _merged(by_day, by_night, figure(by_role.figure, shared), palette)
    here = links.positions[shown.name]
    spots = [linked for spot in by_role.spots if (linked := _linked(spot, links, here))]
    return {
        "formula": "",
        "dimensions": counted(len(shown.steps), "step") if isinstance(shown, Node) else shown.dimensions,
        "shape": "",
        "prints": [],
        "wrong": None,
        "axes": [],
        "places": [
            {
                "at": [],
                "words": " ".join(_said(shown, wanted)),
                "figures": [[*marks, []]],
                "panels": [],
                "spots": spots,
            }
        ],
        "shared": shared.contents,
    }


def _said(shown: Shown, wanted: Export) -> list[str]:
    both = [] if wanted.pair is None else ["A: {}. B: {}.".format(*wanted.pair.told)]
    if isinstance(shown, Node):
        return [*both, shown.why.text, *shown.why.here]
    return [*both, *([] if wanted.pair is None else remarks(wanted.pair.of_a(shown), shown)), shown.text]


def _drawn(shown: Shown, wanted: Export, theme: Theme) -> Picture:
    preset = wanted.preset
    return replace(wanted, preset=replace(preset, style=replace(preset.style, theme=theme))).picture(shown)


def _linked(spot: Spot, links: Links, here: int) -> list[Any] | None:
    """Left, top, width, height, where it leads, and what it is."""
    target = None if spot.fold else links.to(spot.node)
    if target is None or target == here:
        return None
    return [*(short(side) for side in spot.area), target, spot.hint or spot.node]


def _merged(by_day: Any, by_night: Any, by_role: Any, palette: Palette) -> Any:
    """One drawing out of three of the same: with roles for colours, and names for those that are mixed."""
    if isinstance(by_role, list):
        same = zip(by_day, by_night, by_role, strict=True)
        return [_merged(*parts, palette) for parts in same]
    coloured = isinstance(by_role, str) and not by_day == by_night == by_role  # a text is the same in all of them
    return palette.name(by_day, by_night, by_role) if coloured else by_role


def _colour(theme: Theme, role: str) -> Colour | None:
    kind, _, number = role.partition("-")
    return theme.stages[int(number)] if kind == "stage" else getattr(theme, role, None) if role in PLAIN else None
