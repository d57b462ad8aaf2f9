"""How far a run is, in words and as a share, from the step that it made last."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from txviz.errors import TxvizError
from txviz.models.registry import SHIPPED, TRAINED, find, title
from txviz.trace import Step
from txviz.trace.site import Site, read_name

_SENTENCES = ("first", "second")


class Progress(NamedTuple):
    text: str
    """``Layer 7 of 12 · 84 steps``, or that files are read as long as there is no step."""

    share: float | None
    """From 0 to 1; None where nobody can say."""


def layers_of(model: str) -> dict[str, int]:
    """How many layers each part of a model has, by the names of its parameters. Guides are quick, and have few."""
    found: dict[str, int] = {}
    if model in SHIPPED and model not in TRAINED:
        return found
    for name in getattr(find(model), "parameters", {}):
        site = read_name(name)
        if site.part is not None and site.layer is not None:
            found[site.part] = max(found.get(site.part, 0), site.layer + 1)
    return found


class Teller:
    """For one run: the model, and the options that differ from the model's own."""

    def __init__(self, model: str, options: Mapping[str, Any]) -> None:
        self._model, self._options = model, options
        self._known: tuple[dict[str, int], int] | None = None

    def progress(self, latest: object, count: int) -> Progress:
        """After the step that was recorded last, of so many."""
        if not isinstance(latest, Step):
            return Progress(f"Reading {title(self._model)}…", None)
        layers, most = self._known = self._known or self._look()
        counted = f"{count:,} {'step' if count == 1 else 'steps'}"
        told = " · ".join(filter(None, (_place(latest.site, layers, most), counted)))
        return Progress(told, _share(latest.site, layers, most))

    def _look(self) -> tuple[dict[str, int], int]:
        """Its layers, and how many tokens it may write; nothing of a file that is no model, when what was computed
        before it was to be opened goes on."""
        try:
            return layers_of(self._model), _most_times(self._model, self._options)
        except TxvizError:
            return {}, 0


def _place(site: Site, layers: Mapping[str, int], most: int) -> str:
    words = [f"{site.sentence} text"] if site.sentence else []
    words += [f"token {site.time} of at most {most}" if most else f"token {site.time}"] if site.time else []
    words += [_layer(site, layers)] if site.part in layers and site.layer is not None else []
    told = ", ".join(words) or (site.part or "").replace("_", " ")
    return told[:1].upper() + told[1:]


def _layer(site: Site, layers: Mapping[str, int]) -> str:
    part = f"{site.part} " if len(layers) > 1 else ""
    return f"{part}layer {1 + (site.layer or 0)} of {layers[site.part or '']}"


def _share(site: Site, layers: Mapping[str, int], most: int) -> float | None:
    """Of the layers of this pass; of the tokens that may be written, where some are."""
    if site.part not in layers or site.part is None or site.layer is None or (most and site.time is None):
        return None
    done = (site.layer + 1) / layers[site.part]
    if site.sentence is not None:
        return (_SENTENCES.index(site.sentence) + done) / len(_SENTENCES)
    return (site.time - 1 + done) / most if site.time is not None and most else done


def _most_times(model: str, options: Mapping[str, Any]) -> int:
    """How many tokens may be written; 0 where none are."""
    option = find(model).options.get("max_steps")
    return 0 if option is None else int(options.get("max_steps", option.default or 0))
