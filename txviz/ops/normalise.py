"""Operations that make a row comparable: softmax (positive, sums to 1) and layer norm (mean 0, variance 1).

Letters: n the row, always the last axis; (...) any axes before it.
"""

from __future__ import annotations

from functools import lru_cache, reduce
from math import exp, inf, sqrt
from typing import TypeAlias

import numpy as np

from txviz.ops.arithmetic import (
    added,
    equals,
    grouped,
    mean_of,
    minus,
    number,
    operand,
    quotient,
    shown,
    size_of_square,
    sum_of_products,
    times,
    total,
)  # fmt: skip
from txviz.ops.base import Array, Gradient, Index, Op, Reads, Source, Worked, along
from txviz.ops.keeping import kept
from txviz.ops.latex import indexed, scientific
from txviz.ops.sums import sum_to

SHORTEST = 1e-12
"""A vector that is shorter than this is divided by this."""

SHORT = 32
"""Below this many numbers in a row, NumPy's reductions along rows cost more than going column by column."""


def mean(x: Array) -> Array:  # (...,n) -> (...,1)
    return np.asarray(np.einsum("...n->...", x)[..., None] / x.shape[-1], dtype=x.dtype)


def largest(x: Array) -> Array:  # (...,n) -> (...,1)
    if x.shape[-1] > SHORT:  # NumPy finds where the largest stands much quicker than how large it is
        return np.take_along_axis(x, x.argmax(axis=-1, keepdims=True), axis=-1)
    return np.asarray(reduce(np.maximum, np.moveaxis(x, -1, 0)))[..., None]


class Softmax(Op):
    """The largest score is subtracted first, so that no exponential overflows; the result is the same.

    A row that is wholly masked (all −∞) has nothing to look at: its weights are all 0, not 0/0.
    """

    name = "softmax"
    about = "Each row becomes positive numbers that sum to 1; a score larger by 1 counts e ≈ 2.718 times as much."
    subscript = "j"

    def compute(self, x: Array) -> Array:  # (...,n) -> (...,n)
        exponentials = self._exponentials(x)
        exponentials /= self._sums(exponentials)
        return exponentials

    def parts(self, x: Array) -> dict[str, Array]:
        exponentials = self._exponentials(x)
        sums = self._sums(exponentials)
        return {
            "maximum": self._maximum(x),
            "shifted": x - self._maximum(x),
            "exponentials": exponentials,
            "sum": sums,
            "probabilities": exponentials / sums,
        }

    def _maximum(self, x: Array) -> Array:  # (...,n) -> (...,1)
        maximum = largest(x)
        return np.where(np.isneginf(maximum), 0, maximum).astype(x.dtype, copy=False)

    def _exponentials(self, x: Array) -> Array:  # (...,n) -> (...,n)
        shifted = x - self._maximum(x)
        np.exp(shifted, out=shifted)
        return shifted

    def _sums(self, exponentials: Array) -> Array:  # (...,n) -> (...,1)
        sums: Array = np.maximum(np.einsum("...n->...", exponentials)[..., None], 1)  # the largest score's own is 1
        return sums

    def formula(self, x: str) -> str:
        fraction = rf"\frac{{e^{{{indexed(x, 'j')}}}}}{{\sum_k e^{{{indexed(x, 'k')}}}}}"
        return rf"\mathrm{{softmax}}({x})_j = {fraction}"

    def worked(self, index: Index, x: Array) -> Worked:
        row = x[index[:-1]].tolist()
        largest = max(row)
        if largest == -inf:
            return Worked("every score of this row is −∞, so nothing is looked at: 0", 0.0)
        powers = [exp(cell - largest) for cell in row]
        top = f"exp({minus(row[index[-1]], largest)})"
        bottom = total([f"exp({minus(row[k], largest)})" for k in shown(len(row))], len(row))
        division = quotient(powers[index[-1]], added(powers))
        exact = all(cell in (largest, -inf) for cell in row)  # its exponential is 1 or 0
        return Worked(f"{top} / ({bottom}) {'=' if exact else '≈'} {division.text}", division.result)

    def reads(self, index: Index, x: Array) -> Reads:
        return [along(index[:-1], x.shape[-1])]

    def gradients(self, grad: Source, out: Source, x: Source) -> list[Gradient | None]:
        return [Gradient(softmax_gradient, (grad, out))]


