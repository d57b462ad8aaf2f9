"""The files of a model are read as they were written, or the model is called damaged in one sentence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from txviz.errors import TxvizError
from txviz.files import checksum

LARGEST = 100_000
"""Of the numbers that describe an architecture."""

INSTALL_AGAIN = "installing txviz again should help"


class DamagedError(TxvizError):
    """A model's files are missing, or not what they were."""


@contextmanager
def content_of(file: Path, model: str, remedy: str = INSTALL_AGAIN) -> Iterator[bytes]:
    """What is in a file of the model; whatever goes wrong while that is read or used becomes one sentence."""
    try:
        yield file.read_bytes()
    except (DamagedError, MemoryError):
        raise
    except FileNotFoundError as error:
        raise DamagedError(f"the model {model} can't be run: {file} is missing; {remedy}") from error
    except Exception as error:  # a damaged file makes whoever reads it stumble in any way
        why = getattr(error, "strerror", None) or (str(error) or type(error).__name__).partition("\n")[0][:200]
        raise DamagedError(f"the model {model} can't be run: {file} is damaged ({why}); {remedy}") from error


def check_sum(content: bytes, expected: str) -> None:
    """A ValueError unless the content still has the checksum that it had when it was written."""
    found = checksum(content)
    if found != expected:
        raise ValueError(f"its checksum is {found}, not {expected}")


def sealed(described: dict[str, Any]) -> dict[str, Any]:
    """What is to be a JSON file, with the checksum of all that is in it; how it is broken into lines does not count."""
    return {"crc32": checksum(json.dumps(described).encode()), **described}


def unsealed(content: bytes) -> dict[str, Any]:
    """What was ``sealed``. Files of older versions have no checksum; so may one that somebody has changed by hand."""
    described: dict[str, Any] = json.loads(content)
    expected = described.pop("crc32", None)
    if expected is not None:
        check_sum(json.dumps(described).encode(), expected)
    return described


def check_fields(config: Any) -> None:
    """A ValueError where a part of the architecture is not of its kind, or so large that no file could hold it."""
    for name, kind in get_type_hints(type(config)).items():
        value = getattr(config, name)
        if not _fits(value, kind):
            words = f"; it can be {' or '.join(get_args(kind))}" if get_origin(kind) is Literal else ""
            raise ValueError(f"{name} is {str(value)[:40]!r}{words}")


def _fits(value: Any, kind: Any) -> bool:
    inner = get_args(kind)
    if get_origin(kind) is Literal:
        return value in inner
    if isinstance(kind, UnionType):
        return any(_fits(value, each) for each in inner)
    if get_origin(kind) is tuple:
        kinds = inner[:1] * len(value) if inner[1:] == (...,) and isinstance(value, tuple) else inner
        return isinstance(value, tuple) and len(value) == len(kinds) and all(map(_fits, value, kinds))
    if kind in (int, float):
        return type(value) in (kind, int) and 0 <= value <= LARGEST
    return isinstance(value, kind)
