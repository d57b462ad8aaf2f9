"""The boxes of a map: how large each is, and what is in it. Lengths are in sizes of the text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from txviz.analysis.ranking import first_places
from txviz.figures import fonts, theme
from txviz.figures.levels.diagram import Unit
from txviz.figures.levels.flow import Size
from txviz.figures.levels.picture import Spot
from txviz.figures.levels.tile import tile
from txviz.figures.marks import TEXT_DROP, Box, Colour, Heat, Mark, Text
from txviz.figures.naming import MASKS as MASKED
from txviz.figures.naming import WORDS, asked, counted
from txviz.figures.numerals import percent, short_count
from txviz.figures.shapes import written
from txviz.figures.style import Style
from txviz.figures.views.page import Area, bar_length
from txviz.ops import Array, Index
from txviz.trace import Step
from txviz.trace.outline import Node

State = Literal["done", "now", "later"]
DrawnBox = tuple[list[Mark], list[Spot]]

SMALL = 0.82
"""The text under a box's picture, by the size of its title."""

BLOCK, STEP, NORM = Size(8.8, 8.4), Size(7.2, 6.4), Size(4.6, 2.2)
LAYER = Size(5.6, 8.4)
MASKS = ("causal_mask", "padding_mask")
ASIDE = (*MASKS, "distance_buckets", "bucket_bias")
"""What is read by every layer of a lane, and stands above it."""

ABOUT_TOKENS = ("token_types", "attention_mask")
"""Inputs that say something of each token, which is told where they are looked at."""

MOST_TOKENS = 12
MOST_BARS = 4


@dataclass(frozen=True)
class Pen:
    """How a map is drawn: its style (whose size is that of the titles), how tall boxes are, how far one has come."""

    style: Style
    tall: float
    order: Mapping[str, int]
    position: int | None
    place: Index
    change: Callable[[str], str] | None = None
    """Of a node by its name: how much it differs from another run."""

    @property
    def u(self) -> float:
        return self.style.size

    def state(self, steps: tuple[Step, ...]) -> State:
        if self.position is None:
            return "done"
        first, last = self.order[steps[0].name], self.order[steps[-1].name]
        return "later" if self.position < first else "now" if self.position <= last else "done"

    def colour(self, unit: Unit) -> Colour:
        return theme.stage_colour(self.style.theme, unit.steps[0].site)


def title(unit: Unit) -> str:
    """What stands in the box's first line."""
    if unit.count > 1:
        return f"layers {unit.steps[0].site.layer}–{unit.steps[-1].site.layer}"
    return words(unit.node)


def words(node: Node) -> str:
    site = node.first.site
    if node.level == "step" and site.reader is not None:  # a gradient that comes back from one of several readers
        return f"{site._replace(reader=None).labels[-1]} from {site.reader.labels[-1]}"
    return WORDS.get(node.title, node.title)


def is_norm(unit: Unit) -> bool:
    return unit.step is not None and unit.step.op in ("layer_norm", "rms_norm")


def is_small(unit: Unit) -> bool:
    """A box with nothing but its name: a norm, what stands above its lane, and what is given of each token."""
    return is_norm(unit) or all(step.op in ASIDE or step.site.leaf in ABOUT_TOKENS for step in unit.steps)


def is_input(unit: Unit) -> bool:
    return unit.step is not None and unit.step.op == "given" and unit.step.value.ndim > 0


def size(unit: Unit, pen: Pen) -> Size:
    """In pixels."""
    u = pen.u
    if is_small(unit):
        room = 1.2 if unit.step is not None else 2.6  # with a sign that it can be unfolded
        return Size(max(NORM.width, fonts.width(title(unit), 1) + room) * u, NORM.height * u)
    if is_input(unit) and unit.output.value.dtype.kind in "iu":
        count = min(len(unit.output.labels[-1]), MOST_TOKENS)
        widest = max((fonts.width(word, 1) for word in unit.output.labels[-1]), default=0.0)
        return Size(min(max(widest, 4.0) + 1.4, 10.0) * u, (2.4 + 1.25 * max(count, 2)) * u)
    wanted = LAYER if unit.node.level == "layer" or unit.count > 1 else STEP if unit.step is not None else BLOCK
    wide = max(wanted.width, fonts.width(title(unit), 1, bold=True) + (1.2 if unit.step is not None else 2.8))
    return Size(wide * u, wanted.height * pen.tall * u)


