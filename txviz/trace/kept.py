"""Results that are kept as long as what they were made from."""

from __future__ import annotations

from collections.abc import Callable, Hashable, MutableMapping
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary, finalize

import numpy as np

from txviz.ops import Array

T = TypeVar("T")
R = TypeVar("R")
P = ParamSpec("P")


def kept(function: Callable[[T], R]) -> Callable[[T], R]:
    """The function, run once for each trace, node or step; its result is gone with that one. A trace and a node keep it
    themselves, so that it may hold them; that of a step, which has no room for it, must not hold the step."""
    steps: WeakKeyDictionary[T, R] = WeakKeyDictionary()
    name = f"{function.__module__}.{function.__qualname__}"

    @wraps(function)
    def look_up(key: T) -> R:
        found: MutableMapping[Any, R] = getattr(key, "__dict__", steps)
        place = key if found is steps else name
        if place not in found:
            found[place] = function(key)
        return found[place]

    return look_up


def kept_for_array(function: Callable[Concatenate[Array, P], R]) -> Callable[Concatenate[Array, P], R]:
    """The same for arrays that nobody can write to, as those of traces and checkpoints are; of others it is run each
    time. Looking through millions of numbers takes long, and every picture of them asks for the same."""
    found: dict[int, dict[Hashable, R]] = {}  # arrays have no hash: by their identity, for as long as they are there

    @wraps(function)
    def look_up(array: Array, /, *args: P.args, **others: P.kwargs) -> R:
        if not isinstance(array, np.ndarray) or array.flags.writeable:  # one number may be none
            return function(array, *args, **others)
        if id(array) not in found:
            found[id(array)] = {}
            finalize(array, found.pop, id(array), None).atexit = False
        known, how = found[id(array)], (args, *others.items())
        if how not in known:
            known[how] = function(array, *args, **others)
        return known[how]

    return look_up
