"""What is to be computed, as data: the input panel asks for it, and a file can keep it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from txviz.errors import TxvizError
from txviz.models import registry
from txviz.models.options import read_options
from txviz.models.tracing import trace_with
from txviz.trace import Step, Trace
from txviz.trace.editor import GuideNumbers
from txviz.trace.edits import EditError


@dataclass(frozen=True)
class Request:
    """A model, its input as text (an image as ``image_text`` writes it), the options that are not the defaults, and
    what is changed by hand, such as ``pool.cls=2.3,-1.1,3.2,1.4``."""

    model: str
    source: str
    options: Mapping[str, Any] = field(default_factory=dict)
    edits: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {"model": self.model, "source": self.source, "options": dict(self.options), "edits": list(self.edits)}

    @classmethod
    def from_json(cls, content: Any) -> Request:
        """What ``as_json`` gave, now or before there were edits; anything else is refused."""
        match content:
            case {"model": str(model), "source": str(source), "options": dict(options), **rest}:
                edits: Any = rest.pop("edits", [])
                if not rest and _are_options(options) and _are_edits(edits):
                    return cls(model, source, options, tuple(edits))
        raise TxvizError("this is no input that txviz has kept: a model, a source, options and edits are expected")

    @classmethod
    def of_trace(cls, made: Trace) -> Request:
        """What a trace says that it was computed from; the model need not be one that ships. It may say nonsense."""
        return cls.of_about(made.about)

    @classmethod
    def of_about(cls, about: Mapping[str, Any]) -> Request:
        match about:
            case {"model": model, "input": source, "options": dict(options)}:
                chosen = {name: value for name, value in options.items() if value is not None}
                content = {"model": model, "source": _as_text(source), "options": chosen}
                return cls.from_json({**content, "edits": about.get("edits", [])})
        raise TxvizError("the trace does not say what it was computed from")


def compute(request: Request, watch: Callable[[Step], object] | None = None, *, known: Trace | None = None) -> Trace:
    """Runs the model; ``watch`` is called with each step as it is made.

    What comes out as in a trace that is ``known``, such as one with other edits, is taken from there: its steps are
    the same objects. Only what lies downstream of a change is computed.
    """
    return trace_with(request.model, request.source, request.options, edits=request.edits, watch=watch, known=known)


def compute_what_applies(
    request: Request, watch: Callable[[Step], object] | None = None, *, known: Trace | None = None
) -> tuple[Trace, Request]:
    """The same without those edits that no longer fit: the input may have changed since. What was computed, too."""
    while True:
        try:
            return compute(request, watch, known=known), request
        except EditError as error:
            kept = tuple(edit for edit in request.edits if edit not in error.edits)
            if kept == request.edits:
                raise
            request = replace(request, edits=kept)


def guide_numbers(request: Request) -> GuideNumbers:
    """What a guide has at the steps of this run; nothing where it is not the guide's own example."""
    found = registry.find(request.model)
    return found.prepare(request.source, read_options(found.name, found.options, request.options)).guide


def _as_text(source: Any) -> Any:
    """The input of a trace as the input panel has it: sentences with a bar between, rows of numbers."""
    match source:
        case [str(first), str(second)]:
            return f"{first} | {second}"
        case [[*_], *_] if all(isinstance(row, list) for row in source):
            return "; ".join(" ".join(map(str, row)) for row in source)
    return source


def _are_options(options: Mapping[Any, Any]) -> bool:
    return all(isinstance(name, str) and isinstance(value, str | int | float) for name, value in options.items())


def _are_edits(edits: Any) -> bool:
    return isinstance(edits, list) and all(isinstance(edit, str) for edit in edits)
