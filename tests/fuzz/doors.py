"""Where input comes in: one row for each kind of it. A door takes a case or refuses it; all else is a finding."""

from __future__ import annotations

from tests.fuzz import commands, drawings, images, models, runs, states, traces, windows
from tests.fuzz.runner import Door

DOORS = {
    "text": Door(runs.text, runs.enter, 22),
    "options": Door(runs.options, runs.enter, 20),
    "edits": Door(runs.edits, runs.enter, 10),
    "grid": Door(runs.grid, runs.enter, 15),
    "image": Door(images.image, images.enter, 15),
    "trace": Door(traces.trace, traces.enter, 12),
    "state": Door(states.state, states.enter, 10),
    "command": Door(commands.command, commands.enter, 4, megabytes=2000),
    "figure": Door(drawings.figure, commands.enter, 2, seconds=60, megabytes=2000),
    "film": Door(drawings.film, commands.enter, 1, seconds=60, megabytes=2000),
    "compare": Door(drawings.comparison, commands.enter, 2, seconds=60, megabytes=2000),
    "model": Door(models.model, models.enter, 1.6),
    "checkpoint": Door(models.checkpoint, models.enter, 10),
    "start": Door(states.state, windows.start, 0.2, seconds=60),
    "open": Door(traces.shown, windows.open_trace, 0.2, seconds=60),
}
