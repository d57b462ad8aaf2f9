"""An edit in words: which cells of what, and what becomes of them."""

from __future__ import annotations

from txviz.errors import TxvizError
from txviz.figures.naming import name
from txviz.figures.numerals import trimmed
from txviz.trace import Step, Trace
from txviz.trace.edits import Edit, read_edit
from txviz.trace.names import matching
from txviz.trace.step import Parameter
from txviz.trace.symbols import labels

MOST = 4
"""Numbers that are written out; of more, the first ones."""

_DONE = {
    "untouched": "frozen, as it is without edits",
    "guide": "the guide's numbers",
    "uniform": "the same for all that may be seen",
}


def in_words(text: str, trace: Trace) -> str:
    """``head 1 of encoder 0 attention weights = 0``; the edit itself where the run has no such thing."""
    try:
        edit = read_edit(text)
    except TxvizError:
        return text
    source = source_of(edit, trace)
    if source is None or len(edit.place) > source.value.ndim:
        return text
    return f"{_what(edit, source)} {_done(edit)}"


def source_of(edit: Edit, trace: Trace) -> Step | Parameter | None:
    """The step or the parameter that it is for; of several, the first."""
    step = next(iter(trace.find(edit.name)), None) if "*" in edit.name else trace.get(edit.name)
    if step is not None:
        return step
    learned = trace.learned
    return next((learned[each] for each in matching(edit.name, learned)), None)


def step_of(text: str, trace: Trace) -> Step | None:
    """Where one sees what an edit has changed: the step itself, or the first that reads the parameter."""
    try:
        source = source_of(read_edit(text), trace)
    except TxvizError:
        return None
    if source is None or isinstance(source, Step):
        return source
    return next((step for step in trace if source.name in step.inputs), None)


def _what(edit: Edit, source: Step | Parameter) -> str:
    titled = isinstance(source, Step) and "*" not in edit.name
    called = " ".join(labels(source.site)) if titled else edit.name
    shape = source.value.shape
    places = [(k, i) for k, i in enumerate(edit.place) if i is not None and i < shape[k] and shape[k] > 1]
    if isinstance(source, Step):
        said = [_at(source, k, i) for k, i in places]
    else:
        said = [f"{('row', 'column')[k]} {i}" if len(shape) == 2 else f"number {i}" for k, i in places]
    return f"{', '.join(said)} of {called}" if said else called


def _at(step: Step, axis: int, i: int) -> str:
    """Of two axes of tokens, which one."""
    kind = step.axes[axis]
    return f"{kind} {name(step, axis, i)}" if kind in ("query", "key") else name(step, axis, i)


def _done(edit: Edit) -> str:
    if edit.kind == "numbers":
        parts = [part.strip() for part in edit.values.split(",")]
        said = ", ".join(map(_number, parts[:MOST])) + (", …" if len(parts) > MOST else "")
        return f"= {said}"
    if edit.kind == "factor":
        return f"× {_number(edit.values)}"
    if edit.kind == "operand":
        return f"= its operand {edit.values}"
    return f"= {_DONE.get(edit.kind, edit.values)}"


def _number(text: str) -> str:
    """As a person reads it; a word as it is."""
    try:
        return trimmed(float(text))
    except ValueError:
        return text
