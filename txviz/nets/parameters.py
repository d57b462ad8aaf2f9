"""Parameters by name and shape: what a model must have, and how it starts before any training."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt

import numpy as np

from txviz.errors import TxvizError
from txviz.ops import Array
from txviz.trace import names

Shapes = dict[str, tuple[int, ...]]


def under(*scope: str | int, shapes: Shapes) -> Shapes:
    """The same shapes inside a scope: ``under("encoder", 0, shapes=…)``."""
    return {names.join(*scope, name): shape for name, shape in shapes.items()}


def initialise(shapes: Shapes, seed: int, dtype: str = "float64") -> dict[str, Array]:
    """Fresh parameters: Glorot-uniform weights, small normal tables, gains of one, biases of zero."""
    rng = np.random.default_rng(seed)
    return {name: _start(name, shape, rng).astype(dtype) for name, shape in shapes.items()}


def _start(name: str, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    if name.endswith("weight"):
        bound = sqrt(6 / sum(shape))
        return rng.uniform(-bound, bound, shape)
    if name.endswith("gain"):
        return np.ones(shape)
    if name.endswith("bias"):
        return np.zeros(shape)
    return rng.normal(0, 0.02, shape)


def check(parameters: Mapping[str, Array], shapes: Shapes) -> None:
    """Parameters that don't fit the model's configuration are told by name."""
    for name, shape in shapes.items():
        if name not in parameters:
            raise TxvizError(f"the weights have no {name}, which the model needs with shape {shape}")
        if parameters[name].shape != shape:
            raise TxvizError(f"{name} has shape {parameters[name].shape}; the model needs {shape}")
    extra = sorted(set(parameters) - set(shapes))
    if extra:
        raise TxvizError(f"the weights have {extra[0]}, which the model does not use")
