"""Running a model on an input, and keeping every step."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from txviz.errors import TxvizError
from txviz.models import registry
from txviz.trace import Override, Run, Trace
from txviz.trace.names import suggestion

if TYPE_CHECKING:
    from txviz.models.model import Model


def trace(
    model: str,
    source: Any,
    *,
    overrides: Mapping[str, Override] | None = None,
    dtype: Literal["float64", "float32"] = "float64",
    **options: Any,
) -> Trace:
    """Runs a model on a sentence or an image and returns every step of the computation.

    ``overrides`` puts an array, or a function of the computed value, in place of a named step. ``options`` are the
    model's own, such as ``pooling="cls"``.
    """
    keep_freed_memory()
    found = registry.find(model)
    chosen = _options(found, options)
    prepared = found.prepare(source, chosen)
    run = Run(
        {name: value.astype(dtype, copy=False) for name, value in prepared.parameters.items()},
        dtype=dtype,
        overrides=overrides,
        notes=prepared.notes,
        prints=prepared.prints,
    )
    output = prepared.forward(run)
    _check_overrides(overrides or {}, run)
    return Trace(run.steps, {"model": model, "input": _plain(source), "options": chosen}, output)


@cache
def keep_freed_memory() -> None:
    """Lets the next trace use the memory of the last one, so that typing and drawing stay quick with larger models.

    glibc gives freed arrays back to the system at once, and getting them again page by page took a third of the time
    of a run. Having freed one large block, it keeps up to twice that much. Elsewhere this does nothing.
    """
    np.empty(31 * 2**20, dtype=np.uint8)


def _options(model: Model, given: Mapping[str, Any]) -> dict[str, Any]:
    """The model's options, with defaults for those that are not given."""
    for option, value in given.items():
        if option not in model.options:
            takes = f"it takes {', '.join(model.options)}" if model.options else "it takes none"
            raise TxvizError(f"{model.name} has no option {option}; {takes}")
        if value not in model.options[option]:
            raise TxvizError(f"{option} is {value!r}; it can be {' or '.join(model.options[option])}")
    return {option: given.get(option, choices[0]) for option, choices in model.options.items()}


def _check_overrides(overrides: Mapping[str, Override], run: Run) -> None:
    names = [step.name for step in run.steps]
    for name in overrides:
        if name not in names:
            raise TxvizError(f'no step is called "{name}", so it can\'t be overridden{suggestion(name, names)}')


def _plain(source: Any) -> Any:
    """The input as JSON can hold it."""
    return str(source) if isinstance(source, str | Path) else np.asarray(source).tolist()
