"""What a map shows besides the model: the time steps of decoding, and the way back of a training step."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

import numpy as np

from txviz.figures import fonts, theme
from txviz.figures.levels.diagram import Diagram, Unit
from txviz.figures.levels.map_box import Pen, is_input
from txviz.figures.levels.map_layout import Placement
from txviz.figures.levels.picture import Spot
from txviz.figures.marks import TEXT_DROP, Arrow, Box, Colour, Group, Mark, Text
from txviz.figures.naming import counted
from txviz.figures.numerals import short_count
from txviz.figures.style import MARGIN
from txviz.figures.views.page import Area
from txviz.trace import Step, Trace
from txviz.trace.kept import kept
from txviz.trace.outline import Node
from txviz.trace.site import Site
from txviz.trace.winner import winner

ROW, CHIP = 2.6, 1.9
"""The height of a row and of what stands in it."""


class Extras:
    def __init__(self, trace: Trace, found: Diagram, pen: Pen) -> None:
        self._trace, self._found, self._pen = trace, found, pen
        outline = trace.outline
        decoding = outline.get("time") if found.time is not None else None
        self._times = list(decoding.children) if decoding else []
        self._won = {turn.time: turn.token for turn in winner(trace.about)}
        self._back = outline.get("backward") if _covers(found, outline) else None
        self._later = [n for n in outline.children if n.name in ("update", "after")] if self._back else []

    @property
    def below_lane(self) -> float:
        """Room for the way back, below each lane."""
        return self._pen.u * ROW if self._back else 0.0

    def height(self, lanes: int) -> float:
        rows = bool(len(self._times) > 1) + bool(self._later)
        return self._pen.u * ROW * rows + self.below_lane * lanes

    def marks(self, placed: Placement, right: float, bottom: float) -> tuple[list[Mark], list[Spot]]:
        marks: list[Mark] = []
        spots: list[Spot] = []
        if self._back:
            for lane in range(len(placed.tops)):
                self._gradients(placed, lane, marks, spots)
        row = bottom - self._pen.u * CHIP
        for nodes in filter(None, (self._later, self._times if len(self._times) > 1 else [])):
            self._chips([(node, self._said(node)) for node in nodes], right, row, marks, spots)
            row -= self._pen.u * ROW
        return marks, spots

    def _said(self, node: Node) -> str:
        if node.level == "time":
            time = node.first.site.time or 0
            chosen = _chosen(node) or self._won.get(time, "")
            return f"t{time}" + (f" → {chosen}" if chosen else "")
        if node.name == "update":
            count = sum(s.value.size for s in node.steps if s.site.role is None)
            return f"update of {short_count(count)} parameters"
        before = next((s for s in self._trace if s.site.pass_ == "loss" and s.value.ndim == 0 and s.key), None)
        return (
            f"loss {'' if before is None else f'{_apart(before, node.steps[-1])} → '}{_apart(node.steps[-1], before)}"
        )

    def _chips(
        self, entries: list[tuple[Node, str]], right: float, y: float, marks: list[Mark], spots: list[Spot]
    ) -> None:
        """In a row, each to be gone to; the one that is shown stands out. Where that is too many, those around it."""
        u, colours = self._pen.u, self._pen.style.theme
        size, gap, edge = u * 0.9, u * 0.6, u * 0.6
        least = max(fonts.width(_before_arrow(said), size, bold=True) for _, said in entries) + edge
        entries = self._around(entries, int((right - MARGIN + gap) / (least + gap)))
        room = (right - MARGIN + gap) / len(entries) - gap
        x = MARGIN
        for node, said in entries:
            width = min(fonts.width(said, size) + u * 1.4, room)
            area = Area(x, y, width, u * CHIP)
            now = self._is_now(node)
            main = theme.stage_colour(colours, node.first.site if node.level != "time" else Site("", "decoder"))
            fill = theme.mixed(main, colours.panel, 0.4 if now else 0.1)
            text = _legible(said, size, width - edge)
            inside: tuple[Mark, ...] = (
                Box(*area, fill, main, 2.0 if now else 1.0, u * 0.5),
                Text(area.centre[0], area.centre[1] + size * TEXT_DROP, text, size, colours.text, "middle", bold=now),
            )
            marks.append(Group(node.name, inside))
            told = said if node.level == "time" else node.title
            spots.append(Spot(area, node.name, f"{told}: {counted(len(node.steps), 'step')}"))
            x += width + gap

    def _is_now(self, node: Node) -> bool:
        return node.level == "time" and node.first.site.time == self._found.time

    def _around(self, entries: list[tuple[Node, str]], most: int) -> list[tuple[Node, str]]:
        """So many of them at most: the first, the last, and the nearest to the one that is shown."""
        if len(entries) <= max(most, 3):
            return entries
        now = next((place for place, (node, _) in enumerate(entries) if self._is_now(node)), 0)
        inner = max(most, 3) - 2
        start = min(max(now - inner // 2, 1), len(entries) - 1 - inner)
        return [entries[0], *entries[start : start + inner], entries[-1]]

    def _gradients(self, placed: Placement, lane: int, marks: list[Mark], spots: list[Spot]) -> None:
        """Under each box that learns, how long the gradient of what it made is; from the loss back to the input."""
        u, colours = self._pen.u, self._pen.style.theme
        main = theme.stage_colour(colours, Site(pass_="backward"))
        y = placed.bottoms[lane] + u * 0.5
        pills = sorted(self._pills(placed, lane, y), key=lambda pill: -pill[1].x)
        last: Area | None = None
        for node, area, said in pills:
            if last is not None and last.x - area.right < u * 0.3:
                continue
            if last is not None:
                points = ((last.x, area.centre[1]), (area.right, area.centre[1]))
                marks.append(Arrow(points, main, u * 0.13, min(u * 0.7, last.x - area.right)))
            marks.append(Group(node.name, tuple(self._pill(area, said, main))))
            spots.append(Spot(area, node.name, f"{node.name}: the gradient, {said[2:]} long"))
            last = area

    def _pills(self, placed: Placement, lane: int, y: float) -> Iterator[tuple[Node, Area, str]]:
        assert self._back is not None
        u = self._pen.u
        for unit, area in placed.areas.items():
            node = self._back.get(f"backward.{unit.node.name}")
            gradient = self._trace.get(f"backward.{unit.output.name}")
            if placed.lanes[unit] != lane or node is None or gradient is None or not _tells(unit):
                continue
            said = f"∇ {_length(gradient):.2g}".replace("e-0", "e-").replace("-", "−")
            width = fonts.width(said, u * 0.85) + u
            yield node, Area(area.centre[0] - width / 2, y, width, u * CHIP), said

    def _pill(self, area: Area, said: str, main: Colour) -> list[Mark]:
        u, colours = self._pen.u, self._pen.style.theme
        size = u * 0.85
        fill = theme.mixed(main, colours.panel, 0.14)
        return [
            Box(*area, fill, main, 1.0, area.height / 2),
            Text(area.centre[0], area.centre[1] + size * TEXT_DROP, said, size, colours.text, "middle"),
        ]


def _covers(found: Diagram, outline: Node) -> bool:
    """Whether the diagram shows the whole forward pass, so that there is a way back to show."""
    shown = {name for unit in found.units for name in unit.names}
    return not shown.isdisjoint(_losses(outline))


@kept
def _losses(outline: Node) -> frozenset[str]:
    return frozenset(step.name for step in outline.steps if step.site.pass_ == "loss")


def _before_arrow(said: str) -> str:
    """``t3`` of ``t3 → amo``."""
    return said.partition(" → ")[0]


def _legible(said: str, size: float, room: float) -> str:
    """As much of it as there is room for; where nothing would be left of what stands behind the arrow, no arrow."""
    text = fonts.elided(said, size, room)
    return text if len(text) > len(_before_arrow(said)) + len(" → …") or text == said else _before_arrow(said)


@kept
def _chosen(time: Node) -> str | None:
    """The word that was chosen last."""
    return next((step.chosen for step in reversed(time.steps) if step.chosen is not None), None)


def _tells(unit: Unit) -> bool:
    return not is_input(unit) and (unit.step is None or unit.node.level == "layer")


def _length(step: Step) -> float:
    return sqrt(float(np.square(step.value).sum()))


def _apart(step: Step, other: Step | None) -> str:
    """A loss with as many digits as it needs to be told from another one."""
    value, against = float(step.value), float("nan") if other is None else float(other.value)
    return next((f"{value:.{n}g}" for n in range(3, 9) if f"{value:.{n}g}" != f"{against:.{n}g}"), f"{value:.9g}")
