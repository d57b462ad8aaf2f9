"""Finding the files that ship with txviz: beside the package in a checkout, inside it once installed."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent
_ROOTS = (_PACKAGE / "_resources", _PACKAGE.parent / "resources")


def path(*parts: str) -> Path:
    """The path of a shipped file or folder."""
    root = next(root for root in _ROOTS if root.is_dir())
    return root.joinpath(*parts)
