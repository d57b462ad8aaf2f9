"""Steps and their outline as text for a terminal: labelled rows, aligned decimals, a tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import TextWrapper
from typing import Any
from unicodedata import east_asian_width

import numpy as np

from txviz.figures.numerals import trimmed, written
from txviz.figures.prints import prints
from txviz.ops import Array
from txviz.ops.arithmetic import number
from txviz.trace import Printed, Step
from txviz.trace.outline import Node
from txviz.trace.standing import Standing

ROWS, COLUMNS = MOST = 48, 16
"""More than these are left out in the middle."""

GAP = "…"

PAGE_WIDTH = 100

TREE_COLUMNS = 36, 48
"""How wide titles and names of a tree are at most; a longer one moves the rest of its own line only."""


def describe(step: Step) -> str:
    """The step's name and shape, what it was made from, a sentence, and its numbers."""
    made = f"{step.op}({', '.join(step.inputs)})" if step.inputs else step.op
    lines = [f"{step.name}  [{step.dimensions}]", f"  {made}", f"  {step.text}"]
    lines += [f"  {verdict.mark} {verdict.text}" for verdict in prints(step)]
    return "\n".join([*lines, *(f"    {line}" for line in numbers(step))])


def numbers(step: Step) -> Iterator[str]:
    """The array, one block for each place of the axes before the last two."""
    value, labels = step.value, step.labels
    shown = cells(value)
    if value.ndim == 0:
        yield str(shown[()]) + (f": {step.chosen}" if step.chosen is not None else "")
    elif value.ndim == 1:
        yield from table(("",), labels[0], shown[None])
    else:
        for place in np.ndindex(*value.shape[:-2]):
            if place:
                yield ", ".join(f"{axis} {labels[i][place[i]]}" for i, axis in enumerate(step.axes[:-2])) + ":"
            yield from table(labels[-2], labels[-1], shown[place])


def standings(found: Sequence[tuple[Step, Standing]]) -> Iterator[str]:
    """Where a word stands in each row of some steps, one line for each."""
    rows = [", ".join([step.name, *_row_labels(step, each)]) for step, each in found]
    texts = np.array(
        [
            [
                each.label,
                each.entry,
                number(each.probability),
                f"{each.rank:,} of {step.value.shape[-1]:,}",
                number(each.score),
            ]
            for step, each in found
        ],
        dtype=object,
    )
    return table(rows, ("word", "number", "probability", "rank", "score"), texts)


def _row_labels(step: Step, each: Standing) -> list[str]:
    return [step.labels_along(axis)[place] for axis, place in enumerate(each.cell[:-1])]


def cells(value: Array) -> Array:
    """Every number that is shown as text, in the array's shape."""
    texts, axes = np.empty(value.shape, dtype=object), zip(value.shape[-2:], MOST[-value.ndim :], strict=False)
    shown: tuple[Any, ...] = (..., *np.ix_(*([i for i in _kept(n, most) if i is not None] for n, most in axes)))
    part = value[shown]
    written_out = np.empty(part.size, dtype=object)
    written_out[:] = written(part, of=value)
    texts[shown] = written_out.reshape(part.shape)
    return texts


def table(rows: Sequence[str], columns: Sequence[str], texts: Array) -> Iterator[str]:
    """Rows and columns with their labels; long ones are cut in the middle."""
    down, across = _kept(len(rows), ROWS), _kept(len(columns), COLUMNS)
    heads = ["", *(GAP if j is None else columns[j] for j in across)]
    body = [
        [GAP if i is None else rows[i], *(GAP if i is None or j is None else str(texts[i, j]) for j in across)]
        for i in down
    ]
    widths = [max(_width(line[k]) for line in [heads, *body]) for k in range(len(heads))]
    for line in [heads, *body]:
        first = _padded(line[0], widths[0])
        rest = (" " * (width - _width(cell)) + cell for cell, width in zip(line[1:], widths[1:], strict=True))
        yield "  ".join([first, *rest] if widths[0] else rest).rstrip()


def _kept(count: int, most: int) -> list[int | None]:
    """The places that are shown; None stands for all that is left out."""
    if count <= most:
        return list(range(count))
    head = most * 2 // 3
    return [*range(head), None, *range(count - (most - head - 1), count)]


def _padded(text: str, width: int) -> str:
    return text + " " * max(0, width - _width(text))


def _width(text: str) -> int:
    """How many columns of a terminal the text takes."""
    return sum(2 if east_asian_width(c) in "WF" else 1 for c in text)


def tree(node: Node) -> str:
    """A line for each node: its title, its name, and its shape or how many steps it has, in columns. The title of the
    run, which has no name, takes both."""
    run, *lines = _branches(node, "", "")
    titles, names = (min(max(_width(line[i]) for line in lines), most) for i, most in enumerate(TREE_COLUMNS))
    first = f"{_padded(run[0], titles + 2 + names)}  {run[2]}"
    return "\n".join([first, *(f"{_padded(a, titles)}  {_padded(b, names)}  {c}".rstrip() for a, b, c in lines)])


def _branches(node: Node, first: str, rest: str) -> Iterator[tuple[str, str, str]]:
    """``first`` is drawn before the node's own line, ``rest`` before those below it."""
    yield first + node.title, node.name, _size(node)
    for child in node.children:
        last = child is node.children[-1]
        yield from _branches(child, rest + ("└─ " if last else "├─ "), rest + ("   " if last else "│  "))


def _size(node: Node) -> str:
    if node.level == "step":
        return f"[{node.first.dimensions}]  {node.first.op}"
    return f"{len(node.steps):,} steps" if len(node.steps) > 1 else "1 step"


def page(node: Node) -> str:
    """Why the node is there, in lines of a readable length."""
    head = f"{node.name or node.title}  ({node.level})"
    wrapper = TextWrapper(PAGE_WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)
    return "\n".join([head, *map(wrapper.fill, str(node.why).splitlines())])


def finding(model: str, step: str, entry: Printed) -> str:
    """One printed result of a guide beside the computed one, row by row where it is a table."""
    mark = "✓ right" if entry.agrees else "✗ wrong"
    head = f"{mark}  {model} · {entry.where}  ({step})"
    note = [f"  {entry.note}"] if entry.note else []
    printed, computed = np.atleast_2d(np.array(entry.printed)), np.atleast_2d(np.array(entry.computed))
    shown = [f"    guide     {_row(a)}\n    computed  {_row(b)}" for a, b in zip(printed, computed, strict=True)]
    if entry.agrees and len(printed) > 1:
        shown = [f"    {len(printed)} rows, all right"]
    return "\n".join([head, *note, *shown])


def _row(values: Array) -> str:
    return "  ".join(f"{trimmed(x):>8}" for x in values.tolist())
