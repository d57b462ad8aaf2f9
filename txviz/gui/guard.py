"""Errors inside a method that Qt calls while it paints: told afterwards, since Qt can't be left in the middle of it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

from PySide6.QtCore import QTimer

P = ParamSpec("P")


def guarded(method: Callable[P, None]) -> Callable[P, None]:
    """The method, whose exceptions go to ``sys.excepthook`` from the event loop; Qt sees none of them."""

    @wraps(method)
    def call(*args: P.args, **named: P.kwargs) -> None:
        try:
            method(*args, **named)
        except Exception:
            found = sys.exc_info()
            QTimer.singleShot(0, lambda: sys.excepthook(*found))

    return call
