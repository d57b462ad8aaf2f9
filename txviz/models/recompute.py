"""What a trace file leaves out: the weights of a checkpoint, or all that can be computed again (``trace.compact``)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np

from txviz.errors import TxvizError
from txviz.files import is_folder
from txviz.models import registry
from txviz.models.request import Request
from txviz.models.tracing import trace_with
from txviz.ops import Array
from txviz.trace import Trace
from txviz.trace.references import FLAG
from txviz.trace.store import Models


def located(about: Mapping[str, Any], beside: Path) -> Mapping[str, Any]:
    """A model's folder that is no longer where it was may lie beside the file."""
    model = about.get("model") if isinstance(about, dict) else None
    if not isinstance(model, str) or model in registry.models() or not model or is_folder(Path(model)):
        return about
    near = beside / Path(model).name
    return {**about, "model": str(near)} if is_folder(near) else about


def weights(about: Mapping[str, Any]) -> Mapping[str, Array]:
    """Those of the checkpoint that was run, in the type that it was run in."""
    model = str(about.get("model"))
    if not is_folder(Path(model)):
        raise TxvizError(f"its weights stayed in {model[:200]}, which is not there; put the folder back, or beside it")
    found: Any = registry.find(model)
    if not getattr(found, FLAG, False):
        raise TxvizError(f"its weights stayed in {model[:200]}, which is no checkpoint")
    kind = np.dtype(_dtype(about))
    return {name: value.astype(kind, copy=False) for name, value in found.parameters.items()}


def _dtype(about: Mapping[str, Any]) -> Literal["float64", "float32"]:
    named: dict[object, Literal["float64", "float32"]] = {"float64": "float64", "float32": "float32"}
    dtype = about.get("dtype")
    if isinstance(dtype, str) and dtype in named:
        return named[dtype]
    raise TxvizError(f"its numbers are said to be {str(dtype)[:40]}; they can be float64 or float32")


def recompute(about: Mapping[str, Any], given: Mapping[str, Array]) -> Trace:
    """The run once more; ``given`` has what was not computed, by the names of its steps."""
    asked, dtype = Request.of_about(about), _dtype(about)
    by_hand = {str(name): given[name] for name in about.get("overrides", [])}
    source = _source(asked, given)
    made = trace_with(asked.model, source, asked.options, edits=asked.edits, overrides=by_hand, dtype=dtype)
    if isinstance(made.about, dict):
        made.about.update(about)  # which every step refers to
    return made


def _source(asked: Request, given: Mapping[str, Array]) -> Any:
    """A drawing came from a file that need not be there any more."""
    takes, image = registry.find(asked.model).takes, given.get("image")
    return image if takes.kind == "image" and image is not None and image.shape == takes.size else asked.source


MODELS = Models(located, weights, recompute)
