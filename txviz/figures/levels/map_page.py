"""How a diagram goes on a page: as much of it unfolded as can be read, as large as fits, and in the middle.

It is kept while one steps: where the boxes are depends on the layer that one is in, and not on the step.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from txviz.figures.levels.diagram import Diagram, Moment, Unit, diagram
from txviz.figures.levels.map_box import DrawnBox, Pen, State
from txviz.figures.levels.map_extras import Extras
from txviz.figures.levels.map_layout import (
    BUS,
    Measured,
    Placement,
    Plan,
    Setting,
    joined_width,
    layers,
    measure,
    place_joined,
    place_lane,
)
from txviz.figures.style import MARGIN, Style
from txviz.ops import Index
from txviz.trace import Trace
from txviz.trace.outline import Node

HEADING = 2.6
"""The room for the title, by the size of the text."""

LANES_APART, WIDEST_GAP = 1.6, 6.0
SMALLEST, LARGEST, TALLEST = 0.75, 1.5, 4.5
"""How small and large the text may become to fit the page, by the style's; and how much taller boxes may be."""


class Page(NamedTuple):
    """What the places of all boxes depend on."""

    trace: Trace
    node: Node
    moment: Moment
    layer: str
    """The layer that the reader is in, which stays open longest."""

    width: float
    height: float
    style: Style
    unfolded: frozenset[str] | None


class Laid(NamedTuple):
    found: Diagram
    plan: Plan
    pen: Pen
    placed: Placement
    boxes: dict[tuple[Unit, State, Index], DrawnBox]
    """As they were drawn before, by how far one had come and which head was shown."""


@lru_cache(maxsize=40)  # the layers of a deep model, each open in turn, in two runs
def laid_out(page: Page) -> Laid:
    found = diagram(page.trace, page.node, page.moment)
    fitted = _fitted(found, page)
    return Laid(found, fitted.plan, fitted.pen, _placed(found, fitted, page), {})


class Fitted(NamedTuple):
    """How the diagram goes on the page."""

    plan: Plan
    pen: Pen
    lanes: list[Measured]
    wide: float = 0.0
    spare: float = 0.0
    """The width that a lane may take, and height that is left over."""

    def stretch(self, lane: Measured) -> float:
        """What is left of the width moves the pieces of a lane apart."""
        free = max(self.wide - lane.width, 0.0) / max(len(lane.pieces) - 1, 1)
        return min(free, self.pen.u * WIDEST_GAP)


def _fitted(found: Diagram, page: Page) -> Fitted:
    """The most that can be unfolded with text that is large enough; at the end, the smallest that there is."""
    style = page.style
    wide, high = page.width - 2 * MARGIN, page.height - 2 * MARGIN - heading(style)
    least, pen = style.size * SMALLEST, Pen(style, 1.0, {}, None, ())
    for plan in (plans := _plans(found, page)):
        one = _measured(found, plan, _sized(pen, 1.0))  # all lengths grow with the size of the text
        size = min(wide / _width(found, one), high / _height(found, one, page), style.size * LARGEST)
        if size >= least:
            return _grown(found, _measured(found, plan, _sized(pen, size)), page, wide, high)
    small = _measured(found, plans[-1] if page.unfolded is None else plans[0], _sized(pen, least))
    low = _height(found, small, page) <= high
    return _grown(found, small, page, wide, high) if low else _widened(found, small, wide)


def _sized(pen: Pen, size: float) -> Pen:
    return replace(pen, style=replace(pen.style, size=size))


def _plans(found: Diagram, page: Page) -> list[Plan]:
    """From all layers unfolded to none; the one that the reader is in stays open longest."""
    if page.unfolded is not None:
        return [Plan(page.unfolded), Plan(page.unfolded, collapsed=True)]
    names = [layer.name for layer in layers(found)]
    here = [name for name in names if name == page.layer]
    plans = [Plan(frozenset(names)), Plan(frozenset(here)), Plan(frozenset(here), True), Plan(frozenset(), True)]
    return [Plan(frozenset([*names, page.node.name])), *plans] if page.node.level == "layer" else plans


def _measured(found: Diagram, plan: Plan, pen: Pen) -> Fitted:
    return Fitted(plan, pen, [measure(lane, plan, pen, _beside(found, i)) for i, lane in enumerate(found.lanes)])


def _beside(found: Diagram, number: int) -> list[str]:
    """The steps that a lane reads from elsewhere, from its own sides, or past its stream: those that run above it."""
    lane = found.lanes[number]
    sides = {name for unit in lane.sides for name in unit.names}
    own = {name for unit in lane.units for name in unit.names} - sides
    shown = {name for unit in found.units for name in unit.names}
    inner = [unit for unit in lane.units if unit not in lane.sides]
    before = {name for unit in lane.before for name in unit.names}
    past = {name for unit in lane.behind for name in unit.reads if name in before}
    return sorted({name for unit in inner for name in unit.reads if name in shown and name not in own} | past)


def _width(found: Diagram, fitted: Fitted) -> float:
    joined = joined_width(found.joined, fitted.plan, fitted.pen)
    return max((lane.width for lane in fitted.lanes), default=0.0) + joined + fitted.pen.u * 1.8


def _height(found: Diagram, fitted: Fitted, page: Page) -> float:
    u, lanes = fitted.pen.u, fitted.lanes
    rows = sum(lane.above + lane.below + u * BUS * lane.lines for lane in lanes)
    extras = Extras(page.trace, found, fitted.pen).height(len(lanes))
    return rows + u * LANES_APART * (len(lanes) - 1) + extras


def heading(style: Style) -> float:
    return style.size * HEADING if style.title else 0.0


def _grown(found: Diagram, fitted: Fitted, page: Page, wide: float, high: float) -> Fitted:
    """What is left of the height makes boxes taller."""
    tall, pen = TALLEST, fitted.pen
    low = _height(found, fitted, page)
    while True:  # heights bend upwards as boxes grow, so a straight line to the tallest never promises too much
        tried = _measured(found, fitted.plan, replace(pen, tall=tall))
        top = _height(found, tried, page)
        if top <= high + 0.01:
            break
        tall = 1 + (tall - 1) * max(high - low, 0.0) / (top - low)
    return _widened(found, tried, wide)._replace(spare=high - top)


def _widened(found: Diagram, fitted: Fitted, wide: float) -> Fitted:
    """What is left of the width is for the lanes."""
    widest = max((lane.width for lane in fitted.lanes), default=0.0)
    return fitted._replace(wide=widest + wide - _width(found, fitted))


def _placed(found: Diagram, fitted: Fitted, page: Page) -> Placement:
    pen, plan, out = fitted.pen, fitted.plan, Placement()
    u, joined = pen.u, joined_width(found.joined, plan, pen)
    stretches = [fitted.stretch(lane) for lane in fitted.lanes]
    wide = (m.width + s * (len(m.pieces) - 1) for m, s in zip(fitted.lanes, stretches, strict=True))
    left = MARGIN + u * 0.9 + max(0.0, (page.width - 2 * MARGIN - u * 1.8 - max(wide, default=0.0) - joined) / 2)
    gap, back = fitted.spare / (len(fitted.lanes) + 1), Extras(page.trace, found, pen).below_lane
    y = MARGIN + heading(page.style) + gap
    for i, (lane, measured) in enumerate(zip(found.lanes, fitted.lanes, strict=True)):
        y += u * BUS * measured.lines + measured.above
        place_lane(lane, measured, i, left, y, Setting(pen, plan, out, stretches[i]))
        y += measured.below + u * LANES_APART + gap + back
    place_joined(found.joined, Setting(pen, plan, out, 0.0))
    return out
