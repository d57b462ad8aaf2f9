"""Running again what a compact trace file tells of (see ``trace.compact``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from txviz.errors import TxvizError
from txviz.models import registry
from txviz.models.request import Request
from txviz.models.tracing import trace_with
from txviz.ops import Array
from txviz.trace import Trace


def recompute(about: Mapping[str, Any], given: Mapping[str, Array]) -> Trace:
    """The run once more; ``given`` has what was not computed, by the names of its steps."""
    asked, dtype = Request.of_about(about), about.get("dtype")
    if dtype != "float64" and dtype != "float32":
        raise TxvizError(f"its numbers are said to be {str(dtype)[:40]}; they can be float64 or float32")
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
