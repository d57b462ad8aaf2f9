"""Where everything on a map goes: lanes below each other, each with its stream as the backbone.

Boxes of a branch stand above the stream, what is on it lies across it. A layer is a frame around its branches, or one
box where it is folded; a block that is unfolded is a frame around its steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import NamedTuple

from txviz.figures import fonts
from txviz.figures.levels import map_box
from txviz.figures.levels.diagram import Branch, Diagram, Lane, Unit, folded, inside
from txviz.figures.levels.flow import Flow, Size, flow
from txviz.figures.levels.map_box import Pen
from txviz.figures.views.page import Area
from txviz.trace import Step
from txviz.trace.outline import Node

GAP = Size(2.0, 1.3)
"""Between the boxes of a flow."""

PAD, RISE, BETWEEN, BUS = 0.7, 1.5, 1.5, 2.9
"""Inside a frame, from the stream up to the boxes, between two pieces of a lane, and for a line above the lane."""

FRAME_TITLE, PLUS, RISER, TOKEN, NORM_GAP, TURN, CLOSE = 1.9, 1.9, 1.2, 0.82, 1.2, 0.9, 0.9
PITCH, THICKEST = 0.95, 6.0
"""Of a token's line on the stream, and of the whole stream."""


class Frame(NamedTuple):
    """Around what has been unfolded."""

    unit: Unit
    area: Area


class Band(NamedTuple):
    """A stream: one line for each token."""

    step: Step
    x1: float
    x2: float
    y: float
    half: float
    names: float
    """The room for the tokens' names, where there is some."""


@dataclass
class Placement:
    """What was placed, in pixels."""

    areas: dict[Unit, Area] = field(default_factory=dict)
    lanes: dict[Unit, int] = field(default_factory=dict)
    """Which lane a box is in."""

    groups: dict[Unit, int] = field(default_factory=dict)
    """Boxes of one flow have the same number."""

    frames: list[Frame] = field(default_factory=list)
    bands: dict[int, Band] = field(default_factory=dict)
    """By the lane."""

    risers: dict[int, tuple[Branch, float]] = field(default_factory=dict)
    """For the flow of a branch: where it leaves the stream."""

    tops: list[float] = field(default_factory=list)
    bottoms: list[float] = field(default_factory=list)
    """Of each lane."""

    right: float = 0.0


class Piece(NamedTuple):
    """A stretch of a lane."""

    units: tuple[Unit, ...]
    flow: Flow[Unit]
    branch: Branch | None = None
    """None for what lies on the stream."""

    norm: Unit | None = None
    """Of a branch: the norm that it begins with, which stands below the rest, on the way up from the stream."""

    left: float = 0.0
    """Room for the way up, where it can't lead into the first box from below."""

    frame: Unit | None = None
    """The layer that it is in, where that is unfolded."""


@dataclass(frozen=True)
class Plan:
    """Which nodes are unfolded, and whether folded layers that follow each other are one box."""

    unfolded: frozenset[str]
    collapsed: bool = False


class Measured(NamedTuple):
    pieces: list[Piece]
    width: float
    above: float
    below: float
    frame_top: float
    """How far the frames of its layers reach above the stream."""

    lines: int
    """How many lines from elsewhere run above it, or stand there."""


def layers(diagram: Diagram) -> list[Node]:
    """All layers, each once."""
    found = {b.layer.name: b.layer for lane in diagram.lanes for b in lane.branches if b.layer is not None}
    return list(found.values())


