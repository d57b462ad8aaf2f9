"""Running operations by name. Every primitive operation of every model goes through ``Run.__call__``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from txviz import ops
from txviz.errors import TxvizError
from txviz.ops import Array, Op
from txviz.trace import names
from txviz.trace.step import NO_LABELS, Labels, Parameter, Printed, Step

Override = Array | Callable[[Array], Array] | list[Any] | float

_BY_HAND = "Put in by hand, in place of the computed value."


class Run:
    """One run of a model: its parameters, the names' current prefix, and the steps so far.

    With ``record=False`` the same code runs and nothing is kept. ``overrides`` replaces named steps: by an array, or by
    a function of the computed value. ``notes`` has a sentence for a step that is special in this model, ``prints`` what
    a guide prints for it. ``watch`` is called with each recorded step, to show progress or, by raising, to stop.
    """

    def __init__(
        self,
        parameters: Mapping[str, Array],
        *,
        dtype: str = "float64",
        record: bool = True,
        overrides: Mapping[str, Override] | None = None,
        notes: Mapping[str, str] | None = None,
        prints: Mapping[str, tuple[Printed, ...]] | None = None,
        watch: Callable[[Step], object] | None = None,
    ) -> None:
        self.parameters = parameters
        self.dtype = dtype
        self.steps: list[Step] = []
        self.details: dict[str, Any] = {}
        """Whatever else is worth telling about the run, as JSON can hold it; it goes into ``trace.about``."""

        self._record = record
        self._overrides = overrides or {}
        self._notes = notes or {}
        self._prints = prints or {}
        self._watch = watch
        self._prefix = ""
        self._part = ""

    def __call__(
        self,
        op: Op,
        name: str,
        *sources: Step | Parameter,
        axes: str,
        labels: Labels = NO_LABELS,
        like: Step | None = None,
        **params: Any,
    ) -> Step:
        """Computes ``op`` on the sources and calls the result ``name``, inside the current scope.

        ``axes="head query:token feature"`` says what the last axes mean; "query" has the labels that an input has on
        its "token" axis. New labels come in ``labels``, by axis; ``like`` lends those of a step that is not read.
        """
        value = op.compute(*[source.value for source in sources], **params)
        return self._keep(self._part + self._prefix + name, op, sources, params, value, axes, labels, like)

    def given(self, name: str, value: Array, axes: str, labels: Labels = NO_LABELS, like: Step | None = None) -> Step:
        """A step that is not computed: the input."""
        return self._keep(self._part + self._prefix + name, ops.given, (), {}, np.array(value), axes, labels, like)

    def _keep(
        self,
        name: str,
        op: Op,
        sources: tuple[Step | Parameter, ...],
        params: dict[str, Any],
        value: Array,
        axes: str,
        labels: Labels,
        like: Step | None,
    ) -> Step:
        note = self._notes.get(name, "")
        if name in self._overrides:
            replaced = Step(name, op, sources, params, value, axes, labels, like)
            labels = dict(zip(replaced.axes, replaced.labels, strict=True))
            value, note = _overridden(name, value, self._overrides[name]), _BY_HAND
            op, sources, params = ops.given, (), {}
        value.flags.writeable = False
        if not self._record:
            return Step(name, op, (), params, value, axes, labels)
        step = Step(name, op, sources, params, value, axes, labels, like, note, self._prints.get(name, ()))
        self.steps.append(step)
        if self._watch:
            self._watch(step)
        return step

    @contextmanager
    def scope(self, *parts: str | int) -> Iterator[None]:
        """Inside, the names of steps and parameters start with these parts."""
        before = self._prefix
        self._prefix = before + names.join(*parts) + names.SEPARATOR
        try:
            yield
        finally:
            self._prefix = before

    @property
    def scope_name(self) -> str:
        """The scope that names are in now: which block of the model is running."""
        return self._prefix

    @contextmanager
    def part(self, *parts: str | int) -> Iterator[None]:
        """Inside, the names of steps start with these parts, but parameters keep theirs: the same model, run again."""
        before = self._part
        self._part = before + names.join(*parts) + names.SEPARATOR
        try:
            yield
        finally:
            self._part = before

    def parameter(self, name: str) -> Parameter:
        """The parameter of this name in the current scope."""
        full = self._prefix + name
        if full not in self.parameters:
            raise TxvizError(f"the model has no parameter {full}{names.suggestion(full, self.parameters)}")
        return Parameter(full, self.parameters[full])

    def present(self, *wanted: str) -> list[Parameter]:
        """Those of these parameters that the model has, in this order: a bias may be left out."""
        full = [self._prefix + name for name in wanted]
        return [Parameter(name, self.parameters[name]) for name in full if name in self.parameters]


def _overridden(name: str, computed: Array, override: Override) -> Array:
    """The value to use instead, checked against the one it replaces."""
    raw = override(computed) if callable(override) else override
    try:
        value = np.array(raw, dtype=computed.dtype)
    except (TypeError, ValueError) as error:
        raise TxvizError(f"the override of {name} is not an array of numbers") from error
    if value.shape != computed.shape:
        raise TxvizError(f"{name} has shape {computed.shape}; the override has shape {value.shape}")
    if value.dtype.kind == "f" and np.isnan(value).any():
        raise TxvizError(f"the override of {name} has a NaN in it; every cell must be a number or −∞")
    return value
