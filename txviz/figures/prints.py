"""What a guide prints for a step, beside what is right."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from txviz.figures.numerals import trimmed
from txviz.ops import Array
from txviz.trace import Printed, Step
from txviz.trace.step import right

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
    return [Print(entry.agrees, f"{_verdict(step, entry)} {entry.note}".strip()) for entry in step.printed]


def printed_row(step: Step, place: tuple[int, ...]) -> list[str]:
    """What the guide prints in one row, if it is not what is there, and is too much for its verdict to list."""
    said = []
    for entry in step.printed:
        table, row = np.array(entry.printed, dtype=float), place[len(entry.at) :]
        if table.size > MOST and place[: len(entry.at)] == entry.at and not right(table[row], step.value[place]).all():
            said.append(f"The guide's “{entry.where}” prints {_listed(table[row])} here.")
    return said


def _verdict(step: Step, entry: Printed) -> str:
    """What the guide prints, what follows from its own inputs, and what the model gives, where these differ."""
    printed, follows = np.array(entry.printed, dtype=float), np.array(entry.computed, dtype=float)
    given, called = step.value[entry.at], f"The guide's “{entry.where}”"
    own_inputs = follows.shape == given.shape and not np.allclose(follows, given, rtol=0, atol=1e-6)
    if entry.agrees:
        if not own_inputs:
            return f"{called} is right."
        return f"{called} follows from its own inputs{_model(printed, given)}."
    said = _wrong(printed, follows, own_inputs)
    return f"{called} is wrong: {said}{_model(printed, given) if own_inputs else ''}."


def _wrong(printed: Array, follows: Array, own_inputs: bool) -> str:
    if printed.size > MOST:
        return _differences(printed, follows, "what follows from its own inputs" if own_inputs else "those computed")
    should = "from its own inputs follows" if own_inputs else "computed:"
    return f"it prints {_listed(printed)}; {should} {_listed(follows)}"


def _model(printed: Array, given: Array) -> str:
    """What the model gives in its place, computed from the start."""
    if given.size <= MOST:
        return f"; the model gives {_listed(given)}"
    return f"; {_differences(printed, given, 'the model’s')}"


def _listed(values: Array) -> str:
    return ", ".join(map(trimmed, values.ravel().tolist()))


def _differences(printed: Array, other: Array, from_what: str) -> str:
    off = np.abs(printed - other)
    wrong = int((~right(printed, other)).sum())
    return f"{wrong} of {off.size} numbers differ from {from_what}, by up to {trimmed(float(off.max()))}"
