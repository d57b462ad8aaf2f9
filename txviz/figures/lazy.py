"""Functions that tables name and that are loaded when they are first needed: Qt, and whatever else takes a while."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def load(name: str) -> Any:
    """A function of ``txviz.figures`` by its dotted name, such as ``writers.png.write``."""
    module, _, function = name.rpartition(".")
    return getattr(import_module(f"txviz.figures.{module}"), function)
