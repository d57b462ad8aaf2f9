"""A token that is followed from step to step: which row of a step is its own, and which cell of it is looked at.

Rows are those of the queries where a step has queries and keys, else of its tokens or keys. At a later time step, where
more is written, the token stands at the same place. A step without tokens, or with those of another text, has no row.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from txviz.errors import TxvizError
from txviz.figures.place import full_place
from txviz.ops import Index
from txviz.trace import Step
from txviz.trace.outline import Node

ROWS = ("query", "token", "key")
"""Axes whose places are tokens. The first of them that a step has are its rows."""

Labels = tuple[str, ...]


class Token(NamedTuple):
    place: int
    labels: Labels
    """Of all tokens of its text."""

    decoded: bool
    """Whether the text is being written, and so has more tokens at each time step."""

    @property
    def label(self) -> str:
        return self.labels[self.place]


def row_axis(step: Step) -> int | None:
    """Which axis of the step has its tokens."""
    return next((step.axes.index(axis) for axis in ROWS if axis in step.axes), None)


def token_at(step: Step, cell: Index) -> Token | None:
    """The token whose row a cell is in."""
    axis = row_axis(step)
    return None if axis is None else Token(cell[axis], step.labels[axis], step.site.time is not None)


def numbered(node: Node, place: int) -> Token:
    """The token at this place of the text that a node ends with: of a translation, that which is written."""
    step = next((each for each in reversed(node.steps) if "token" in each.axes), None)
    count = 0 if step is None else step.value.shape[step.axes.index("token")]
    if step is None or not 0 <= place < count:
        there = f"has {count} tokens, counted from 0" if count else "has no tokens"
        raise TxvizError(f"{node.name or 'the whole run'} {there}; token {place} is not one of them")
    return Token(place, step.labels[step.axes.index("token")], step.site.time is not None)


def number_of(node: Node, token: Token | None) -> int | None:
    """The other way round: its place there; None where that text does not have it."""
    step = next((each for each in reversed(node.steps) if "token" in each.axes), None)
    return None if step is None or token is None else place_in(step, token)


def place_in(step: Step, token: Token) -> int | None:
    """Where the tokens of a step have this one."""
    axis = row_axis(step)
    if axis is None:
        return None
    labels = step.labels[axis]
    if labels == token.labels:
        return token.place
    if token.decoded and step.site.time is not None:
        shared = min(len(labels), len(token.labels))
        return token.place if token.place < shared and labels[:shared] == token.labels[:shared] else None
    return None if token.decoded else _after_more(labels, token)


def _after_more(labels: Labels, token: Token) -> int | None:
    """In the same text with more or fewer tokens in front, such as [CLS]."""
    before = len(labels) - len(token.labels)
    longer, shorter = (labels, token.labels) if before > 0 else (token.labels, labels)
    same = longer[abs(before) :] == shorter and before and shorter
    return token.place + before if same and token.place + before >= 0 else None


def cell_of(step: Step, token: Token, place: Index, columns: Mapping[str, int]) -> Index | None:
    """A cell of the token's row, in the matrix at ``place``; ``columns`` are the places to take on other axes.

    Where nothing is said, that is the first place, or the largest number where the places have names.
    """
    axis, row = row_axis(step), place_in(step, token)
    if axis is None or row is None:
        return None
    shape = step.value.shape
    cell: list[int | slice] = [*full_place(place, shape[:-2]), *(slice(None) for _ in shape[-2:])]
    cell[axis] = row
    for k in range(max(len(shape) - 2, 0), len(shape)):
        if k != axis:
            wanted = columns.get(step.axes[k])
            cell[k] = wanted if wanted is not None and wanted < shape[k] else _first(step, tuple(cell), k)
    return tuple(i for i in cell if isinstance(i, int))


def _first(step: Step, cell: tuple[int | slice, ...], axis: int) -> int:
    labels = step.labels[axis]
    if not labels or labels == tuple(map(str, range(len(labels)))):
        return 0
    row = step.value[cell]
    return int(np.where(np.isfinite(row), row, -np.inf).argmax()) if row.ndim == 1 else 0
