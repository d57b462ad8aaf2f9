"""The examples in the docstrings are true."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import txviz

PACKAGE = Path(txviz.__file__).parent
MODULES = sorted(
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
    for path in PACKAGE.rglob("*.py")
    if ">>> " in path.read_text("utf-8")
)


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of(module: str) -> None:
    assert doctest.testmod(import_module(module)).failed == 0


def test_there_are_examples() -> None:
    assert "txviz.figures.numerals" in MODULES
