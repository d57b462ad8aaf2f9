"""What an earlier run has computed already, for a run that differs from it by some edits.

A step is taken over, as the very same object, where it would come out the same: the same operation on the very same
sources. Whatever lies downstream of a change is computed again. So any run may lend its steps to any other.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from operator import is_
from typing import TYPE_CHECKING, Any

from txviz.ops import Array, Op
from txviz.trace.step import Labels, Parameter, Place, Printed, Step

if TYPE_CHECKING:
    from txviz.trace.trace import Trace


class EarlierRun:
    """Its steps by name, but for those that are ``changed`` by hand now or about which something else is said now.

    One that was computed on another machine lends nothing: that may round in another way.
    """

    def __init__(
        self,
        trace: Trace,
        notes: Mapping[str, str],
        prints: Mapping[str, tuple[Printed, ...]],
        changed: Collection[str],
    ) -> None:
        self._all = {} if trace.origin else trace.by_name
        self._parameters = {} if trace.origin else trace.learned
        self._steps = {
            name: step
            for name, step in self._all.items()
            if name not in changed
            and not step.edited
            and step.note == notes.get(name, "")
            and step.printed == prints.get(name, ())
        }

    def parameters(self, values: Mapping[str, Array]) -> dict[str, Parameter]:
        """Those that are the very same arrays: all but the few that an edit is about, or that an input needs."""
        return {name: old for name, old in self._parameters.items() if old.value is values.get(name) and not old.edited}

    def parameter(self, name: str, value: Array, edited: tuple[Place, ...]) -> Parameter | None:
        """The earlier parameter of this name, where nothing in it is different."""
        old = self._parameters.get(name)
        return old if old is not None and old.edited == edited and _same(old.value, value) else None

    def step(
        self,
        name: str,
        op: Op,
        sources: tuple[Step | Parameter, ...],
        params: Mapping[str, Any],
        axes: str,
        labels: Labels,
        like: Step | None,
    ) -> Step | None:
        """The earlier step of this name, where it was made of just this."""
        old = self._steps.get(name)
        if old is None or len(old.sources) != len(sources) or not all(map(is_, old.sources, sources)):
            return None
        same = old.operation is op and old.like is like and old.params == params
        return old if same and old.axes_spec == axes and old.given_labels == labels else None

    def same(self, new: Step) -> Step:
        """The earlier step, where nothing in it is different: the same input, or the same edit of the same value."""
        old = self._all.get(new.name)
        if old is None or not _same(old.value, new.value):
            return new
        same = len(old.sources) == len(new.sources) and all(map(is_, old.sources, new.sources))
        return old if same and _description(old) == _description(new) else new


def _description(step: Step) -> tuple[Any, ...]:
    """All that is known of a step beside its sources and its value."""
    how = step.operation, step.params, step.edited, step.axes_spec, step.given_labels
    return *how, step.like, step.note, step.printed


def _same(a: Array, b: Array) -> bool:
    """Bit for bit, in which 0 and −0 differ."""
    return a is b or (a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes())
