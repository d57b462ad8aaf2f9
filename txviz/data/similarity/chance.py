"""Choices that come out the same on every machine."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def pick(rng: random.Random, options: Sequence[T]) -> T:
    """One of them. Python promises that `random()` stays as it is from version to version; `choice` may change."""
    return options[int(rng.random() * len(options))]
