"""Traces as files: safetensors, with every step's array and, as JSON in the metadata, how the steps hang together.

Anything that reads safetensors can read the arrays. Nothing is ever unpickled. The graph carries its own checksum,
since a single flipped byte in it could otherwise load as another, plausible trace. The weights of a checkpoint stay in
its own files (see ``references``). A compact file (see ``compact``) has no graph, and only the arrays that were given.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from safetensors import SafetensorError, safe_open

from txviz import ops
from txviz.errors import TxvizError
from txviz.files import Piece, check_file, reading, write_whole
from txviz.ops import Array
from txviz.trace import compact
from txviz.trace.label_table import LabelTable, labels_of
from txviz.trace.machine import this_machine
from txviz.trace.pieces import pieces
from txviz.trace.references import fetched, referenced
from txviz.trace.site import Site, read_name
from txviz.trace.step import Labels, Parameter, Place, Printed, Step
from txviz.trace.trace import Trace
from txviz.trace.validate import MOST_NUMBERS, check_graph, check_place, check_site, check_step, check_texts

Watch = Callable[[int, int], object]
About = Mapping[str, Any]


class Models(NamedTuple):
    """What only the models can do, for a file that leaves something out."""

    located: Callable[[About, Path], About]
    """What was run, with a model that has moved where it is now, by the folder that the file is in."""

    weights: Callable[[About], Mapping[str, Array]]
    recompute: Callable[[About, Mapping[str, Array]], Trace]


FORMAT, VERSION = "txviz-trace", 4
READABLE = ("1", "2", "3", "4")
"""Version 1 had no sites: they are read from the names. Up to version 2 each step had its labels, and no table; up to
version 3 all weights were in the file."""


def save(trace: Trace, path: Path, watch: Watch | None = None, small: bool = False) -> None:
    """``watch`` is called with how much is written, and of how much; it can stop that by raising.

    A small file leaves out all that a model can compute again.
    """
    left_out = {} if small else referenced(trace)
    arrays = compact.given(trace) if small else _arrays(trace, left_out)
    graph = json.dumps(compact.describe(trace) if small else _graph(trace, left_out), ensure_ascii=False)
    metadata = {"format": FORMAT, "version": str(VERSION), "graph": graph, "sha256": _checksum(graph)}
    count, found = pieces(arrays, metadata)
    write_whole(path, found if watch is None else _watched(found, count, watch))


def _arrays(trace: Trace, left_out: Collection[str]) -> dict[str, Array]:
    arrays = {**trace.parameters, **{step.name: step.value for step in trace}}
    if len(arrays) != len(trace.parameters) + len(trace):
        raise TxvizError("a step and a parameter of the trace have the same name; every name must be its own")
    return {name: value for name, value in arrays.items() if name not in left_out}


def _watched(found: Iterator[Piece], count: int, watch: Watch) -> Iterator[Piece]:
    for done, piece in enumerate(found):
        watch(done, count)
        yield piece
    watch(count, count)


def load(path: str | Path, models: Models) -> Trace:
    """The trace in a file that ``save`` wrote; the models give what it leaves out."""
    path = Path(path)
    metadata, arrays = _read(path)
    if metadata.get("format") != FORMAT:
        raise TxvizError(
            f"{path} is a safetensors file but not a txviz trace; save one with: txviz trace MODEL INPUT -o FILE"
        )
    if metadata.get("version") not in READABLE:
        raise TxvizError(
            f"{path} has trace format {metadata.get('version')}, and this txviz reads {', '.join(READABLE)}: "
            "update txviz, or save the trace again"
        )
    graph = metadata.get("graph", "")
    if metadata.get("sha256") != _checksum(graph):
        raise TxvizError(f"{path} is damaged (its graph does not match its checksum); save the trace again")
    leaves_out = False
    try:
        found = _parsed(graph)
        leaves_out = not {"sums", "referenced"}.isdisjoint(found)
        return _completed(found, arrays, path, models) if leaves_out else _trace(found, arrays)
    except TxvizError as error:
        raise TxvizError(f"{path} {'can not be opened' if leaves_out else 'is damaged'}: {error}") from error
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise TxvizError(f"{path} is damaged (its graph can't be read); save the trace again") from error


def _completed(found: dict[str, Any], arrays: dict[str, Array], path: Path, models: Models) -> Trace:
    """With what the file leaves out, numbers or weights."""
    found["about"] = about = models.located(found["about"], path.parent)
    if "sums" in found:
        return compact.check(models.recompute(about, arrays), found)
    return _trace(found, {**arrays, **fetched(found["referenced"], models.weights(about), str(about.get("model")))})


def _read(path: Path) -> tuple[dict[str, str], dict[str, Array]]:
    check_file(path)
    try:
        with reading(path), safe_open(path, framework="np") as file:
            # A copy of each: memory of our own, aligned as NumPy aligns it, so that replays give the same bits.
            return file.metadata() or {}, {name: file.get_tensor(name).copy() for name in file.keys()}  # noqa: SIM118
    except (OSError, SafetensorError, ValueError, TypeError, KeyError) as error:
        raise TxvizError(f"{path} is not a whole safetensors file ({error}); save the trace again") from error


def _parsed(text: str) -> Any:
    """The graph, in which every text can be shown and written."""
    graph = json.loads(text)
    if r"\u" in text or not text.isprintable():  # as few are, and each text by itself takes a while
        check_texts(graph)
    return graph


def _graph(trace: Trace, left_out: Mapping[str, str]) -> dict[str, Any]:
    output, table = trace.output_step, LabelTable()
    steps = [_describe(step, table) for step in trace]
    return {
        "about": dict(trace.about),
        "output": {"text": trace.output} if output is None else {"step": output.name},
        "origin": trace.origin or _computed_on(trace, left_out),
        "parameters": {name: parameter.site.as_json() for name, parameter in trace.learned.items()},
        "edited_parameters": {name: each.edited for name, each in trace.learned.items() if each.edited},
        **({"referenced": left_out} if left_out else {}),
        "labels": table.rows,
        "steps": steps,
    }


def _computed_on(trace: Trace, left_out: Collection[str]) -> str:
    """What the last bits depend on. A matrix that lay in memory otherwise than it will when it is read again is
    multiplied in another order, as if by another machine."""
    turned = any(not value.flags.c_contiguous for name, value in trace.parameters.items() if name not in left_out)
    return this_machine() + (" with turned weights" if turned else "")


def _describe(step: Step, table: LabelTable) -> dict[str, Any]:
    numbered = {axis: table.number(found) for axis, found in zip(step.axes, step.labels, strict=True)}
    return {
        "name": step.name,
        "site": step.site.as_json(),
        "op": step.op,
        "inputs": step.inputs,
        "params": dict(step.params),
        "axes": step.axes,
        "labels": {axis: number for axis, number in numbered.items() if number is not None},
        "note": step.note,
        "printed": [entry._asdict() for entry in step.printed],
        **({"edited": step.edited} if step.edited else {}),
    }


def _trace(graph: dict[str, Any], arrays: dict[str, Array]) -> Trace:
    check_graph(graph, arrays)
    for value in arrays.values():
        value.flags.writeable = False
    described = {entry["name"] for entry in graph["steps"]}
    sites, edited = graph.get("parameters", {}), graph.get("edited_parameters", {})
    known: dict[str, Step | Parameter] = {
        name: Parameter(name, value, _site(name, sites.get(name)), _places(edited.get(name, ()), value))
        for name, value in arrays.items()
        if name not in described
    }
    steps, tried, rows = [], set[Hashable](), [tuple(labels) for labels in graph.get("labels", ())]
    with np.errstate(all="ignore"):
        for entry in graph["steps"]:
            labels = {axis: labels_of(found, rows) for axis, found in entry["labels"].items()}
            step = check_step(_step(entry, labels, known, arrays, graph["about"]), tried)
            known[step.name] = step
            steps.append(step)
    output = graph["output"]
    said = output["text"] if "text" in output else known[output["step"]]
    if not isinstance(said, str | Step):
        raise TxvizError(f"its output is {output}, which is not one of its steps")
    return Trace(steps, graph["about"], said, origin=graph["origin"])


def _step(
    entry: dict[str, Any],
    labels: Labels,
    known: dict[str, Step | Parameter],
    arrays: dict[str, Array],
    about: dict[str, Any],
) -> Step:
    name = entry["name"]
    if name not in arrays:
        raise TxvizError(f"its graph names the step {name}, which the file does not hold")
    if entry["op"] not in ops.BY_NAME:
        raise TxvizError(f"the step {name} has the operation {entry['op']}, which this txviz does not know")
    if len(entry["axes"]) != arrays[name].ndim:
        raise TxvizError(f"the step {name} has {arrays[name].ndim} axes, and {len(entry['axes'])} axes are named")
    missing = [source for source in entry["inputs"] if source not in known]
    if missing:
        raise TxvizError(f"the step {name} reads {missing[0]}, which the file does not hold before it")
    return Step(
        name,
        _site(name, entry.get("site")),
        ops.BY_NAME[entry["op"]],
        tuple(known[source] for source in entry["inputs"]),
        entry["params"],
        arrays[name],
        " ".join(entry["axes"]),
        labels,
        note=entry["note"],
        printed=tuple(Printed(**{**printed, "at": tuple(printed["at"])}) for printed in entry["printed"]),
        edited=_places(entry.get("edited", ()), arrays[name]),
        about=about,
    )


def _places(places: Any, value: Array) -> tuple[Place, ...]:
    """Which were changed by hand."""
    if len(places) > MOST_NUMBERS:
        raise TxvizError(f"more than {MOST_NUMBERS:,} places of one step were changed by hand")
    return tuple(check_place(place, value.shape) for place in places)


def _site(name: str, content: dict[str, Any] | None) -> Site:
    site = read_name(name) if content is None else check_site(Site.from_json(content))
    if site.name != name:
        raise TxvizError(f"the place of {name} in the model reads {site.name}")
    return site


def _checksum(text: str) -> str:
    return sha256(text.encode()).hexdigest()
