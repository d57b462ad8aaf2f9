"""Weights that stay in the files of their model, as those of a checkpoint do: a saved trace has their checksums only.

Read from there again they lie in memory as they lay when the trace was computed, so that it replays bit for bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from txviz.errors import TxvizError
from txviz.files import checksum
from txviz.ops import Array
from txviz.trace.trace import Trace

FLAG = "by_reference"
"""What ``trace.about`` says of a model whose weights are left where they are."""


def referenced(trace: Trace) -> dict[str, str]:
    """The parameters that are not put into a file, with their checksums: those that nobody has changed by hand."""
    if trace.about.get(FLAG) is not True:
        return {}
    return {name: _sum(each.value) for name, each in trace.learned.items() if not each.edited}


def fetched(wanted: Any, weights: Mapping[str, Array], model: str) -> dict[str, Array]:
    """Those parameters as the model has them now, unless it has others."""
    if not isinstance(wanted, dict):
        raise TxvizError("it does not say which weights it left with its model")
    for name, expected in wanted.items():
        if name not in weights or _sum(weights[name]) != expected:
            raise TxvizError(f"its weights stayed in {model[:200]}, and {name[:100]} is not now what it was then")
    return {name: weights[name] for name in wanted}


def _sum(value: Array) -> str:
    """Of a matrix that is stored turned, as it is stored: no copy is made."""
    stored = value.T if value.flags.f_contiguous else np.ascontiguousarray(value)
    return f"{value.dtype} {'×'.join(map(str, value.shape))} {checksum(stored.reshape(-1).view(np.uint8).data)}"
