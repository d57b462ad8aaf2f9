"""The model of a run as a diagram, read from what each step read: streams, what branches off and is added again.

A residual connection is an addition of a step and of something made from that very step. Where there are some, the
steps that are added to are the stream: the backbone of a lane. What stands before it (embedding), in a branch
(attention, feed-forward, a norm), on it (a norm after the addition) and behind it (pooling, head) follows from the
reads. Nothing is known here of any architecture, and nothing of pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, product
from operator import itemgetter
from typing import NamedTuple

from txviz.trace import Step, Trace
from txviz.trace.kept import kept
from txviz.trace.learned import learned_numbers, parameters_of
from txviz.trace.outline import Node
from txviz.trace.site import Site


@dataclass(frozen=True, eq=False)
class Unit:
    """What is drawn as one box: a step, a block, a layer, or several layers that follow each other."""

    node: Node
    steps: tuple[Step, ...]
    """Those of the node that the diagram shows."""

    count: int = 1
    """How many layers it stands for."""

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(step.name for step in self.steps)

    @property
    def output(self) -> Step:
        """What it hands on: the last step that it computes."""
        return next((step for step in reversed(self.steps) if step.op != "given"), self.steps[-1])

    @cached_property
    def reads(self) -> dict[str, Step]:
        """The steps outside that it reads, by name."""
        sources = (source for step in self.steps for source in step.sources)
        return {s.name: s for s in sources if isinstance(s, Step) and s.name not in self.names}

    @cached_property
    def parameters(self) -> int:
        """How many learned numbers its steps read."""
        return learned_numbers(parameters_of(self.steps))

    @property
    def step(self) -> Step | None:
        """The step, where it is only one."""
        return self.steps[0] if len(self.steps) == 1 else None


class Branch(NamedTuple):
    """What is read from the stream, changed, and added to it."""

    skip: Step
    """What is added to; the stream before."""

    units: tuple[Unit, ...]
    add: Unit
    after: tuple[Unit, ...]
    """On the stream, behind the addition: the norm of a post-norm block."""

    layer: Node | None
    part: Node | None
    """What the layer is one of."""


class Lane(NamedTuple):
    """One stream from the left to the right."""

    before: tuple[Unit, ...]
    branches: tuple[Branch, ...]
    behind: tuple[Unit, ...]
    sides: tuple[Unit, ...]
    """What neither leads to the stream nor comes from it, such as a mask."""

    @property
    def units(self) -> list[Unit]:
        inside = (unit for branch in self.branches for unit in (*branch.units, branch.add, *branch.after))
        return [*self.before, *self.sides, *inside, *self.behind]

    @property
    def stream(self) -> Step | None:
        """The first step of the stream: its rows are the tokens."""
        return self.branches[0].skip if self.branches else None


Moment = tuple[int | None, int | None]
"""A time step of decoding, and a beam; None where there are none."""


class Diagram(NamedTuple):
    lanes: tuple[Lane, ...]
    joined: tuple[Unit, ...]
    """What reads the ends of several lanes: the similarity of two sentences."""

    time: int | None
    """Which time step is shown, of a run that has some."""

    beam: int | None

    @property
    def units(self) -> list[Unit]:
        return [*(unit for lane in self.lanes for unit in lane.units), *self.joined]


def diagram(trace: Trace, node: Node, moment: Moment = (None, None)) -> Diagram:
    """The forward pass of the node's steps; of several time steps and beams, those of the moment."""
    time, beam = moment
    found, times, beams = _by_moment(node), {None, time}, {None, beam}
    shown = sorted(chain(*(found.get(each, ()) for each in product(times, beams))), key=itemgetter(0))
    lanes, joined = _lanes([step for _, step in shown] or list(node.steps))
    drawn = tuple(_lane(trace, node, steps) for steps in lanes)
    return Diagram(drawn, tuple(_units(node, joined)), time, beam)


@kept
def _by_moment(node: Node) -> dict[Moment, list[tuple[int, Step]]]:
    """The steps of the forward pass with their places: a beam has thousands, and a moment of it some hundred."""
    found: dict[Moment, list[tuple[int, Step]]] = {}
    for place, step in enumerate(node.steps):
        if step.site.pass_ in ("forward", "loss"):
            found.setdefault((step.site.time, step.site.beam), []).append((place, step))
    return found


def moment(node: Node, current: Step | None) -> Moment:
    """That of the step, where it has one and is in the node; else the last in a file, and the first on the way.

    What a beam keeps belongs to all hypotheses: the first of them is shown with it.
    """
    inside = current is not None and current.site.time is not None and current in node.steps
    timed = _timed(node)
    if not timed:
        return None, None
    if inside and current is not None:
        time, beam = current.site.time, current.site.beam
    else:
        time, beam = timed[-1].time if current is None else timed[0].time, None
    return time, next((site.beam for site in timed if site.time == time), None) if beam is None else beam


@kept
def _timed(node: Node) -> list[Site]:
    return [step.site for step in node.steps if step.site.time is not None]


def _lanes(steps: Sequence[Step]) -> tuple[list[list[Step]], list[Step]]:
    """The steps of each stack of layers, with what leads to it and what comes from it; and what joins several."""
    stacks = {(s.site.sentence, s.site.part) for s in steps if s.site.layer is not None}
    lane: dict[str, object] = {}
    joins: set[str] = set()
    for step in steps:
        own = (step.site.sentence, step.site.part)
        read = [lane[s.name] for s in step.sources if s.name in lane]
        if own in stacks:
            lane[step.name] = own
        elif len(set(read)) > 1 or any(s.name in joins for s in step.sources):
            joins.add(step.name)
        elif read:
            lane[step.name] = read[-1]
    placed = {*lane, *joins}
    for step in reversed(steps):  # what leads to several lanes belongs to the one that reads it first
        for source in step.sources:
            if step.name in lane and source.name not in placed:
                lane[source.name] = lane[step.name]
            elif step.name in joins and source.name not in lane:
                joins.add(source.name)
    order: dict[object, list[Step]] = {}
    for step in steps:
        if step.name not in joins:
            order.setdefault(lane.get(step.name, next(iter(lane.values()), None)), []).append(step)
    return list(order.values()), [step for step in steps if step.name in joins]