def draw_box(unit: Unit, area: Area, pen: Pen) -> DrawnBox:
    """Frame, title, what it made, and below it the shape and how many numbers it has learned."""
    u, colours, state = pen.u, pen.style.theme, pen.state(unit.steps)
    main = pen.colour(unit)
    marks: list[Mark] = [_frame(area, main, state, pen)]
    hint = f"{unit.node.name or unit.node.title}: {_about(unit)}"
    spots = [Spot(area, unit.node.name, hint)]
    middle = area.centre[0]
    if is_small(unit):
        ink = colours.text if state != "later" else colours.muted
        marks.append(Text(middle, area.centre[1] + u * TEXT_DROP, title(unit), u * 0.95, ink, "middle"))
        return marks, spots
    ink = colours.muted if state == "later" else colours.text
    head = fonts.elided(title(unit), u, area.width - u * 0.6, bold=True)
    marks.append(Text(middle, area.y + u * 1.35, head, u, ink, "middle", bold=True))
    foot = [] if is_input(unit) and unit.output.value.dtype.kind in "iu" else _foot(unit, pen)
    for i, line in enumerate(reversed(foot)):
        y = area.bottom - u * (0.5 + i * 1.05)
        marks.append(
            Text(middle, y, fonts.elided(line, u * SMALL, area.width - u * 0.5), u * SMALL, colours.muted, "middle")
        )
    room = Area(area.x + u * 0.7, area.y + u * 1.9, area.width - u * 1.4, area.height - u * (2.5 + 1.05 * len(foot)))
    if room.height > u * 0.8:
        inside, spot = _inside(unit, room, pen, state)
        marks += inside
        spots += [spot] if spot else []
    return marks, spots


def _frame(area: Area, main: Colour, state: State, pen: Pen) -> Box:
    panel = pen.style.theme.panel
    share = {"done": 0.13, "now": 0.28, "later": 0.03}[state]
    stroke = main if state != "later" else theme.mixed(main, panel, 0.45)
    fill = theme.mixed(main, panel, share)
    return Box(*area, fill, stroke, 1.2 if state != "now" else 2.4, radius=pen.u * 0.55)


def _about(unit: Unit) -> str:
    shape = counted(len(unit.steps), "step") if unit.step is None else unit.output.op.replace("_", " ")
    learned = f", {unit.parameters:,} parameters" if unit.parameters else ""
    return f"{shape}{learned}, makes {unit.output.dimensions}"


def _foot(unit: Unit, pen: Pen) -> list[str]:
    """The shape and what was learned; beside another run, how much it differs from that."""
    shape = written(unit.output.value.shape)
    lines = [] if shape == "1" else [shape]
    if unit.count > 1:
        lines = [f"{unit.count}×"]
    if pen.change is not None and unit.count == 1:
        return [*lines, pen.change(unit.node.name)]
    return [*lines, f"{short_count(unit.parameters)} param."] if unit.parameters else lines


def shown_step(unit: Unit) -> Step:
    """What stands for a box: attention weights where it has some, else what it hands on."""
    weights = [s for s in unit.steps if s.axes[-2:] == ("query", "key") and s.op in ("softmax", "given")]
    return weights[-1] if weights and unit.count == 1 and unit.node.level != "layer" else unit.output


