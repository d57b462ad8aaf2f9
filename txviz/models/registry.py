"""The models by name: those that ship, those of installed packages, and folders. Their code is imported when asked for.

A package offers a model with an entry point of the group ``txviz.models``: its name, and something that gives the
``Model`` when it is called. A folder is one that ``txviz train`` wrote.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from txviz.errors import TxvizError
from txviz.files import finish
from txviz.trace.names import suggestion

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint
    from pathlib import Path

    from txviz.models.model import Model

GROUP = "txviz.models"

SHIPPED = {
    "sentence-guide": "guides.SentenceGuide",
    "vit-guide-3x2": "guides.ImageGuide",
    "vit-guide-2x2": "guides.ImageGuide",
    "masked-attention-guide": "guides.MaskedAttentionGuide",
    "sentence": "sentence.Sentence",
    "digits": "digits.Digits",
    "translator": "translator.Translator",
    "writer": "writer.Writer",
}
"""Where the class of each is: a module of this package, and its name there."""

TRAINED = tuple(name for name, found in SHIPPED.items() if not found.startswith("guides."))
"""Those that learnt their numbers, and can learn them again."""


def models() -> list[str]:
    """The names of all models but those in folders."""
    return [*SHIPPED, *(name for name in _installed() if name not in SHIPPED)]


@cache
def find(name: str) -> Model:
    """The model of this name, or in this folder."""
    if name in SHIPPED:
        made: Model = _class(name)(name)
        return made
    if name in _installed():
        return _loaded(name, _installed()[name])
    from pathlib import Path  # what ships is found without

    finish(Path(name))  # what a killed training had yet to do
    if (Path(name) / "config.json").is_file():
        return _in_folder(Path(name))
    hint = suggestion(name, models()) or f"; there are {', '.join(models())}"
    raise TxvizError(f'no model is called "{name}"{hint}')


def check_files(name: str) -> None:
    """A TxvizError where a file of the model is missing or damaged.

    A model of another package looks after its own, and is not even imported.
    """
    if name in SHIPPED or name not in _installed():
        model: Any = find(name)
        model.check_files()


def _class(name: str) -> Any:
    module, _, found = SHIPPED[name].partition(".")
    return getattr(import_module(f"{__package__}.{module}"), found)


@cache
def _installed() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points  # takes a while, and most look only for what ships

    return {entry.name: entry for entry in entry_points(group=GROUP)}


def _loaded(name: str, entry: EntryPoint) -> Model:
    try:
        made: Model = entry.load()()
    except Exception as error:  # somebody else's code may fail in any way
        raise TxvizError(f'the model "{name}" of {entry.value} can\'t be loaded: {error}') from error
    return made


def _in_folder(folder: Path) -> Model:
    """A trained model of one of the shipped kinds, with weights of its own."""
    import json  # only a folder needs it

    try:
        kind = json.loads((folder / "config.json").read_text("utf-8"))["model"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TxvizError(f"{folder} is not a model that txviz train wrote: its config.json names no model") from error
    if kind not in TRAINED:
        raise TxvizError(f'{folder} holds a model of the kind "{kind}"; it can be {", ".join(TRAINED)}')
    made: Model = _class(kind)(str(folder), folder)
    return made
