"""Names of steps and parameters: put together, and found.

Globs match over the dots: ``*.weights`` finds every softmax of a trace.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache

from txviz.trace.site import SEPARATOR


def join(*parts: str | int) -> str:
    """
    >>> join("encoder", 0, "attention"), join("", "weight")
    ('encoder.0.attention', 'weight')
    """
    return SEPARATOR.join(str(part) for part in parts if part != "")


def matching(glob: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if matches(glob, name)]


def matches(glob: str, name: str) -> bool:
    return _pattern(glob)(name) is not None


@cache
def _pattern(glob: str) -> Callable[[str], object]:
    import re
    from fnmatch import translate  # takes a while, and most look for a name

    return re.compile(translate(glob)).match


def suggestion(name: str, names: Iterable[str]) -> str:
    """``; did you mean "encoder.0.norm_2"?``, or nothing when no name is near."""
    from difflib import get_close_matches  # only a wrong name pays for this import

    near = get_close_matches(name, list(names), n=1, cutoff=0.5)
    return f'; did you mean "{near[0]}"?' if near else ""
