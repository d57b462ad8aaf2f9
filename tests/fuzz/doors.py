"""Where input comes in: one row for each kind of it. A door takes a case or refuses it; all else is a finding."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import NamedTuple

from tests.fuzz import commands, images, models, runs, states, traces, windows


class Door(NamedTuple):
    make: Callable[[Random], bytes]
    """A case: a good one that is changed, or one that is bad by design. Always bytes, as in a file."""

    enter: Callable[[bytes], object]
    """Tries it in an empty folder: returns, or raises a ``TxvizError``."""

    share: float
    """Of all cases, in hundredths."""

    seconds: float = 20
    megabytes: int = 700
    """The most that a case may take; the memory is that of the whole process."""


DOORS = {
    "text": Door(runs.text, runs.enter, 22),
    "options": Door(runs.options, runs.enter, 20),
    "grid": Door(runs.grid, runs.enter, 15),
    "image": Door(images.image, images.enter, 15),
    "trace": Door(traces.trace, traces.enter, 12),
    "state": Door(states.state, states.enter, 10),
    "command": Door(commands.command, commands.enter, 4, megabytes=2000),
    "model": Door(models.model, models.enter, 1.6),
    "start": Door(states.state, windows.start, 0.2, seconds=60),
    "open": Door(traces.shown, windows.open_trace, 0.2, seconds=60),
}
