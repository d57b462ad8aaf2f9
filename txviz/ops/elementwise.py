"""Operations that look at one cell of each input at a time."""

from __future__ import annotations

from math import erf as scalar_erf
from math import log as scalar_log
from math import pi, sqrt, tanh

import numpy as np

from txviz.ops.arithmetic import equals, number, operand, plain_sum, times
from txviz.ops.base import Array, Index, Op, Reads, Worked, seen_from
from txviz.ops.erf import erf


class Elementwise(Op):
    """Shared by all here: an output cell reads the cell of each input that stands (or broadcasts) in its place."""

    def reads(self, index: Index, *inputs: Array, **params: object) -> Reads:
        return [[seen_from(index, x.shape)] for x in inputs]

    def cells(self, index: Index, *inputs: Array) -> list[float]:
        return [float(x[seen_from(index, x.shape)]) for x in inputs]


class Add(Elementwise):
    """Embedding plus position; input plus what a sublayer made of it (the residual connection); sum plus bias."""

    name = "add"
    about = "Cell by cell, the two are added."

    def compute(self, a: Array, b: Array) -> Array:  # (...,n), (...,n) -> (...,n)
        return a + b

    def formula(self, a: str, b: str) -> str:
        return f"{a} + {b}"

    def worked(self, index: Index, a: Array, b: Array) -> Worked:
        left, right = self.cells(index, a, b)
        return Worked(f"{number(left)} + {operand(right)} {equals(left + right)}", left + right)


class Scale(Elementwise):
    """x · base^exponent: 1/√d_k for scores, √d_model for embeddings, 1/T for a temperature."""

    name = "scale"
    about = "Every cell is multiplied by the same number."

    def compute(self, x: Array, base: float, exponent: float) -> Array:  # (...) -> (...)
        return x * float(base**exponent)

    def formula(self, x: str, base: float, exponent: float) -> str:
        size = number(base)
        known = {
            -0.5: rf"\frac{{{x}}}{{\sqrt{{{size}}}}}",
            0.5: rf"\sqrt{{{size}}} \, {x}",
            -1: rf"\frac{{{x}}}{{{size}}}",
        }
        return known.get(exponent, rf"{size}^{{{number(exponent)}}} \, {x}")

    def worked(self, index: Index, x: Array, base: float, exponent: float) -> Worked:
        cell, size = float(x[index]), number(base)
        result = cell * float(base**exponent)
        known = {-0.5: f"{number(cell)} / √{size}", 0.5: f"√{size} × {operand(cell)}", -1: f"{number(cell)} / {size}"}
        text = known.get(exponent, f"{size}^{operand(exponent)} × {operand(cell)}")
        return Worked(f"{text} {equals(result)}", result)


class Mask(Elementwise):
    """Scores plus masks of 0 (open) and −∞ (closed): a closed score is −∞, and softmax makes it 0."""

    name = "mask"
    about = "Open cells keep their score; closed ones become −∞."

    def compute(self, scores: Array, *masks: Array) -> Array:  # (...,q,k), (...,q,k)… -> (...,q,k)
        masked = scores + masks[0]
        for mask in masks[1:]:
            masked = masked + mask
        return masked

    def formula(self, scores: str, *masks: str) -> str:
        return " + ".join([scores, *masks])

    def worked(self, index: Index, scores: Array, *masks: Array) -> Worked:
        cells = self.cells(index, scores, *masks)
        return Worked(f"{plain_sum(cells)} {equals(sum(cells))}", sum(cells))


class Relu(Elementwise):
    name = "relu"
    about = "Negative numbers become 0; the others stay as they are."

    def compute(self, x: Array) -> Array:  # (...) -> (...)
        return np.maximum(x, 0)

    def formula(self, x: str) -> str:
        return rf"\max(0,\ {x})"

    def worked(self, index: Index, x: Array) -> Worked:
        cell = float(x[index])
        return Worked(f"max(0, {number(cell)}) {equals(max(0.0, cell))}", max(0.0, cell))


class GeluTanh(Elementwise):
    """The approximation that GPT-2 uses."""

    name = "gelu_tanh"
    about = "A smooth step: large numbers pass, very negative ones vanish (the tanh form, as in GPT-2)."

    slope, cube = sqrt(2 / pi), 0.044715

    def compute(self, x: Array) -> Array:  # (...) -> (...)
        inner = x * x
        inner *= self.slope * self.cube
        inner += self.slope
        inner *= x
        np.tanh(inner, out=inner)
        inner += 1
        inner *= x
        inner *= 0.5
        return inner

    def formula(self, x: str) -> str:
        inner = rf"\sqrt{{\tfrac{{2}}{{\pi}}}} \left({x} + {self.cube} \, {x}^3\right)"
        return rf"\frac{{{x}}}{{2}} \left(1 + \tanh\left({inner}\right)\right)"

    def worked(self, index: Index, x: Array) -> Worked:
        cell = float(x[index])
        inner = self.slope * (cell + self.cube * cell**3)
        result = cell / 2 * (1 + tanh(inner))
        text = f"½ × {operand(cell)} × (1 + tanh({number(inner)})) = {times(cell / 2, 1 + tanh(inner))}"
        return Worked(f"{text} {equals(result)}", result)


class GeluErf(Elementwise):
    """The exact form: x times the normal distribution's Φ(x)."""

    name = "gelu_erf"
    about = "A smooth step: large numbers pass, very negative ones vanish (the exact form, with erf)."

    def compute(self, x: Array) -> Array:  # (...) -> (...)
        return np.asarray(x * 0.5 * (1 + erf(x / sqrt(2))))

    def formula(self, x: str) -> str:
        return rf"\frac{{{x}}}{{2}} \left(1 + \mathrm{{erf}}\left(\frac{{{x}}}{{\sqrt{{2}}}}\right)\right)"

    def worked(self, index: Index, x: Array) -> Worked:
        cell = float(x[index])
        factor = 1 + scalar_erf(cell / sqrt(2))
        result = cell / 2 * factor
        text = f"½ × {operand(cell)} × (1 + erf({number(cell)} / √2)) = {times(cell / 2, factor)}"
        return Worked(f"{text} {equals(result)}", result)


class Log(Elementwise):
    """The natural logarithm: from probabilities back to scores."""

    name = "log"
    about = "The natural logarithm of every cell; that of 0 is −∞."

    def compute(self, x: Array) -> Array:  # (...) -> (...)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(x))

    def formula(self, x: str) -> str:
        return rf"\ln {x}"

    def worked(self, index: Index, x: Array) -> Worked:
        cell = float(x[index])
        result = scalar_log(cell) if cell > 0 else float("-inf")
        return Worked(f"ln {number(cell)} {equals(result)}", result)


add = Add()
scale = Scale()
mask = Mask()
relu = Relu()
gelu_tanh = GeluTanh()
gelu_erf = GeluErf()
log = Log()
