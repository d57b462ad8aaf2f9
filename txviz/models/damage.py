"""The files of a model are read as they were written, or the model is called damaged in one sentence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from txviz.errors import TxvizError
from txviz.files import checksum

INSTALL_AGAIN = "installing txviz again should help"


class DamagedError(TxvizError):
    """A model's files are missing, or not what they were."""


@contextmanager
def content_of(file: Path, model: str, remedy: str = INSTALL_AGAIN) -> Iterator[bytes]:
    """What is in a file of the model; whatever goes wrong while that is read or used becomes one sentence."""
    try:
        yield file.read_bytes()
    except DamagedError:
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