class SoftmaxGradient(Op):
    """p ⊙ (dp − Σ dp ⊙ p): a score gains where its probability should grow more than the row's average."""

    name = "softmax_gradient"
    about = "Each gradient less the row's weighted mean gradient, times the probability."
    subscript = "j"

    def compute(self, grad: Array, p: Array) -> Array:  # (...,n), (...,n) -> (...,n)
        centred: Array = grad - np.einsum("...n,...n->...", grad, p)[..., None]
        centred *= p
        return centred

    def formula(self, grad: str, p: str) -> str:
        mean = rf"\sum_k {indexed(grad, 'k')} \, {indexed(p, 'k')}"
        return rf"{indexed(p, 'j')} \, \bigl({indexed(grad, 'j')} - {mean}\bigr)"

    def worked(self, index: Index, grad: Array, p: Array) -> Worked:
        row = index[:-1]
        mean = sum_of_products(grad[row].tolist(), p[row].tolist())
        share, slope = float(p[index]), float(grad[index])
        result = share * (slope - mean.result)
        size = abs(share) * (abs(slope) + float(np.abs(grad[row]) @ np.abs(p[row])))
        text = f"{operand(share)} × ({minus(slope, mean.result)}) {equals(result, size, (share, slope, mean.result))}"
        return Worked(f"{text}, where the mean gradient = {mean.text}", result)

    def reads(self, index: Index, grad: Array, p: Array) -> Reads:
        row = along(index[:-1], p.shape[-1])
        return [row, row]


_Standard: TypeAlias = tuple[str, float, float, tuple[float, ...], str]
"""A cell with mean 0 and variance 1: its arithmetic, value, terms' size, numbers, and where those come from."""

_NO_SPREAD: _Standard = ("0", 0.0, 0.0, (), "the numbers of the row are all equal: there is no spread to divide by")


@lru_cache(maxsize=64)  # every cell of a row asks
def _worked_spread(row: tuple[float, ...]) -> tuple[float, float, float, str]:
    """Mean and variance of a row, the mean size of its numbers, and the arithmetic of the two."""
    count, (mean_text, mean) = len(row), mean_of(row)
    variance = added((cell - mean) * (cell - mean) for cell in row) / count
    squares = total([f"({minus(row[k], mean)})²" for k in shown(count)], count)
    rounding = size_of_square(2 * max(max(row), -min(row)))
    where = f"the mean = {mean_text} and the variance = ({squares}) / {count} "
    return mean, variance, sum(map(abs, row)) / count, where + equals(variance, rounding, (mean, *row))


@kept
def standardised(x: Array, epsilon: float) -> tuple[Array, Array]:  # (...,n) -> (...,n), (...,1)
    """The row with mean 0 and variance 1, and the spread it was divided by."""
    centred = _centred(x, epsilon)
    spread = _spread(centred, epsilon)
    centred /= spread
    return centred, spread


def _centred(x: Array, epsilon: float) -> Array:  # (...,n) -> (...,n)
    centred: Array = x - mean(x)
    if not epsilon:  # a mean that is rounded would leave a spread where there is none
        centred[(x == x[..., :1]).all(axis=-1)] = 0
    return centred


def _spread(centred: Array, epsilon: float) -> Array:  # (...,n) -> (...,1)
    spread: Array = np.sqrt(_variance(centred) + epsilon)
    return np.asarray(np.where(spread == 0, 1, spread), dtype=centred.dtype)


def _variance(centred: Array) -> Array:  # (...,n) -> (...,1)
    return np.asarray(np.einsum("...n,...n->...", centred, centred)[..., None] / centred.shape[-1])


