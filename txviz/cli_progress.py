"""Beside a run: on a terminal how far it is, once it takes longer than one notices; and words that are unknown."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from time import monotonic
from typing import Any

from txviz.cli_output import tell
from txviz.errors import one_line
from txviz.models.progress import Teller
from txviz.models.reading import read_tokens
from txviz.models.tracing import trace_with
from txviz.models.vocabulary import unknown
from txviz.trace import Step, Trace

DELAY, INTERVAL = 0.5, 0.1
"""Seconds before the first line, and between two."""


class _Line:
    """Written over itself with each step, and gone when the run is done."""

    def __init__(self, model: str, options: Mapping[str, Any]) -> None:
        self._teller = Teller(model, options)
        self._next, self._count, self._written = monotonic() + DELAY, 0, False

    def __call__(self, step: Step) -> None:
        self._count += 1
        if monotonic() >= self._next:
            self._next = monotonic() + INTERVAL
            tell(f"\r{self._teller.progress(step, self._count).text}\033[K", end="")
            self._written = True

    def end(self) -> None:
        if self._written:
            tell("\r\033[K", end="")


def trace_told(
    model: str, source: Any, options: Mapping[str, Any], notes: list[str], edits: Sequence[str] = ()
) -> Trace:
    """The same as ``trace_with``, and on a terminal it is told how far it is. ``notes`` gets what is not known to the
    model: it is told when all went well, since what can't be done is one line."""
    line = _Line(model, options) if sys.stderr.isatty() else None
    try:
        trace = trace_with(model, source, options, edits=edits, watch=line)
    finally:
        if line:
            line.end()
    words = unknown(read_tokens(model, source, options))
    if words:
        notes.append(one_line(f"txviz: {model} does not know {words}"))
    return trace
