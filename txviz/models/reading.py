"""A sentence token by token, before anything is computed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from txviz.models import registry
from txviz.models.model import Token
from txviz.models.options import read_options


def read_tokens(model: str, text: object, options: Mapping[str, Any] | None = None) -> list[Token]:
    """The tokens of a text; of a pair, one sentence's after the other's. Bad text is refused as it is in a trace."""
    found = registry.find(model)
    return found.tokens(text, read_options(found.name, found.options, options or {}))