class LayerNorm(Op):
    """(x − mean) / √(variance + ε) · gain + bias, over the features of one token. Gain and bias may be left out.

    The variance is the mean of the squared differences. With ε = 0 a row of equal numbers has no spread to divide by:
    it becomes zeros.
    """

    name = "layer_norm"
    about = "Each token's numbers are shifted to mean 0 and stretched to variance 1."

    def compute(
        self, x: Array, gain: Array | None = None, bias: Array | None = None, epsilon: float = 1e-5
    ) -> Array:  # (...,n), (n,), (n,) -> (...,n)
        standard, _ = standardised(x, epsilon)
        if gain is None:
            return standard
        result: Array = standard * gain
        if bias is not None:
            result += bias
        return result

    def parts(
        self, x: Array, gain: Array | None = None, bias: Array | None = None, epsilon: float = 1e-5
    ) -> dict[str, Array]:
        centred = _centred(x, epsilon)
        return {"mean": mean(x), "variance": _variance(centred), "spread": _spread(centred, epsilon)}

    def formula(self, x: str, gain: str | None = None, bias: str | None = None, epsilon: float = 1e-5) -> str:
        under = rf"\mathrm{{var}}({x})" + ("" if epsilon == 0 else f" + {scientific(epsilon)}")
        text = rf"\frac{{{x} - \mathrm{{mean}}({x})}}{{\sqrt{{{under}}}}}"
        text += "" if gain is None else rf" \,\odot\, {gain}"
        return text + ("" if bias is None else f" + {bias}")

    def worked(
        self, index: Index, x: Array, gain: Array | None = None, bias: Array | None = None, epsilon: float = 1e-5
    ) -> Worked:
        row, j = tuple(x[index[:-1]].tolist()), index[-1]
        flat = not epsilon and min(row) == max(row)
        text, result, size, inputs, where = _NO_SPREAD if flat else self._worked_standard(row, j, epsilon)
        if gain is not None:
            factor = float(gain[j])
            text, result, size = f"{text} × {operand(factor)}", result * factor, size * abs(factor)
            inputs = (*inputs, factor)
        if bias is not None:
            shift = float(bias[j])
            text, result, size = f"{text} + {operand(shift)}", result + shift, size + abs(shift)
            inputs = (*inputs, shift)
        return Worked(f"{text} {equals(result, size, inputs)}, where {where}", result)

    def _worked_standard(self, row: tuple[float, ...], j: int, epsilon: float) -> _Standard:
        mean, variance, average_size, where = _worked_spread(row)
        under = number(variance) + ("" if epsilon == 0 else f" + {number(epsilon)}")
        spread = sqrt(variance + epsilon) or 1.0
        size = (abs(row[j]) + average_size) / spread
        inputs = (row[j], mean, variance, epsilon, spread)
        return f"({minus(row[j], mean)}) / √({under})", (row[j] - mean) / spread, size, inputs, where

    def reads(
        self, index: Index, x: Array, gain: Array | None = None, bias: Array | None = None, epsilon: float = 1e-5
    ) -> Reads:
        row: Reads = [along(index[:-1], x.shape[-1])]
        return row + [[(index[-1],)] for learned in (gain, bias) if learned is not None]

    def gradients(
        self,
        grad: Source,
        out: Source,
        x: Source,
        gain: Source | None = None,
        bias: Source | None = None,
        epsilon: float = 1e-5,
    ) -> list[Gradient | None]:
        of_x = Gradient(layer_norm_gradient, (grad, x, *([] if gain is None else [gain])), {"epsilon": epsilon})
        of_gain = Gradient(gain_gradient, (grad, x), {"epsilon": epsilon})
        return [of_x, of_gain, Gradient(sum_to, (grad,), {"shape": list(out.value.shape[-1:])})]


class LayerNormGradient(Op):
    """(g − mean g − x̂ · mean(g ⊙ x̂)) / spread with g = dy ⊙ gain: shifting or stretching the row changes nothing."""

    name = "layer_norm_gradient"
    about = "The gradient without its mean and without its part along the normalised row, over the row's spread."

    def compute(
        self, grad: Array, x: Array, gain: Array | None = None, epsilon: float = 1e-5
    ) -> Array:  # (...,n), (...,n), (n,) -> (...,n)
        standard, spread = standardised(x, epsilon)
        g: Array = grad.copy() if gain is None else grad * gain
        along = np.einsum("...n,...n->...", g, standard)[..., None] / x.shape[-1]
        g -= mean(g)
        g -= standard * along
        g /= spread
        return g

    def formula(self, grad: str, x: str, gain: str | None = None, epsilon: float = 1e-5) -> str:
        g = grad if gain is None else rf"{grad} \,\odot\, {gain}"
        where = rf"g = {g},\ \hat{{x}} = \mathrm{{norm}}({x})"
        return rf"\frac{{1}}{{\sigma}} \left(g - \bar{{g}} - \hat{{x}} \, \overline{{g \hat{{x}}}}\right),\quad {where}"

    def worked(self, index: Index, grad: Array, x: Array, gain: Array | None = None, epsilon: float = 1e-5) -> Worked:
        row, j = index[:-1], index[-1]
        standard, spread = (part.astype(float) for part in standardised(x[row], epsilon))
        g = grad[row].astype(float) * (1.0 if gain is None else gain.astype(float))
        mean, along = float(g.sum()) / g.size, float(g @ standard) / g.size
        own, norm, width = float(g[j]), float(standard[j]), float(spread[0])
        result = (own - mean - norm * along) / width
        size = abs(own) + float(np.abs(g).sum() + abs(norm) * (np.abs(g) @ np.abs(standard))) / g.size
        text = f"({minus(own, mean)} − {times(norm, along)}) / {grouped(width)} "
        text += equals(result, size / width, (own, mean, norm, along, width))
        of_g = equals(own) if gain is None else f"= {sum_of_products([float(grad[index])], [float(gain[j])]).text}"
        where = f"g {of_g}, its mean {equals(mean)}, x̂ {equals(norm)}, the mean of g x̂ {equals(along)}"
        return Worked(f"{text}, where {where} and the spread {equals(width)}", result)

    def reads(self, index: Index, grad: Array, x: Array, gain: Array | None = None, epsilon: float = 1e-5) -> Reads:
        row = along(index[:-1], x.shape[-1])
        return [row, row] if gain is None else [row, row, [(k,) for k in range(x.shape[-1])]]


