"""The models that ship, by name."""

from __future__ import annotations

from typing import NamedTuple

from txviz.errors import TxvizError
from txviz.models.guides import ImageGuide, MaskedAttentionGuide, SentenceGuide
from txviz.models.model import Model
from txviz.trace import Printed
from txviz.trace.names import suggestion

_GUIDES = (
    SentenceGuide("sentence-guide"),
    ImageGuide("vit-guide-3x2"),
    ImageGuide("vit-guide-2x2"),
    MaskedAttentionGuide("masked-attention-guide"),
)
_MODELS: tuple[Model, ...] = _GUIDES


def models() -> list[str]:
    """The names of all models."""
    return [model.name for model in _MODELS]


def find(name: str) -> Model:
    for model in _MODELS:
        if model.name == name:
            return model
    hint = suggestion(name, models()) or f"; there are {', '.join(models())}"
    raise TxvizError(f'no model is called "{name}"{hint}')


class Finding(NamedTuple):
    """One result that a guide prints, with its verdict."""

    model: str
    step: str
    printed: Printed


def audit() -> list[Finding]:
    """Every result that the guides print, computed again."""
    return [
        Finding(guide.name, step, entry) for guide in _GUIDES for step, found in guide.prints.items() for entry in found
    ]
