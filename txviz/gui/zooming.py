"""Zooming keeps what is under the pointer there, however the figure around it is laid out anew."""

from __future__ import annotations

from typing import NamedTuple

from txviz.figures.panels import Panel
from txviz.figures.stage import Stage


class Spot(NamedTuple):
    """A point of a figure, counted in the cells of the nearest tensor."""

    panel: int
    column: float
    row: float


def spot_at(stage: Stage, x: float, y: float) -> Spot:
    near = min(range(len(stage.panels)), key=lambda i: _distance(stage.panels[i], x, y))
    panel = stage.panels[near]
    return Spot(near, (x - panel.x) / panel.cell_width, (y - panel.y) / panel.cell_height)


def point_of(stage: Stage, spot: Spot) -> tuple[float, float]:
    """Where the spot is, on a figure of the same step in another size."""
    panel = stage.panels[spot.panel]
    return panel.x + spot.column * panel.cell_width, panel.y + spot.row * panel.cell_height


def _distance(panel: Panel, x: float, y: float) -> float:
    return max(panel.x - x, x - panel.right, 0.0) + max(panel.y - y, y - panel.bottom, 0.0)
