"""A level above the steps as data for the page: its pictures, the words, and where its spots lead."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from txviz.figures.job import Export, Shown
from txviz.figures.levels import LEVELS, kinds
from txviz.figures.levels.picture import Picture, Spot
from txviz.figures.naming import counted
from txviz.figures.pair import remarks
from txviz.figures.settings import Settings
from txviz.figures.theme import Theme
from txviz.figures.writers.html.picture import Pictures, Piece, piece
from txviz.figures.writers.lengths import short
from txviz.trace.outline import Node


class Links(NamedTuple):
    """Where on the page each node is to be found."""

    outline: Node
    positions: Mapping[str, int]

    def to(self, name: str) -> int | None:
        """The picture of the node, else its first step that is on the page."""
        steps = (step.name for step in self.outline.find(name).steps)
        return next((self.positions[each] for each in (name, *steps) if each in self.positions), None)

    def above(self, name: str) -> int:
        """The nearest level around a step or a level that has a picture on the page; −1 where there is none."""
        around = reversed(self.outline.path_to(name)[:-1])
        return next((self.positions[node.name] for node in around if node.name in self.positions), -1)


def encoded(shown: Shown, wanted: Export, links: Links) -> dict[str, Any]:
    """In the same form as a step, but without panels, and with spots in their place; a plot, or two runs, too."""
    drawn = _piece(shown, wanted, links)
    words = " ".join(_said(shown, wanted))
    return {
        "formula": "",
        "dimensions": counted(len(shown.steps), "step") if isinstance(shown, Node) else shown.dimensions,
        "shape": "",
        "prints": [],
        "wrong": None,
        "axes": [],
        "picture": _picture(shown, wanted),
        "places": [{"at": [], "words": words, "panels": [], "figures": drawn["figures"], "spots": drawn["spots"]}],
        "shared": drawn["shared"],
    }


def _picture(shown: Shown, wanted: Export) -> str:
    if isinstance(shown, Node):
        return LEVELS[main_kind(shown, wanted)].title
    return "Step" if wanted.view == Settings.view else wanted.view.capitalize()


def main_kind(node: Node, wanted: Export) -> str:
    """The picture that was asked for, else the one that the window shows first."""
    return kinds(node)[0] if wanted.view == Settings.view else wanted.view


def others(shown: Shown, wanted: Export, links: Links) -> list[Pictures]:
    """The other pictures of a level."""
    if not isinstance(shown, Node) or wanted.other is not None:
        return []
    rest = [kind for kind in kinds(shown) if kind != main_kind(shown, wanted)]
    return [Pictures(kind, LEVELS[kind].title, [_piece(shown, replace(wanted, view=kind), links)]) for kind in rest]


def _piece(shown: Shown, wanted: Export, links: Links) -> Piece:
    preset, here = wanted.preset, links.positions[shown.name]

    def draw(theme: Theme) -> Picture:
        return replace(wanted, preset=replace(preset, style=replace(preset.style, theme=theme))).picture(shown)

    made, spots = piece(draw, preset.style.theme)
    return made | {"spots": [linked for spot in spots if (linked := _linked(spot, links, here))]}


def _said(shown: Shown, wanted: Export) -> list[str]:
    both = [] if wanted.pair is None else ["A: {}. B: {}.".format(*wanted.pair.told)]
    if isinstance(shown, Node):
        return [*both, shown.why.text, *shown.why.here]
    return [*both, *([] if wanted.pair is None else remarks(wanted.pair.of_a(shown), shown)), shown.text]


def _linked(spot: Spot, links: Links, here: int) -> list[Any] | None:
    """Left, top, width, height, where it leads, and what it is."""
    target = None if spot.fold else links.to(spot.node)
    if target is None or target == here:
        return None
    return [*(short(side) for side in spot.area), target, spot.hint or spot.node]
