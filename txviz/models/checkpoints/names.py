"""Their names and ours: the rows that the tables of the families are made of.

``{i}`` in a name is the number of a layer. A linear layer's weights are stored as (out, in), ours are (in, out): a
turned array is only another view of the same memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import numpy as np

from txviz.errors import TxvizError
from txviz.models.checkpoints.families import supported
from txviz.nets.parameters import Shapes
from txviz.ops import Array

Layout = Callable[[Array], Array]


def as_it_is(x: Array) -> Array:
    return x


class Row(NamedTuple):
    theirs: str
    ours: str
    layout: Layout = as_it_is
    otherwise: str = ""
    """What other checkpoints call it, such as old ones."""


def linear(theirs: str, ours: str, otherwise: str = "") -> list[Row]:
    other = otherwise or theirs
    return [
        Row(f"{theirs}.weight", f"{ours}.weight", np.transpose, f"{other}.weight"),
        Row(f"{theirs}.bias", f"{ours}.bias", otherwise=f"{other}.bias"),
    ]


def head(classifier: str, masked_bias: str) -> list[Row]:
    """Either classes, or words by the table of the tokens and a bias."""
    weight, bias = linear(classifier, "head")
    return [weight, Row(masked_bias, bias.ours, otherwise=bias.theirs)]


def turned_linear(theirs: str, ours: str) -> list[Row]:
    """A layer whose weights are stored as (in, out), as in GPT-2."""
    return [Row(f"{theirs}.weight", f"{ours}.weight"), Row(f"{theirs}.bias", f"{ours}.bias")]


def fused(theirs: str, *ours: str) -> list[Row]:
    """Several layers side by side in one, stored as (in, out)."""

    def part(n: int) -> Layout:
        return lambda x: np.split(x, len(ours), axis=-1)[n]

    kinds = ("weight", "bias")
    return [Row(f"{theirs}.{kind}", f"{name}.{kind}", part(n)) for n, name in enumerate(ours) for kind in kinds]


def side_by_side(theirs: str, ours: Mapping[str, int]) -> list[Row]:
    """Several layers of their own widths in one, stored as (out, in), without biases; the last has all that is left."""

    def part(start: int, end: int | None) -> Layout:
        return lambda x: np.transpose(x[start:end])

    ends = [*accumulate(ours.values())]
    parts = zip([0, *ends], [*ends[:-1], None], strict=False)
    return [Row(f"{theirs}.weight", f"{name}.weight", part(*each)) for name, each in zip(ours, parts, strict=True)]


def norm(theirs: str, ours: str) -> list[Row]:
    gain = Row(f"{theirs}.weight", f"{ours}.gain", otherwise=f"{theirs}.gamma")
    return [gain, Row(f"{theirs}.bias", f"{ours}.bias", otherwise=f"{theirs}.beta")]


def table(theirs: str, ours: str, layout: Layout = as_it_is, otherwise: str = "") -> list[Row]:
    return [Row(f"{theirs}.weight", f"{ours}.table", layout, f"{otherwise or theirs}.weight")]


def rows(*groups: list[Row]) -> list[Row]:
    return [row for group in groups for row in group]


def renamed(
    weights: Mapping[str, Array], names: Sequence[Row], shapes: Shapes, layers: int, prefix: str, folder: Path
) -> dict[str, Array]:
    """The parameters that a net needs, by our names. ``prefix`` may stand before theirs, or not."""
    by_ours = {row.ours.format(i=i): (row, i) for row in names for i in range(layers)}
    return {name: _parameter(weights, *by_ours[name], shape, prefix, folder) for name, shape in shapes.items()}


def _parameter(
    weights: Mapping[str, Array], row: Row, layer: int, shape: tuple[int, ...], prefix: str, folder: Path
) -> Array:
    theirs = _stored(weights, row, layer, prefix, folder)
    stored = weights[theirs]
    try:
        found = row.layout(stored)
    except (ValueError, IndexError):
        found = stored
    if found.shape != shape:
        raise TxvizError(
            f"{theirs} of {folder} has shape {stored.shape}; as config.json describes the model, it must make {shape}"
        )
    return found


def _stored(weights: Mapping[str, Array], row: Row, layer: int, prefix: str, folder: Path) -> str:
    """What the tensor is called in the file."""
    wanted = [name.format(i=layer) for name in (row.theirs, row.otherwise) if name]
    for name in wanted:
        for spelled in (prefix + name, name):
            if spelled in weights:
                return spelled
    missing = f"the weights in {folder} have no tensor {prefix}{wanted[0]}, which the model needs"
    raise TxvizError(f"{missing}; {supported()}")
