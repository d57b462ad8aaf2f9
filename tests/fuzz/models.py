"""Folders of models, of which one file is not what it was."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

from safetensors.numpy import load, save

import txviz
from tests.fuzz.checks import every, look
from tests.fuzz.mutate import as_bytes, changed_bytes, changed_json
from tests.fuzz.traces import change_form, change_numbers
from txviz import resources
from txviz.models import find, registry


def enter(given: bytes) -> None:
    asked, folder = json.loads(given), Path("model")
    folder.mkdir()
    for file in resources.path("models", asked["model"]).iterdir():
        (folder / file.name).symlink_to(file)
    changed = folder / asked["file"]
    changed.unlink()
    changed.write_bytes(asked["content"].encode("latin-1"))
    registry.forget()
    found = find(str(folder))
    every((lambda: [found.summary, found.examples, found.captions], lambda: txviz.trace(str(folder), found.example)))
    look(txviz.trace(str(folder), find(asked["model"]).example)[-1])


def model(rng: Random) -> bytes:
    """Which model, which file of it, and what is in that: a character for each byte."""
    name = rng.choice(("digits", "digits", "digits", "sentence", "writer", "translator"))
    files = sorted(each.name for each in resources.path("models", name).iterdir() if each.name != "card.md")
    file = rng.choice(files)
    return as_bytes({"model": name, "file": file, "content": _changed(rng, name, file).decode("latin-1")})


def _changed(rng: Random, name: str, file: str) -> bytes:
    good = resources.path("models", name, file).read_bytes()
    if rng.random() < 0.3:
        return changed_bytes(rng, good)
    if file.endswith(".json"):
        described = json.loads(good)
        if isinstance(described, dict) and rng.random() < 0.5:  # else hardly anything is let in
            described.pop("crc32", None)
            described.pop("weights_crc32", None)
        return as_bytes(changed_json(rng, described))
    arrays = dict(sorted(load(good).items()))
    rng.choice((change_form, change_numbers))(rng, arrays)
    return save(arrays)
