"""The outline of a run: one tree, made from the steps' sites, with the levels at which people look.

run → pass → sentence, time step, beam → part → layer → block → step. A level that a run does not have is left out: a
forward pass alone has no passes, a sentence that is only read no time steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from txviz.errors import TxvizError
from txviz.trace import names, symbols
from txviz.trace.pictures import pictures
from txviz.trace.site import Site
from txviz.trace.step import Step

if TYPE_CHECKING:
    from txviz.trace.why import Page

Level = Literal["run", "pass", "sentence", "decoding", "time", "beam", "part", "layer", "block", "step"]


@dataclass(frozen=True, eq=False)
class Node:
    """One place to look at. A step is a node without children."""

    level: Level
    name: str
    """How the names of its steps begin; of a step, its name. The run itself has none."""

    title: str
    """What it is called inside the node above it."""

    steps: tuple[Step, ...]
    """All steps below it, in the order of the computation."""

    children: tuple[Node, ...] = ()
    run: tuple[Step, ...] = ()
    """All steps of the run that it is a part of."""

    about: Mapping[str, Any] = field(default_factory=dict)
    """What that run was, as its trace says."""

    def __iter__(self) -> Iterator[Node]:
        """The node and all below it, from the outside in."""
        yield self
        for child in self.children:
            yield from child

    @cached_property
    def height(self) -> int:
        """How many levels are below it: 0 for a step, 1 for a block that has only steps."""
        return 1 + max(child.height for child in self.children) if self.children else 0

    @cached_property
    def pictures(self) -> tuple[str, ...]:
        """The kinds of pictures that it has, the one that is shown first first. A step has its own."""
        return pictures(self)

    @property
    def first(self) -> Step:
        """The step at which it begins."""
        return self.steps[0]

    @property
    def why(self) -> Page:
        """Why it is there, in plain words."""
        from txviz.trace.why import why  # few ask for it

        return why(self)

    def find(self, name: str) -> Node:
        """The node of this name: the node itself or one below it."""
        found = self.get(name)
        if found is None:
            raise TxvizError(f'the outline has no "{name}"{names.suggestion(name, self._below)}')
        return found

    def get(self, name: str) -> Node | None:
        """The same, or nothing where no node has this name."""
        return self if name == self.name else self._below[name].node if name in self._below else None

    def path_to(self, name: str) -> tuple[Node, ...]:
        """From this node to the one of this name, both included; the last but one is one level out."""
        path = [self.find(name)]
        while path[-1] is not self:
            path.append(self.find(self._below[path[-1].name].parent))
        return tuple(reversed(path))

    def title_of(self, name: str) -> str:
        """What the node of this name is called by itself: "encoder · layer 0 · attention"."""
        return " · ".join(node.title for node in self.path_to(name)[1:]) or self.title

    @cached_property
    def _below(self) -> dict[str, _Below]:
        """By name. Parents are held by name, too: a circle of nodes would keep a run's arrays longer than needed."""
        found, inside = dict[str, _Below](), [self]
        while inside:
            node = inside.pop()
            found |= {child.name: _Below(child, node.name) for child in node.children}
            inside += [child for child in node.children if child.children]
        return found

    def __repr__(self) -> str:
        return f"<{self.level} {self.name or self.title}: {len(self.steps)} steps>"


class _Below(NamedTuple):
    node: Node
    parent: str


class _Key(NamedTuple):
    """What steps of one node have in common."""

    level: Level
    name: str
    title: str


def outline(steps: Sequence[Step], title: str, about: Mapping[str, Any] | None = None) -> Node:
    """The tree of these steps; ``title`` is what the run is called."""
    return _node(
        _Key("run", "", title), [(_levels(step.site, step.name), step) for step in steps], 0, tuple(steps), about or {}
    )


def _node(
    key: _Key,
    entries: Sequence[tuple[tuple[_Key, ...], Step]],
    depth: int,
    run: tuple[Step, ...],
    about: Mapping[str, Any],
) -> Node:
    """Steps of one child need not follow each other: a backward pass comes back to a layer for its parameters."""
    groups: dict[_Key, list[tuple[tuple[_Key, ...], Step]]] = {}
    for levels, step in entries:
        if depth < len(levels):
            groups.setdefault(levels[depth], []).append((levels, step))
    children = tuple(
        Node(*child, (group[0][1],), (), run, about)
        if child.level == "step" and len(group) == 1
        else _node(child, group, depth + 1, run, about)
        for child, group in groups.items()
    )
    return Node(*key, tuple(step for _, step in entries), children, run, about)


@lru_cache(maxsize=20_000)
def _levels(site: Site, name: str) -> tuple[_Key, ...]:
    """The nodes that a step is in, from the outside in, the step itself last; kept, since runs have the same steps."""
    place = _place(site._replace(leaf="", reader=None, again=None, role=None))
    title = " · ".join(symbols.labels(site)[place.labels :])
    return (*place.levels, _Key("step", name, title))


class _Place(NamedTuple):
    levels: tuple[_Key, ...]
    labels: int
    """How many labels of a step's title it takes."""


@lru_cache(maxsize=2000)
def _place(site: Site) -> _Place:
    """The nodes around a step; kept, since many steps share them, and so do the runs of one model."""
    here, found = Site(pass_=site.pass_), []
    if here.path:
        found.append(_Key("pass", here.name, here.title))
    if site.sentence is not None:
        here = here._replace(sentence=site.sentence)
        found.append(_Key("sentence", here.name, f"{site.sentence} sentence"))
    if site.time is not None:
        found.append(_Key("decoding", "time", "decoding"))
    for level in ("time", "beam", "part", "layer", "block"):
        number = getattr(site, level)
        if number is not None:
            here = here._replace(**{level: number})
            title = f"{level} {number}" if isinstance(number, int) else here.labels[-1]
            found.append(_Key(level, here.name, title))
    return _Place(tuple(found), len(here.labels))
