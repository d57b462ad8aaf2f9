"""RMS norm: the norm of Llama and T5, which only stretches a row and does not shift it.

Letters: n the row, always the last axis; (...) any axes before it.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from txviz.ops.arithmetic import (
    added,
    equals,
    grouped,
    number,
    operand,
    shown,
    sum_of_products,
    times,
    total,
)  # fmt: skip
from txviz.ops.base import Array, Gradient, Index, Op, Reads, Source, Worked
from txviz.ops.latex import scientific


class RmsNorm(Op):
    """x / √(mean of x² + ε) · gain, over the features of one token.

    Gemma's gains are stored as what is added to 1, the ``offset``: at 0 they change nothing.
    """

    name = "rms_norm"
    about = "Each token's numbers are divided by their root mean square, and a learned gain stretches them."

    def compute(self, x: Array, gain: Array, epsilon: float, offset: float = 0) -> Array:  # (...,n), (n,) -> (...,n)
        return np.asarray(x / self.root(x, epsilon) * stretch(gain, offset))

    def root(self, x: Array, epsilon: float) -> Array:  # (...,n) -> (...,1)
        square = np.einsum("...n,...n->...", x, x)[..., None] / x.shape[-1]
        return np.asarray(np.sqrt(square + epsilon), dtype=x.dtype)

    def parts(self, x: Array, gain: Array, epsilon: float, offset: float = 0) -> dict[str, Array]:
        return {"root": self.root(x, epsilon)}

    def formula(self, x: str, gain: str, epsilon: float, offset: float = 0) -> str:
        under = rf"\mathrm{{mean}}({x}^2) + {scientific(epsilon)}"
        return rf"\frac{{{x}}}{{\sqrt{{{under}}}}} \,\odot\, {_stretch_formula(gain, offset)}"

    def worked(self, index: Index, x: Array, gain: Array, epsilon: float, offset: float = 0) -> Worked:
        row, factor = x[index[:-1]].tolist(), float(gain[index[-1]])
        cell, square = row[index[-1]], added(each * each for each in row) / len(row)
        result = cell / sqrt(square + epsilon) * (factor + offset)
        squares = total([f"{grouped(row[k])}²" for k in shown(len(row))], len(row))
        text = f"{number(cell)} / √({number(square)} + {number(epsilon)}) × {_stretch_text(factor, offset)}"
        text += f" {equals(result, inputs=(cell, square, epsilon, factor, sqrt(square + epsilon)))}"
        where = f"the mean square = ({squares}) / {len(row)} {equals(square, inputs=row)}"
        return Worked(f"{text}, where {where}", result)

    def reads(self, index: Index, x: Array, gain: Array, epsilon: float, offset: float = 0) -> Reads:
        return [[(*index[:-1], k) for k in range(x.shape[-1])], [(index[-1],)]]

    def gradients(
        self, grad: Source, out: Source, x: Source, gain: Source, epsilon: float, offset: float = 0
    ) -> list[Gradient | None]:
        how = {"epsilon": epsilon}
        whole = {**how, "offset": offset} if offset else how
        return [Gradient(rms_norm_gradient, (grad, x, gain), whole), Gradient(rms_gain_gradient, (grad, x), how)]


def stretch(gain: Array, offset: float) -> Array:  # (n,) -> (n,)
    return gain + offset if offset else gain


def _stretch_formula(gain: str, offset: float) -> str:
    return rf"\left({number(offset)} + {gain}\right)" if offset else gain


def _stretch_text(gain: float, offset: float) -> str:
    return f"({number(offset)} + {operand(gain)})" if offset else operand(gain)


class RmsNormGradient(Op):
    """(g − x̂ · mean(g ⊙ x̂)) / root with g = dy ⊙ gain: stretching the row changes nothing."""

    name = "rms_norm_gradient"
    about = "The gradient without its part along the normalised row, over the row's root mean square."

    def compute(
        self, grad: Array, x: Array, gain: Array, epsilon: float, offset: float = 0
    ) -> Array:  # (...,n) twice, (n,) -> (...,n)
        root = rms_norm.root(x, epsilon)
        g, standard = grad * stretch(gain, offset), x / root
        along = np.einsum("...n,...n->...", g, standard)[..., None] / x.shape[-1]
        return np.asarray((g - standard * along) / root, dtype=x.dtype)

    def formula(self, grad: str, x: str, gain: str, epsilon: float, offset: float = 0) -> str:
        where = rf"g = {grad} \,\odot\, {_stretch_formula(gain, offset)},\ \hat{{x}} = \frac{{{x}}}{{\rho}}"
        return rf"\frac{{1}}{{\rho}} \left(g - \hat{{x}} \, \overline{{g \hat{{x}}}}\right),\quad {where}"

    def worked(self, index: Index, grad: Array, x: Array, gain: Array, epsilon: float, offset: float = 0) -> Worked:
        row, j = x[index[:-1]].astype(float), index[-1]
        root = float(rms_norm.root(row, epsilon)[0])
        gains = stretch(gain.astype(float), offset)
        g, standard = grad[index[:-1]].astype(float) * gains, row / root
        along, own, norm = float(g @ standard) / g.size, float(g[j]), float(standard[j])
        result = (own - norm * along) / root
        size = (abs(own) + abs(norm) * float(np.abs(g) @ np.abs(standard)) / g.size) / root
        text = f"({number(own)} − {times(norm, along)}) / {grouped(root)} "
        text += equals(result, size, (own, norm, along, root))
        where = f"g = {sum_of_products([float(grad[index])], [float(gains[j])]).text}, x̂ {equals(norm)}"
        return Worked(f"{text}, where {where}, the mean of g x̂ {equals(along)} and the root {equals(root)}", result)

    def reads(self, index: Index, grad: Array, x: Array, gain: Array, epsilon: float, offset: float = 0) -> Reads:
        row: list[Index] = [(*index[:-1], k) for k in range(x.shape[-1])]
        return [row, row, [(k,) for k in range(x.shape[-1])]]


class RmsGainGradient(Op):
    """Σ dy ⊙ x̂ over all tokens."""

    name = "rms_gain_gradient"
    about = "The gradient times the normalised input, summed over every token."

    def compute(self, grad: Array, x: Array, epsilon: float) -> Array:  # (...,n), (...,n) -> (n,)
        standard = x / rms_norm.root(x, epsilon)
        return np.asarray(np.einsum("tn,tn->n", grad.reshape(-1, x.shape[-1]), standard.reshape(-1, x.shape[-1])))

    def formula(self, grad: str, x: str, epsilon: float) -> str:
        return rf"\sum {grad} \,\odot\, \mathrm{{norm}}({x})"

    def worked(self, index: Index, grad: Array, x: Array, epsilon: float) -> Worked:
        standard = (x / rms_norm.root(x, epsilon))[..., index[0]]
        return sum_of_products(grad[..., index[0]].ravel().tolist(), standard.ravel().tolist())

    def reads(self, index: Index, grad: Array, x: Array, epsilon: float) -> Reads:
        places: list[Index] = list(np.ndindex(*x.shape[:-1]))
        return [[(*place, index[0]) for place in places], list(np.ndindex(*x.shape))]


rms_norm = RmsNorm()
rms_norm_gradient = RmsNormGradient()
rms_gain_gradient = RmsGainGradient()