class GainGradient(Op):
    """Σ dy ⊙ x̂ over all tokens."""

    name = "gain_gradient"
    about = "The gradient times the normalised input, summed over every token."

    def compute(self, grad: Array, x: Array, epsilon: float = 1e-5) -> Array:  # (...,n), (...,n) -> (n,)
        standard, _ = standardised(x, epsilon)
        return np.asarray(np.einsum("tn,tn->n", grad.reshape(-1, x.shape[-1]), standard.reshape(-1, x.shape[-1])))

    def formula(self, grad: str, x: str, epsilon: float = 1e-5) -> str:
        return rf"\sum {grad} \,\odot\, \mathrm{{norm}}({x})"

    def worked(self, index: Index, grad: Array, x: Array, epsilon: float = 1e-5) -> Worked:
        standard, _ = standardised(x, epsilon)
        return sum_of_products(grad[..., index[0]].ravel().tolist(), standard[..., index[0]].ravel().tolist())

    def reads(self, index: Index, grad: Array, x: Array, epsilon: float = 1e-5) -> Reads:
        places: list[Index] = list(np.ndindex(*x.shape[:-1]))
        return [[(*place, index[0]) for place in places], list(np.ndindex(*x.shape))]


class Unit(Op):
    """A vector over its length: then a dot product of two is their cosine."""

    name = "unit"
    about = "The vector divided by its length, so that only its direction is left."

    def compute(self, x: Array) -> Array:  # (...,n) -> (...,n)
        return np.asarray(x / self._length(x))

    def _length(self, x: Array) -> Array:  # (...,n) -> (...,1)
        return np.asarray(np.maximum(np.sqrt(np.einsum("...n,...n->...", x, x))[..., None], SHORTEST), dtype=x.dtype)

    def formula(self, x: str) -> str:
        return rf"\frac{{{x}}}{{\lVert {x} \rVert}}"

    def worked(self, index: Index, x: Array) -> Worked:
        row = x[index[:-1]].tolist()
        cell, square = row[index[-1]], added(cell * cell for cell in row)
        length = max(sqrt(square), SHORTEST)
        squares = total([f"{grouped(row[k])}²" for k in shown(len(row))], len(row))
        if length == SHORTEST:
            text, result = quotient(cell, length)
            return Worked(f"{text}, where the length √({squares}) is too short to divide by", result)
        result = cell / length
        return Worked(f"{number(cell)} / √({squares}) {equals(result, inputs=(length, *row))}", result)

    def reads(self, index: Index, x: Array) -> Reads:
        return [along(index[:-1], x.shape[-1])]

    def gradients(self, grad: Source, out: Source, x: Source) -> list[Gradient | None]:
        return [Gradient(unit_gradient, (grad, x))]


class UnitGradient(Op):
    """(g − u (u · g)) / |x|: growing along itself changes nothing."""

    name = "unit_gradient"
    about = "The gradient without its part along the vector, over the vector's length."

    def compute(self, grad: Array, x: Array) -> Array:  # (...,n), (...,n) -> (...,n)
        direction = unit.compute(x)
        along = np.einsum("...n,...n->...", grad, direction)[..., None]
        return np.asarray((grad - direction * along) / unit._length(x))

    def formula(self, grad: str, x: str) -> str:
        where = rf"u = \frac{{{x}}}{{\lVert {x} \rVert}}"
        return rf"\frac{{1}}{{\lVert {x} \rVert}} \left({grad} - u \, (u \cdot {grad})\right),\quad {where}"

    def worked(self, index: Index, grad: Array, x: Array) -> Worked:
        row, slope = x[index[:-1]].astype(float), grad[index[:-1]].astype(float)
        length, slope_here = max(float(np.sqrt((row * row).sum())), SHORTEST), float(slope[index[-1]])
        along, own = float((slope * row).sum()) / length, quotient(float(row[index[-1]]), length)
        result = (slope_here - own.result * along) / length
        size = (abs(slope_here) + abs(own.result) * float(np.abs(slope * row).sum()) / length) / length
        text = f"({number(slope_here)} − {times(own.result, along)}) / {grouped(length)} "
        text += equals(result, size, (slope_here, own.result, along, length))
        where = f"u = {own.text}, the gradient along u {equals(along)} and the length {equals(length)}"
        return Worked(f"{text}, where {where}", result)

    def reads(self, index: Index, grad: Array, x: Array) -> Reads:
        row = along(index[:-1], x.shape[-1])
        return [row, row]


softmax = Softmax()
softmax_gradient = SoftmaxGradient()
layer_norm = LayerNorm()
layer_norm_gradient = LayerNormGradient()
gain_gradient = GainGradient()
unit = Unit()
unit_gradient = UnitGradient()
