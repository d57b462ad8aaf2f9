"""Checking what a guide prints: each printed result against the same step, computed from what was printed before it.

The model itself does the computing. The guide's earlier numbers go in as overrides of the steps they belong to, so a
result is judged by its own arithmetic and not by the errors it inherits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from txviz.models import registry
from txviz.models.model import Prepared
from txviz.ops import Array
from txviz.trace import Printed, Run, Step
from txviz.trace.step import agrees


class Finding(NamedTuple):
    """One result that a guide prints, with its verdict."""

    model: str
    step: str
    printed: Printed


def audit() -> list[Finding]:
    """Every result that the guides print, computed again."""
    return [Finding(*found) for name in registry.models() for found in _findings(name)]


def _findings(name: str) -> Iterator[tuple[str, str, Printed]]:
    prints: Mapping[str, tuple[Printed, ...]] = getattr(registry.find(name), "prints", {})
    yield from ((name, step, entry) for step, entries in prints.items() for entry in entries)


def check_prints(guide: Mapping[str, Any], example: Prepared) -> dict[str, tuple[Printed, ...]]:
    """All that the guide prints, by step, with what it should have printed."""
    found: dict[str, tuple[Printed, ...]] = {}
    for entry in guide.get("prints", []):
        computed = _computed(guide, entry, example)
        printed = Printed(
            entry["where"],
            tuple(entry["at"]),
            entry["printed"],
            computed.tolist(),
            agrees(entry["printed"], computed),
            entry.get("note", ""),
        )
        found[entry["step"]] = (*found.get(entry["step"], ()), printed)
    return found


def guide_numbers(guide: Mapping[str, Any]) -> dict[str, list[tuple[tuple[int, ...], Any]]]:
    """What the guide has for cells of its steps: what it takes for granted, and what it prints as a step's result."""
    found: dict[str, list[tuple[tuple[int, ...], Any]]] = {}
    for entry in guide.get("givens", {}).values():
        found.setdefault(entry["step"], []).append((tuple(entry["at"]), entry["value"]))
    for entry in guide.get("prints", []):
        if "parts" not in entry:
            found.setdefault(entry["step"], []).append((tuple(entry["at"]), entry["printed"]))
    return found


def _computed(guide: Mapping[str, Any], entry: Mapping[str, Any], example: Prepared) -> Array:
    overrides: dict[str, Callable[[Array], Array]] = {}
    for where in entry.get("given", ()):
        step, at, value = _given(guide, where)
        overrides[step] = _putting(at, value)
    run = Run(example.parameters, overrides=overrides)
    example.forward(run)
    step_of_entry = next(step for step in run.steps if step.name == entry["step"])
    return _cells(step_of_entry, tuple(entry["at"]), entry.get("parts"))


def _cells(step: Step, at: tuple[int, ...], parts: list[str] | None) -> Array:
    if parts is None:
        return np.array(step.value[at])
    return np.concatenate([step.parts[part][at] for part in parts])


def _given(guide: Mapping[str, Any], where: str) -> tuple[str, tuple[int, ...], Any]:
    """An earlier print, or a number that the guide takes for granted, by the guide's words for it."""
    if where in guide["givens"]:
        entry = guide["givens"][where]
        return entry["step"], tuple(entry["at"]), entry["value"]
    entry = next(entry for entry in guide["prints"] if entry["where"] == where)
    return entry["step"], tuple(entry["at"]), entry["printed"]


def _putting(at: tuple[int, ...], value: Any) -> Callable[[Array], Array]:
    """An override that replaces some cells and leaves the others as computed."""

    def put(computed: Array) -> Array:
        changed = computed.copy()
        changed[at] = value
        return changed

    return put
