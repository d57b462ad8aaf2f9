"""What a step was made from, and what that was made from, down to the input."""

from __future__ import annotations

from collections.abc import Container

from txviz.trace.step import Step


def ancestors(step: Step, known: Container[Step] = ()) -> list[Step]:
    """The step and all that it was made from, in the order of the computation; what is ``known`` is not gone into."""
    found: dict[str, Step] = {}
    waiting = [(step, False)]
    while waiting:
        each, entered = waiting.pop()
        if entered or each in known:
            found[each.name] = each
        elif each.name not in found:
            waiting.append((each, True))
            waiting += [(source, False) for source in reversed(each.sources) if isinstance(source, Step)]
    return list(found.values())
