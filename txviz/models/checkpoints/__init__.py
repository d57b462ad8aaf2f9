"""Checkpoints of others: folders in Hugging Face's format, run by the nets that are here.

Each family is one module that reads as a table, their name → our name; ``encoding``, ``continuing``, ``translating``
and ``seeing`` are what can be asked of a model. Only safetensors are read, and nothing is ever downloaded.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any

from txviz.errors import TxvizError
from txviz.models.checkpoints.config import Config, read_json
from txviz.models.checkpoints.families import FAMILIES, supported
from txviz.models.folders import CONFIG
from txviz.models.model import Model


def is_checkpoint(described: Any) -> bool:
    """Whether a config.json is one of Hugging Face's, and not of txviz's own models."""
    return (
        isinstance(described, dict)
        and "model" not in described
        and not described.keys().isdisjoint(("model_type", "architectures"))
    )


def described(folder: Path) -> Any:
    """The configuration of a model in a folder."""
    if not os.path.lexists(folder / CONFIG) and os.access(folder, os.X_OK):
        raise TxvizError(f"{folder} is a folder without a model; one has {CONFIG}, and model.safetensors beside it")
    return read_json(folder / CONFIG)


def open_checkpoint(name: str, folder: Path, described: Any) -> Model:
    """The model in a folder, under the name that it was asked for, or one sentence that says why it can't be run."""
    config = Config(folder, CONFIG, described)
    kind, architecture = config.text("model_type", ""), _architecture(config)
    module, *known = FAMILIES.get(kind, ("",))
    if architecture not in known:
        raise TxvizError(f"{folder} holds a {architecture or kind or 'model of no name'}; {supported()}")
    made: Model = import_module(f"{__name__}.{module}").open_model(name, config, architecture)
    return made


def _architecture(config: Config) -> str:
    """What the configuration names; the bare model where it names none."""
    named = config.get("architectures")
    if isinstance(named, list) and named and isinstance(named[0], str):
        return named[0]
    return FAMILIES.get(config.text("model_type", ""), ("", ""))[1]
