"""The steps of one step of training by what they are for: what went in, the loss, the gradients, and what changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import NamedTuple

import numpy as np

from txviz import ops
from txviz.figures.levels.reads import read
from txviz.figures.naming import WORDS
from txviz.ops import Array, Index
from txviz.trace import Parameter, Step, Trace
from txviz.trace.kept import kept
from txviz.trace.outline import Node
from txviz.trace.site import Site

NEAR = 1e-6
"""Changes that differ by less than this share count as equal: Adam's first step moves nearly all numbers alike."""


class Learned(NamedTuple):
    """A parameter, the gradient of the loss by it, and what it is after the update."""

    before: Parameter
    gradient: Step
    after: Step
    norm: float
    """Of the gradient: the square root of the sum of its squares."""


class Layer(NamedTuple):
    """The parameters of one layer, or of what stands in none."""

    node: str
    """Of the backward pass."""

    title: str
    members: tuple[Learned, ...]

    @property
    def norm(self) -> float:
        return float(np.sqrt(sum(each.norm**2 for each in self.members)))

    @property
    def matrices(self) -> list[Learned]:
        return [each for each in self.members if each.before.value.ndim == 2]


class Moved(NamedTuple):
    """One number of a parameter: that which changed most."""

    learned: Learned
    at: Index
    on_the_way: tuple[Step, ...] = ()
    """What the optimiser made before it moved that parameter: a clipped gradient, running means."""


@dataclass(frozen=True, eq=False)
class TrainingSteps:
    trace: Trace

    @cached_property
    def losses(self) -> tuple[Step, ...]:
        """From the first to the one number that is made smaller."""
        return tuple(step for step in self.trace if step.site.pass_ == "loss")

    @property
    def loss(self) -> Step:
        return self.losses[-1]

    @property
    def each(self) -> Step:
        """The loss before it is one number: at each position, or of a pair."""
        return self.losses[0]

    @property
    def after(self) -> Step:
        return next(step for step in self.trace if step.site.pass_ == "after")

    @cached_property
    def logits(self) -> Step | None:
        return read(self.each, 0) if self.each.op == "cross_entropy" else None

    @property
    def labels(self) -> Step:
        """The right answers, or the cosine that a pair should have."""
        return read(self.each, 1)

    @cached_property
    def scores(self) -> Step:
        """The same, where there are answers to choose from."""
        if self.logits is None:
            raise TypeError(f"{self.each.name} was made from no scores")
        return self.logits

    @cached_property
    def likely(self) -> Step:
        """Softmax of those scores, or the scores where that is no step of its own."""
        name = self.scores.name
        return next((step for step in self.trace if step.op == "softmax" and name in step.inputs), self.scores)

    @cached_property
    def shares(self) -> Array:  # -> (positions,answers)
        """The probability of each answer."""
        return ops.softmax.compute(self.scores.value).reshape(-1, self.scores.value.shape[-1])

    @cached_property
    def inputs(self) -> Step | None:
        """The tokens at whose places the answers are given."""
        if self.logits is None or self.logits.value.ndim < 2:
            return None
        words = (self.logits.labels[-2],)
        given = (step for step in self.trace if step.op == "given" and step.axes == ("token",))
        return next((step for step in given if step.labels == words and step is not self.labels), None)

    @property
    def smoothing(self) -> float:
        return float(self.each.params.get("smoothing") or 0.0)

    @cached_property
    def right(self) -> Array:  # -> (positions,)
        """The probability of the right answer."""
        return self.shares[np.arange(len(self.shares)), self.labels.value.reshape(-1)]

    @cached_property
    def answers(self) -> tuple[str, ...]:
        """The right ones, in words: as they were written, also where the model does not know them."""
        return self.labels.labels[-1] if self.labels.value.ndim else (self.scores.labels[-1][int(self.labels.value)],)

    @property
    def learning(self) -> int:
        """How many positions count: those of padding do not, which stands at the end."""
        ignored = self.each.params.get("ignore")
        return len(self.answers) if ignored is None else int((self.labels.value != ignored).sum())

    def surprise(self, position: int, smoothing: float) -> float:
        """The loss at a position, were labels smoothed so: 1 is the mean surprise at all answers."""
        row = self.scores.value.reshape(-1, self.scores.value.shape[-1])[position]
        label = self.labels.value.reshape(-1)[position]
        return float(ops.cross_entropy.compute(row, label, smoothing=smoothing))

    @cached_property
    def learned(self) -> tuple[Learned, ...]:
        return _learned(self.trace)

    def layers(self, most: int) -> list[Layer]:
        """In the order of the backward pass: the last layer first. Parts, where there are more layers than these."""
        layers, parts = _layers(self.trace)
        return layers if len(layers) <= most else parts

    @cached_property
    def length(self) -> Step | None:
        """Of all gradients together."""
        return next((step for step in self.trace if step.site.role == "length"), None)

    @cached_property
    def moved(self) -> Moved:
        return _moved(self.trace)

    @cached_property
    def forward(self) -> list[Node]:
        """The parts of the model, and what went in."""
        shown = {self.labels.name} | ({self.inputs.name} if self.inputs is not None else set())
        nodes = self.trace.outline.children
        return [node for node in nodes if node.first.site.pass_ == "forward" and node.name not in shown]


