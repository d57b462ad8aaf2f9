"""Where an edit first matters: the first step after it that is not as it was, and the first that says another thing."""

from __future__ import annotations

from typing import NamedTuple

from txviz.trace import Step, Trace
from txviz.trace.diff import diff, first_that_matters
from txviz.trace.edits import read_edit
from txviz.trace.names import matching


class Matters(NamedTuple):
    changed: Step | None
    """The first step that was made from what was edited and is another one now."""

    answer: Step | None
    """The first that chooses another token or class; where none chooses, the answer itself, if it changes."""


def first_matter(untouched: Trace, trace: Trace, edits: tuple[str, ...]) -> Matters:
    """Of some of the run's edits."""
    names = [read_edit(edit).name for edit in edits]
    touched = {each for name in names for each in matching(name, [*(step.name for step in trace), *trace.learned])}
    made = _made_from(trace, touched)
    changes = [change for change in diff(untouched, trace) if change.name in made]
    felt, changed = first_that_matters(changes), next((change.after for change in changes), None)
    if all(step.chosen is None for step in trace):
        answer = trace.output_step or trace[-1]
        return Matters(changed, next((change.after for change in changes if change.after is answer), None))
    if felt is None or felt.before is None or felt.after is None or felt.before.chosen == felt.after.chosen:
        return Matters(changed, None)
    return Matters(changed, felt.after)


def _made_from(trace: Trace, touched: set[str]) -> set[str]:
    """All steps that something came into; a token that was chosen comes into what is given at the next time step."""
    known, chosen = set(touched), False
    for step in trace:
        if (chosen and step.op == "given") or not known.isdisjoint(step.inputs):
            known.add(step.name)
        chosen = chosen or (step.name in known and step.chosen is not None)
    return known - touched
