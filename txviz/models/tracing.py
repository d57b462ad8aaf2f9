"""Running a model on an input, and keeping every step."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from math import isfinite
from os import PathLike
from typing import Any, Literal

import numpy as np

from txviz.errors import TxvizError
from txviz.models import registry
from txviz.models.model import Model, Prepared
from txviz.models.options import differences, read_options
from txviz.ops import Array
from txviz.trace import Override, Run, Step, Trace
from txviz.trace.editor import Editor
from txviz.trace.edits import EditError, read_edits
from txviz.trace.names import suggestion
from txviz.trace.references import FLAG

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # as glibc's malloc.h numbers them

KEPT = 2**29
"""Bytes: a trace of GPT-2 small at 128 tokens has 170 MB, one of ViT-Base 230 MB."""


def trace(
    model: str,
    source: Any,
    *,
    edits: Sequence[str] = (),
    overrides: Mapping[str, Override] | None = None,
    dtype: Literal["float64", "float32"] | None = None,
    watch: Callable[[Step], object] | None = None,
    **options: Any,
) -> Trace:
    """Runs a model on a sentence or an image and returns every step of the computation.

    ``model`` is a name or a folder. ``edits`` change steps and parameters by hand: "pool.cls=2.3,-1.1,3.2,1.4" or
    "encoder.0.attention.weights[1]=0" (``txviz.trace.edits`` has all forms). ``overrides`` puts an array,
    or a function of the computed value, in place of a named step. ``watch`` is called with each step as it is made.
    ``dtype`` is float64 unless a checkpoint has another. ``options`` are the model's own: ``pooling="cls"``.
    """
    return trace_with(model, source, options, edits=edits, overrides=overrides, dtype=dtype, watch=watch)


def trace_with(
    model: str,
    source: Any,
    options: Mapping[str, Any],
    *,
    edits: Sequence[str] = (),
    overrides: Mapping[str, Override] | None = None,
    dtype: Literal["float64", "float32"] | None = None,
    watch: Callable[[Step], object] | None = None,
    known: Trace | None = None,
    instead: Model | None = None,
) -> Trace:
    """The same for options that somebody typed: whatever they are called, they are taken for the model's own.

    What comes out as in a trace that is ``known`` is taken from there, and only the rest is computed. ``instead`` is
    run in place of the model of this name, such as the same one before its training.
    """
    keep_freed_memory()
    edits = (edits,) if isinstance(edits, str) else edits
    by_hand = read_edits(edits)
    found = instead or registry.find(model)
    chosen = read_options(found.name, found.options, options)
    prepared = found.prepare(source, chosen)
    dtype = dtype or prepared.dtype
    untouched = partial(
        trace_with, model, source, options, overrides=overrides, dtype=dtype, known=known, instead=instead
    )
    editor = Editor(by_hand, prepared.guide, untouched) if by_hand else None
    run = _ready(prepared, dtype, editor, overrides=overrides, known=known, watch=watch)
    output = _output(prepared, run, edits)
    _check_overrides(overrides or {}, run)
    if editor:
        editor.check_all_made()
    about = {"model": model, "title": found.title, "input": _plain(source), "options": chosen, "dtype": dtype}
    run.about.update({**about, **_besides(found, chosen, run, overrides or {}, edits)})
    return Trace(run.steps, run.about, output)


def _ready(prepared: Prepared, dtype: Literal["float64", "float32"], editor: Editor | None, **more: Any) -> Run:
    """A run with the parameters in this precision, as they were changed by hand."""
    parameters: Mapping[str, Array] = _in_precision(prepared.parameters, dtype)
    if editor:
        parameters = editor.change_parameters(parameters)
    return Run(parameters, dtype=dtype, editor=editor, notes=prepared.notes, prints=prepared.prints, **more)


def _besides(
    found: Model, chosen: Mapping[str, Any], run: Run, overrides: Mapping[str, Override], edits: Sequence[str]
) -> dict[str, Any]:
    """What is told about some runs only, and which options are not as they are when nobody says."""
    return {
        **({FLAG: True} if getattr(found, FLAG, False) else {}),
        **_finite(run.details),
        **({"overrides": list(overrides)} if overrides else {}),
        **({"edits": list(edits)} if edits else {}),
        "given": differences(found.options, chosen),
    }


def _in_precision(parameters: Mapping[str, Array], dtype: str) -> dict[str, Array]:
    """The same numbers in this precision; those that have it are not copied."""
    kind = np.dtype(dtype)
    return {name: value if value.dtype == kind else value.astype(kind) for name, value in parameters.items()}


def _output(prepared: Prepared, run: Run, edits: Sequence[str]) -> str | Step:
    """What the model says. Where it can't go on from what was put in by hand, that is to blame."""
    with np.errstate(all="ignore"):  # what becomes of such a number is there to be seen
        try:
            return prepared.forward(run)
        except (ArithmeticError, LookupError, TxvizError, ValueError) as error:
            if not edits or isinstance(error, EditError):
                raise
            raise EditError(f"the run can't go on from what was changed by hand ({error})", *edits) from error


@cache
def keep_freed_memory() -> None:
    """Lets the next trace use the memory of the last one, so that typing and drawing stay quick with larger models.

    glibc gives freed arrays back to the system at once, and getting them again page by page took a third of the time
    of a run. It is told to keep up to ``KEPT``; elsewhere this does nothing.
    """
    tell = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if tell is not None:
        tell(M_MMAP_THRESHOLD, 2**25)
        tell(M_TRIM_THRESHOLD, KEPT)


def _check_overrides(overrides: Mapping[str, Override], run: Run) -> None:
    names = [step.name for step in run.steps] if overrides else []
    for name in overrides:
        if name not in names:
            raise TxvizError(f'no step is called "{name}", so it can\'t be overridden{suggestion(name, names)}')


def _finite(details: Mapping[str, Any]) -> dict[str, Any]:
    """As JSON can hold them: the logarithm of nothing, of a token that was forced and can't be drawn, is no number."""
    return {
        name: None if isinstance(value, float) and not isfinite(value) else value for name, value in details.items()
    }


def _plain(source: Any) -> Any:
    """The input as JSON can hold it."""
    return str(source) if isinstance(source, str | PathLike) else np.asarray(source).tolist()
