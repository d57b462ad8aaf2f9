"""Operations that make a row comparable: softmax (positive, sums to 1) and layer norm (mean 0, variance 1).

Letters: n the row, always the last axis; (...) any axes before it.
"""

from __future__ import annotations

from math import exp, sqrt

import numpy as np

from txviz.ops.arithmetic import equals, minus, number, operand, plain_sum, shown, total
from txviz.ops.base import Array, Index, Op, Reads, Worked


class Softmax(Op):
    """The largest score is subtracted first, so that no exponential overflows; the result is the same.

    A row that is wholly masked (all −∞) has nothing to look at: its weights are all 0, not 0/0.
    """

    name = "softmax"
    about = "Each row becomes positive numbers that sum to 1; a score larger by 1 counts e ≈ 2.718 times as much."

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
        maximum = x.max(axis=-1, keepdims=True)
        return np.where(np.isneginf(maximum), 0, maximum).astype(x.dtype, copy=False)

    def _exponentials(self, x: Array) -> Array:  # (...,n) -> (...,n)
        shifted = x - self._maximum(x)
        np.exp(shifted, out=shifted)
        return shifted

    def _sums(self, exponentials: Array) -> Array:  # (...,n) -> (...,1)
        sums = exponentials.sum(axis=-1, keepdims=True)
        return np.where(sums == 0, 1, sums).astype(exponentials.dtype, copy=False)

    def formula(self, x: str) -> str:
        return rf"\mathrm{{softmax}}({x}),\quad p_j = \frac{{e^{{x_j - \max x}}}}{{\sum_k e^{{x_k - \max x}}}}"

    def worked(self, index: Index, x: Array) -> Worked:
        row = [float(cell) for cell in x[index[:-1]]]
        largest = max(row)
        if largest == float("-inf"):
            return Worked("every score of this row is −∞, so nothing is looked at: 0", 0.0)
        powers = [exp(cell - largest) for cell in row]
        result = powers[index[-1]] / sum(powers)
        top = f"exp({minus(row[index[-1]], largest)})"
        bottom = total([f"exp({minus(row[k], largest)})" for k in shown(len(row))], len(row))
        division = f"{number(powers[index[-1]])} / {number(sum(powers))}"
        return Worked(f"{top} / ({bottom}) = {division} {equals(result)}", result)

    def reads(self, index: Index, x: Array) -> Reads:
        return [[(*index[:-1], k) for k in range(x.shape[-1])]]


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
        centred: Array = x - x.mean(axis=-1, keepdims=True)
        centred /= self._spread(centred, epsilon)
        if gain is not None:
            centred *= gain
        if bias is not None:
            centred += bias
        return centred

    def _spread(self, centred: Array, epsilon: float) -> Array:  # (...,n) -> (...,1)
        spread: Array = np.sqrt(self._variance(centred) + epsilon)
        return np.asarray(np.where(spread == 0, 1, spread), dtype=centred.dtype)

    def _variance(self, centred: Array) -> Array:  # (...,n) -> (...,1)
        return np.asarray(np.einsum("...n,...n->...", centred, centred)[..., None] / centred.shape[-1])

    def parts(
        self, x: Array, gain: Array | None = None, bias: Array | None = None, epsilon: float = 1e-5
    ) -> dict[str, Array]:
        mean = x.mean(axis=-1, keepdims=True)
        variance = self._variance(x - mean)
        return {"mean": mean, "variance": variance, "spread": self._spread(x - mean, epsilon)}

    def formula(self, x: str, gain: str | None = None, bias: str | None = None, epsilon: float = 1e-5) -> str:
        under = rf"\mathrm{{var}}({x})" + ("" if epsilon == 0 else rf" + {_latex(epsilon)}")
        text = rf"\frac{{{x} - \mathrm{{mean}}({x})}}{{\sqrt{{{under}}}}}"
        text += "" if gain is None else rf" \odot {gain}"
        return text + ("" if bias is None else f" + {bias}")

    def worked(
        self, index: Index, x: Array, gain: Array | None = None, bias: Array | None = None, epsilon: float = 1e-5
    ) -> Worked:
        row, j = [float(cell) for cell in x[index[:-1]]], index[-1]
        mean = sum(row) / len(row)
        variance = sum((cell - mean) ** 2 for cell in row) / len(row)
        spread = sqrt(variance + epsilon) or 1.0
        result = (row[j] - mean) / spread
        squares = total([f"({minus(row[k], mean)})²" for k in shown(len(row))], len(row))
        under = number(variance) + ("" if epsilon == 0 else f" + {number(epsilon)}")
        text = f"({minus(row[j], mean)}) / √({under})"
        if gain is not None:
            result *= float(gain[j])
            text += f" × {operand(gain[j])}"
        if bias is not None:
            result += float(bias[j])
            text += f" + {operand(bias[j])}"
        working = (
            f"mean = ({plain_sum(row)}) / {len(row)} {equals(mean)}; "
            f"variance = ({squares}) / {len(row)} {equals(variance)}; "
        )
        return Worked(f"{working}{text} {equals(result)}", result)

    def reads(
        self, index: Index, x: Array, gain: Array | None = None, bias: Array | None = None, epsilon: float = 1e-5
    ) -> Reads:
        row: Reads = [[(*index[:-1], k) for k in range(x.shape[-1])]]
        return row + [[(index[-1],)] for learned in (gain, bias) if learned is not None]


def _latex(x: float) -> str:
    mantissa, _, exponent = f"{x:g}".partition("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else mantissa


softmax = Softmax()
layer_norm = LayerNorm()
