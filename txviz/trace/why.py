"""Why a node of the outline is there: a short page in plain words.

The pages are written beside the nets (``nets/why``) and imported when somebody first asks for one.

>>> explain("attention", {"": Page("Each token looks at the others …"), "scores": Page("…")})  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from txviz.trace import leaves
from txviz.trace.site import Site

if TYPE_CHECKING:
    from txviz.trace.outline import Node


class Page(NamedTuple):
    """Plain text, in whole sentences. {heads}, {d_k} and the like stand for facts of the run that is looked at."""

    text: str
    """What it is for."""

    reasons: tuple[str, ...] = ()
    """Why, one by one."""

    here: tuple[str, ...] = ()
    """What is so in this very run. A sentence about a fact that the run does not have is left out."""

    at_large: str = ""
    """Where such a thing is used in the world."""

    def __str__(self) -> str:
        found = [self.text, *(f"• {reason}" for reason in self.reasons)]
        found += [f"Here: {' '.join(self.here)}"] if self.here else []
        return "\n".join(found + ([f"At large: {self.at_large}"] if self.at_large else []))


Written = Page | Callable[["Node"], Page]
"""A page, or what chooses one for a node."""

Fact = TypeVar("Fact", bound=Callable[["Node"], object])

_PAGES: dict[tuple[str, str], Written] = {}
_FACTS: dict[str, Callable[[Node], object]] = {}
_MODULES: list[str] = []


def explained_in(module: str) -> None:
    """Where more pages are written."""
    _MODULES.append(module)


def explain(homes: str, pages: Mapping[str, Written]) -> None:
    """Pages of one or several homes (see ``leaves.homes``), by leaf; "" is the home itself, "layer" each of its layers.

    Levels are homes, too: run, sentence, decoding, time, beam. In "backward" and "update" stand those of gradients and
    updates, by level ("part", "layer", "block", "step") or by what an update makes on its way ("mean").
    """
    for home in homes.split():
        _PAGES.update({(home, leaf): page for leaf, page in pages.items()})


def fact(function: Fact) -> Fact:
    """What {name} stands for in a page; raises a LookupError where a run has no such thing."""
    _FACTS[function.__name__] = function
    return function


def explained() -> Mapping[tuple[str, str], Written]:
    """All that is written, by home and leaf."""
    for module in _MODULES:
        import_module(module)
    return _PAGES


def why(node: Node) -> Page:
    """The page of a node."""
    pages = explained()
    written = next((pages[key] for key in keys(node) if key in pages), None)
    if written is None:
        return _unexplained(node)
    return _filled(written if isinstance(written, Page) else written(node), node)


def keys(node: Node) -> Iterator[tuple[str, str]]:
    """Where a page for this node may be, the most special first."""
    site = node.first.site
    if node.level == "pass":
        yield site.pass_, ""
    elif site.pass_ in ("backward", "update"):
        yield site.pass_, site.role or node.level if node.level == "step" else node.level
    elif node.level == "step":
        yield from ((home, site.leaf) for home in leaves.homes(site))
    elif node.level == "layer":
        yield from ((home, "layer") for home in leaves.homes(Site(part=site.part, time=site.time)))
    elif node.level in ("part", "block"):
        block = site.block if node.level == "block" else None
        yield from ((home, "") for home in leaves.homes(Site(part=site.part, block=block, time=site.time)))
    else:
        yield node.level, ""


def _unexplained(node: Node) -> Page:
    """For what no net of ours makes."""
    return Page(node.first.what if node.level == "step" else f"A {node.level} of this model: {len(node.steps)} steps.")


class _Facts(dict[str, object]):
    def __init__(self, node: Node) -> None:
        super().__init__()
        self._node = node

    def __missing__(self, name: str) -> object:
        if name not in _FACTS:
            raise ValueError(f"a page speaks of {{{name}}}, and no fact is called so")
        self[name] = found = _FACTS[name](self._node)
        return found


def _filled(page: Page, node: Node) -> Page:
    facts = _Facts(node)

    def possible(sentences: tuple[str, ...]) -> Iterator[str]:
        for sentence in sentences:
            try:
                yield sentence.format_map(facts)
            except LookupError:
                continue

    reasons = tuple(reason.format_map(facts) for reason in page.reasons)
    here = tuple(possible(page.here))
    return Page(page.text.format_map(facts), reasons, here, page.at_large.format_map(facts))
