"""When the whole program dies inside Qt: where it was is written to a file, and the next start tells of it."""

from __future__ import annotations

import faulthandler
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def last_crash(path: Path) -> str:
    """A sentence about the crash that the file tells of, once; nothing where there was none."""
    kept = path.with_suffix(".last.log")
    try:
        if not path.stat().st_size:
            return ""
        kept.write_bytes(path.read_bytes())
        os.truncate(path, 0)  # and not renamed: another window may write to it
    except OSError:
        return ""
    return f"txviz ended in a crash the last time; where it was is in {kept}."


@contextmanager
def recorded(path: Path) -> Iterator[None]:
    """Inside, a crash writes to the end of the file what every thread was doing; without one nothing is written there.
    All windows that are open share it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a", encoding="utf-8")
    except OSError:  # a home that can't be written to is no reason not to start
        yield
        return
    with file:
        faulthandler.enable(file)
        try:
            yield
        finally:
            faulthandler.disable()
