"""What a step read, where it must be another step."""

from __future__ import annotations

from txviz.trace import Step


def read(step: Step, which: int) -> Step:
    """A TypeError where it is a parameter: a file may hold such a thing."""
    source = step.sources[which]
    if not isinstance(source, Step):
        raise TypeError(f"{step.name} reads the parameter {source.name} where a step is needed")
    return source
