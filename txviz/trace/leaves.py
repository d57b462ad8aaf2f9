"""What each kind of step and parameter is called: declared once, beside the nets that make it.

>>> declare("attention", {"scores": Leaf("S", "How well each query fits each key.")})  # doctest: +SKIP

A step of a leaf that nobody declared is called by its name, and its operation says what it does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

from txviz.trace.site import Site

if TYPE_CHECKING:
    from txviz.trace.step import Step

Often = Literal["", "once", "block", "end", "each"]


class Claim(NamedTuple):
    """Words about the numbers of a step that are true of what a model computes, and that an edit can make untrue."""

    words: str
    """As they stand in the sentence or in the heading."""

    holds: Callable[[Step], bool]
    instead: str
    """What stands there while they do not hold."""


class Leaf(NamedTuple):
    symbol: str
    """LaTeX, for formulas."""

    text: str = ""
    """One plain sentence; without one, the operation's own is used."""

    title: str = ""
    """What a person calls it; without one, its name with blanks for underscores."""

    key: Often = ""
    """How often who has little time stops here: never, once in a run, once in each kind of block, at the end of a stack
    of layers, or each time (see ``key_steps``)."""

    heading: str = ""
    """Above its figure, for whoever has never heard of it: what it is, a colon, and what it tells."""

    claims: tuple[Claim, ...] = ()
    """What its words say about its numbers."""


_DECLARED: dict[tuple[str, str], Leaf] = {}


def declare(homes: str, leaves: Mapping[str, Leaf]) -> None:
    """The leaves of one or several blocks or parts, parted by blanks (see ``homes``); "input" is home to what stands in
    none, and "after" to what comes after an update."""
    for home in homes.split():
        _DECLARED.update({(home, name): leaf for name, leaf in leaves.items()})


def reword(homes: str, texts: Mapping[str, str]) -> None:
    """Sentences of their own for some leaves of these homes, which were declared along with those of others."""
    for home in homes.split():
        declare(home, {name: _DECLARED[home, name]._replace(text=text) for name, text in texts.items()})


def add_headings(homes: str, headings: Mapping[str, str]) -> None:
    """What stands above the figures of these leaves, which were declared before."""
    for home in homes.split():
        declare(home, {name: _DECLARED[home, name]._replace(heading=text) for name, text in headings.items()})


def add_claims(homes: str, claims: Mapping[str, tuple[Claim, ...]]) -> None:
    """What the words of these leaves, which were declared before, say about their numbers."""
    for home in homes.split():
        declare(home, {name: _DECLARED[home, name]._replace(claims=found) for name, found in claims.items()})


def find(site: Site) -> Leaf | None:
    """What is known about what stands here."""
    return next((_DECLARED[home, site.leaf] for home in homes(site) if (home, site.leaf) in _DECLARED), None)


def homes(site: Site) -> Iterator[str]:
    """Where words for what stands here may be declared, the most special first.

    The decoder has an embedding of its own, "decoder.embed" before "embed"; while it writes, "time:decoder" goes before
    "decoder".
    """
    inner = site.block or site.part or ("after" if site.pass_ == "after" else "input")
    places = (f"{site.part}.{inner}", inner) if site.part and site.block else (inner,)
    if site.time is not None:
        yield from (f"time:{place}" for place in places)
    yield from places


def declared() -> dict[tuple[str, str], Leaf]:
    """All of them, by home and leaf."""
    return dict(_DECLARED)
