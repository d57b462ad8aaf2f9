"""The models by name: those that ship, those of installed packages, and folders. Their code is imported when asked for.

A package offers a model with an entry point of the group ``txviz.models``: its name, and something that gives the
``Model`` when it is called. A folder is one that ``txviz train`` wrote, or a checkpoint in Hugging Face's format.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from txviz.errors import TxvizError
from txviz.files import finish, is_readable_folder
from txviz.trace.names import suggestion

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint
    from pathlib import Path

    from txviz.models.model import Model

GROUP = "txviz.models"
SEPARATORS = frozenset("/\\")


class Shipped(NamedTuple):
    """One that ships: where its code is, and what people are told who choose among them."""

    where: str
    """A module of this package, and the class in it."""

    title: str
    """What people call it; its name is for scripts."""

    summary: str
    """What it is, in one line that goes on after the title."""


SHIPPED = {
    "sentence-guide": Shipped(
        "guides.SentenceGuide",
        "Guide: a sentence as a vector",
        "“The cat sat.” in three dimensions, one attention head, mean or [CLS] pooling",
    ),
    "vit-guide-3x2": Shipped(
        "guides.ImageGuide",
        "Guide: an image in 3×2 patches",
        "a 6×6 image, each patch projected from 6 to 4 numbers, one attention head, [CLS]",
    ),
    "vit-guide-2x2": Shipped(
        "guides.ImageGuide",
        "Guide: cat, dog or bird",
        "a 6×6 image in nine 2×2 patches, feed-forward 4→8→4, and a head with three classes",
    ),
    "masked-attention-guide": Shipped(
        "guides.MaskedAttentionGuide",
        "Guide: masked attention",
        "YOUR CAT IS A LOVELY CAT: an attention table, the causal mask, and the rows normalised again",
    ),
    "sentence": Shipped(
        "sentence.Sentence",
        "Sentences: how alike are two of them?",
        "the cosine between two sentences, or the vector of one: a small trained encoder",
    ),
    "digits": Shipped(
        "digits.Digits",
        "Digits: draw one and have it read",
        "a vision transformer on a 6×6 board, two layers of four heads",
    ),
    "translator": Shipped(
        "translator.Translator",
        "Translator: English to Italian and French",
        "a small encoder–decoder, two layers each",
    ),
    "writer": Shipped(
        "writer.Writer",
        "Writer: goes on with a sentence",
        "a small decoder-only model, two layers of four heads",
    ),
}

TRAINED = tuple(name for name, found in SHIPPED.items() if not found.where.startswith("guides."))
"""Those that learnt their numbers, and can learn them again."""


def models() -> list[str]:
    """The names of all models but those in folders."""
    return [*SHIPPED, *(name for name in _installed() if name not in SHIPPED)]


def title(name: str) -> str:
    """What people call a model, without loading it: one of another package or in a folder is called by its name."""
    if name in SHIPPED:
        return SHIPPED[name].title
    from txviz.models.folders import folder_title  # what ships is called otherwise

    return folder_title(name)


_LENT: dict[str, Model] = {}


def lend(name: str, model: Model | None) -> None:
    """From now on this model goes by the name, such as one that is learning; None gives the name back."""
    if model is None:
        _LENT.pop(name, None)
    else:
        _LENT[name] = model


def find(name: str) -> Model:
    """The model of this name, or in this folder."""
    return _LENT.get(name) or _find(name)


@cache
def _find(name: str) -> Model:
    if name in SHIPPED:
        made: Model = _class(name)(name)
        return made
    if name in _installed():
        return _loaded(name, _installed()[name])
    from pathlib import Path  # what ships is found without

    if name and is_readable_folder(Path(name)):
        from txviz.models.folders import inner_folder

        finish(Path(name))  # what a killed training had yet to do
        return _in_folder(name, inner_folder(Path(name)))
    hint = suggestion(name, models()) or f"; there are {', '.join(models())}, or give the path of a model's folder"
    raise TxvizError(
        f'no model is called "{name}"{", and there is no such folder" if SEPARATORS & set(name) else hint}'
    )


def forget() -> None:
    """Models are read anew when they are asked for: their files have changed."""
    _find.cache_clear()


def check_files(name: str) -> None:
    """A TxvizError where a file of the model is missing or damaged.

    A model of another package looks after its own, and is not even imported.
    """
    if name in SHIPPED or name not in _installed():
        model: Any = find(name)
        model.check_files()


def _class(name: str) -> Any:
    module, _, found = SHIPPED[name].where.partition(".")
    return getattr(import_module(f"{__package__}.{module}"), found)


@cache
def _installed() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points  # takes a while, and most look only for what ships

    return {entry.name: entry for entry in entry_points(group=GROUP)}


def _loaded(name: str, entry: EntryPoint) -> Model:
    try:
        made: Model = entry.load()()
    except MemoryError:
        raise
    except Exception as error:  # somebody else's code may fail in any way
        raise TxvizError(f'the model "{name}" of {entry.value} can\'t be loaded: {error}') from error
    from txviz.models.model import Model as Contract

    missing = [member for member in vars(Contract) if not member.startswith("_") and member not in dir(made)]
    if missing:
        raise TxvizError(f'the model "{name}" of {entry.value} has no {missing[0]}; see txviz.models.model.Model')
    return made


def _in_folder(name: str, folder: Path) -> Model:
    """A trained model of one of the shipped kinds, with weights of its own, or a checkpoint of others."""
    from txviz.models import checkpoints  # only a folder needs it

    described = checkpoints.described(folder)
    if checkpoints.is_checkpoint(described):
        return checkpoints.open_checkpoint(name, folder, described)
    kind = described.get("model") if isinstance(described, dict) else None
    if kind is None:
        raise TxvizError(f"{folder} is no model: its config.json has neither a model_type nor architectures")
    if kind not in TRAINED:
        raise TxvizError(f'{folder} holds a model of the kind "{kind}"; it can be {", ".join(TRAINED)}')
    made: Model = _class(kind)(name, folder)
    return made
