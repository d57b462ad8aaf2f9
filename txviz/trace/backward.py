"""The backward pass: from a loss back through the steps that led to it.

Each gradient is a step like any other, made by an operation that the forward operation names. ``backward.NAME`` is the
gradient of the loss with respect to the step or parameter NAME. Where several steps read NAME, each one's share is
``backward.NAME.from.READER``, and ``backward.NAME`` is their sum.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, cast

import numpy as np

from txviz import ops
from txviz.ops import Gradient
from txviz.trace.run import Run
from txviz.trace.site import Site
from txviz.trace.step import Parameter, Step


class Share(NamedTuple):
    """What one reader of a step sends back to it."""

    reader: Site
    gradient: Gradient


def backward(run: Run, steps: Sequence[Step], loss: Step) -> dict[str, Step]:
    """Runs the gradients of every parameter that the loss depends on; returns them by the parameter's name."""
    steps = tuple(steps)  # the run may go on to record the gradients in the same list
    learning = _learning(steps)
    shares: dict[str, list[Share]] = {}
    parameters: dict[str, Parameter] = {}
    for step in reversed(steps):
        if step.name == loss.name:
            gradient = run.given(_backwards(step.site), np.ones_like(step.value), axes=" ".join(step.axes))
        elif step.name in shares:
            gradient = _sum(run, step, shares.pop(step.name))
        else:
            continue
        if step.edited:  # what was put in by hand depends on nothing
            continue
        for source, share in zip(step.sources, _gradients(step, gradient), strict=True):
            if share is not None and source.name in learning:
                shares.setdefault(source.name, []).append(Share(step.site, share))
                if isinstance(source, Parameter):
                    parameters[source.name] = source
    return {name: _sum(run, parameter, shares[name]) for name, parameter in parameters.items()}


def _learning(steps: Iterable[Step]) -> set[str]:
    """The names of all parameters and of every step that depends on one."""
    found: set[str] = set()
    for step in steps:
        for source in step.sources:
            if isinstance(source, Parameter):
                found.add(source.name)
        if not step.edited and any(source.name in found for source in step.sources):
            found.add(step.name)
    return found


def _gradients(step: Step, gradient: Step) -> list[Gradient | None]:
    found = step.operation.gradients(gradient, step, *step.sources, **step.params)
    return found[: len(step.sources)]


@lru_cache(maxsize=4096)
def _backwards(site: Site) -> Site:
    """Where the gradient stands. Kept, since every step of training has the same sites."""
    return site._replace(pass_="backward")


def _sum(run: Run, target: Step | Parameter, shares: list[Share]) -> Step:
    """The gradient of one step or parameter, from all that read it."""
    site = _backwards(target.site)
    if len(shares) == 1:
        return _share(run, site, target, shares[0].gradient)
    readers = [share.reader for share in shares]
    parts = []
    for i, (reader, gradient) in enumerate(shares):
        again = None if readers.count(reader) == 1 else i  # a step that reads the same input twice
        parts.append(_share(run, site._replace(reader=reader, again=again), target, gradient))
    return run(ops.add, site, *parts, axes=target.axis_names, like=_like(target))


def _share(run: Run, site: Site, target: Step | Parameter, gradient: Gradient) -> Step:
    """One gradient, summed over the positions that the target was spread over."""
    op, params = gradient.op, gradient.params
    sources = cast("tuple[Step | Parameter, ...]", gradient.sources)  # what the gradients of a step are made from
    axes, like = target.axis_names, _like(target)
    spread = max(source.value.ndim for source in sources) > target.value.ndim
    if op is ops.pass_on and (spread or sources[0].value.shape != target.value.shape):
        return run(ops.sum_to, site, *sources, shape=list(target.value.shape), axes=axes, like=like)
    if not (spread and op in (ops.select, ops.matmul)):
        return run(op, site, *sources, axes=axes, like=like, **params)
    everywhere = run(op, site._replace(role="everywhere"), *sources, axes=axes, like=like, **params)
    return run(ops.sum_to, site, everywhere, shape=list(target.value.shape), axes=axes, like=like)


def _like(target: Step | Parameter) -> Step | None:
    return target if isinstance(target, Step) else None