def measure(lane: Lane, plan: Plan, pen: Pen, beside: Sequence[str]) -> Measured:
    """How much room a lane takes; ``beside`` are the steps from elsewhere that it reads."""
    u = pen.u
    pieces = _pieces(lane, plan, pen)
    width = sum(_piece_width(piece, pen) for piece in pieces) + sum(_gap(*pair, pen) for pair in pairwise(pieces))
    width += token_room(lane, pen)
    half = band_half(lane.stream, pen)
    on = [p.flow.size.height for p in pieces if p.branch is None]
    middles = [p.flow.middle for p in pieces if p.branch is None]
    lower = max([h - m for h, m in zip(on, middles, strict=True)] + [half])
    framed = any(piece.frame for piece in pieces)
    raised = max((_raised(piece, pen) for piece in pieces if piece.branch is not None), default=0.0)
    frame_top, title = half + raised + u * PAD * framed, half + u * FRAME_TITLE * framed
    lines = max(len(beside), len(side_rows(lane)))  # a mask that hides nothing is read by nobody, and stands there, too
    return Measured(pieces, width, max([frame_top, *middles]), max(lower, title), frame_top, lines)


def _raised(piece: Piece, pen: Pen) -> float:
    """How far a branch reaches above the stream."""
    norm = 0.0 if piece.norm is None else map_box.size(piece.norm, pen).height + pen.u * NORM_GAP
    return pen.u * RISE + norm + piece.flow.size.height


def band_half(step: Step | None, pen: Pen) -> float:
    if step is None:
        return 0.0
    return max(min(step.value.shape[-2] * PITCH, THICKEST) if step.value.ndim > 1 else 1.0, 1.2) * pen.u / 2


def _pieces(lane: Lane, plan: Plan, pen: Pen) -> list[Piece]:
    pieces = [_on_stream(lane.before, plan, pen)] if lane.before else []
    closed: list[Branch] = []
    for layer, group in groupby(lane.branches, lambda branch: branch.layer):
        branches = list(group)
        if layer is not None and layer.name not in plan.unfolded:
            closed += branches
            continue
        pieces += _folded(closed, plan, pen)
        closed = []
        frame = None if layer is None else folded(branches)
        for branch in branches:
            pieces.append(_branching(branch, frame, plan, pen))
            pieces += [_on_stream((unit,), plan, pen)._replace(frame=frame) for unit in branch.after]
    pieces += _folded(closed, plan, pen)
    return [*pieces, _on_stream(lane.behind, plan, pen)] if lane.behind else pieces


def _branching(branch: Branch, frame: Unit | None, plan: Plan, pen: Pen) -> Piece:
    first, *rest = branch.units
    norm = first if rest and map_box.is_norm(first) and set(first.reads) == {branch.skip.name} else None
    units = tuple(rest) if norm else branch.units
    made = _flow(units, plan, pen)
    start = {branch.skip.name} if norm is None else norm.names
    entered = [unit for unit in units if start & unit.reads.keys()]
    below = len(entered) == 1 and not is_open(entered[0], plan) and _lowest(entered[0], made)
    beside = RISER if norm is None else map_box.size(norm, pen).width / pen.u / 2 + 0.8
    return Piece(units, made, branch, norm, 0.0 if below else beside * pen.u, frame)


def _lowest(unit: Unit, made: Flow[Unit]) -> bool:
    """Whether there is nothing below a box."""
    area = made.areas[unit]
    return not any(o.y > area.bottom and o.x < area.right and area.x < o.right for o in made.areas.values())


def _folded(branches: Sequence[Branch], plan: Plan, pen: Pen) -> list[Piece]:
    """A box for each layer; where there is no room for that, one box for three or more: "layers 1–10"."""
    layers = [list(group) for _, group in groupby(branches, lambda branch: branch.layer)]
    if plan.collapsed and len(layers) > 2:
        layers = [list(branches)]
    return [_on_stream((folded(group),), plan, pen) for group in layers]


def _on_stream(units: tuple[Unit, ...], plan: Plan, pen: Pen) -> Piece:
    return Piece(units, _flow(units, plan, pen))


def _flow(units: Sequence[Unit], plan: Plan, pen: Pen) -> Flow[Unit]:
    sizes = {unit: _size(unit, plan, pen) for unit in units}
    return flow(units, reads_among(units), sizes, Size(GAP.width * pen.u, GAP.height * pen.u))


