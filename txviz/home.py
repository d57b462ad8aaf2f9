"""The user's own folder, where nothing says which that is."""

from __future__ import annotations

import os
from pathlib import Path


def find_home() -> None:
    """Sets HOME where it is missing: libraries ask for it when they are imported, and Qt looks nowhere else."""
    if os.name == "posix" and not os.environ.get("HOME"):
        os.environ.pop("HOME", None)
        try:
            os.environ["HOME"] = str(Path.home())  # as the system knows it
        except RuntimeError:
            os.environ["HOME"] = os.sep
