"""A picture at another place of a larger page: its marks and its spots, moved."""

from __future__ import annotations

from dataclasses import replace

from txviz.figures.area import Area
from txviz.figures.levels.picture import Spot
from txviz.figures.marks import Arrow, Group, Line, Mark


def moved(mark: Mark, x: float, y: float, side: str) -> Mark:
    """So far to the right and down; the groups get the side's name, so that an arrow joins those of its own side."""
    if isinstance(mark, Group):
        return Group(f"{side}: {mark.name}", tuple(moved(each, x, y, side) for each in mark.marks))
    if isinstance(mark, Line):
        return replace(mark, x1=mark.x1 + x, y1=mark.y1 + y, x2=mark.x2 + x, y2=mark.y2 + y)
    if isinstance(mark, Arrow):
        points = tuple((px + x, py + y) for px, py in mark.points)
        source, target = (f"{side}: {name}" if name else "" for name in (mark.source, mark.target))
        return replace(mark, points=points, source=source, target=target)
    return replace(mark, x=mark.x + x, y=mark.y + y)


def moved_spot(spot: Spot, x: float, y: float) -> Spot:
    panel = spot.panel and replace(spot.panel, x=spot.panel.x + x, y=spot.panel.y + y)
    area = Area(spot.area.x + x, spot.area.y + y, spot.area.width, spot.area.height)
    return spot._replace(area=area, panel=panel)
