"""A picture of a node of the outline: a figure, and which places on it stand for which node below it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from txviz.figures.followed import Token
from txviz.figures.marks import Figure
from txviz.figures.stage import Panel
from txviz.figures.style import Style
from txviz.figures.views.page import Area
from txviz.ops import Index
from txviz.trace import Step, Trace
from txviz.trace.outline import Node


class Beside(NamedTuple):
    """Another run of the same input, in one line."""

    title: str
    """How it came about."""

    said: str
    log_probability: float
    shown: bool = False
    """Whether it is the run that is drawn."""


class NodeScene(NamedTuple):
    """What a picture of a node is drawn from, and the page."""

    trace: Trace
    node: Node
    place: Index
    """Which head is shown large, such as (2,)."""

    current: Step | None
    """The step that the reader is at; None in a file, where nothing is lit and everything has been computed."""

    width: float
    height: float
    style: Style
    unfolded: frozenset[str] | None = None
    """The nodes of a map that show what is in them; None lets the map choose as many as fit."""

    change: Callable[[str], str] | None = None
    """Of a node by its name: how much it differs from another run, where two are side by side."""

    beside: tuple[Beside, ...] | None = None
    """Runs of the same input to compare with; none where they are yet to come, and None where nobody asks for them."""

    token: Token | None = None
    """The token that the reader follows, where a picture is about one."""

    folds: bool = True
    """Whether boxes can be opened and closed, and have a sign for it: in a film nothing can, wherever its reader is."""


class Table(NamedTuple):
    """Rows and columns of places, each of which says something of its own."""

    rows: int
    columns: int
    hint: Callable[[int, int], str]
    """By row and column."""


class Spot(NamedTuple):
    """A place on a picture that stands for a node, and can be gone to."""

    area: Area
    node: str
    """Its name."""

    hint: str = ""
    """What to say when the pointer is there; the cell under it is said where there is a panel."""

    panel: Panel | None = None
    """Where its cells are, if it shows the numbers of a step."""

    fold: bool = False
    """Whether a click here folds or unfolds the node instead of going there."""

    edit: str = ""
    """What a click here changes by hand instead, such as ``time.3.choice.token=17``; a second click takes it back."""

    run: int | None = None
    """Which of the runs beside this one a click shows."""

    at: Index = ()
    """Where in the step a click goes: to a head, (2,), or to a cell of it."""

    table: Table | None = None
    """What there is in its place, where that would be too many spots."""

    def place_in(self, table: Table, row: int, column: int) -> Spot:
        wide, high = self.area.width / table.columns, self.area.height / table.rows
        area = Area(self.area.x + column * wide, self.area.y + row * high, wide, high)
        return Spot(area, self.node, table.hint(row, column))

    def at_point(self, x: float, y: float) -> Spot:
        """Itself, or the place of its table that is there."""
        table, area = self.table, self.area
        if table is None:
            return self
        row, column = int((y - area.y) / area.height * table.rows), int((x - area.x) / area.width * table.columns)
        return self.place_in(table, min(row, table.rows - 1), min(column, table.columns - 1))

    @property
    def asks(self) -> tuple[str, str, Index] | None:
        """What a click asks for besides going to a node, by which the keys find the spot again; None for all others."""
        return (self.node, self.edit, self.at) if self.edit or self.at else None


@dataclass(frozen=True, eq=False)
class Picture:
    figure: Figure
    spots: tuple[Spot, ...]
    """Those inside others come later."""

    unfolded: frozenset[str] = frozenset()
    """The nodes of a map that show what is in them."""

    title: str = ""
    """Its heading; none where it is called like its node."""

    def spot_at(self, x: float, y: float) -> Spot | None:
        """The innermost spot at a point of the page."""
        found = next((spot for spot in reversed(self.spots) if spot.area.contains(x, y)), None)
        return found and found.at_point(x, y)

    def spot_of(self, path: Sequence[Node]) -> Spot | None:
        """Where the step at the end of a path is shown: itself, or the innermost node around it that has a spot."""
        by_name = {spot.node: spot for spot in self.spots}
        return next((by_name[node.name] for node in reversed(path) if node.name in by_name), None)