def _inside(unit: Unit, room: Area, pen: Pen, state: State) -> tuple[list[Mark], Spot | None]:
    if state == "later" and _says(unit):
        return [], None  # an answer is not told before it is there
    likely = next((s for s in reversed(unit.steps) if s.op == "softmax" and s.axes[-1:] != ("key",)), None)
    if likely is not None and (row := _answer(likely)) is not None:
        return _bars(likely, row, room, pen), None
    step = next((s for s in reversed(unit.steps) if s.chosen is not None), None) or shown_step(unit)
    if step.value.dtype.kind in "iu" and step.value.ndim == 1:
        return _tokens(step, room, pen, state), None
    if step.chosen is not None or step.value.ndim == 0:
        said = step.chosen or f"{float(step.value):.3g}".replace("-", "−")
        ink = pen.style.theme.text
        large = min(pen.u * 1.25, pen.u * 1.25 * room.width / max(fonts.width(said, pen.u * 1.25), 1.0))
        return [Text(room.centre[0], room.centre[1] + large * TEXT_DROP, said, large, ink, "middle", bold=True)], None
    plain = replace(pen.style, numbers=False)
    made = tile(step, room, plain, pen.place, square=False)
    shown = [_pale(mark, pen) if state == "later" else mark for mark in made.marks]
    return shown, made.spot._replace(node=unit.node.name)


def _answer(likely: Step) -> Array | None:  # (V,)
    """The probabilities that an answer is taken from: all there are, or the masked word's."""
    if likely.value.ndim == 1:
        return likely.value
    masked = likely.value.ndim == 2 and likely.labels[0][asked(likely.labels[0])] in MASKED
    return likely.value[asked(likely.labels[0])] if masked else None


def _says(unit: Unit) -> bool:
    """Whether it holds an answer, in words or as one number."""
    return any(step.axes[-1:] in (("vocabulary",), ("class",)) or step.value.ndim == 0 for step in unit.steps)


def _pale(mark: Mark, pen: Pen) -> Mark:
    """A picture of what is not computed yet."""
    if not isinstance(mark, Heat):
        return mark
    paper = np.array(theme.rgb(pen.style.theme.panel), dtype=float)
    painted = np.frombuffer(mark.colours, np.uint8).reshape(-1, 3)
    return replace(mark, colours=(painted * 0.25 + paper * 0.75).round().astype(np.uint8).tobytes(), infinite=b"")


def _tokens(step: Step, room: Area, pen: Pen, state: State) -> list[Mark]:
    """The words, one below the other; of a long sentence the first ones and the last."""
    labels = list(step.labels[-1])
    if len(labels) > MOST_TOKENS:
        labels = [*labels[: MOST_TOKENS - 2], "…", labels[-1]]
    pitch = min(room.height / max(len(labels), 1), pen.u * 1.5)
    top = room.y + (room.height - pitch * len(labels)) / 2
    size = min(pen.u * 0.95, pitch * 0.9)
    ink = pen.style.theme.muted if state == "later" else pen.style.theme.text
    return [
        Text(
            room.centre[0],
            top + (i + 0.5) * pitch + size * TEXT_DROP,
            fonts.elided(word, size, room.width),
            size,
            ink,
            "middle",
        )
        for i, word in enumerate(labels)
    ]


def _bars(step: Step, likely: Array, room: Area, pen: Pen) -> list[Mark]:
    """The likeliest answers, with their share as a bar and in words."""
    u, colours = pen.u, pen.style.theme
    count = max(1, min(MOST_BARS, int(room.height / (u * 1.1)), likely.size))
    best = first_places(likely, count)
    pitch = min(room.height / count, u * 1.7)
    size = min(u * 0.85, pitch * 0.8)
    top = room.y + (room.height - pitch * count) / 2
    fill = theme.mixed(colours.accent, colours.panel, 0.45)
    marks: list[Mark] = []
    for row, i in enumerate(best.tolist()):
        share, y = float(likely[i]), top + row * pitch
        said = percent(share)
        marks.append(Box(room.x, y + pitch * 0.08, max(bar_length(room.width, share), 0.5), pitch * 0.84, fill=fill))
        left = room.width - fonts.width(said, size) - size * 0.8
        word, base = fonts.elided(step.labels[-1][i], size, left), y + pitch / 2 + size * TEXT_DROP
        marks.append(Text(room.x + size * 0.25, base, word, size, colours.text, bold=row == 0))
        marks.append(Text(room.right, base, said, size, colours.text, "end"))
    return marks
