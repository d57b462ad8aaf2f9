"""A map as text: a Mermaid flowchart, which GitHub and many editors draw where a README has it.

Boxes and arrows are those of the map's diagram, which is read from the trace; each layer is a subgraph. A step alone
stands behind what it read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from txviz.figures.job import Export
from txviz.figures.levels.diagram import Unit, diagram, moment, skipped
from txviz.figures.levels.map_box import is_input, is_small, title
from txviz.figures.shapes import written
from txviz.trace import Parameter, Step, Trace
from txviz.trace.outline import Node

PARAMETER, INPUT, ADD, SMALL, STEP, BLOCK = '[("{}")]', '(["{}"])', '(("{}"))', '("{}")', '["{}"]', '[["{}"]]'
"""How Mermaid writes a cylinder, a stadium, a circle, a rounded box, a box, and a box with more inside."""


def write(wanted: Export) -> bytes:
    (shown,) = wanted.shown
    lines = _of_step(shown) if isinstance(shown, Step) else _of_node(wanted.trace, shown)
    title = " · ".join(filter(None, (wanted.title(shown), wanted.trace.edited_text)))
    head = ["---", f"title: {json.dumps(_printable(title), ensure_ascii=False)}", "---", "flowchart LR"]
    return "".join(f"{line}\n" for line in (*head, *lines)).encode("utf-8", "replace")


def _of_step(step: Step) -> Iterator[str]:
    """The step, and what it read."""
    sources = {source.name: source for source in step.sources}
    yield f"    step{_written(STEP, step.title, step)}"
    for i, source in enumerate(sources.values()):
        shape, named = (PARAMETER, source.name) if isinstance(source, Parameter) else (STEP, source.title)
        yield f"    read{i}{_written(shape, named, source)} --> step"


def _of_node(trace: Trace, node: Node) -> Iterator[str]:
    """Every box of the map with all its layers unfolded, then what each one reads."""
    units = diagram(trace, node, moment(node, None)).units
    ids = {unit: f"box{i}" for i, unit in enumerate(units)}
    for layer, inside in _by_layer(node, units):
        boxes = [f"{ids[unit]}{_box(unit)}" for unit in inside]
        yield from _subgraph(node, layer, boxes) if layer is not None else (f"    {box}" for box in boxes)
    owner = {name: unit for unit in units for name in unit.names}
    for unit in units:
        read = dict.fromkeys(owner[name] for name in unit.reads if name in owner)
        yield from (f"    {ids[source]} --> {ids[unit]}" for source in read)


def _by_layer(node: Node, units: Iterable[Unit]) -> Iterator[tuple[Node | None, list[Unit]]]:
    """The units of each layer together; those of none as they come."""
    for layer, inside in groupby(units, lambda unit: _layer(node, unit)):
        yield layer, list(inside)


def _layer(node: Node, unit: Unit) -> Node | None:
    around = node.path_to(unit.node.name)[1:-1]
    return next((each for each in around if each.level == "layer"), None)


def _subgraph(node: Node, layer: Node, boxes: Iterable[str]) -> Iterator[str]:
    yield f'    subgraph {_id(layer.name)}["{escaped(node.title_of(layer.name))}"]'
    yield from (f"        {box}" for box in boxes)
    yield "    end"


def _box(unit: Unit) -> str:
    step = unit.step
    if step is not None and skipped(step) is not None:
        return ADD.format("+")
    shape = INPUT if is_input(unit) else SMALL if is_small(unit) else BLOCK if step is None else STEP
    return _written(shape, title(unit), unit.output)


def _written(shape: str, named: str, made: Step | Parameter) -> str:
    """Its name, and below it the shape of what it hands on."""
    size = written(made.value.shape)
    return shape.format(escaped(named) + (f"<br/>{size}" if size != "1" else ""))


def _id(name: str) -> str:
    return "layer_" + re.sub(r"\W", "_", name, flags=re.ASCII)


def _printable(text: str) -> str:
    return "".join(sign if sign.isprintable() else " " for sign in text)


def escaped(text: str) -> str:
    """As a label in quotes: what Mermaid or HTML would take for more than a letter, by its number."""
    return re.sub(r"[^\w\s.,:+×·–−()/-]", lambda sign: f"#{ord(sign[0])};", _printable(text))
