"""One door for what comes from a file: whatever passes it can be shown, replayed and exported without harm.

Names become paths and formulas, sizes become memory, texts become labels: all have their form and their bounds here.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping
from typing import Any
from unicodedata import category

import numpy as np

from txviz.errors import TxvizError
from txviz.ops import Array
from txviz.trace.site import Site
from txviz.trace.sizes import largest_result
from txviz.trace.step import Place, Printed, Step

LONGEST_NAME, LONGEST_LABEL, LONGEST_TEXT = 200, 1000, 5000
"""Letters. The names of gradients are long: they have the name of their reader in them."""

MOST_STEPS, MOST_AXES, MOST_NUMBERS = 100_000, 8, 100_000
LARGEST, STEEPEST = 1e12, 100
"""Of a number that an operation takes, and of an exponent."""

MOST_MADE = 10**7
"""Numbers that any operation may make; more only where the file holds as many."""

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


def check_step(step: Step, tried: set[Hashable]) -> Step:
    """The step as it is, if nothing in it can do harm; ``tried`` has the kinds of steps and the labels before it."""
    if not step.value.size > 0 or step.value.ndim > MOST_AXES:
        raise _wrong(step, f"its shape is {step.value.shape}, and every axis must have something in it")
    if len(set(step.axes)) != len(step.axes) or not all(_WORD.fullmatch(axis) for axis in step.axes):
        raise _wrong(step, f"its axes are called {str(step.axes)[:80]}")
    _check_labels(step, tried)
    _check_text(step, step.note)
    for printed in step.printed:
        _check_text(step, printed.where)
        _check_text(step, printed.note)
        _check_printed(step, printed)
    most = max(max(each.value.shape, default=1) for each in (step, *step.sources))
    for name, value in step.params.items():
        _check_parameter(step, name, value, most)
    _check_operation(step, tried)
    return step


def _check_operation(step: Step, tried: set[Hashable]) -> None:
    """It can be replayed and gives the shape that is recorded, and a cell can be explained; verify compares numbers."""
    try:
        if largest_result(step) > max(step.value.size, MOST_MADE):
            raise TxvizError("it would make far more numbers than the file holds")
        made = step.replay()
        if made.shape != step.value.shape or made.dtype.kind != step.value.dtype.kind:
            raise TxvizError(f"it gives {made.dtype} of the shape {made.shape}")
        if (kind := _kind(step)) not in tried:
            step.explain(tuple(n - 1 for n in made.shape))
            _ = step.formula
            tried.add(kind)
    except MemoryError:
        raise
    except Exception as error:  # nonsense can make an operation fail in any way
        raise _wrong(step, f"its operation {step.op} does not fit it ({error})") from error


def _kind(step: Step) -> Hashable:
    """Steps of one kind differ in sizes and numbers only: if one can be explained, all can."""
    taken = tuple((name, type(value)) for name, value in step.params.items())
    return step.op, step.value.ndim, tuple(each.value.ndim for each in step.sources), taken


def _check_labels(step: Step, tried: set[Hashable]) -> None:
    sizes = dict(zip(step.axes, step.value.shape, strict=True))
    for axis, labels in step.given_labels.items():
        if len(labels) != sizes.get(axis, -1) or (labels not in tried and not _are_labels(labels)):
            raise _wrong(step, f"the labels of its axis {str(axis)[:40]!r} do not fit it")
        tried.add(labels)


def _are_labels(labels: tuple[object, ...]) -> bool:
    return all(isinstance(label, str) and len(label) <= LONGEST_LABEL for label in labels)


def _check_text(step: Step, text: object) -> None:
    if not isinstance(text, str) or len(text) > LONGEST_TEXT:
        raise _wrong(step, "its note is no text, or far too long")


def _check_printed(step: Step, entry: Printed) -> None:
    numbers = list(_flat((entry.printed, entry.computed)))
    if len(numbers) > MOST_NUMBERS or not all(isinstance(number, int | float) for number in numbers):
        raise _wrong(step, "what its guide printed are not numbers")
    inside = len(entry.at) <= step.value.ndim and all(map(_is_place, entry.at, step.value.shape))
    if not inside or np.shape(entry.printed) != np.shape(entry.computed):
        raise _wrong(step, "what its guide printed does not stand anywhere in it")


def _is_place(place: object, size: int) -> bool:
    return type(place) is int and 0 <= place < size


def check_place(place: Any, shape: tuple[int, ...]) -> Place:
    """One that was changed by hand: numbers, and None for all of an axis."""
    fits = len(place) <= len(shape) and all(i is None or _is_place(i, n) for i, n in zip(place, shape, strict=False))
    if not fits:
        raise TxvizError(f"it says that the place {str(place)[:40]} was changed by hand, which is not there")
    return tuple(place)


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


def check_texts(content: object) -> None:
    """Nowhere a control character or half of a character: not every program, and no file of XML, could take them."""
    if isinstance(content, str):
        for character in content:
            if category(character) in ("Cc", "Cs") and not character.isspace():
                raise TxvizError(f"the text {content[:40]!r} has U+{ord(character):04X} in it, which is not text")
    elif isinstance(content, dict):
        check_texts([*content, *content.values()])
    elif isinstance(content, list):
        for each in content:
            check_texts(each)


def check_graph(graph: Any, arrays: Mapping[str, Array]) -> None:
    """The form of the whole, before any of it is used."""
    steps = graph["steps"]
    if not isinstance(steps, list) or not 0 < len(steps) <= MOST_STEPS:
        raise TxvizError(f"it has no steps, or more than {MOST_STEPS:,}")
    for name, value in arrays.items():
        check_name(name)
        if value.dtype.kind not in "fiub":
            raise TxvizError(f"{name} holds {value.dtype}, which are not numbers")
    check_run(graph)


def check_run(graph: Any) -> None:
    """What a file says about the run, whether it has the numbers or not."""
    if not isinstance(graph["about"], dict) or not isinstance(graph["origin"], str):
        raise TxvizError("it does not say what was run")
    considered = graph["about"].get("hypotheses", [])
    if not isinstance(considered, list) or not all(_is_hypothesis(each, len(considered)) for each in considered):
        raise TxvizError("what its beam considered makes no sense")


def _is_hypothesis(content: object, count: int) -> bool:
    """As ``nets.beam_search.Hypothesis`` has it, with words for tokens."""
    match content:
        case {
            "time": int(time),
            "tokens": list(tokens),
            "log_probability": int() | float(),
            "score": int() | float(),
            "parent": int() | None as parent,
            "state": str(),
        }:
            words = all(isinstance(token, str) and len(token) <= LONGEST_LABEL for token in tokens)
            return words and _counts(time) and (parent is None or 0 <= parent < count)
    return False


def _wrong(step: Step, what: str) -> TxvizError:
    return TxvizError(f"the step {step.name} can't be used: {what}")
