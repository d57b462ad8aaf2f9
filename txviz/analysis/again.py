"""A part of a run once more, with something else in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from txviz.ops import Array
from txviz.trace import Step
from txviz.trace.ancestors import ancestors


def again(step: Step, values: Mapping[Step, Array]) -> Step:
    """The step as it comes out when these have these values; what does not depend on them stays as it is."""
    made: dict[Step, Step] = {}
    for each in ancestors(step, values):
        if each in values:
            made[each] = replace(each, value=values[each])
        elif not each.edited and any(source in made for source in each.sources if isinstance(source, Step)):
            sources = tuple(made.get(source, source) if isinstance(source, Step) else source for source in each.sources)
            value = each.operation.compute(*(source.value for source in sources), **each.params)
            made[each] = replace(each, sources=sources, value=value)
    return made.get(step, step)
