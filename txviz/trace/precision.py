"""How much of a step's numbers is rounding: the same inputs once more, in the other of float32 and float64."""

from __future__ import annotations

import numpy as np

from txviz import ops
from txviz.ops import Array
from txviz.ops.arithmetic import number
from txviz.trace.step import Step

BOUND = 2e-5
"""What a whole run in float32 may differ from one in float64, by the largest number of each step, or by 1 if that is
less. Every model is tested against it."""

MOST = 10**6
"""Numbers of a step and of what it reads; more would take longer than a glance."""


def rounding(step: Step) -> float | None:
    """The most that float32 and float64 differ in this step on the same inputs; None where nothing is computed in them,
    or where it would take long."""
    operands, edited = step.operands, bool(step.edited)
    if step.value.dtype.kind != "f" or step.operation is ops.given or edited:
        return None
    if step.value.size + sum(each.size for each in operands) > MOST:
        return None
    with np.errstate(all="ignore"):
        single, double = (_computed(step, operands, kind) for kind in ("float32", "float64"))
        apart = np.abs(double - single)
    return float(apart[np.isfinite(apart)].max(initial=0.0))


def _computed(step: Step, operands: tuple[Array, ...], kind: str) -> Array:
    """In float64 at the end, so that two can be compared; a number that an operation takes is rounded, too."""
    given = [each.astype(np.float32).astype(kind) if each.dtype.kind == "f" else each for each in operands]
    params = {**step.params, **({"dtype": kind} if "dtype" in step.params else {})}
    return np.asarray(step.operation.compute(*given, **params)).astype(float)


def rounding_text(step: Step) -> str:
    """For whoever looks at the step."""
    apart = rounding(step)
    if apart is None:
        return ""
    return f"float32 and float64 differ by at most {number(apart, 2)}" if apart else "float32 and float64 agree"
