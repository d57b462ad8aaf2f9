"""Two runs, A and B: which step of A belongs to one of B, by how much they differ, and what tells them apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, Literal, NamedTuple

import numpy as np

from txviz.figures.by_word import by_word
from txviz.figures.colour_scale import Span, reach, union
from txviz.figures.naming import quoted
from txviz.figures.numerals import percent
from txviz.figures.theme import largest
from txviz.ops import Array
from txviz.trace import Parameter, Step, Trace, cursor
from txviz.trace.diff import Change as Changed
from txviz.trace.outline import Level, Node
from txviz.trace.site import Site
from txviz.trace.step import equal_bits
from txviz.trace.winner import winner

Sides = Literal["all", "a", "b", "difference", "table"]
"""What is shown of two runs."""

SIDES: dict[Sides, str] = {"all": "A and B", "a": "A", "b": "B", "difference": "B − A", "table": "Stage by stage"}

_INNER: tuple[Level, ...] = ("beam", "part", "layer", "block")
"""Levels whose nodes may be called otherwise in A, from the outside in."""

ONLY_IN_B = "only in B"

ROUNDING = 1e-12
"""Of the largest number: what lies below it comes from another order of the same sums."""

MOST_ROWS = 200

OTHER_TOKENS = (
    "other tokens, so B − A is by word: weights to the pieces of a word are added, those from them averaged, and "
    "special tokens left out."
)


class Change(NamedTuple):
    """How far a step of B, or a whole block, is from what it is in A."""

    size: float = 0.0
    """The largest change of a cell, by the largest number of both: up to 1, or 2 across 0."""

    why: str = ""
    """Why there is no such number."""

    @property
    def differs(self) -> bool:
        return bool(self.why) or self.size > 0

    @property
    def rank(self) -> tuple[bool, float]:
        """The larger, the more it differs."""
        return bool(self.why), self.size

    @property
    def text(self) -> str:
        """
        >>> Change().text, Change(0.42).text, Change(1e-15).text, Change(why="only in B").text
        ('the same', '42 %', 'rounding', 'only in B')
        """
        if self.why or not self.size:
            return self.why or "the same"
        return "rounding" if self.size < ROUNDING else percent(self.size)


@dataclass(frozen=True, eq=False)
class Pair:
    a: Trace
    b: Trace

    @cached_property
    def orders(self) -> dict[tuple[str, float, float], bool]:
        """By the node and the page: whether two maps stand side by side there."""
        return {}

    def of_a(self, step: Step) -> Step:
        """The step of A that belongs to one of B: that of the same name, or the nearest. Where two models have not as
        many layers, that is the name at the same depth."""
        return self.twin(step) or self.a[cursor.nearest(self.a.steps, self._name(step.site))]

    def twin(self, step: Step) -> Step | None:
        """The same, where A has such a step at all."""
        return self.a.get(self._name(step.site))

    def _name(self, site: Site) -> str:
        """What a step of B, or a node, is called in A."""
        return site._replace(layer=self.layer_of_a(site), beam=self._beam_of_a(site)).name

    def _beam_of_a(self, site: Site) -> int | None:
        """Where only one of the two has a beam, its winner's path goes together with the one path of the other."""
        a, b = self._winners
        if site.time is None or not self.one_has_a_beam:
            return site.beam
        if a:
            return a.get(site.time, site.beam)
        return None if site.beam == b.get(site.time) else site.beam

    @property
    def one_has_a_beam(self) -> bool:
        a, b = self._winners
        return bool(a) != bool(b)

    @cached_property
    def _winners(self) -> tuple[dict[int, int], dict[int, int]]:
        """By time step, which hypothesis of the beam went on to win."""
        a, b = ({turn.time: turn.beam for turn in winner(run.about)} for run in (self.a, self.b))
        return a, b

    def layer_of_a(self, site: Site) -> int | None:
        """The layer of A at the depth of one of B: the first beside the first, the last beside the last."""
        count_a, count_b = (layers.get(site.part or "", 0) for layers in self.layers)
        if site.layer is None or not self.two_models or count_a in (0, count_b):
            return site.layer
        return count_a - 1 if count_b < 2 else round(site.layer * (count_a - 1) / (count_b - 1))

    @cached_property
    def layers(self) -> tuple[dict[str, int], dict[str, int]]:
        """How many layers the parts of each have."""
        a, b = (layer_counts(run) for run in (self.a, self.b))
        return a, b

    @cached_property
    def two_models(self) -> bool:
        """Whether A and B were made by different models."""
        return self.a.about.get("model") != self.b.about.get("model")

    def node_of_a(self, node: Node, current: Step | None) -> Node:
        """The same for a block or any other level."""
        found = self.a.outline.get(self._node_name(node))
        if found is not None and found.children:
            return found
        path = self.a.outline.path_to(self.of_a(current or node.first).name)
        above = [each for each in path if each.children]
        return next((each for each in above if each.level == node.level), above[-1])

    def _node_name(self, node: Node) -> str:
        """What a node of B is called in A."""
        if node.level == "step":
            return self._name(node.first.site)
        if node.level not in _INNER:
            return node.name
        below: dict[str, Any] = dict.fromkeys(_INNER[_INNER.index(node.level) + 1 :])
        place = node.first.site._replace(leaf="", **below)
        return self._name(place) if place.name == node.name else node.name

    def node_of_b(self, name: str) -> Node | None:
        """That of this name, or that to which a node of A with this name belongs."""
        return self.b.outline.get(name) or self._nodes_of_b.get(name)

    @cached_property
    def _nodes_of_b(self) -> dict[str, Node]:
        return {self._node_name(node): node for node in self.b.outline}

    def extent_of(self, name: str, own: Span) -> Span:
        """From the lowest number of a tensor to its highest, in both runs."""
        if name not in self._extents:
            both = (name, self._other_names.get(name, name))
            found = [reach(run[each]) for run, each in product(self._sources, both) if each in run]
            self._extents[name] = union(found) if found else own
        return self._extents[name]

    @cached_property
    def _extents(self) -> dict[str, Span]:
        return {}

    @cached_property
    def _other_names(self) -> dict[str, str]:
        """Where a step has another name in the other run: both ways."""
        pairs = [(step.name, self._name(step.site)) for step in self.b] if self.one_has_a_beam else []
        return {one: other for a, b in pairs if a != b for one, other in ((a, b), (b, a))}

    @cached_property
    def _sources(self) -> list[dict[str, Step | Parameter]]:
        return [{**run.learned, **{step.name: step for step in run}} for run in (self.a, self.b)]

    def change(self, step: Step) -> Change:
        """Of a step of B."""
        if step.name not in self._changes:
            self._changes[step.name] = _change(self.twin(step), step)
        return self._changes[step.name]

    @cached_property
    def _changes(self) -> dict[str, Change]:
        return {}

    def node_change(self, node: Node) -> Change:
        """Of all that is in a node of B: that of the step which changed most. What a beam has beside its winner counts
        only where there is nothing else."""
        if node.name not in self._node_changes:
            steps = [step for step in node.steps if self.twin(step) is not None] if self.one_has_a_beam else []
            found = (self.change(step) for step in steps or node.steps)
            self._node_changes[node.name] = max(found, key=lambda change: change.rank)
        return self._node_changes[node.name]

    @cached_property
    def _node_changes(self) -> dict[str, Change]:
        return {}

    @cached_property
    def has_table(self) -> bool:
        """Whether they are of two models, which are then told apart stage by stage."""
        return self.two_models

    @cached_property
    def told(self) -> tuple[str, str]:
        """What A is and what B is, in words: what they have in common is left out."""
        if not (self.a.about or self.b.about):
            return "", ""
        a, b = (list(_facts(about)) for about in _without_own_options(self.a.about, self.b.about))
        told = [[fact.text for fact in mine if fact not in other] for mine, other in ((a, b), (b, a))]
        both = [", ".join(facts) for facts in told]
        both = (
            [f"{text} {n}" for n, text in zip(("one", "two"), both, strict=True)] if both[0] == both[1] != "" else both
        )
        if not any(both):
            return next((fact.text for fact in reversed(a[:2])), "a run"), "the same"
        return both[0] or "as it was", both[1] or "as it was"


