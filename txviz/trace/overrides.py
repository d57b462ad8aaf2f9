"""Putting a value in place of a step's own: an array, or a function of what was computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from txviz import ops
from txviz.errors import TxvizError
from txviz.ops import Array
from txviz.trace.step import Step

Override = Array | Callable[[Array], Array] | list[Any] | float

BY_HAND = "Put in by hand, in place of the computed value."
"""The note of such a step."""


def overridden(step: Step, override: Override) -> Step:
    """The step as one that is given: it reads nothing, and has the labels that it would have had."""
    value = _checked(step.name, step.value, override(step.value) if callable(override) else override)
    labels = dict(zip(step.axes, step.labels, strict=True))
    like = step.sources[0] if step.chosen is not None and isinstance(step.sources[0], Step) else None
    given = Step(step.name, step.site, ops.given, (), {}, value, step.axes_spec, labels, like, BY_HAND, step.printed)
    return replace(given, edited=((),), about=step.about)


def _checked(name: str, computed: Array, raw: Any) -> Array:
    """The value to use instead, of the same shape and kind as the one it replaces."""
    try:
        value = np.array(raw, dtype=computed.dtype)
    except (TypeError, ValueError) as error:
        raise TxvizError(f"the override of {name} is not an array of numbers") from error
    if value.shape != computed.shape:
        raise TxvizError(f"{name} has shape {computed.shape}; the override has shape {value.shape}")
    return value
