"""What is different from the run without edits, for all that marks it. There is nothing in it where there are none."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt

import numpy as np
from PySide6.QtCore import QObject, Qt, Signal

from txviz.ops import Array
from txviz.trace import Step, Trace
from txviz.trace.diff import differing, shares
from txviz.trace.outline import Node
from txviz.trace.step import Parameter

SMALLEST, LARGEST = 1.5, 4.5
"""Radius of a dot, in pixels."""

SHARE = Qt.ItemDataRole.UserRole + 1
"""Of a row: how much of it changed, from 0 to 2."""

EDITED = Qt.ItemDataRole.UserRole + 2
"""Whether something in it was edited."""


def radius(share: float) -> float:
    """Of the dot for a change; what is seen as twice as much has twice the area, up to a change of 100 %."""
    return SMALLEST + (LARGEST - SMALLEST) * sqrt(min(share, 1.0))


def in_words(share: float) -> str:
    """
    >>> in_words(0.25), in_words(0.0001)
    ('changed by 25 %', 'changed by less than 1 %')
    """
    return f"changed by {share:.0%}".replace("%", " %") if share >= 0.01 else "changed by less than 1 %"


class Changes(QObject):
    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.untouched: Trace | None = None
        self._shares: Mapping[str, float] = {}
        self._edited: frozenset[str] = frozenset()

    def compare_with(self, untouched: Trace | None) -> None:
        """What the cells of a step are held against; how much all steps changed follows in ``show``."""
        self.untouched = untouched
        if untouched is None:
            self.show({})

    def show(self, found: Mapping[str, float], edited: frozenset[str] = frozenset()) -> None:
        """How much each step and node changed, and which were edited themselves."""
        if (found, edited) != (self._shares, self._edited):
            self._shares, self._edited = found, edited
            self.changed.emit()

    def follow(self, other: Changes) -> None:
        """Shows the same as another one."""
        self.compare_with(other.untouched)
        self.show(other._shares, other._edited)

    def __bool__(self) -> bool:
        return bool(self._shares)

    def of(self, node: str) -> float:
        """How much a step has changed, or the one that changed most of those in a node: 0 to 2."""
        return self._shares.get(node, 0.0)

    def is_edited(self, node: str) -> bool:
        """Whether a step was changed by hand, or one of those in a node."""
        return node in self._edited

    def cells(self, step: Step, source: Step | Parameter) -> Array | None:  # true where a cell changed
        """Of a step, or of something that it reads; all where the run without edits has none. None where none did."""
        if self.untouched is None:
            return None
        old = self.untouched.get(step.name)
        sources = () if old is None else (old, *old.sources)
        before = next((each.value for each in sources if each.name == source.name), None)
        if before is source.value:
            return None
        if before is None or before.shape != source.value.shape:
            return np.ones(source.value.shape, dtype=bool)
        return differing(before, source.value)


def edited_nodes(trace: Trace) -> frozenset[str]:
    """Steps that were put in by hand, those that read a parameter which was, and all nodes around them."""
    found = [step for step in trace if step.edited or any(_is_edited(each) for each in step.sources)]
    return frozenset(node.name for step in found for node in trace.outline.path_to(step.name))


def _is_edited(source: Step | Parameter) -> bool:
    return isinstance(source, Parameter) and bool(source.edited)


def how_much(untouched: Trace, trace: Trace) -> dict[str, float]:
    """By the names of steps, and of all nodes around them."""
    found = shares(untouched, trace)
    _add(trace.outline, found)
    return found


def _add(node: Node, found: dict[str, float]) -> float:
    if node.children:
        found[node.name] = max(_add(child, found) for child in node.children)
        if not found[node.name]:
            del found[node.name]
    return found.get(node.name, 0.0)
