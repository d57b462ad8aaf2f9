"""The JSON files of a checkpoint: what they say is taken only if it is what it should be."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from txviz.errors import TxvizError
from txviz.files import check_file, reading

LARGEST = 10_000_000
"""Of the numbers that describe an architecture."""

LARGEST_JSON = 10_000_000
"""Bytes; as Python's objects they may be thirty times as many."""

T = TypeVar("T")
_REQUIRED: Any = object()


def read_json(file: Path) -> Any:
    """What is in a JSON file, or one sentence that says why it can't be read."""
    check_size(file, LARGEST_JSON)
    try:
        with reading(file):
            return json.loads(file.read_text("utf-8"))
    except (ValueError, RecursionError) as error:
        raise TxvizError(f"{file} is damaged: it is no JSON ({str(error)[:100]})") from error


def check_size(file: Path, most: int) -> None:
    """An error unless it is a file, and one of at most so many bytes."""
    check_file(file)
    if file.stat().st_size > most:
        raise TxvizError(f"{file} is too large: it has {file.stat().st_size:,} bytes, and at most {most:,} are read")


class Config(NamedTuple):
    """One such file, with a way to ask for each kind of entry."""

    folder: Path
    file: str
    content: Any

    def get(self, name: str) -> Any:
        return self.content.get(name) if isinstance(self.content, dict) else None

    def whole(self, name: str, default: int = _REQUIRED, lowest: int = 1, highest: int = LARGEST) -> int:
        value = self._value(name, default)
        if type(value) is not int or not lowest <= value <= highest:
            raise self.wrong(name, f"a whole number from {lowest} to {highest:,}")
        return value

    def layers(self, name: str) -> int:
        return self.whole(name, highest=1000)

    def token(self, name: str) -> int:
        """The number of a token; of several the first."""
        value = self.get(name)
        first = value[0] if isinstance(value, list) and value else value
        if type(first) is not int or not 0 <= first < self.vocabulary:
            raise self.wrong(name, f"the number of a token, from 0 to {self.vocabulary - 1:,}")
        return first

    @property
    def vocabulary(self) -> int:
        """How many tokens there are."""
        return self.whole("vocab_size", highest=1_000_000)

    def number(self, name: str, default: float = _REQUIRED, lowest: int = 0) -> float:
        value = self._value(name, default)
        if not _is_number(value) or value < lowest:
            raise self.wrong(name, f"a number of at least {lowest}" if lowest else "a number that is not negative")
        return float(value)

    def text(self, name: str, default: str = _REQUIRED) -> str:
        value = self._value(name, default)
        if not isinstance(value, str):
            raise self.wrong(name, "a text")
        return value

    def flag(self, name: str, default: bool) -> bool:
        value = self._value(name, default)
        if not isinstance(value, bool):
            raise self.wrong(name, "true or false")
        return value

    def one_of(self, name: str, known: dict[str, T], default: str = _REQUIRED) -> T:
        """What stands for the word that is there."""
        word = self.text(name, default)
        if word not in known:
            raise self.wrong(name, " or ".join(known))
        return known[word]

    def pair(self, name: str) -> tuple[int, int]:
        """Two numbers, or one for both."""
        value = self.get(name)
        both = value if isinstance(value, list) else [value, value]
        if len(both) != 2 or not all(type(size) is int and 1 <= size <= 10_000 for size in both):
            raise self.wrong(name, "one whole number or two, from 1 to 10,000")
        return both[0], both[1]

    def numbers(self, name: str, count: int) -> list[float]:
        value = self.get(name)
        if not isinstance(value, list) or len(value) != count or not all(map(_is_number, value)):
            raise self.wrong(name, f"{count} numbers")
        return [float(x) for x in value]

    def labels(self) -> tuple[str, ...]:
        """The names of the classes, in their order; numbers where there are none."""
        named = self.get("id2label")
        if isinstance(named, dict) and named:
            if set(named) != {str(i) for i in range(len(named))}:
                raise self.wrong("id2label", "a name for each class, by its number from 0 on")
            return tuple(printable(str(named[str(i)])) for i in range(len(named)))
        return tuple(f"class {i}" for i in range(self.whole("num_labels", 2)))

    def must_be(self, name: str, *allowed: Any) -> None:
        """A setting that is taken only as the nets here have it; the first is what it is when nobody says."""
        value = self._value(name, allowed[0])
        if not any(value == each and type(value) is type(each) for each in allowed):
            raise self.wrong(name, " or ".join(json.dumps(each) for each in allowed))

    def inner(self, name: str) -> Config:
        """The entries of an entry, of which there may be none."""
        value = self._value(name, {})
        if not isinstance(value, dict):
            raise self.wrong(name, "an object, in braces")
        return self._replace(content=value)

    def wrong(self, name: str, right: str) -> TxvizError:
        value = self.get(name)
        found = "has no" if value is None else f"has {json.dumps(value)[:60]} as its"
        return TxvizError(f"{self.folder / self.file} {found} {name}; it should be {right}")

    def _value(self, name: str, default: Any) -> Any:
        value = self.get(name)
        return default if value is None and default is not _REQUIRED else value


def _is_number(value: Any) -> bool:
    """Neither infinite nor NaN, which JSON as Python reads it may hold."""
    return type(value) in (int, float) and abs(value) < 1e12


def printable(text: str) -> str:
    """A name out of a file, as one line of moderate length."""
    shown = "".join(letter if letter.isprintable() else "�" for letter in text)
    return shown if len(shown) <= 80 else f"{shown[:79]}…"


def first_file(folder: Path, names: Sequence[str]) -> Path | None:
    return next((folder / name for name in names if (folder / name).is_file()), None)
