"""What a file says about itself, as its format can: a title, what is seen, and the command that made it."""

from __future__ import annotations

from typing import NamedTuple

from txviz.figures.command import command
from txviz.figures.job import Export
from txviz.figures.naming import counted
from txviz.trace import Step
from txviz.version import __version__

SOFTWARE = f"txviz {__version__}"


class Metadata(NamedTuple):
    title: str = ""
    description: str = ""
    """For whoever can't see the figure, and for who searches for it."""

    command: str = ""


def metadata(wanted: Export) -> Metadata:
    """Of one figure, or of the file that has all of them."""
    if len(wanted.shown) > 1:
        several = counted(len(wanted.shown), "picture" if wanted.nodes else "step")
        return _whole(wanted.trace.outline.title, f"{several} of {wanted.trace.outline.title}", command(wanted))
    (shown,) = wanted.shown
    words = shown.text if isinstance(shown, Step) else shown.why.text
    said = (words, wanted.worked(shown), wanted.filled(wanted.caption, shown))
    return _whole(wanted.full_title(shown), "\n".join(filter(None, said)), command(wanted))


def _whole(*texts: str) -> Metadata:
    """Halves of characters, which no file can hold, as "?"."""
    return Metadata(*(text.encode("utf-8", "replace").decode() for text in texts))
