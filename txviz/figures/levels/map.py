"""The map: the model of a run as its block diagram, with what each box made of this very input.

It is drawn from the trace alone. The stream of the tokens' vectors is the backbone; blocks read from it and add to it,
so that pre-norm and post-norm look different at a glance. As many layers are unfolded as fit the page.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from txviz.figures import fonts, theme
from txviz.figures.levels import map_box
from txviz.figures.levels.diagram import Diagram, Unit, diagram
from txviz.figures.levels.map_arrows import Arrows
from txviz.figures.levels.map_box import Pen
from txviz.figures.levels.map_extras import Extras
from txviz.figures.levels.map_layout import (
    BUS,
    TOKEN,
    Band,
    Frame,
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
from txviz.figures.levels.picture import NodeScene, Picture, Spot
from txviz.figures.marks import TEXT_DROP, Box, Figure, Group, Line, Mark, Text
from txviz.figures.style import MARGIN, Style
from txviz.figures.views.page import Area
from txviz.trace import Parameter, Step, Trace
from txviz.trace.outline import Node

HEADING = 2.6
"""The room for the title, by the size of the text."""

LANES_APART, WIDEST_GAP = 1.6, 6.0
SMALLEST, LARGEST, TALLEST = 0.75, 1.5, 3.0
"""How small and large the text may become to fit the page, by the style's; and how much taller boxes may be."""


def draw(scene: NodeScene) -> Picture:
    node = scene.trace.outline if scene.node.level == "pass" else scene.node
    order = _order(scene.trace)
    position = None if scene.current is None else order[scene.current.name]
    pen = Pen(replace(scene.style, numbers=False), 1.0, order, position, scene.place)
    found = diagram(scene.trace, node, scene.current)
    return _Sheet(scene, node, found, _fitted(found, scene, node, pen)).picture()


@lru_cache(maxsize=2)
def _order(trace: Trace) -> dict[str, int]:
    return {step.name: i for i, step in enumerate(trace)}


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


def _fitted(found: Diagram, scene: NodeScene, node: Node, pen: Pen) -> Fitted:
    """The most that can be unfolded with text that is large enough; at the end, the smallest that there is."""
    wide, high = scene.width - 2 * MARGIN, scene.height - 2 * MARGIN - _heading(scene.style)
    least = scene.style.size * SMALLEST
    for plan in (plans := _plans(found, scene, node)):
        one = _measured(found, plan, _sized(pen, 1.0))  # all lengths grow with the size of the text
        size = min(wide / _width(found, one), high / _height(found, one, scene), scene.style.size * LARGEST)
        if size >= least:
            return _grown(found, _measured(found, plan, _sized(pen, size)), scene, wide, high)
    return _measured(found, plans[-1] if scene.unfolded is None else plans[0], _sized(pen, least))


def _sized(pen: Pen, size: float) -> Pen:
    return replace(pen, style=replace(pen.style, size=size))


def _plans(found: Diagram, scene: NodeScene, node: Node) -> list[Plan]:
    """From all layers unfolded to none; the one that the reader is in stays open longest."""
    if scene.unfolded is not None:
        return [Plan(scene.unfolded), Plan(scene.unfolded, collapsed=True)]
    names = [layer.name for layer in layers(found)]
    here = [name for name in names if scene.current is not None and scene.current.name.startswith(f"{name}.")]
    plans = [Plan(frozenset(names)), Plan(frozenset(here)), Plan(frozenset(here), True), Plan(frozenset(), True)]
    return [Plan(frozenset([*names, node.name])), *plans] if node.level == "layer" else plans


def _measured(found: Diagram, plan: Plan, pen: Pen) -> Fitted:
    return Fitted(plan, pen, [measure(lane, plan, pen, _beside(found, i)) for i, lane in enumerate(found.lanes)])


def _beside(found: Diagram, number: int) -> list[str]:
    """The steps that a lane reads from elsewhere, or from its own sides."""
    lane = found.lanes[number]
    sides = {name for unit in lane.sides for name in unit.names}
    own = {name for unit in lane.units for name in unit.names} - sides
    shown = {name for unit in found.units for name in unit.names}
    inner = [unit for unit in lane.units if unit not in lane.sides]
    return sorted({name for unit in inner for name in unit.reads if name in shown and name not in own})


def _width(found: Diagram, fitted: Fitted) -> float:
    joined = joined_width(found.joined, fitted.plan, fitted.pen)
    return max((lane.width for lane in fitted.lanes), default=0.0) + joined + fitted.pen.u * 1.8


