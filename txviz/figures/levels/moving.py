"""A picture at another place of a larger page, and smaller where there is little room: its marks and its spots."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from txviz.figures.area import Area
from txviz.figures.levels.picture import Spot
from txviz.figures.marks import Arrow, Box, Group, Heat, Line, Mark, Text


class Move(NamedTuple):
    """Where the upper left corner goes, and how large all becomes."""

    x: float
    y: float
    scale: float = 1.0

    def point(self, x: float, y: float) -> tuple[float, float]:
        return self.x + x * self.scale, self.y + y * self.scale

    def mark(self, mark: Mark, side: str) -> Mark:
        """The groups get the side's name, so that an arrow joins those of its own side."""
        scale = self.scale
        if isinstance(mark, Group):
            return Group(f"{side}: {mark.name}", tuple(self.mark(each, side) for each in mark.marks))
        if isinstance(mark, Line):
            (x1, y1), (x2, y2) = self.point(mark.x1, mark.y1), self.point(mark.x2, mark.y2)
            return replace(mark, x1=x1, y1=y1, x2=x2, y2=y2, width=mark.width * scale)
        if isinstance(mark, Arrow):
            points = tuple(self.point(*point) for point in mark.points)
            source, target = (f"{side}: {name}" if name else "" for name in (mark.source, mark.target))
            wide, head = mark.width * scale, mark.head * scale
            return replace(mark, points=points, source=source, target=target, width=wide, head=head)
        x, y = self.point(mark.x, mark.y)
        if isinstance(mark, Text):
            return replace(mark, x=x, y=y, size=mark.size * scale)
        if isinstance(mark, Box):
            wide, high, line, radius = (n * scale for n in (mark.width, mark.height, mark.stroke_width, mark.radius))
            return replace(mark, x=x, y=y, width=wide, height=high, stroke_width=line, radius=radius)
        if isinstance(mark, Heat):
            wide, high, size = mark.cell_width * scale, mark.cell_height * scale, mark.text_size * scale
            return replace(mark, x=x, y=y, cell_width=wide, cell_height=high, text_size=size)
        return replace(mark, x=x, y=y, scale=mark.scale * scale)

    def spot(self, spot: Spot) -> Spot:
        panel, scale = spot.panel, self.scale
        if panel is not None:
            x, y = self.point(panel.x, panel.y)
            wide, high = panel.cell_width * scale, panel.cell_height * scale
            panel = replace(panel, x=x, y=y, cell_width=wide, cell_height=high)
        area = Area(*self.point(spot.area.x, spot.area.y), spot.area.width * scale, spot.area.height * scale)
        return spot._replace(area=area, panel=panel)
