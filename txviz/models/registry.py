"""The models that ship, by name. A model's code is imported when it is first asked for."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, cast

from txviz.errors import TxvizError
from txviz.trace import Printed
from txviz.trace.names import suggestion

if TYPE_CHECKING:
    from txviz.models.model import Model

GUIDES = ("sentence-guide", "vit-guide-3x2", "vit-guide-2x2", "masked-attention-guide")


TRAINED = ("sentence", "digits", "translator", "writer")


def models() -> list[str]:
    """The names of all models."""
    return [*GUIDES, *TRAINED]


@cache
def find(name: str) -> Model:
    if name in GUIDES:
        from txviz.models import guides

        return guides.guide(name)
    if name in TRAINED:
        return cast("Model", getattr(import_module(f"txviz.models.{name}"), name.capitalize())())
    hint = suggestion(name, models()) or f"; there are {', '.join(models())}"
    raise TxvizError(f'no model is called "{name}"{hint}')


class Finding(NamedTuple):
    """One result that a guide prints, with its verdict."""

    model: str
    step: str
    printed: Printed


def audit() -> list[Finding]:
    """Every result that the guides print, computed again."""
    from txviz.models import guides

    return [
        Finding(name, step, entry)
        for name in GUIDES
        for step, entries in guides.guide(name).prints.items()
        for entry in entries
    ]
