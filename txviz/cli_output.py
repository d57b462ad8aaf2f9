"""What a command prints: on stdout what was asked for, on stderr messages and progress."""

from __future__ import annotations

import os
import sys
from typing import TextIO

from txviz.errors import TxvizError


def print_out(text: str) -> None:
    """What was asked for. That it can't be written, to a full disk for one, is an error, and told as such."""
    try:
        print(text, flush=True)
    except OSError as error:
        _silence(sys.stdout)
        if isinstance(error, BrokenPipeError):
            raise
        raise TxvizError(f"can't write what is to be printed: {error.strerror}") from error


def tell(text: str, end: str = "\n") -> None:
    """Messages and progress, on stderr. Nothing fails because they can't be written."""
    try:
        print(text, end=end, file=sys.stderr, flush=True)
    except OSError:
        _silence(sys.stderr)


def _silence(stream: TextIO) -> None:
    """Python tries again when it ends; by then nothing is wrong any more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
