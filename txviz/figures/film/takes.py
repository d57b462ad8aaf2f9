"""What a film is made of: takes, in which something moves before something that stands still."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from txviz.figures.marks import Figure, Mark
from txviz.figures.panels import Panel

Moving = Callable[[float], Sequence[Mark]]
"""The marks at a moment, from 0 (the start of the take) to 1. The same tuple again means the same picture."""


def nothing(_: float) -> Sequence[Mark]:
    return ()


@dataclass(frozen=True, eq=False)
class Take:
    seconds: float
    still: Figure
    moving: Moving = nothing


@dataclass(frozen=True, eq=False)
class Shot:
    """A step or a level in a film: what happens, and with which picture it ends."""

    takes: tuple[Take, ...]
    end: Figure
    panels: tuple[Panel, ...] = ()
    """Where the tensors are in the picture at the end."""
