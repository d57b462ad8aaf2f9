"""How many decimals a block's numbers have: one answer for all its steps, so that numbers do not change their look from
one to the next, nor from one time step to the next."""

from __future__ import annotations

from collections import defaultdict

from txviz.figures.numerals import common_decimals
from txviz.ops import Array
from txviz.trace import Step, Trace
from txviz.trace.kept import kept
from txviz.trace.site import Site


def block_decimals(trace: Trace, step: Step) -> int:
    """Of the block, or else the layer or part, that the step stands in."""
    block = _block(step.site)
    found = _found(trace)
    if block not in found:
        found[block] = common_decimals(_values(trace)[block])
    return found[block]


@kept
def _found(trace: Trace) -> dict[tuple[object, ...], int]:
    """What is known already, by block: filled as one steps along."""
    return {}


@kept
def _values(trace: Trace) -> dict[tuple[object, ...], list[Array]]:
    """By block: a beam has thousands of steps in each."""
    found = defaultdict[tuple[object, ...], list[Array]](list)
    for step in trace:
        found[_block(step.site)].append(step.value)
    return found


def _block(site: Site) -> tuple[object, ...]:
    return site.pass_, site.sentence, site.part, site.layer, site.block
