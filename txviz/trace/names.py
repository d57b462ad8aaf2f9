"""The names of steps: lower-case, dotted, built and taken apart here only.

    encoder.0.attention.scores          layer 0 of the encoder, its attention, the step
    time.3.decoder.1.cross_attention.weights     the same inside decoding time step 3

A number counts its neighbour on the left. Globs match over the dots: ``*.weights`` finds every softmax of a trace.
"""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

SEPARATOR = "."


def join(*parts: str | int) -> str:
    """
    >>> join("encoder", 0, "attention")
    'encoder.0.attention'
    """
    return SEPARATOR.join(map(str, parts))


def leaf(name: str) -> str:
    """The last part: what the step itself is called inside its block."""
    return name.rpartition(SEPARATOR)[2]


def block(name: str) -> str:
    """All but the last part: the block that the step is in.

    >>> block("encoder.0.attention.scores")
    'encoder.0.attention'
    """
    return name.rpartition(SEPARATOR)[0]


def title(name: str) -> str:
    """
    >>> title("encoder.0.self_attention.scores")
    'encoder 0 · self-attention · scores'
    """
    words: list[str] = []
    for part in name.split(SEPARATOR):
        if part.isdigit() and words:
            words[-1] += f" {part}"
        else:
            words.append(part.replace("_attention", "-attention").replace("_", " "))
    return " · ".join(words)


def matching(glob: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if fnmatchcase(name, glob)]


def suggestion(name: str, names: Iterable[str]) -> str:
    """``; did you mean "encoder.0.norm_2"?``, or nothing when no name is near."""
    from difflib import get_close_matches  # only a wrong name pays for this import

    near = get_close_matches(name, list(names), n=1, cutoff=0.5)
    return f'; did you mean "{near[0]}"?' if near else ""