@kept
def _learned(trace: Trace) -> tuple[Learned, ...]:
    """Kept, since a large model has many numbers."""
    found = []
    for after in trace:
        if after.site.pass_ != "update" or after.site.role is not None or not after.sources:
            continue
        before = after.sources[0]
        if isinstance(before, Parameter):
            gradient = trace[after.site._replace(pass_="backward").name]
            found.append(Learned(before, gradient, after, float(np.linalg.norm(gradient.value))))
    return tuple(found)


@kept
def _layers(trace: Trace) -> tuple[list[Layer], list[Layer]]:
    """By layer, and by part."""
    return _grouped(trace, _layer), _grouped(trace, _part)


def _grouped(trace: Trace, home: Callable[[Site], Site]) -> list[Layer]:
    groups: dict[Site, list[Learned]] = {}
    for each in _learned(trace):
        groups.setdefault(home(each.gradient.site), []).append(each)
    return [Layer(site.name, _title(site, members), tuple(members)) for site, members in groups.items()]


@kept
def _moved(trace: Trace) -> Moved:
    """The number that changed most; of those that changed alike, the one with the strongest gradient."""
    changes = [np.abs(each.after.value - each.before.value) for each in _learned(trace)]
    least = max(float(change.max(initial=0.0)) for change in changes) * (1 - NEAR)
    if not isfinite(least):
        raise ValueError("a parameter is infinite or not a number after the update")
    pairs = zip(_learned(trace), changes, strict=True)
    moved = (_strongest(each, change >= least) for each, change in pairs if (change >= least).any())
    found = max(moved, key=lambda found: abs(float(found.learned.gradient.value[found.at])))
    site = found.learned.after.site
    roles = [step for step in trace if step.site.role is not None and step.site._replace(role=None) == site]
    return found._replace(on_the_way=tuple(roles))


def _strongest(learned: Learned, among: Array) -> Moved:  # (...) of true and false
    size = np.where(among, np.abs(learned.gradient.value), -1.0)
    return Moved(learned, tuple(int(i) for i in np.unravel_index(int(size.argmax()), size.shape)))


def _layer(site: Site) -> Site:
    """Of a gradient: its layer, or else its part or block."""
    return Site(
        pass_=site.pass_, part=site.part, layer=site.layer, block=None if site.layer is not None else site.block
    )


def _part(site: Site) -> Site:
    return Site(pass_=site.pass_, part=site.part)


def _title(site: Site, members: Sequence[Learned]) -> str:
    """``decoder 1``, or ``decoder · norm`` for what stands in no layer."""
    labels = [WORDS.get(label, label) for label in site._replace(pass_="forward").labels]
    leaves = {each.before.site.leaf.split(".")[0] for each in members if "." in each.before.site.leaf}
    own = [leaves.pop()] if site.layer is None and len(leaves) == 1 and not site.block else []
    return " · ".join([*labels, *own])