def reads_among(units: Sequence[Unit]) -> dict[Unit, list[Unit]]:
    return {unit: [other for other in units if other is not unit and other.names & unit.reads.keys()] for unit in units}


def is_open(unit: Unit, plan: Plan) -> bool:
    """Whether what is in the box is shown instead of it."""
    return unit.node.name in plan.unfolded and unit.step is None and unit.count == 1


def _size(unit: Unit, plan: Plan, pen: Pen) -> Size:
    if not is_open(unit, plan):
        return map_box.size(unit, pen)
    width, height = _flow(inside(unit), plan, pen).size
    return Size(width + 2 * PAD * pen.u, height + (PAD + FRAME_TITLE) * pen.u)


def _gap(piece: Piece, following: Piece, pen: Pen) -> float:
    """Before the next piece; folded layers stand closer together, frames of two layers do not touch."""
    both = all(p.branch is None and p.frame is None and p.units[0].node.level == "layer" for p in (piece, following))
    framed = piece.frame is not None and following.frame not in (None, piece.frame)
    return pen.u * (CLOSE if both else BETWEEN + PAD if framed else BETWEEN)


def _piece_width(piece: Piece, pen: Pen) -> float:
    return piece.flow.size.width + (piece.left + pen.u * (TURN + PLUS) if piece.branch is not None else 0.0)


class Setting(NamedTuple):
    """What all of a placement share."""

    pen: Pen
    plan: Plan
    out: Placement
    stretch: float
    """How much more room there is between two pieces than they need."""


def place_lane(lane: Lane, measured: Measured, number: int, left: float, y: float, setting: Setting) -> None:
    """``y`` is the middle of the stream."""
    pen, _, out, stretch = setting
    u, half, x = pen.u, band_half(lane.stream, pen), left
    framed: dict[Unit, list[float]] = {}
    for i, piece in enumerate(measured.pieces):
        start, group = x, len(out.groups)
        if piece.branch is None:
            _place(piece.flow, x, y - piece.flow.middle, (number, group), setting)
            x += piece.flow.size.width
        else:
            _place(piece.flow, x + piece.left, y - half - _raised(piece, pen), (number, group), setting)
            out.risers[group] = piece.branch, start + u * 0.3
            _place_norm(piece, start, y - half - u * RISE, (number, group), setting)
            x += piece.left + piece.flow.size.width + u * TURN
            _put(piece.branch.add, Area(x, y - half - u * 0.15, u * PLUS, 2 * half + u * 0.3), (number, -1 - i), out)
            x += u * PLUS
        if piece.frame is not None:
            framed.setdefault(piece.frame, [start, x])[1] = x
        out.right = max(out.right, x)
        following = measured.pieces[i + 1] if i + 1 < len(measured.pieces) else piece
        x += _gap(piece, following, pen) + stretch + (token_room(lane, pen) if i == 0 and lane.before else 0.0)
    _add_band(lane, number, left, y, setting)
    top, high = y - measured.frame_top, measured.frame_top + half + u * FRAME_TITLE
    out.frames += [
        Frame(unit, Area(x1 - u * PAD, top, x2 - x1 + 2 * u * PAD, high)) for unit, (x1, x2) in framed.items()
    ]
    out.tops.append(y - measured.above)
    out.bottoms.append(y + measured.below)
    _place_sides(lane, number, left, setting)


def _place_norm(piece: Piece, start: float, bottom: float, where: tuple[int, int], setting: Setting) -> None:
    """Below the box that reads it, or at the left of the branch."""
    if piece.norm is None:
        return
    width, height = map_box.size(piece.norm, setting.pen)
    first = next(unit for unit in piece.units if piece.norm.names & unit.reads.keys())
    middle = start + width / 2 if piece.left else setting.out.areas[first].centre[0]
    _put(piece.norm, Area(middle - width / 2, bottom - height, width, height), where, setting.out)


