"""Results that are kept as long as what they were made from."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

T = TypeVar("T")
R = TypeVar("R")


def kept(function: Callable[[T], R]) -> Callable[[T], R]:
    """The function, run once for each trace or step; its result is gone with that one, which it does not hold."""
    found: WeakKeyDictionary[T, R] = WeakKeyDictionary()

    @wraps(function)
    def look_up(key: T) -> R:
        if key not in found:
            found[key] = function(key)
        return found[key]

    return look_up
