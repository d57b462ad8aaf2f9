"""A trace without its numbers, where a model can compute them again: what was run, what was given, and how to tell that
it came out the same.

The weights are not in the file either, only their checksum: one who opens it needs the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import numpy as np

from txviz import ops
from txviz.errors import TxvizError
from txviz.files import checksum
from txviz.ops import Array
from txviz.trace.machine import this_machine
from txviz.trace.step import Step
from txviz.trace.trace import Trace
from txviz.trace.validate import check_run


def given(trace: Trace) -> dict[str, Array]:
    """What nothing was computed for: inputs, random draws, and what was put in by hand."""
    return {step.name: step.value for step in trace if step.operation is ops.given}


def describe(trace: Trace) -> dict[str, Any]:
    return {
        "about": dict(trace.about),
        "origin": trace.origin or this_machine(),
        "weights": _weights(trace),
        "sums": {step.name: [_sum(step), _size(step)] for step in trace},
    }


def check(trace: Trace, described: Mapping[str, Any]) -> Trace:
    """The trace that was computed again, unless it is another than the one that was described."""
    check_run(described)
    if _weights(trace) != described["weights"]:
        model = str(described["about"].get("model"))[:80]
        raise TxvizError(f"it was saved without its weights, and {model} has other weights now than it had then")
    sums, same_machine = described["sums"], described["origin"] == this_machine()
    if [*sums] != [step.name for step in trace]:
        raise TxvizError("it was saved without its numbers, and its model now makes other steps than it made then")
    for step in trace:
        total, size = sums[step.name]
        if not _as_before(step, total, size, same_machine):
            raise TxvizError(f"it was saved without its numbers, and {step.name} now comes out with other ones")
    return trace if same_machine else Trace(trace.steps, trace.about, _said(trace), described["origin"])


def _said(trace: Trace) -> str | Step:
    return trace.output_step or str(trace.output)


def _as_before(step: Step, total: str, size: float, exact: bool) -> bool:
    """Bit for bit; from another machine a number may differ in its last digits, and a choice may not."""
    if exact or step.value.dtype.kind != "f":
        return _sum(step) == total
    slack = float(np.finfo(step.value.dtype).eps) ** 0.5
    return bool(abs(_size(step) - size) <= slack * max(abs(size), 1e-6))


def _size(step: Step) -> float:
    """How large its numbers are on average: one number by which two machines can be compared."""
    numbers = np.abs(step.value.astype(float))
    return float(numbers[np.isfinite(numbers)].sum()) / step.value.size


def _sum(step: Step) -> str:
    return checksum(np.ascontiguousarray(step.value).reshape(-1).view(np.uint8).data)


def _weights(trace: Trace) -> str:
    """One checksum for all parameters that were read and that nobody changed by hand."""
    found = sha256()
    for name, parameter in sorted(trace.learned.items()):
        if not parameter.edited:
            found.update(f"{name} {parameter.value.dtype} {parameter.value.shape}".encode())
            found.update(np.ascontiguousarray(parameter.value).reshape(-1).view(np.uint8).data)
    return found.hexdigest()
