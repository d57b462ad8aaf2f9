"""Where an edit first matters: the first step after it that is not as it was, and the first that says another thing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from txviz.figures.naming import ANSWERS
from txviz.trace import Step, Trace
from txviz.trace.diff import share
from txviz.trace.edits import read_edit
from txviz.trace.names import matching


class Matters(NamedTuple):
    changed: Step | None
    """The first step that was made from what was edited and is another one now."""

    answer: Step | None
    """The first that chooses another token or class, or finds another one likeliest."""


def first_matter(untouched: Trace, trace: Trace, edits: tuple[str, ...]) -> Matters:
    """Of some of the run's edits."""
    names = [read_edit(edit).name for edit in edits]
    touched = {each for name in names for each in matching(name, [*(step.name for step in trace), *trace.learned])}
    changed = [step for step in _made_from(trace, touched) if _differs(untouched.get(step.name), step)]
    answers = (step for step in changed if _says_another(untouched.get(step.name), step))
    return Matters(next(iter(changed), None), next(answers, None))


def _made_from(trace: Trace, touched: set[str]) -> list[Step]:
    """All steps that something came into; a token that was chosen comes into what is given at the next time step."""
    found, known, chosen = [], set(touched), False
    for step in trace:
        fed = chosen and step.op == "given"
        if fed or not known.isdisjoint(step.inputs):
            known.add(step.name)
            if step.name not in touched:
                found.append(step)
        chosen = chosen or (step.name in known and step.value.dtype.kind == "i")
    return found


def _differs(before: Step | None, after: Step) -> bool:
    return before is None or share(before.value, after.value) > 0


def _says_another(before: Step | None, after: Step) -> bool:
    if before is None or before.value.shape != after.value.shape:
        return True
    if after.chosen is not None:
        return before.chosen != after.chosen
    if after.axes[-1:] and after.axes[-1] in ANSWERS and after.value.size:
        return bool((np.argmax(before.value, axis=-1) != np.argmax(after.value, axis=-1)).any())
    return False
