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
    found = list(parameters)
    tables = [each for each in found if each.site.leaf == "tokens.table"]
    again = [a for i, a in enumerate(tables) if any(_are_one(a, b) for b in tables[:i])]
    return sum(each.value.size for each in found) - sum(each.value.size for each in again)


def _are_one(a: Parameter, b: Parameter) -> bool:
    apart = max(1, len(a.value) // _ROWS)
    return a.value.shape == b.value.shape and a.edited == b.edited and equal_bits(a.value[::apart], b.value[::apart])