def token_room(lane: Lane, pen: Pen) -> float:
    """For the names of the tokens, on the stream where it begins."""
    if (
        lane.stream is None
        or not lane.before
        or 2 * band_half(lane.stream, pen) < lane.stream.value.shape[-2] * pen.u * 0.8
    ):
        return 0.0
    return min(fonts.widest(lane.stream.labels[-2], pen.u * TOKEN), pen.u * 6) + pen.u * 0.4


def _add_band(lane: Lane, number: int, left: float, y: float, setting: Setting) -> None:
    """From what leads to the stream to what reads its end."""
    pen, _, out, _ = setting
    if lane.stream is None:
        return
    before = [out.areas[unit].right for unit in lane.before if unit in out.areas]
    behind = [out.areas[unit].x for unit in lane.behind if unit in out.areas]
    ends = [area.right for unit, area in out.areas.items() if out.lanes[unit] == number]
    x1 = max(before) if before else left - pen.u * 0.8
    x2 = min(behind) if behind else max(ends) + pen.u * 1.2
    out.bands[number] = Band(lane.stream, x1, x2, y, band_half(lane.stream, pen), token_room(lane, pen))


def side_rows(lane: Lane) -> list[list[Unit]]:
    """What stands above a lane, one row for each line that begins there: a mask, and before it what it is made of.
    Where others read that, too, as a mean does, a line of its own begins there, so that it has a row of its own."""
    read = {name for unit in lane.units if unit not in lane.sides for name in unit.reads}
    alone = [unit for unit in lane.sides if not unit.names & read]
    made_of = {unit: [other for other in alone if other.names & unit.reads.keys()] for unit in lane.sides}
    used = {other for others in made_of.values() for other in others}
    last = sorted((unit for unit in lane.sides if unit not in used), key=lambda unit: unit.output.name)
    return [[*made_of[unit], unit] for unit in last]


def _place_sides(lane: Lane, number: int, left: float, setting: Setting) -> None:
    """A mask stands above the lane, where its line begins."""
    pen, _, out, _ = setting
    for i, row in enumerate(side_rows(lane)):
        x, y = left + pen.u * RISER, out.tops[number] - pen.u * BUS * (i + 0.5)
        for unit in row:
            width, height = map_box.size(unit, pen)
            _put(unit, Area(x, y - height / 2, width, height), (number, len(out.groups) + 1000), out)
            x += width + pen.u * GAP.width


def place_joined(units: Sequence[Unit], setting: Setting) -> None:
    """On the right of all lanes, in the middle of them."""
    pen, plan, out, _ = setting
    if not units:
        return
    made = _flow(units, plan, pen)
    ends = [area.centre[1] for unit, area in out.areas.items() if area.right > out.right - pen.u]
    middle = (min(ends) + max(ends)) / 2
    left = out.right + pen.u * (GAP.width + 1)
    _place(made, left, middle - made.middle, (-1, len(out.groups)), setting)
    out.right = left + made.size.width


def joined_width(units: Sequence[Unit], plan: Plan, pen: Pen) -> float:
    return _flow(units, plan, pen).size.width + pen.u * (GAP.width + 1) if units else 0.0


def _place(made: Flow[Unit], x: float, y: float, where: tuple[int, int], setting: Setting) -> None:
    pen, plan, out, _ = setting
    for unit, area in made.areas.items():
        moved = area._replace(x=area.x + x, y=area.y + y)
        if is_open(unit, plan):
            out.frames.append(Frame(unit, moved))
            nested = _flow(inside(unit), plan, pen)
            _place(nested, moved.x + PAD * pen.u, moved.y + PAD * pen.u, where, setting)
        else:
            _put(unit, moved, where, out)


def _put(unit: Unit, area: Area, where: tuple[int, int], out: Placement) -> None:
    out.areas[unit] = area
    out.lanes[unit], out.groups[unit] = where
