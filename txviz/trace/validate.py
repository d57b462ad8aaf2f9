"""One door for what comes from a file: whatever passes it can be shown, replayed and exported without harm.

Names become paths and formulas, sizes become memory, texts become labels: all have their form and their bounds here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from txviz.errors import TxvizError
from txviz.ops import Array
from txviz.trace.site import Site
from txviz.trace.step import Step

LONGEST_NAME, LONGEST_LABEL, LONGEST_TEXT = 200, 1000, 5000
"""Letters. The names of gradients are long: they have the name of their reader in them."""

MOST_STEPS, MOST_AXES, MOST_NUMBERS = 100_000, 8, 100_000
LARGEST, STEEPEST = 1e12, 100
"""Of a number that an operation takes, and of an exponent."""

SIZES = ("length", "width", "rows", "columns", "queries", "keys", "heads", "shape", "size", "patch")
"""What makes a result large; none can be larger than what the file holds of it."""

_NAME = re.compile(r"[a-z0-9_]+(?:\.[a-z0-9_]+)*")
_WORD = re.compile(r"[a-z][a-z0-9_]*")


def check_name(name: object) -> str:
    """The name of a step or parameter: lower-case words and numbers with dots."""
    if not isinstance(name, str) or len(name) > LONGEST_NAME or not _NAME.fullmatch(name):
        raise TxvizError(f"a step or parameter is called {str(name)[:40]!r}; names are lower-case words with dots")
    return name


def check_site(site: Site) -> Site:
    words = (site.leaf, site.part, site.block, site.sentence, site.pass_, site.role)
    numbers = (site.layer, site.time, site.beam, site.again)
    nested = site.reader is not None and site.reader.reader is not None
    if not all(isinstance(word, str | None) for word in words) or not all(map(_counts, numbers)) or nested:
        raise TxvizError(f"the place of a step in the model makes no sense: {str(site.as_json())[:80]}")
    return site


def _counts(number: object) -> bool:
    return number is None or (isinstance(number, int) and not isinstance(number, bool) and 0 <= number < 10**6)


def check_step(step: Step) -> Step:
    """The step as it is, if nothing in it can do harm."""
    if not step.value.size > 0 or step.value.ndim > MOST_AXES:
        raise _wrong(step, f"its shape is {step.value.shape}, and every axis must have something in it")
    if len(set(step.axes)) != len(step.axes) or not all(_WORD.fullmatch(axis) for axis in step.axes):
        raise _wrong(step, f"its axes are called {str(step.axes)[:80]}")
    _check_labels(step)
    _check_text(step, step.note)
    for printed in step.printed:
        _check_text(step, printed.where)
        _check_text(step, printed.note)
        _check_printed(step, (printed.printed, printed.computed))
    most = max(max(each.value.shape, default=1) for each in (step, *step.sources))
    for name, value in step.params.items():
        _check_parameter(step, name, value, most)
    return step


def _check_labels(step: Step) -> None:
    sizes = dict(zip(step.axes, step.value.shape, strict=True))
    for axis, labels in step.given_labels.items():
        fits = len(labels) == sizes.get(axis, -1)
        if not fits or not all(isinstance(label, str) and len(label) <= LONGEST_LABEL for label in labels):
            raise _wrong(step, f"the labels of its axis {str(axis)[:40]!r} do not fit it")


def _check_text(step: Step, text: object) -> None:
    if not isinstance(text, str) or len(text) > LONGEST_TEXT:
        raise _wrong(step, "its note is no text, or far too long")


def _check_printed(step: Step, content: object) -> None:
    numbers = list(_flat(content))
    if len(numbers) > MOST_NUMBERS or not all(isinstance(number, int | float) for number in numbers):
        raise _wrong(step, "what its guide printed are not numbers")


def _check_parameter(step: Step, name: str, value: object, most: int) -> None:
    """Numbers and short words; a size is no larger than the tensors that are there."""
    bound = float(most) if name in SIZES else STEEPEST if name == "exponent" else LARGEST
    for each in _flat(value):
        if isinstance(each, str):
            if len(each) > LONGEST_NAME:
                raise _wrong(step, f"its operation takes a {name} that is far too long")
        elif each is not None and not (isinstance(each, int | float) and -bound <= each <= bound):
            raise _wrong(step, f"its operation takes {str(each)[:40]} as {name[:40]}, which is out of bounds")


def _flat(content: object, depth: int = 0) -> Iterator[object]:
    if isinstance(content, list | tuple) and depth < MOST_AXES + 2:
        for each in content:
            yield from _flat(each, depth + 1)
    else:
        yield content


def check_graph(graph: Any, arrays: Mapping[str, Array]) -> None:
    """The form of the whole, before any of it is used."""
    steps = graph["steps"]
    if not isinstance(steps, list) or not 0 < len(steps) <= MOST_STEPS:
        raise TxvizError(f"it has no steps, or more than {MOST_STEPS:,}")
    for name, value in arrays.items():
        check_name(name)
        if value.dtype.kind not in "fiub":
            raise TxvizError(f"{name} holds {value.dtype}, which are not numbers")
    if not isinstance(graph["about"], dict) or not isinstance(graph["origin"], str):
        raise TxvizError("it does not say what was run")


def _wrong(step: Step, what: str) -> TxvizError:
    return TxvizError(f"the step {step.name} can't be used: {what}")
