"""What a guide prints for a step, beside what is right."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from txviz.figures.numerals import trimmed
from txviz.ops import Array
from txviz.trace import Printed, Step
from txviz.trace.step import agrees, right

MOST = 10
"""Numbers that are written out in a sentence; of more, it says how many are wrong."""


class Print(NamedTuple):
    """One printed result of a guide."""

    agrees: bool
    text: str

    @property
    def mark(self) -> str:
        return "✓" if self.agrees else "✗"


def prints(step: Step) -> list[Print]:
    """A verdict on each result that the guide prints for this step."""
    return [Print(entry.agrees, _right(step, entry) if entry.agrees else _wrong(step, entry)) for entry in step.printed]


def _right(step: Step, entry: Printed) -> str:
    inherited = "" if agrees(entry.printed, step.value[entry.at]) else " for its inputs, which are wrong"
    return f"The guide's “{entry.where}” is right{inherited}."


def _wrong(step: Step, entry: Printed) -> str:
    printed, computed = np.array(entry.printed, dtype=float), np.array(entry.computed, dtype=float)
    comparison = _both(printed, computed) if printed.size <= MOST else _differences(printed, computed)
    own = "" if _same(computed, step.value[entry.at]) else " even for its own inputs"
    text = f"The guide's “{entry.where}” is wrong{own}: {comparison}"
    return f"{text}. {entry.note}".strip()


def _same(computed: Array, value: Array) -> bool:
    """Whether the trace has the same numbers: then the guide's inputs were right."""
    return computed.shape != value.shape or np.allclose(computed, value, rtol=0, atol=1e-6)


def _both(printed: Array, computed: Array) -> str:
    return f"it prints {_listed(printed)}; computed: {_listed(computed)}"


def _listed(values: Array) -> str:
    return ", ".join(map(trimmed, values.ravel().tolist()))


def _differences(printed: Array, computed: Array) -> str:
    off = np.abs(printed - computed)
    wrong = int((~right(printed, computed)).sum())
    return f"{wrong} of {off.size} numbers differ, by up to {trimmed(float(off.max()))}"
