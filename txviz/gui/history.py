"""The inputs that were shown, one after the other: what undo goes back to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic

from txviz.models.request import Request

BURST = 1.0
"""Seconds between two edits that count as one."""

MOST_UNDONE = 200
"""So many inputs can be gone back to."""


@dataclass
class Entry:
    request: Request
    step: str = ""
    """Which one was open when another input came."""


class History:
    """It moves with the result: what is asked for becomes what is shown when its trace is there."""

    def __init__(self, request: Request | None) -> None:
        self._entries = [Entry(request)] if request else []
        self._here = self._asked = len(self._entries) - 1
        self._burst_until = 0.0

    @property
    def requests(self) -> Sequence[Request]:
        return [entry.request for entry in self._entries]

    @property
    def shown(self) -> Request | None:
        return self._entries[self._here].request if self._entries else None

    @property
    def step(self) -> str:
        """Which one was open when the input that is shown was left; none where it is new."""
        return self._entries[self._here].step if self._entries else ""

    def leave(self, step: str) -> None:
        """Another input comes, while this step is open."""
        if self._entries:
            self._entries[self._here].step = step

    @property
    def can_undo(self) -> bool:
        return self._asked > 0

    @property
    def can_redo(self) -> bool:
        return self._asked < len(self._entries) - 1

    def show(self, request: Request | None, remember: bool) -> None:
        """It is shown now; nothing can be gone back to from a trace that was computed from nothing known."""
        if request is None:
            self._entries, self._asked = [], -1
        elif remember and request != self.shown:
            kept = self._entries[: self._here + (0 if self._in_burst(request) else 1)]
            self._entries = [*kept, Entry(request)][-MOST_UNDONE:]
            self._asked = len(self._entries) - 1
            self._burst_until = monotonic() + BURST
        elif remember or self._entries[self._asked].request != request:
            self._asked = self._here
        self._here = self._asked

    def _in_burst(self, request: Request) -> bool:
        """Letters typed and pixels drawn quickly one after the other are undone together; edits by hand never."""
        last = self.shown
        alike = last is not None and (last.model, last.edits) == (request.model, request.edits)
        return self._here > 0 and monotonic() < self._burst_until and alike

    def end_burst(self) -> None:
        """The next change of the input is to be undone by itself."""
        self._burst_until = 0.0

    def ask(self, by: int) -> Request:
        """For the one that is so far from what was last asked for; nothing moves before its trace is shown."""
        self._asked += by
        return self._entries[self._asked].request

    def stay(self) -> Request | None:
        """Nothing came of what was asked for; returns what is still shown, if another one was asked for."""
        return None if self._asked == self._here else self.ask(self._here - self._asked)
