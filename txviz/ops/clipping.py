"""Keeping a step of training short: how long all gradients are together, and each of them made shorter by that.

Letters: (...) the shape of any parameter.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from txviz.ops.arithmetic import added, equals, grouped, shown, times, total
from txviz.ops.base import Array, Index, Op, Reads, Worked
from txviz.ops.elementwise import scale


class Length(Op):
    """√(Σ g²) over every number of every gradient: they count as one long vector. Always in double precision.

    What is longer than ``limit`` is clipped.
    """

    name = "length"
    about = "The square root of the sum of all squares."

    def compute(self, *gradients: Array, limit: float) -> Array:  # (...), (...), … -> ()
        return np.asarray(sqrt(added(float(flat @ flat) for flat in (gradient.ravel() for gradient in gradients))))

    def formula(self, *gradients: str, limit: float) -> str:
        return r"\sqrt{\sum g^2},\quad g \in \{" + ",".join((*gradients[:2], r"\ldots")[: len(gradients)]) + r"\}"

    def worked(self, index: Index, *gradients: Array, limit: float) -> Worked:
        flat = np.concatenate([gradient.ravel() for gradient in gradients])
        result = float(self.compute(*gradients, limit=limit))
        squares = total([f"{grouped(float(flat[k]))}²" for k in shown(len(flat))], len(flat))
        return Worked(f"√({squares}) {equals(result, inputs=flat.tolist())}", result)

    def reads(self, index: Index, *gradients: Array, limit: float) -> Reads:
        return [list(np.ndindex(*gradient.shape)) for gradient in gradients]


class Clip(Op):
    """g · limit / length: the same direction, and all gradients together as long as the limit."""

    name = "clip"
    about = "Made shorter by the same factor as all other gradients, so that together they keep to the limit."

    def compute(self, grad: Array, length: Array, limit: float) -> Array:  # (...), () -> (...)
        return scale.compute(grad, base=float(length) / limit, exponent=-1)

    def formula(self, grad: str, length: str, limit: float) -> str:
        return rf"{grad} \,\frac{{{limit:g}}}{{{length}}}"

    def worked(self, index: Index, grad: Array, length: Array, limit: float) -> Worked:
        slope, size = float(grad[index]), float(length)
        result = slope * limit / size
        return Worked(f"{times(slope, limit)} / {grouped(size)} {equals(result, inputs=(slope, limit, size))}", result)

    def reads(self, index: Index, grad: Array, length: Array, limit: float) -> Reads:
        return [[index], [()]]


length = Length()
clip = Clip()
