"""The weights of a checkpoint, mapped into memory: what is not read takes none.

A safetensors file is the length of its header in eight bytes, the header (JSON: type, shape and place of each tensor),
and the numbers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from txviz.errors import TxvizError
from txviz.files import check_file, reading
from txviz.models.checkpoints.config import first_file, read_json
from txviz.ops import Array

LARGEST_HEADER = 10_000_000
"""Bytes; a file of ten thousand tensors needs a tenth of it."""

WHOLE, INDEX = "model.safetensors", "model.safetensors.index.json"
_OTHER_FORMATS = ("pytorch_model.bin", "pytorch_model.bin.index.json", "tf_model.h5", "flax_model.msgpack", "model.pt")
_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}
"""As they are stored. Halves become float32 when they are read; there is no such type as BF16 in NumPy."""


class Weights(Mapping[str, Array]):
    """All tensors by their names, read when they are asked for."""

    def __init__(self, tensors: Mapping[str, Tensor]) -> None:
        self._tensors = tensors

    def __getitem__(self, name: str) -> Array:
        return self._tensors[name].read()

    def __iter__(self) -> Iterator[str]:
        return iter(self._tensors)

    def __len__(self) -> int:
        return len(self._tensors)

    @property
    def dtype(self) -> Literal["float64", "float32"]:
        """What is to be computed in: the type that they are stored in, and float32 for halves."""
        return "float64" if any(tensor.kind == "F64" for tensor in self._tensors.values()) else "float32"


def open_weights(folder: Path) -> Weights:
    """Those of one file, or of the shards that an index names."""
    if (folder / WHOLE).is_file():
        return Weights(_tensors(folder / WHOLE))
    if (folder / INDEX).is_file():
        return Weights(_sharded(folder))
    other = first_file(folder, _OTHER_FORMATS)
    if other is None:
        raise TxvizError(f"{folder} has no weights; {WHOLE} is expected, or {INDEX} and its shards")
    raise TxvizError(
        f"{other} is not read, since opening it could run code; save it as safetensors first, with transformers: "
        f"AutoModel.from_pretrained({str(folder)!r}).save_pretrained({str(folder)!r}, safe_serialization=True), where "
        "AutoModel is the class that config.json names"
    )


def _sharded(folder: Path) -> dict[str, Tensor]:
    index = read_json(folder / INDEX)
    places = index.get("weight_map") if isinstance(index, dict) else None
    if not isinstance(places, dict) or not all(isinstance(file, str) for file in places.values()):
        raise TxvizError(f"{folder / INDEX} is damaged: it does not say which tensor is in which file")
    shards = {}
    for file in sorted(set(places.values())):
        if Path(file).name != file or file in ("", ".."):
            raise TxvizError(f"{folder / INDEX} is damaged: {file[:60]!r} is no file of this folder")
        shards[file] = _tensors(folder / file)
    for name, file in places.items():
        if name not in shards[file]:
            raise TxvizError(f"{folder / file} has no tensor {name[:100]}, which {INDEX} promises")
    return {name: shards[file][name] for name, file in places.items()}


class _File:
    """A file that is mapped when the first of its tensors is read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def content(self) -> Array:  # -> (bytes,)
        with reading(self.path):
            return np.asarray(np.memmap(self.path, dtype=np.uint8, mode="r"))


class Tensor(NamedTuple):
    file: _File
    kind: str
    shape: tuple[int, ...]
    start: int
    stop: int

    def read(self) -> Array:
        if self.kind not in _TYPES:
            raise TxvizError(
                f"{self.file.path} holds numbers of the type {self.kind[:20]}; what can be read is {', '.join(_TYPES)}"
            )
        try:
            stored = self.file.content[self.start : self.stop].view(_TYPES[self.kind]).reshape(self.shape)
        except ValueError as error:
            raise _damaged(self.file.path, f"no array has the shape {str(self.shape)[:60]}") from error
        if self.kind == "BF16":
            return np.asarray((stored.astype(np.uint32) << 16).view(np.float32))
        return stored.astype(np.float32) if self.kind == "F16" else stored


def _tensors(path: Path) -> dict[str, Tensor]:
    check_file(path)
    size = path.stat().st_size
    with reading(path), path.open("rb") as stream:
        length = int.from_bytes(stream.read(8), "little")
        if size < 8 or length > size - 8:
            raise _damaged(path, f"its header would have {length:,} bytes, and the file has {size:,}")
        if length > LARGEST_HEADER:
            raise _damaged(path, f"its header has {length:,} bytes, and at most {LARGEST_HEADER:,} are read")
        header = stream.read(length)
    try:
        described = json.loads(header, object_pairs_hook=_each_once)
        described.pop("__metadata__", None)
        file = _File(path)
        tensors = {name: _tensor(file, each, 8 + length, size) for name, each in described.items()}
        _check_places(tensors.values(), 8 + length, size)
        return tensors
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise _damaged(path, str(error)[:100] or "its header is not as it should be") from error


def _tensor(file: _File, described: Any, start: int, size: int) -> Tensor:
    kind, shape, (first, last) = described["dtype"], tuple(described["shape"]), described["data_offsets"]
    if not all(type(n) is int and n >= 0 for n in (*shape, first, last)) or first > last:
        raise ValueError("a shape or a place in it is no number")
    if start + last > size:
        raise ValueError(f"it ends after {size:,} bytes, and {start + last:,} are needed; part of it is missing")
    if kind in _TYPES and prod(shape) * np.dtype(_TYPES[kind]).itemsize != last - first:
        raise ValueError("a tensor of it has another size than its shape says")
    return Tensor(file, str(kind), shape, start + first, start + last)


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands in it twice")
    return found


def _check_places(tensors: Iterable[Tensor], start: int, size: int) -> None:
    """The format wants each byte to belong to one tensor: where two share some, one of them is not what it was."""
    for tensor in sorted(tensors, key=lambda tensor: (tensor.start, tensor.stop)):
        if tensor.start != start:
            raise ValueError("its tensors overlap" if tensor.start < start else "bytes of it belong to no tensor")
        start = tensor.stop
    if start != size:
        raise ValueError("bytes at its end belong to no tensor")


def _damaged(path: Path, why: str) -> TxvizError:
    return TxvizError(f"{path} is damaged: {why}; download it again")
