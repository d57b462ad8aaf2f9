"""The map: the model of a run as its block diagram, with what each box made of this very input.

It is drawn from the trace alone. The stream of the tokens' vectors is the backbone; blocks read from it and add to it,
so that pre-norm and post-norm look different at a glance. As many layers are unfolded as fit the page.
"""

from __future__ import annotations

from dataclasses import replace

from txviz.figures import fonts, theme
from txviz.figures.levels import map_box
from txviz.figures.levels.diagram import Diagram, Unit, moment
from txviz.figures.levels.map_arrows import Arrows
from txviz.figures.levels.map_extras import Extras
from txviz.figures.levels.map_layout import TOKEN, Band, Frame
from txviz.figures.levels.map_page import Page, laid_out
from txviz.figures.levels.picture import NodeScene, Picture, Spot
from txviz.figures.marks import TEXT_DROP, Box, Figure, Group, Line, Mark, Text
from txviz.figures.naming import counted
from txviz.figures.numerals import short_count
from txviz.figures.place import full_place, leading
from txviz.figures.scene import Scene
from txviz.figures.style import MARGIN
from txviz.figures.views import VIEWS
from txviz.figures.views.page import Area
from txviz.trace import Step, Trace
from txviz.trace.kept import kept
from txviz.trace.learned import learned_numbers, parameters_of
from txviz.trace.outline import Node


def draw(scene: NodeScene) -> Picture:
    if len(scene.node.steps) == 1:
        return _only_step(scene)
    return _Sheet(scene, scene.trace.outline if scene.node.level == "pass" else scene.node).picture()


@kept
def _order(trace: Trace) -> dict[str, int]:
    return {step.name: i for i, step in enumerate(trace)}


def _page(scene: NodeScene, node: Node) -> Page:
    site = scene.current.site if scene.current is not None else None
    layer = "" if site is None or site.layer is None else site._replace(leaf="", block=None).name
    style = replace(scene.style, numbers=False)
    when = moment(node, scene.current)
    return Page(scene.trace, node, when, layer, scene.width, scene.height, style, scene.unfolded)


class _Sheet:
    """Puts a diagram on its page."""

    def __init__(self, scene: NodeScene, node: Node) -> None:
        self._scene, self._node = scene, node
        self._laid = laid_out(_page(scene, node))
        self._found, self._placed = self._laid.found, self._laid.placed
        order = _order(scene.trace)
        position = None if scene.current is None else order[scene.current.name]
        self._pen = replace(self._laid.pen, order=order, position=position, place=scene.place, change=scene.change)
        self._extras = Extras(scene.trace, self._found, self._pen)

    def picture(self) -> Picture:
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
        return Picture(figure, (*spots, *more), self._laid.plan.unfolded)

    @property
    def _folds(self) -> bool:
        """Whether boxes can be opened and closed: in a file nothing can."""
        return self._scene.folds and self._scene.current is not None

    @property
    def _right(self) -> float:
        return max(self._scene.width - MARGIN, self._placed.right)

    @property
    def _bottom(self) -> float:
        """Where what stands below the model ends; a diagram that is too high for the page pushes it down."""
        needed = self._placed.bottoms[-1] + self._extras.height(1) if self._placed.bottoms else 0.0
        return max(self._scene.height - MARGIN, needed)

    def _title(self) -> Text:
        style = self._scene.style
        size = style.size * 1.4
        said = style.titled(_title(self._scene, self._node, self._found))
        said = fonts.elided(said, size, self._scene.width - 2 * MARGIN, bold=True)
        return Text(MARGIN, MARGIN + style.size * 1.3, said, size, style.theme.text, bold=True)

    def _frame(self, frame: Frame, spots: list[Spot]) -> Mark:
        """A layer or a block that is unfolded, with its name and a sign that folds it."""
        unit, area, u, colours = frame.unit, frame.area, self._pen.u, self._scene.style.theme
        main = self._pen.colour(unit)
        named = (
            f"{map_box.title(unit)}" if unit.node.level != "layer" else f"{unit.steps[0].site.part} · {unit.node.title}"
        )
        learned = f"{short_count(unit.parameters)} parameters" if unit.parameters else ""
        base = area.bottom - u * 0.6
        spots.append(
            Spot(area, unit.node.name, f"{unit.node.name}: {counted(len(unit.steps), 'step')}, {learned}".rstrip(", "))
        )
        sign, indent = Area(area.x, base - u * 1.3, u * 2, u * 1.8), u * (1.8 if self._folds else 0.7)
        spots += [Spot(sign, unit.node.name, f"Fold {named}", fold=True)] if self._folds else []
        shown = fonts.elided(named, u, area.width - indent, bold=True)
        marks: list[Mark] = [
            Box(*area, theme.mixed(main, colours.panel, 0.05), theme.mixed(main, colours.panel, 0.5), 1, u * 0.7),
            *([Text(area.x + u * 0.7, base, "▾", u * 0.9, colours.muted)] if self._folds else []),
            Text(area.x + indent, base, shown, u, colours.text, bold=True),
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
        state = self._pen.state(unit.steps)
        kept = self._laid.boxes.get((unit, state, self._pen.place))
        if kept is None:
            kept = self._laid.boxes[(unit, state, self._pen.place)] = map_box.draw_box(unit, area, self._pen)
        marks, spots = list(kept[0]), list(kept[1])
        if step is None:
            u = self._pen.u
            folds = Spot(Area(area.x, area.y, u * 1.7, u * 1.7), unit.node.name, "Show what is inside", fold=True)
            if self._folds:
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


def _title(scene: NodeScene, node: Node, found: Diagram) -> str:
    """The model where all of it is shown, and where in the run that is; then how much it has learned."""
    whole, outline = not node.name, scene.trace.outline
    named = [outline.title] if whole and ("model" in scene.trace.about or not scene.node.name) else []
    named += [map_box.words(each) for each in outline.path_to(scene.node.name)[1:]]
    named += [f"time step {found.time}"] if found.time is not None and whole else []
    named += [f"beam {found.beam}"] if found.beam is not None and whole else []
    learned = _learned(node)
    return " · ".join([*named, *([f"{short_count(learned)} parameters"] if learned else [])])


@kept
def _learned(node: Node) -> int:
    """How many numbers; counted once, since a beam may have 50,000 steps."""
    return learned_numbers(parameters_of(node.steps))


def _only_step(scene: NodeScene) -> Picture:
    """A box with a single step in it is no diagram: its picture is that of the step."""
    step, page = scene.node.first, Area(0, 0, scene.width, scene.height)
    shown = Scene(scene.trace, step, full_place(scene.place, leading(step)), None, page.width, page.height, scene.style)
    return Picture(VIEWS["stage"].draw(shown), (Spot(page, step.name, f"{step.name}: {step.what}"),))
