"""Finding steps, sizes and the right page in a run, and how numbers are written in a page."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from math import sqrt
from typing import TypeVar

import numpy as np

from txviz.trace import Step
from txviz.trace.outline import Node
from txviz.trace.site import Site
from txviz.trace.why import Page, Written

Found = TypeVar("Found")


def near(node: Node, leaf: str) -> Step:
    """The step of this leaf: beside the node, else below it, else in its time step and sentence, else anywhere."""
    site = node.first.site.owner
    beside = site._replace(leaf=leaf).name
    found = chain(
        (step for step in node.run if step.name == beside),
        (step for step in node.steps if step.site.leaf == leaf),
        (step for step in node.run if step.site.leaf == leaf and when(step.site) == when(site)),
        (step for step in node.run if step.site.leaf == leaf),
    )
    return first(found)


def embedded(node: Node) -> Step:
    """What the first layer reads: the sum with the positions, or the vectors alone where there are none."""
    if has(node, "sum"):
        return near(node, "sum")
    rows = [step for step in node.run if step.axes == ("token", "feature")]
    inside = [step for step in rows if "embed" in (step.site.part, step.site.block)]
    return first(reversed([step for step in inside if when(step.site) == when(node.first.site)] or inside))


def by_positions(added: Page, in_layers: Page) -> Callable[[Node], Page]:
    """One page for a model that adds positions to its vectors, and one for a model whose layers are told of places."""
    return lambda node: in_layers if places_in_layers(node) and not has(node, "positions") else added


def places_in_layers(node: Node) -> bool:
    """Whether each layer turns queries and keys by their places, or adds a number for each distance."""
    return has(node, "rotated_query") or has(node, "buckets")


def when(site: Site) -> tuple[int | None, int | None, str | None]:
    return site.time, site.beam, site.sentence


def first(found: Iterable[Step]) -> Step:
    step = next(iter(found), None)
    if step is None:
        raise LookupError
    return step


def has(node: Node, leaf: str) -> bool:
    return any(step.site.leaf == leaf for step in node.run)


def has_block(node: Node, block: str) -> bool:
    return any(step.site.block == block for step in node.run)


def only_if(wanted: bool, found: Found) -> Found:
    if not wanted:
        raise LookupError
    return found


def by_input(text: Written, vision: Page) -> Callable[[Node], Page]:
    """One page for a model that reads words, and one for a model that reads an image."""
    words = (lambda _: text) if isinstance(text, Page) else text
    return lambda node: vision if has(node, "patches") else words(node)


def by_answer(words: Page, classes: Page) -> Callable[[Node], Page]:
    """One page for a model that answers with words, and one for a model that answers with a class."""
    return lambda node: classes if any("class" in step.axes for step in node.run) else words


def size(step: Step, axis: str) -> int:
    if axis not in step.axes:
        raise LookupError(axis)
    return int(step.value.shape[step.axes.index(axis)])


def counted(number: int, noun: str) -> str:
    """
    >>> counted(1, "layer"), counted(1185, "token")
    ('1 layer', '1,185 tokens')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def short(number: float, digits: int = 3) -> str:
    """
    >>> short(8.0), short(-3.4641), short(0.00005), short(1.079123, 5)
    ('8', '−3.46', '0.00005', '1.0791')
    """
    return np.format_float_positional(number, precision=digits, fractional=False, trim="-").replace("-", "−")


def root(number: int) -> str:
    """
    >>> root(64), root(12)
    ('= 8', '≈ 3.46')
    """
    found = sqrt(number)
    return f"{'=' if found.is_integer() else '≈'} {short(found)}"


def which(number: int, of: int, noun: str) -> str:
    """
    >>> which(0, 2, "layer"), which(20, 24, "layer"), which(0, 1, "layer")
    ('the first of 2 layers', 'number 21 of 24 layers', 'the only layer')
    """
    if of == 1:
        return f"the only {noun}"
    return f"{_ORDINALS[number] if number < len(_ORDINALS) else f'number {number + 1}'} of {of} {noun}s"


_ORDINALS = ("the first", "the second", "the third", "the fourth", "the fifth", "the sixth")
