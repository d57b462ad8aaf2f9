"""The arrows of a map: each is a read of the trace, from the box of what is read to the box that reads it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from txviz.figures import fonts, theme
from txviz.figures.levels.diagram import Diagram, Lane, Unit
from txviz.figures.levels.map_box import Pen, is_norm
from txviz.figures.levels.map_layout import BUS, Placement
from txviz.figures.marks import Arrow, Colour, Mark, Text
from txviz.figures.shapes import written
from txviz.figures.views.page import Area
from txviz.trace import Step

Points = tuple[tuple[float, float], ...]
HEAD = 0.7


class Read(NamedTuple):
    """A box reads a step that another box made."""

    step: Step
    source: Unit
    target: Unit


class Arrows:
    """All arrows of a placement. What runs along a stream needs none: the stream is drawn."""

    def __init__(self, diagram: Diagram, placed: Placement, pen: Pen) -> None:
        self._placed, self._pen = placed, pen
        self._owner = {name: unit for unit in placed.areas for name in unit.names}
        self._streams = [_stream(lane) for lane in diagram.lanes]
        self._sides = {unit for lane in diagram.lanes for unit in lane.sides}
        self._reads = list(self._all_reads())

    def marks(self) -> Iterator[Mark]:
        far: list[Read] = []
        drawn: set[tuple[Unit, Unit]] = set()
        for read in self._reads:
            kind = self._kind(read)
            if kind == "far":
                far.append(read)
                continue
            if (read.source, read.target) in drawn:
                continue  # one arrow is enough for several reads
            drawn.add((read.source, read.target))
            if kind == "near":
                yield from self._near(read)
            elif kind != "stream":
                ways = {"up": self._rising, "down": self._falling, "side": self._aside}
                yield self._arrow(read, ways[kind](read))
        yield from self._buses(far)

    def _all_reads(self) -> Iterator[Read]:
        for unit in self._placed.areas:
            for step in unit.reads.values():
                source = self._owner.get(step.name)
                if source is not None and source is not unit:
                    yield Read(step, source, unit)
                elif source is None and self._rises(unit, step):
                    yield Read(step, unit, unit)

    def _rises(self, unit: Unit, step: Step) -> bool:
        branch, _ = self._placed.risers.get(self._placed.groups[unit], (None, 0.0))
        return branch is not None and step is branch.skip

    def _kind(self, read: Read) -> str:
        placed, (step, source, target) = self._placed, read
        if self._rises(target, step):
            return "up"
        lane = placed.lanes[target]
        here = lane == placed.lanes[source]
        if here and step.name in self._streams[lane]:
            return "stream"
        if here and placed.groups[target] < 0:
            return "down"
        if here and target in self._sides:
            return "side"
        return "near" if placed.groups[target] == placed.groups[source] or lane < 0 else "far"

    def _near(self, read: Read) -> Iterator[Mark]:
        """Within a flow: straight on, or along the row of what is read, and then up or down before the reader."""
        a, b, u = self._placed.areas[read.source], self._placed.areas[read.target], self._pen.u
        y1, y2 = a.centre[1], b.centre[1]
        if is_norm(read.source) and b.bottom <= a.y:  # from a norm up to what reads it
            x = a.centre[0]
            points: Points = ((x, a.y), (x, b.bottom)) if b.x < x < b.right else ((x, a.y), (x, y2), (b.x, y2))
        elif abs(y1 - y2) < 1:
            points = ((a.right, y1), (b.x, y1))
        else:
            turn = b.x - u * 0.9
            points = ((a.right, y1), (turn, y1), (turn, y2), (b.x, y2))
        yield self._arrow(read, points)
        size, said = u * 0.72, written(read.step.value.shape)
        if len(points) == 2 and points[0][1] == points[1][1] and fonts.width(said, size) < b.x - a.right - u * 0.3:
            yield Text((a.right + b.x) / 2, y1 - u * 0.45, said, size, self._pen.style.theme.muted, "middle")

    def _rising(self, read: Read) -> Points:
        """From the stream up to a box of a branch."""
        placed, b = self._placed, self._placed.areas[read.target]
        _, x = placed.risers[placed.groups[read.target]]
        band = placed.bands[placed.lanes[read.target]]
        between = (o for o in placed.areas.values() if b.bottom <= o.y < band.y - band.half)
        if not any(o.x < b.centre[0] < o.right for o in between) and not self._beside(read.target):
            return ((b.centre[0], band.y - band.half), (b.centre[0], b.bottom))
        return ((x, band.y - band.half), (x, b.centre[1]), (b.x, b.centre[1]))

    def _beside(self, unit: Unit) -> bool:
        """Whether the box is in a frame inside its branch, so that the way up must lead past the frame's edge."""
        area = self._placed.areas[unit]
        return any(
            frame.unit.node.level != "layer" and frame.area.contains(*area.centre) for frame in self._placed.frames
        )

    def _falling(self, read: Read) -> Points:
        """From the last box of a branch down to where it is added."""
        a, b = self._placed.areas[read.source], self._placed.areas[read.target]
        return ((a.right, a.centre[1]), (b.centre[0], a.centre[1]), (b.centre[0], b.y))

    def _aside(self, read: Read) -> Points:
        """From what a mask is made of up to it, or along the row that both are in."""
        a, b = self._placed.areas[read.source], self._placed.areas[read.target]
        if read.source in self._sides and a.centre[1] == b.centre[1]:
            return ((a.right, a.centre[1]), (b.x, b.centre[1]))
        x = (max(a.x, b.x) + min(a.right, b.right)) / 2
        return ((x, a.y), (x, b.bottom))

    def _buses(self, far: list[Read]) -> Iterator[Mark]:
        """What several boxes of a lane read from elsewhere runs above the lane, and drops into each of them."""
        lane_of = self._placed.lanes
        far = sorted(far, key=lambda r: (lane_of[r.target], lane_of[r.source] != lane_of[r.target], r.step.name))
        for lane, reads in groupby(far, key=lambda read: lane_of[read.target]):
            for k, (_, same) in enumerate(groupby(reads, key=lambda read: read.step.name)):
                yield from self._bus(list(same), self._placed.tops[lane] - self._pen.u * BUS * (k + 0.5), k)

    def _bus(self, reads: list[Read], y: float, k: int) -> Iterator[Mark]:
        a = self._placed.areas[reads[0].source]
        side, u = a.y < y < a.bottom, self._pen.u
        x = a.right if side else a.x - u * 1.8 if reads[0].source in self._sides else self._clear(a, y)
        first: Points = ((a.x, a.centre[1]), (x, a.centre[1])) if x < a.x else ((x, a.y if a.y > y else a.bottom),)
        colour, width = self._colour(reads[0].source), self._pen.u * 0.14
        drops = [(self._drop(self._placed.areas[read.target], y, k), read) for read in reads]
        ends = [points[0][0] for points, _ in drops]
        if not side:
            yield Arrow((*first, (x, y)), colour, width, source=reads[0].source.node.name)
        if min(ends) < x:
            yield Arrow(((x, y), (min(ends), y)), colour, width)
        if max(ends) > x:
            yield Arrow(((x, y), (max(ends), y)), colour, width)
        for points, read in drops:
            yield self._arrow(read, points, colour)
        if not side:
            step = reads[0].step
            called = f"{step.site.part} output" if step.site.part else step.title
            said = f"{called}, {written(step.value.shape)}"
            near, size, muted = min([*ends, x]) + self._pen.u * 0.4, self._pen.u * 0.8, self._pen.style.theme.muted
            yield Text(near, y - self._pen.u * 0.35, said, size, muted)

    def _clear(self, a: Area, y: float) -> float:
        """Where a line can leave a box without running through another one."""
        low, high = min(y, a.y), max(y, a.bottom)
        others = [o for o in self._placed.areas.values() if o is not a and o.y < high and low < o.bottom]
        wanted = (a.centre[0], a.x + self._pen.u * 0.6, a.right - self._pen.u * 0.6)
        return next((x for x in wanted if not any(o.x <= x <= o.right for o in others)), wanted[0])

    def _drop(self, b: Area, y: float, k: int) -> Points:
        """Into the top of a box; where another box is above it, past that one and in from the left."""
        u = self._pen.u
        above = any(
            o.bottom <= b.y and o.bottom > y and o.x < b.right and b.x < o.right for o in self._placed.areas.values()
        )
        if not above:
            x = b.centre[0] + k * u
            return ((x, y), (x, b.y))
        x = b.x - u * 0.55
        return ((x, y), (x, b.centre[1] - u * 0.5), (b.x, b.centre[1] - u * 0.5))

    def _arrow(self, read: Read, points: Points, colour: Colour | None = None) -> Arrow:
        pen = self._pen
        lit = pen.position is not None and pen.state(read.target.steps) == "now"
        ink = (
            pen.style.theme.highlight
            if lit
            else colour or theme.mixed(pen.style.theme.muted, pen.style.theme.panel, 0.8)
        )
        wide = pen.u * (0.2 if lit else 0.13)
        return Arrow(points, ink, wide, pen.u * HEAD, read.source.node.name, read.target.node.name)

    def _colour(self, unit: Unit) -> Colour:
        return theme.mixed(self._pen.colour(unit), self._pen.style.theme.panel, 0.75)


def _stream(lane: Lane) -> frozenset[str]:
    """The steps that run along the stream."""
    names = {branch.skip.name for branch in lane.branches} | {branch.add.output.name for branch in lane.branches}
    return frozenset(names | {unit.output.name for branch in lane.branches for unit in branch.after})