def layer_counts(run: Trace) -> dict[str, int]:
    """How many layers each part has."""
    found: dict[str, int] = {}
    for step in run:
        if step.site.layer is not None and step.site.part is not None:
            found[step.site.part] = max(found.get(step.site.part, 0), step.site.layer + 1)
    return found


def _change(a: Step | None, b: Step) -> Change:
    if a is None:
        return Change(why=ONLY_IN_B)
    if a.value.shape != b.value.shape:
        return Change(why="another size")
    if a.value is b.value or equal_bits(a.value, b.value):
        return Change()
    return Change(Changed(a, b, "changed").relative)


def facts(run: Trace) -> list[str]:
    """The model and the input of a run, in words."""
    return [
        fact.text for fact in _facts({key: run.about[key] for key in ("title", "model", "input") if key in run.about})
    ]


class _Fact(NamedTuple):
    raw: object
    text: str


def _facts(about: Mapping[str, Any]) -> Iterator[_Fact]:
    """What a run was: its model, its input, its options and what was changed in it by hand."""
    if "title" in about or "model" in about:
        title = str(about.get("title") or about["model"])
        yield _Fact(title, title)
    if "input" in about:
        yield _Fact(about["input"], _input(about["input"]))
    known = [
        f"{name.replace('_', ' ')} {value}" for name, value in about.get("options", {}).items() if value is not None
    ]
    known += [f"edited: {edit}" for edit in about.get("edits", ())]
    known += [f"overridden: {name}" for name in about.get("overrides", ())]
    yield from (_Fact(text, text) for text in known)


