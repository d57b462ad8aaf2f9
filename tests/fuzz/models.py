"""Folders of models, of which one file is not what it was: those that txviz has trained, and checkpoints of others."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from safetensors.numpy import load, save

import txviz
from tests.fuzz.checks import every, look
from tests.fuzz.mutate import as_bytes, changed_bytes, changed_json
from tests.fuzz.traces import change_form, change_numbers
from tests.models.checkpoints.reference import ALL, FOLDER, source
from txviz import resources
from txviz.models import find, registry


def enter(given: bytes) -> None:
    asked, folder = json.loads(given), Path("model")
    where = _good(asked["model"])
    for file in _files(where):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).symlink_to(where / file)
    changed = folder / asked["file"]
    changed.unlink(missing_ok=True)
    if asked["content"] is not None:
        changed.write_bytes(asked["content"].encode("latin-1"))
    registry.forget()
    found = find(str(folder))
    told = source(asked["model"]) if asked["model"] in ALL else find(asked["model"]).example
    every((lambda: [found.summary, found.examples, found.captions], partial(_run, folder, found.example)))
    made = _run(folder, told)
    every(partial(look, step) for step in (*made[:: max(1, len(made) // 6)], made[-1]))


def _run(folder: Path, given: object) -> txviz.Trace:
    short: dict[str, Any] = {"max_steps": 2} if "max_steps" in find(str(folder)).options else {}
    return txviz.trace(str(folder), given, **short)


def _good(name: str) -> Path:
    return FOLDER / name if name in ALL else resources.path("models", name)


def _files(folder: Path) -> list[str]:
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())


def model(rng: Random) -> bytes:
    """Which model, which file of it, and what is in that: a character for each byte."""
    name = rng.choice(("digits", "digits", "digits", "sentence", "writer", "translator"))
    return _case(rng, name, [file for file in _files(_good(name)) if file != "card.md"])


def checkpoint(rng: Random) -> bytes:
    """The configuration is changed most often: it says what the other files have to be."""
    name = rng.choice(ALL)
    files = [file for file in _files(_good(name)) if not file.endswith("tokenizer_config.json")]
    older = ["tokenizer.json"] if rng.random() < 0.02 else []  # which makes way for the files before it
    return _case(rng, name, older or [*files, "config.json", "config.json"], missing=0.02 if not older else 1)


def _case(rng: Random, name: str, files: list[str], missing: float = 0) -> bytes:
    file = rng.choice(files)
    content = None if rng.random() < missing else _changed(rng, _good(name) / file).decode("latin-1")
    return as_bytes({"model": name, "file": file, "content": content})


def _changed(rng: Random, file: Path) -> bytes:
    good = file.read_bytes()
    if rng.random() < 0.3 or file.suffix not in (".json", ".safetensors"):
        return changed_bytes(rng, good)
    if file.suffix == ".json":
        described = json.loads(good)
        if isinstance(described, dict) and rng.random() < 0.5:  # else hardly anything is let in
            described.pop("crc32", None)
            described.pop("weights_crc32", None)
        return as_bytes(changed_json(rng, described))
    if rng.random() < 0.4:
        return _changed_header(rng, good)
    arrays = dict(sorted(load(good).items()))
    rng.choice((change_form, change_numbers))(rng, arrays)
    return save(arrays)


def _changed_header(rng: Random, good: bytes) -> bytes:
    """Other types, shapes and places of the same numbers, behind a length that is right."""
    length = int.from_bytes(good[:8], "little")
    header = as_bytes(changed_json(rng, json.loads(good[8 : 8 + length])))
    return len(header).to_bytes(8, "little") + header + good[8 + length :]
