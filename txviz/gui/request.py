"""What is to be computed: the input panel asks for it, and a file can keep it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from txviz.errors import TxvizError


@dataclass(frozen=True)
class Request:
    """A model, its input as text (an image as ``image_text`` writes it), and the options that are not the defaults."""

    model: str
    source: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return {"model": self.model, "source": self.source, "options": dict(self.options)}

    @classmethod
    def from_json(cls, content: Any) -> Request:
        """What ``as_json`` gave; anything else is refused."""
        match content:
            case {"model": str(model), "source": str(source), "options": dict(options), **rest} if not rest:
                if all(
                    isinstance(name, str) and isinstance(value, str | int | float) for name, value in options.items()
                ):
                    return cls(model, source, options)
        raise TxvizError("this is no input that txviz has kept: a model, a source and options are expected")
