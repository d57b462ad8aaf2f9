"""Marks whose kind is known."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from txviz.figures.marks import Mark

Kind = TypeVar("Kind", bound=Mark)


def all_of(kind: type[Kind], marks: Iterable[Mark]) -> list[Kind]:
    """The marks, every one of which must be of this kind."""
    every = list(marks)
    found: list[Kind] = [mark for mark in every if isinstance(mark, kind)]
    assert found == every
    return found
