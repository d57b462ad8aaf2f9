"""The winner of a beam search: through which hypotheses its sentence came, time step by time step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Turn(NamedTuple):
    """One token of the winner."""

    time: int
    beam: int
    """Which hypothesis it goes on from: where its time step stands among the steps."""

    token: str


def winner(about: Mapping[str, Any]) -> tuple[Turn, ...]:
    """By the parents of the best that was kept, from the first token on; nothing where a run had no beam."""
    known: Sequence[Mapping[str, Any]] = about.get("hypotheses", ())
    kept: dict[int, list[Mapping[str, Any]]] = {}
    for each in known:
        if each["state"] != "dropped":
            kept.setdefault(each["time"], []).append(each)
    here: Mapping[str, Any] | None = max(kept[max(kept)], key=lambda each: each["score"]) if kept else None
    found: list[Turn] = []
    while here is not None:
        time, parent = here["time"], here["parent"]
        before = None if parent is None else kept[time - 1][parent]
        if before is None or len(before["tokens"]) < len(here["tokens"]):  # one that had ended stays as it is
            found.append(Turn(time, parent or 0, here["tokens"][-1]))
        here = before
    return tuple(reversed(found))
