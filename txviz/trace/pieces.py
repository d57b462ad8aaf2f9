"""Arrays as a safetensors file, piece by piece: large ones are not copied, and one sees how far it is and can stop it.

The same arrays give the same bytes, which safetensors' own writer does not promise.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from math import ceil

import numpy as np

from txviz.errors import TxvizError
from txviz.ops import Array

PIECE = 2**22
"""Bytes that are written at once."""

_KINDS = {
    "uint64": "U64", "int64": "I64", "float64": "F64", "float32": "F32", "uint32": "U32", "int32": "I32",
    "float16": "F16", "uint16": "U16", "int16": "I16", "int8": "I8", "uint8": "U8", "bool": "BOOL",
}  # fmt: skip
"""What safetensors calls a type of numbers. The longest come first in a file: all lie as processors like it."""


def pieces(arrays: Mapping[str, Array], metadata: Mapping[str, str]) -> tuple[int, Iterator[bytes | memoryview]]:
    """How many pieces there are, and the pieces."""
    order = list(_KINDS)
    for name, value in arrays.items():
        if value.dtype.name not in _KINDS:
            raise TxvizError(f"{name} has numbers of the type {value.dtype}, which can't be saved")
    ordered = dict(sorted(arrays.items(), key=lambda item: (order.index(item[1].dtype.name), item[0])))
    count = 1 + sum(ceil(value.nbytes / PIECE) for value in ordered.values())
    return count, _pieces(_header(ordered, metadata), ordered)


def _pieces(header: bytes, arrays: Mapping[str, Array]) -> Iterator[bytes | memoryview]:
    yield header
    for value in arrays.values():
        little = value.astype(value.dtype.newbyteorder("<"), copy=False)
        flat = np.ascontiguousarray(little).reshape(-1).view(np.uint8)
        for start in range(0, flat.size, PIECE):
            yield flat[start : start + PIECE].data


def _header(arrays: Mapping[str, Array], metadata: Mapping[str, str]) -> bytes:
    entries: dict[str, object] = {"__metadata__": dict(sorted(metadata.items()))}
    start = 0
    for name, value in arrays.items():
        end = start + value.nbytes
        entries[name] = {"dtype": _KINDS[value.dtype.name], "shape": value.shape, "data_offsets": (start, end)}
        start = end
    text = json.dumps(entries, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text
