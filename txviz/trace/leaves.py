"""What each kind of step and parameter is called: declared once, beside the nets that make it.

>>> declare("attention", {"scores": Leaf("S", "How well each query fits each key.")})  # doctest: +SKIP

A step of a leaf that nobody declared is called by its name, and its operation says what it does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from txviz.trace.site import Site


class Leaf(NamedTuple):
    symbol: str
    """LaTeX, for formulas."""

    text: str = ""
    """One plain sentence; without one, the operation's own is used."""

    title: str = ""
    """What a person calls it; without one, its name with blanks for underscores."""

    key: bool = False
    """Whether who has little time stops here: the key steps alone tell the story of a run."""


_DECLARED: dict[tuple[str, str], Leaf] = {}


def declare(homes: str, leaves: Mapping[str, Leaf]) -> None:
    """The leaves of one or several blocks or parts, parted by blanks; "input" is home to what stands in none, and
    "after" to what comes after an update."""
    for home in homes.split():
        _DECLARED.update({(home, name): leaf for name, leaf in leaves.items()})


def find(site: Site) -> Leaf | None:
    """What is known about what stands here."""
    outermost = "after" if site.pass_ == "after" else "input"
    return _DECLARED.get((site.block or site.part or outermost, site.leaf))


def declared() -> dict[tuple[str, str], Leaf]:
    """All of them, by home and leaf."""
    return dict(_DECLARED)
