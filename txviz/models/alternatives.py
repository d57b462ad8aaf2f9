"""Other ways to write on with the same input: greedy, with a beam, and three times by chance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from txviz.models.options import matters, read_options
from txviz.models.registry import find
from txviz.models.request import Request

SEEDS = (0, 1, 2)


def alternatives(request: Request, others: Iterable[Request] = ()) -> list[Request]:
    """Those of a request, with the others (and itself) at the end where they are not among them. None for a model
    that does not write, or that is being trained."""
    known = find(request.model).options
    if "strategy" not in known or not matters("strategy", request.options):
        return []
    ways: list[dict[str, Any]] = [{"strategy": "greedy"}, {"strategy": "beam"}]
    ways += [{"strategy": "sample", "seed": seed} for seed in SEEDS]
    made = (replace(request, options={**request.options, **way}, edits=()) for way in ways)
    found = {run_key(each): each for each in made}
    for other in (*others, request):
        found.setdefault(run_key(other), other)
    return list(found.values())


def run_key(request: Request) -> tuple[object, ...]:
    """All that makes a difference: two requests with the same key come to the same, whatever else their options say."""
    chosen: Mapping[str, Any] = read_options(request.model, find(request.model).options, request.options)
    options = sorted((name, value) for name, value in chosen.items() if value is not None and matters(name, chosen))
    return request.model, request.source, tuple(options), request.edits
