"""What the window remembers in its state file. ``state.json`` is one that it wrote."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

from tests.fuzz.checks import FindingError
from tests.fuzz.mutate import as_bytes, changed_bytes, changed_json, few, odd
from txviz.gui import saved_state
from txviz.gui.export_settings import ExportSettings
from txviz.models.request import Request, compute

GOOD = Path(__file__).with_name("state.json")


def enter(given: bytes) -> None:
    """Whatever is in it, something sensible is remembered, and is there the next time."""
    path = Path("state.json")
    path.write_bytes(given)
    remembered, problem = saved_state.load(path)
    if "\n" in problem:
        raise FindingError(f"more than a sentence: {problem}")
    ExportSettings.from_json(remembered.get("export")).page()
    saved_state.save(path, remembered)
    if saved_state.load(path) != (remembered, ""):
        raise FindingError("what was remembered does not come back")
    compute(Request.from_json(remembered.get("request")))


def state(rng: Random) -> bytes:
    content = GOOD.read_bytes()
    if rng.random() < 0.2:
        return changed_bytes(rng, content)
    changed = json.loads(content)
    places = (changed, changed["request"], changed["export"], changed["request"]["options"])
    for _ in few(rng):
        place = rng.choice(places)
        place[rng.choice([*saved_state._SOUND] if place is changed else [*place])] = odd(rng)
    return as_bytes(changed if rng.random() < 0.9 else changed_json(rng, changed))