def _without_own_options(*both: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """A default says nothing beside a model that has no such option."""
    shared = set.intersection(*(set(about.get("options", {})) for about in both))
    return [{**about, "options": dict(_told_options(about, shared))} for about in both]


def _told_options(about: Mapping[str, Any], shared: set[str]) -> Iterator[tuple[str, Any]]:
    told = shared | set(about.get("given", about.get("options", {})))
    return ((name, value) for name, value in about.get("options", {}).items() if name in told)


def _input(given: Any) -> str:
    if isinstance(given, list) and all(isinstance(each, str) for each in given):
        given = " | ".join(given)
    return quoted(given) if isinstance(given, str) and not _is_grid(given) else "drawing"


def _is_grid(text: str) -> bool:
    words = text.split()
    coloured = all(word.startswith("#") for word in words)
    return len(words) > 8 and (coloured or not any(letter.isalpha() for letter in text))


def corresponds(a: Step, b: Step) -> bool:
    """Whether they are the same step, or that of another layer at the same depth of another model, or one of them that
    of the other on the way of a beam's winner."""
    same = a.site._replace(layer=b.site.layer, beam=b.site.beam) == b.site
    return a.name == b.name or (same and (a.site.beam == b.site.beam or _beside_winner(a, b)))


def _beside_winner(a: Step, b: Step) -> bool:
    """Whether one has no beam, and the other is on the way of its winner."""
    (plain, searched) = sorted((a, b), key=lambda step: step.site.beam is not None)
    on_the_way = {(turn.time, turn.beam) for turn in winner(searched.about)}
    return plain.site.beam is None and (searched.site.time, searched.site.beam) in on_the_way


def why_beside(a: Step, b: Step) -> str:
    """Of steps that go together though they are called otherwise: two models that have not as many layers, or a beam
    and none."""
    if a.site.beam != b.site.beam:
        side, beam = ("B", b.site.beam) if a.site.beam is None else ("A", a.site.beam)
        return f"Beam {beam} of {side}, from which its winner comes, stands beside the only sentence of the other."
    return f"Layer {b.site.layer} of B stands beside layer {a.site.layer} of A, which is as deep in its model."


def remarks(a: Step, b: Step) -> list[str]:
    """What to say about a step in two runs: the nearest one, other sizes, rows in another order, rounding alone."""
    if a.name != b.name and corresponds(a, b):
        return [why_beside(a, b), *remarks(replace(a, name=b.name), b)]
    if a.name != b.name:
        return [f"A has no step {b.name}; the nearest one there is {a.name}, so nothing is subtracted."]
    if a.value.shape != b.value.shape:
        sizes = f"A has {a.dimensions}, B has {b.dimensions}"
        return [f"{sizes}: {OTHER_TOKENS if by_word(a, b) else 'other sizes, so nothing is subtracted.'}"]
    if equal_bits(a.value, b.value):
        return ["A and B are the same here."]
    if a.value.dtype.kind != "f" or not (np.isfinite(a.value).all() and np.isfinite(b.value).all()):
        return []
    least = ROUNDING * largest(a.value, b.value)
    if float(np.abs(b.value - a.value).max(initial=0.0)) <= least:
        return ["A and B are the same here but for rounding."]
    return [f"B has the same {len(b.value)} rows as A, in another order."] if _permuted(a.value, b.value, least) else []


def _permuted(a: Array, b: Array, least: float) -> bool:  # (n,d), (n,d)
    """Whether each row of the one is a row of the other, up to rounding."""
    if a.ndim != 2 or not 1 < len(a) <= MOST_ROWS:
        return False
    alike = (np.abs(a[:, None] - b[None]) <= least).all(axis=-1)
    left = list(range(len(b)))
    for row in alike:
        found = next((j for j in left if row[j]), None)
        if found is None:
            return False
        left.remove(found)
    return True