def _lane(trace: Trace, node: Node, steps: Sequence[Step]) -> Lane:
    residuals = [(step, skip) for step in steps if (skip := skipped(step)) is not None]
    if not residuals:
        return Lane(tuple(_units(node, steps)), (), (), ())
    place = {step.name: i for i, step in enumerate(steps)}
    starts = [place.get(skip.name, -1) for _, skip in residuals]
    adds = [place[step.name] for step, _ in residuals]
    ends = [*starts[1:], _end(steps, residuals[-1][0])]
    branches = []
    for (add, skip), start, at, end in zip(residuals, starts, adds, ends, strict=True):
        units = _units(node, steps[max(start + 1, 0) : at])
        after = _units(node, steps[at + 1 : end + 1]) if end > at else []
        path = {n.level: n for n in trace.outline.path_to(add.name)}
        added = Unit(path["step"], (add,))
        branches.append(Branch(skip, tuple(units), added, tuple(after), path.get("layer"), path.get("part")))
    before, behind = _units(node, steps[: starts[0] + 1]), _units(node, steps[ends[-1] + 1 :])
    leading = _leading_to({residuals[0][1].name}, before)
    sides = [unit for unit in before if unit not in leading]
    for i, branch in enumerate(branches):
        inner = _made_in(branch)
        sides += [unit for unit in branch.units if unit not in inner]
        branches[i] = branch._replace(units=tuple(inner))
    return Lane(tuple(leading), tuple(branches), tuple(behind), tuple(sides))


def _end(steps: Sequence[Step], last: Step) -> int:
    """The place of the last step that stands in the same layer as the last addition."""
    return max(i for i, step in enumerate(steps) if step is last or (_same_layer(step.site, last.site)))


def _same_layer(a: Site, b: Site) -> bool:
    return a.layer is not None and (a.part, a.layer, a.sentence) == (b.part, b.layer, b.sentence)


def _leading_to(names: set[str], units: Sequence[Unit]) -> list[Unit]:
    """Those of the units that these steps were made in, or from."""
    wanted, found = set(names), []
    for unit in reversed(units):
        if unit.names & wanted:
            wanted |= unit.reads.keys()
            found.append(unit)
    return found[::-1]


def _made_in(branch: Branch) -> list[Unit]:
    """Those of a branch's units that are made from the stream; a mask stands there only by its time."""
    names, found = {branch.skip.name}, []
    for unit in branch.units:
        if names & unit.reads.keys():
            names |= unit.names
            found.append(unit)
    return found


def skipped(step: Step) -> Step | None:
    """What a residual connection leads past: the one of two added steps that the other one was made from."""
    sources = [source for source in step.sources if isinstance(source, Step)]
    if step.op != "add" or len(sources) != 2 or len(step.sources) != 2:
        return None
    for skip, branch in (sources, sources[::-1]):
        if skip.value.shape == step.value.shape and _made_from(branch, skip):
            return skip
    return None


def _made_from(step: Step, origin: Step) -> bool:
    """Whether ``origin`` is among what the step was made from; looks no further back than its layer's own steps."""
    waiting, seen, layer = [step], {step.name}, _layer(step)
    while waiting:
        each = waiting.pop()
        if each is origin:
            return True
        for source in each.sources:
            if isinstance(source, Step) and source.name not in seen and (source is origin or _layer(source) == layer):
                seen.add(source.name)
                waiting.append(source)
    return False


def _layer(step: Step) -> tuple[object, ...]:
    site = step.site
    return site.part, site.layer, site.time, site.beam, site.sentence


def _units(node: Node, steps: Iterable[Step]) -> list[Unit]:
    """The steps in boxes: a block, a part that has only steps, or a step by itself."""
    found: dict[str, tuple[Node, list[Step]]] = {}
    for step in steps:
        box = _box(node, step)
        found.setdefault(box.name, (box, []))[1].append(step)
    return [Unit(box, tuple(inside)) for box, inside in found.values()]


def _box(node: Node, step: Step) -> Node:
    """The way back and the updates are no streams with branches: there a box is whatever the node is made of."""
    path = node.path_to(step.name)
    if step.site.pass_ not in ("forward", "loss"):
        return path[1]
    blocks = (n for n in path[1:-1] if n.height == 1 and n.level in ("block", "part"))
    return next(blocks, path[-1])


def inside(unit: Unit) -> list[Unit]:
    """What a box has in it, when it is unfolded."""
    children = {step.name: child for child in unit.node.children for step in child.steps}
    found: dict[str, tuple[Node, list[Step]]] = {}
    for step in unit.steps:
        child = children.get(step.name, unit.node)
        found.setdefault(child.name, (child, []))[1].append(step)
    return [Unit(child, tuple(steps)) for child, steps in found.values()]


def folded(branches: Sequence[Branch]) -> Unit:
    """A whole layer as one box; several that follow each other stand for their part."""
    layers = {branch.layer.name: branch.layer for branch in branches if branch.layer is not None}
    part, steps = branches[0].part, [s for b in branches for u in (*b.units, b.add, *b.after) for s in u.steps]
    one = next(iter(layers.values()))
    return Unit(one if len(layers) == 1 or part is None else part, tuple(steps), len(layers))
