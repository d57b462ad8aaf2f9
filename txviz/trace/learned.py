"""How much of what some steps read was learned."""

from __future__ import annotations

from collections.abc import Iterable

from txviz.trace.step import Parameter, Step, equal_bits

_ROWS = 64
"""So many rows of two tables are compared: no two that were learned apart have these in common."""


def parameters_of(steps: Iterable[Step]) -> list[Parameter]:
    """Each once, in the order in which they are read."""
    found = {source.name: source for step in steps for source in step.sources if isinstance(source, Parameter)}
    return list(found.values())


def learned_numbers(parameters: Iterable[Parameter]) -> int:
    """A table of tokens that encoder and decoder share has been learned once."""
    own: list[Parameter] = []
    for each in parameters:
        if not any(_are_one(each, other) for other in own):
            own.append(each)
    return sum(each.value.size for each in own)


def _are_one(a: Parameter, b: Parameter) -> bool:
    if not (a.site.leaf == b.site.leaf == "tokens.table" and a.value.shape == b.value.shape and a.edited == b.edited):
        return False
    apart = max(1, len(a.value) // _ROWS)
    return equal_bits(a.value[::apart], b.value[::apart])
