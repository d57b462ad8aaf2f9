"""What the last bits of a matrix product depend on: NumPy, its BLAS, the kernel of that, and the number of threads."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

import numpy as np


@cache
def _threads() -> Any:
    """Looking for the libraries that have threads takes a while, so it is done once."""
    from threadpoolctl import ThreadpoolController  # needed by those who save, load or train

    return ThreadpoolController()


def one_thread() -> AbstractContextManager[Any]:
    """Inside, one thread does the matrix products: quicker where they are small, and the same bits every time."""
    limited: AbstractContextManager[Any] = _threads().limit(limits=1)
    return limited


def this_machine() -> str:
    """Two traces that were computed with the same answer here agree bit for bit."""
    pools = (f"{pool.get('architecture')} {pool['num_threads']} threads" for pool in _threads().info())
    return " ".join([*_built(), *pools])


@cache
def _built() -> list[str]:
    config = np.show_config(mode="dicts")
    blas = config.get("Build Dependencies", {}).get("blas", {})
    found = config.get("SIMD Extensions", {}).get("found", [])
    return [f"numpy {np.__version__}", f"{blas.get('name')} {blas.get('version')}", *found]
