"""Trace files of every version, with a checksum that fits, mostly: else nothing behind it would ever be reached."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from safetensors.numpy import load

import txviz
from tests.fuzz.checks import draw, draw_node, every, look
from tests.fuzz.mutate import ODD_TEXTS, changed_bytes, changed_json, few, odd
from txviz import TxvizError, ops
from txviz.figures.answer import answers
from txviz.models import find
from txviz.models.request import Request
from txviz.trace.pieces import pieces

OLDER = [Path(__file__).parents[1] / "reference" / f"trace-version-{n}.safetensors" for n in (1, 2)]

MADE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("masked-attention-guide", {}),
    ("masked-attention-guide", {}),
    ("sentence-guide", {}),
    ("vit-guide-2x2", {}),
    ("sentence", {}),
    ("digits", {"target": "3"}),
    ("writer", {"strategy": "beam", "beam_width": 2, "max_steps": 2}),
    ("writer", {"strategy": "sample", "top_k": 5, "top_p": 0.9, "max_steps": 2}),
)


def enter(given: bytes) -> None:
    """Opened, replayed, looked at, drawn, saved again, and opened again."""
    path = Path("case.safetensors")
    path.write_bytes(given)
    made = txviz.load(path)
    with np.errstate(all="ignore"):  # as the command line and the window have it
        _look_at_all(made)
    made.save(path)
    txviz.load(path)


def _look_at_all(made: txviz.Trace) -> None:
    made.verify()
    _ = made.output, answers(made)(len(made) - 1), answers(made)(0)
    with suppress(TxvizError):
        Request.of_trace(made)
    spread = made[:: max(1, len(made) // 12)]
    every(partial(look, step) for step in spread)
    every(partial(draw, made, step) for step in spread[:: max(1, len(spread) // 3)])
    nodes = list(made.outline)
    every(partial(draw_node, made, node) for node in nodes[:: max(1, len(nodes) // 4)])


def trace(rng: Random) -> bytes:
    """Anything may be changed."""
    graph, arrays, metadata = _good(rng, compact=rng.random() < 0.1)
    if rng.random() < 0.1:
        return changed_bytes(rng, file(graph, arrays, metadata))
    for _ in few(rng):
        graph = _changed_graph(rng, graph, arrays)
    if rng.random() < 0.1:
        metadata["version"] = rng.choice(("1", "2", "3", "", "\x00", "9" * 5000))
    return file(graph, arrays, metadata)


def shown(rng: Random) -> bytes:
    """One that is opened, mostly, and then has to be shown: with other texts and numbers, and the same form."""
    graph, arrays, metadata = _good(rng)
    for _ in few(rng):
        change_numbers(rng, arrays)
        _change_texts(rng, graph, rng.choice(graph["steps"]))
    return file(graph, arrays, metadata)


def file(graph: Any, arrays: dict[str, Any], metadata: dict[str, str]) -> bytes:
    described = json.dumps(graph)
    metadata = {**metadata, "graph": described, "sha256": sha256(described.encode()).hexdigest()}
    return b"".join(pieces(arrays, metadata)[1])


def _good(rng: Random, compact: bool = False) -> tuple[Any, dict[str, Any], dict[str, str]]:
    """The graph, the arrays and the metadata of a trace that is as it should be."""
    content = _saved(rng.randrange(len(MADE)), compact=True) if compact else _saved(rng.randrange(len(MADE) + 2))
    length = int.from_bytes(content[:8], "little")
    metadata = json.loads(content[8 : 8 + length])["__metadata__"]
    return json.loads(metadata["graph"]), dict(sorted(load(content).items())), metadata


@cache
def _saved(which: int, compact: bool = False) -> bytes:
    if which >= len(MADE):
        return OLDER[which - len(MADE)].read_bytes()
    model, options = MADE[which]
    with TemporaryDirectory() as folder:
        path = Path(folder, "good.safetensors")
        txviz.trace(model, find(model).example, **options).save(path, compact=compact)
        return path.read_bytes()


def _changed_graph(rng: Random, graph: Any, arrays: dict[str, Any]) -> Any:
    """An operation, what it reads, what it takes, what is shown of it, an array, or anything else."""
    if isinstance(graph, dict) and "sums" in graph:
        change_numbers(rng, arrays)
        return changed_json(rng, graph)
    if not isinstance(graph, dict) or not isinstance(graph.get("steps"), list) or not graph["steps"]:
        return odd(rng)
    at = rng.randrange(len(graph["steps"]))
    step = graph["steps"][at]
    if not isinstance(step, dict) or rng.random() < 0.2:
        return changed_json(rng, graph)
    match rng.randrange(10):
        case 0:
            step["op"] = rng.choice([*ops.BY_NAME])
        case 1:
            before = [each["name"] for each in graph["steps"][:at] if isinstance(each, dict) and "name" in each]
            step["inputs"] = rng.choices([*before, *arrays], k=rng.randrange(4))
        case 2:
            _change_parameters(rng, graph, step)
        case 3:
            rng.shuffle(graph["steps"]) if rng.random() < 0.1 else graph["steps"].pop(at)
        case 4:
            graph["steps"][at] = changed_json(rng, step)
        case 5:
            change_form(rng, arrays)
        case 6 | 7:
            _change_texts(rng, graph, step)
        case _:
            change_numbers(rng, arrays)
    return graph


def _change_parameters(rng: Random, graph: Any, step: dict[str, Any]) -> None:
    """What an operation takes, of this step or of another."""
    others = (each.get("params") for each in graph["steps"] if isinstance(each, dict))
    taken = dict(rng.choice((step.get("params"), *(each for each in others if isinstance(each, dict)))) or {})
    name = rng.choice([*taken, "exponent", "length", "heads", "at", "dtype", "\ud800"])
    step["params"] = {**taken, name: odd(rng)} if rng.random() < 0.8 else taken


def _change_texts(rng: Random, graph: Any, step: dict[str, Any]) -> None:
    """What is shown of a trace: labels, notes, what was run and what came out."""
    labels, table = step.get("labels"), graph.get("labels")
    match rng.randrange(5):
        case 0 if isinstance(labels, dict) and labels:
            axis = rng.choice([*labels])
            labels[axis] = [rng.choice(ODD_TEXTS) for _ in labels[axis]] if isinstance(labels[axis], list) else odd(rng)
        case 4 if isinstance(table, list) and table and isinstance(table[-1], list):
            table[-1] = rng.choice(([rng.choice(ODD_TEXTS) for _ in table[-1]], odd(rng)))
        case 1:
            step["note"] = rng.choice(ODD_TEXTS)
        case 2 if isinstance(graph.get("about"), dict):
            graph["about"][rng.choice(("model", "input", "options", "hypotheses", "x"))] = odd(rng)
        case _:
            graph["output"] = rng.choice((odd(rng), *[{"text": rng.choice(ODD_TEXTS)}] * 4))


_THIN = (np.zeros((20_000, 1)), np.zeros((1, 20_000)))
"""Together they make 400 million numbers."""


def change_form(rng: Random, arrays: dict[str, Any]) -> None:
    """Another shape or another type."""
    name = rng.choice([*arrays])
    array = arrays[name]
    match rng.randrange(4):
        case 0:
            shapes = ((-1,), (1, -1), (-1, 1), (1, *array.shape), (*array.shape, 1), (1,) * 9 + array.shape)
            arrays[name] = array.reshape(rng.choice(shapes) if array.size else (0,))
        case 1:
            arrays[name] = np.ascontiguousarray(array.T)
        case 2:
            arrays[name] = rng.choice((np.atleast_1d(array)[:0], np.zeros(()), np.zeros((3, 0, 2)), *_THIN)).copy()
        case _:
            kind = rng.choice(("float32", "float16", "int64", "int8", "uint8", "bool", "uint64"))
            with np.errstate(all="ignore"):
                arrays[name] = array.astype(kind)


def change_numbers(rng: Random, arrays: dict[str, Any]) -> None:
    """One number of an array, or all, replaced by one that nobody expects."""
    name = rng.choice([*arrays])
    if arrays[name].size:
        changed = arrays[name].astype(float) if rng.random() < 0.8 else arrays[name].copy()
        cell = rng.choice((..., tuple(rng.randrange(n) for n in changed.shape)))
        number = np.array(rng.choice((0, -1, 1e308, -1e308, 1e-320, np.nan, np.inf, -np.inf, 10**6, 0.5)))
        with np.errstate(all="ignore"):
            changed[cell] = number.astype(changed.dtype)
        arrays[name] = changed