def _height(found: Diagram, fitted: Fitted, scene: NodeScene) -> float:
    u, lanes = fitted.pen.u, fitted.lanes
    rows = sum(lane.above + lane.below + u * BUS * lane.lines for lane in lanes)
    extras = Extras(scene.trace, found, fitted.pen).height(len(lanes))
    return rows + u * LANES_APART * (len(lanes) - 1) + extras


def _heading(style: Style) -> float:
    return style.size * HEADING if style.title else 0.0


def _grown(found: Diagram, fitted: Fitted, scene: NodeScene, wide: float, high: float) -> Fitted:
    """What is left of the height makes boxes taller."""
    tall, pen = TALLEST, fitted.pen
    low = _height(found, fitted, scene)
    while True:  # heights bend upwards as boxes grow, so a straight line to the tallest never promises too much
        tried = _measured(found, fitted.plan, replace(pen, tall=tall))
        top = _height(found, tried, scene)
        if top <= high + 0.01:
            break
        tall = 1 + (tall - 1) * max(high - low, 0.0) / (top - low)
    widest = max((lane.width for lane in tried.lanes), default=0.0)
    return tried._replace(wide=widest + wide - _width(found, tried), spare=high - top)


class _Sheet:
    """Puts a diagram on its page."""

    def __init__(self, scene: NodeScene, node: Node, found: Diagram, fitted: Fitted) -> None:
        self._scene, self._node, self._found, self._fitted = scene, node, found, fitted
        self._pen = fitted.pen
        self._placed = Placement()
        self._extras = Extras(scene.trace, found, fitted.pen)

    def picture(self) -> Picture:
        self._place()
        marks: list[Mark] = [Group("heading", (self._title(),))] if self._scene.style.title else []
        spots: list[Spot] = []
        frames = sorted(self._placed.frames, key=lambda frame: -frame.area.width)
        marks += [self._frame(frame, spots) for frame in frames]
        marks += [Group(f"stream {i}", tuple(self._band(band))) for i, band in self._placed.bands.items()]
        marks += Arrows(self._found, self._placed, self._pen).marks()
        for unit, area in self._placed.areas.items():
            made, found = self._box(unit, area)
            marks.append(Group(unit.node.name, tuple(made)))
            spots += found
        extra, more = self._extras.marks(self._placed, self._right, self._bottom)
        bottom = max([self._scene.height, *(spot.area.bottom + MARGIN for spot in (*spots, *more))])
        right = max(self._scene.width, self._placed.right + MARGIN)
        figure = Figure(right, bottom, self._scene.style.theme.panel, (*marks, *extra))
        return Picture(figure, (*spots, *more), self._fitted.plan.unfolded)

    @property
    def _right(self) -> float:
        return max(self._scene.width - MARGIN, self._placed.right)

    @property
    def _bottom(self) -> float:
        return self._scene.height - MARGIN

    def _place(self) -> None:
        u, fitted = self._pen.u, self._fitted
        joined = joined_width(self._found.joined, fitted.plan, self._pen)
        stretches = [fitted.stretch(lane) for lane in fitted.lanes]
        wide = (m.width + s * (len(m.pieces) - 1) for m, s in zip(fitted.lanes, stretches, strict=True))
        widest = max(wide, default=0.0)
        left = MARGIN + u * 0.9 + max(0.0, (self._scene.width - 2 * MARGIN - u * 1.8 - widest - joined) / 2)
        gap = fitted.spare / (len(fitted.lanes) + 1)
        y = MARGIN + _heading(self._scene.style) + gap
        for i, (lane, measured) in enumerate(zip(self._found.lanes, fitted.lanes, strict=True)):
            y += u * BUS * measured.lines + measured.above
            place_lane(lane, measured, i, left, y, Setting(self._pen, fitted.plan, self._placed, stretches[i]))
            y += measured.below + u * LANES_APART + gap + self._extras.below_lane
        place_joined(self._found.joined, Setting(self._pen, fitted.plan, self._placed, 0.0))

    def _title(self) -> Text:
        style = self._scene.style
        size = style.size * 1.4
        said = fonts.elided(_title(self._scene.trace, self._node, self._found), size, self._scene.width - 2 * MARGIN)
        return Text(MARGIN, MARGIN + style.size * 1.3, said, size, style.theme.text, bold=True)

    def _frame(self, frame: Frame, spots: list[Spot]) -> Mark:
        """A layer or a block that is unfolded, with its name and a sign that folds it."""
        unit, area, u, colours = frame.unit, frame.area, self._pen.u, self._scene.style.theme
        main = self._pen.colour(unit)
        named = (
            f"{map_box.title(unit)}" if unit.node.level != "layer" else f"{unit.steps[0].site.part} · {unit.node.title}"
        )
        learned = f"{map_box.short_count(unit.parameters)} parameters" if unit.parameters else ""
        base = area.bottom - u * 0.6
        spots.append(Spot(area, unit.node.name, f"{unit.node.name}: {len(unit.steps)} steps, {learned}".rstrip(", ")))
        spots.append(Spot(Area(area.x, base - u * 1.3, u * 2, u * 1.8), unit.node.name, f"Fold {named}", fold=True))
        marks: list[Mark] = [
            Box(*area, theme.mixed(main, colours.panel, 0.05), theme.mixed(main, colours.panel, 0.5), 1, u * 0.7),
            Text(area.x + u * 0.7, base, "▾", u * 0.9, colours.muted),
            Text(area.x + u * 1.8, base, fonts.elided(named, u, area.width - u * 2), u, colours.text, bold=True),
        ]
        if fonts.width(named, u, bold=True) + fonts.width(learned, u * 0.8) + u * 4 < area.width:
            marks.append(Text(area.right - u * 0.7, base, learned, u * 0.8, colours.muted, "end"))
        return Group(f"frame of {unit.node.name}", tuple(marks))

    def _band(self, band: Band) -> list[Mark]:
        """A line for each token, with their names where the stream begins."""
        colours, u = self._scene.style.theme, self._pen.u
        main = theme.mixed(theme.stage_colour(colours, band.step.site), colours.panel, 0.35)
        count = band.step.value.shape[-2] if band.step.value.ndim > 1 else 1
        top, pitch = band.y - band.half, 2 * band.half / count
        lines = min(count, 24)
        marks: list[Mark] = [
            Box(band.x1, top, band.x2 - band.x1, 2 * band.half, theme.mixed(main, colours.panel, 0.35)),
        ]
        for i in range(lines):
            y = top + (i + 0.5) * 2 * band.half / lines
            marks.append(Line(band.x1 + band.names, y, band.x2, y, main, max(1.0, min(pitch * 0.3, u * 0.25))))
        if band.names:
            size = u * TOKEN
            for i, word in enumerate(band.step.labels[-2]):
                y = top + (i + 0.5) * pitch + size * TEXT_DROP
                shown = fonts.elided(word, size, band.names - u * 0.3)
                marks.append(Text(band.x1 + band.names - u * 0.2, y, shown, size, colours.text, "end"))
        return marks

    def _box(self, unit: Unit, area: Area) -> tuple[list[Mark], list[Spot]]:
        step = unit.step
        if step is not None and any(unit is branch.add for lane in self._found.lanes for branch in lane.branches):
            return self._plus(unit, step, area)
        marks, spots = map_box.draw_box(unit, area, self._pen)
        if step is None:
            u = self._pen.u
            folds = Spot(Area(area.x, area.y, u * 1.7, u * 1.7), unit.node.name, "Show what is inside", fold=True)
            marks.append(Text(area.x + u * 0.35, area.y + u * 1.3, "▸", u * 0.85, self._scene.style.theme.muted))
            spots.append(folds)
        return marks, spots

    def _plus(self, unit: Unit, step: Step, area: Area) -> tuple[list[Mark], list[Spot]]:
        """Where a branch is added to the stream, over all tokens."""
        colours, state = self._scene.style.theme, self._pen.state(unit.steps)
        main = self._pen.colour(unit)
        fill = main if state == "now" else theme.mixed(main, colours.panel, 0.35 if state == "done" else 0.12)
        size = self._pen.u * 1.35
        ink = colours.panel if state == "now" else colours.text
        marks: list[Mark] = [
            Box(*area, fill, main, 1.2, radius=area.width / 2),
            Text(area.centre[0], area.centre[1] + size * TEXT_DROP, "+", size, ink, "middle", bold=True),
        ]
        return marks, [Spot(area, step.name, f"{step.name}: {step.what}")]


def _title(trace: Trace, node: Node, found: Diagram) -> str:
    named = str(trace.about.get("model", "")) if not node.name else node.first.site._replace(leaf="").title
    when = f" · time step {found.time}" if found.time is not None and not node.name else ""
    which = f", beam {found.beam}" if found.beam is not None and not node.name else ""
    learned = {s.name: s.value.size for step in node.steps for s in step.sources if isinstance(s, Parameter)}
    count = f" · {map_box.short_count(sum(learned.values()))} parameters" if learned else ""
    return f"{named}{when}{which}{count}"
