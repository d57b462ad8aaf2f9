"""What a model reads: the kind of its input, and a sentence token by token, before anything is computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from txviz.models import registry
from txviz.models.options import read_options


@dataclass(frozen=True)
class InputKind:
    """One sentence, a pair of sentences parted by a bar (the second may be missing), or an image."""

    kind: Literal["sentence", "pair", "image"]
    size: tuple[int, int] = (0, 0)
    """Rows and columns of an image."""


@dataclass(frozen=True)
class Token:
    """One token of a sentence, as the model reads it."""

    text: str
    number: int | None = None
    """What stands for it in the model's vocabulary; None where there is no vocabulary."""

    known: bool = True
    nearest: tuple[str, ...] = ()
    """Known words that look like an unknown one."""


def read_tokens(model: str, text: str, options: Mapping[str, Any] | None = None) -> list[Token]:
    """The tokens of a text; of a pair, one sentence's after the other's. Bad text is refused as it is in a trace."""
    found = registry.find(model)
    return found.tokens(text, read_options(found.name, found.options, options or {}))
